/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a module says about itself: its name, its series, their axes and
 * fields, all read from the BTF of its object. Nothing here touches the kernel.
 */
#ifndef ESTAT_PMDA_SCHEMA_SCHEMA_H
#define ESTAT_PMDA_SCHEMA_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/histogram.h"

struct bpf_object;
struct btf;
struct btf_type;

/* Limits; a module that exceeds one is refused. They follow from the PMID's bits. */
#define SCHEMA_MAX_GROUPS     15 /* in all series of a module together */
#define SCHEMA_MAX_FIELDS     32 /* in a group */
#define SCHEMA_FIRST_ITEM     17 /* of fields that struct estat_io has not */
#define SCHEMA_LAST_ITEM      30
#define SCHEMA_MAX_AXES       8
#define SCHEMA_MAX_PARAMETERS 32
#define SCHEMA_LAST_PARAMETER 63 /* its number */

/* A member of a key struct. */
struct axis {
	const char *name;
	enum axis_kind {
		AXIS_TEXT,     /* char[size], ends at the first NUL */
		AXIS_ENUM,     /* prints its enumerator, less the prefix "ENUM_" */
		AXIS_UNSIGNED, /* 1, 2, 4 or 8 bytes */
		AXIS_SIGNED,
		AXIS_DEVICE, /* estat_dev_t: prints the disk's name */
		AXIS_NAME,   /* estat_name_t: prints the name of the id */
		AXIS_CGROUP, /* estat_cgroup_t: prints the path, likewise */
		AXIS_IP,     /* estat_ip_t: prints the address as inet_ntop(3) does */
	} kind;
	uint32_t offset; /* in the key, bytes */
	uint32_t size;   /* bytes */
	const struct btf_type *type;
};

/* What an amount is counted in. */
enum unit {
	UNIT_COUNT,
	UNIT_BYTES,
	UNIT_NSEC,
	UNIT_SHARE, /* of ESTAT_WHOLE */
};

static inline double share_percent(uint64_t share)
{
	return share * 100.0 / ESTAT_WHOLE;
}

/* A member of a value struct. */
struct field {
	const char *name;
	enum field_kind {
		FIELD_COUNT,
		FIELD_BYTES,
		FIELD_NSEC,
		FIELD_SUMSQ,
		FIELD_MAX,
		FIELD_LATENCY,
		FIELD_SIZE,
		FIELD_GAUGE,
	} kind;
	enum unit unit;    /* of FIELD_GAUGE */
	uint32_t word;     /* its place in the value, in 64-bit words */
	unsigned int item; /* of its metric's PMID, in the group; FIELD_MAX has none */
	const char *help;  /* "" if the module gives none */
};

/*
 * Fields whose metrics stand at one level of the name space: those of the value
 * struct itself, or those of a struct in it, which gives the level its name.
 * The named pointers are the fields that other metrics are computed from, NULL
 * where the group has none.
 */
struct group {
	const char *name;    /* "" for the value struct itself */
	const char *help;    /* from what to what its latency runs; "" if the series' own tells */
	unsigned int number; /* after the series' */
	unsigned int nfields;
	struct field fields[SCHEMA_MAX_FIELDS];
	const struct field *ops, *bytes, *sum, *sumsq, *max, *latency, *size;
};

struct series_schema {
	const char *name;  /* the map's: the module's own name, or another */
	const char *help;  /* from what to what its latency runs; "" of a hidden one */
	const char *shown; /* by the command, ESTAT_SHOWN; "" if it is not said */
	unsigned int naxes;
	struct axis axes[SCHEMA_MAX_AXES];
	unsigned int ngroups;
	struct group *groups;     /* of a view, those of its table */
	unsigned int first_group; /* groups[0]'s number in the module, if it is not hidden */
	struct place {
		estat_rank_t rank; /* of a group that is a layer; else 0 */
		const char *above; /* ESTAT_LAYER */
	} places[SCHEMA_MAX_GROUPS];
	uint32_t slot_size;  /* bytes, of one slot in one shard */
	uint32_t key_offset; /* in the slot, bytes */
	uint32_t key_size;
	uint32_t value_offset;
	uint32_t value_words; /* 64-bit words */
	uint32_t keys;        /* how many it declares */
	unsigned int table;   /* whose maps it has: its own number, or of a view another's */
	struct {
		struct axis axis;
		char values[64]; /* a glob(7) */
	} only;                  /* the keys of a view; no values: all that its table has */
	bool hidden;             /* there for views only */
	bool others;             /* a table: what finds no slot is counted together */
};

/* A group's number in the module, from which those of its metrics and domains are made. */
static inline unsigned int schema_group_number(const struct series_schema *s, unsigned int group)
{
	return s->first_group + s->groups[group].number;
}

/* A member of the struct of an event. */
struct parameter {
	const char *help;
	struct axis axis;  /* its name and place in the event; what its text is, if it is text */
	unsigned int item; /* of its metric's PMID, after that of the records */
	bool text;
	enum unit unit; /* of an amount, which has 64 bits */
};

/* A module's event records. */
struct event_schema {
	const char *help;
	const char *shown;        /* ESTAT_SHOWN; "" if it is not said */
	unsigned int nparameters; /* 0 if it has no events */
	struct parameter parameters[SCHEMA_MAX_PARAMETERS];
	uint32_t records;      /* how many the ring holds */
	uint32_t record_size;  /* bytes, with the head */
	uint32_t event_offset; /* in the record, bytes */
};

struct schema {
	struct btf *btf; /* what the names point into */
	char name[ESTAT_NAME_LEN];
	uint32_t cluster;
	struct estat_needs needs;       /* "" if it needs no kernel module */
	struct estat_needs also;        /* "" if it probes no other one */
	struct estat_evidence evidence; /* "" if it declares none */
	bool on_demand;                 /* attached on demand unless estat.conf says otherwise */
	unsigned int ntables;           /* series that have maps; views follow them */
	unsigned int nseries;
	struct series_schema *series;
	struct event_schema events;
};

/*
 * Read the schema of an opened object. Returns it, to be freed with
 * schema_free(), or NULL with the reason in error.
 */
struct schema *schema_read(const struct bpf_object *object, char *error, size_t size);
void schema_free(struct schema *schema);

/* Is an object what a schema was read from? */
bool schema_matches(const struct schema *schema, const struct bpf_object *object);

/*
 * Is a series the one with the module's own name? A dot in that is an underscore in the other.
 */
bool schema_is_own(const struct schema *schema, const struct series_schema *s);

/*
 * Do two count the same by the same keys, so that what one has counted can go on in the
 * other? They need not be from the same file.
 */
bool schema_counts_alike(const struct schema *a, const struct schema *b);

/* The struct estat_module in an object's .rodata, before load; NULL if it has none. */
struct estat_module *schema_module(const struct bpf_object *object);

/*
 * Which slot of a table is that of all others, in an object's .rodata, before load; NULL if
 * it was built when there was no such thing.
 */
uint32_t *schema_others(const struct bpf_object *object, const char *table);

/* What tells an object whether fentry takes wide functions, see bpf/probe.bpf.h; NULL: it has none.
 */
uint8_t *schema_wide(const struct bpf_object *object);

/* What tells it how large a page is, see modules/vfs/page.bpf.h; NULL: it has none. */
uint8_t *schema_page_shift(const struct bpf_object *object);

/*
 * The i-th of the addresses that an object asks for, in its .rodata, before load; *symbol:
 * what of. NULL if it asks for fewer.
 */
uint64_t *schema_address(const struct bpf_object *object, unsigned int i, const char **symbol);

/* The same of the enumerators that an object asks for, see ESTAT_ENUMERATOR. */
uint32_t *schema_enumerator(const struct bpf_object *object, unsigned int i, const char **name);

/* What an object says of a function that it probes; NULL if nothing. */
const struct estat_function *schema_function(const struct bpf_object *object, const char *function);

/*
 * Where a variable of an object is: its offset in the data section `section`
 * (".bss"), or -1.
 */
long schema_variable(const struct btf *btf, const char *section, const char *name);

#endif /* ESTAT_PMDA_SCHEMA_SCHEMA_H */
