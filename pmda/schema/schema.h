/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a module declares in BTF and .rodata of its object: name, series, axes and fields. A table
 * is a series with maps of its own. A view is a series that the agent adds up from a table.
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

/* Limits, most of them set by the number of bits in a PMID. A module beyond a limit is refused. */
#define SCHEMA_MAX_GROUPS     15 /* groups of all exported series of a module together */
#define SCHEMA_MAX_FIELDS     32 /* fields of a group */
#define SCHEMA_FIRST_ITEM     17 /* lowest number that ESTAT_NUMBER may give a field */
#define SCHEMA_LAST_ITEM      30
#define SCHEMA_MAX_AXES       8
#define SCHEMA_MAX_PARAMETERS 32
#define SCHEMA_LAST_PARAMETER 63 /* highest number that ESTAT_NUMBER may give an event's member */

/* An axis of a key: a member of the key struct. Also used for a member of an event struct. */
struct axis {
	const char *name;
	enum axis_kind {
		AXIS_TEXT,     /* char[size], up to the first NUL */
		AXIS_ENUM,     /* text: "red" for the enumerator color_red of enum color */
		AXIS_UNSIGNED, /* 1, 2, 4 or 8 bytes */
		AXIS_SIGNED,
		AXIS_DEVICE,  /* estat_dev_t; text: name of a disk, SCSI device or file system */
		AXIS_NAME,    /* estat_name_t, an id; text: the id's name */
		AXIS_CGROUP,  /* estat_cgroup_t; text: the cgroup's path */
		AXIS_CHARGED, /* estat_charged_t; text: the cgroup's path */
		AXIS_IP,      /* estat_ip_t; text: a.b.c.d or an IPv6 address; `none` for :: */
	} kind;
	uint32_t offset; /* bytes before the member in its struct */
	uint32_t size;   /* bytes of the member */
	const struct btf_type *type;
};

/* Is the axis an id whose text is in the map estat_names, and nowhere else? */
static inline bool axis_is_named(int kind)
{
	return kind == AXIS_NAME || kind == AXIS_CGROUP || kind == AXIS_CHARGED;
}

enum unit {
	UNIT_COUNT,
	UNIT_BYTES,
	UNIT_NSEC,
	UNIT_SHARE, /* a fraction in units of 1/ESTAT_WHOLE, exported as percent */
	UNIT_USEC,  /* microseconds, only for a FIELD_OLDEST */
};

static inline double share_percent(uint64_t share)
{
	return share * 100.0 / ESTAT_WHOLE;
}

/* A field of a value: a member of the value struct. */
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
		/* these three: gauges of the operations under way, which estat_walk sets */
		FIELD_UNDER_WAY, /* how many operations are under way */
		FIELD_OLDEST,    /* the age of the oldest operation under way */
		FIELD_AGES,      /* the sum of the ages of the operations under way */
		FIELD_GAUGE,
	} kind;
	enum unit unit;    /* the unit of a FIELD_GAUGE or FIELD_OLDEST; else UNIT_COUNT */
	uint32_t word;     /* the field's offset in the value, in 64-bit words */
	unsigned int item; /* the metric's number in its group, 0 to 30; not set for FIELD_MAX */
	const char *help;  /* the metric's help text; "": the module gives none */
};

/*
 * A group: fields whose metrics are siblings in the name space. A group is the value struct itself,
 * or a member of the value struct that has a name, is a struct, and is no field. The members `ops`
 * to `ages` point to fields from which the agent computes further metrics; NULL: the group has no
 * such field.
 */
struct group {
	const char *name; /* the name of the struct's member; "": the value struct itself */
	const char *help; /* the help text: what is measured; "": see the series' help */
	/* the group's number in its series; schema_group_number() has the number in the module */
	unsigned int number;
	unsigned int nfields;
	struct field fields[SCHEMA_MAX_FIELDS];
	const struct field *ops, *bytes, *sum, *sumsq, *max, *latency, *size, *ages;
};

struct series_schema {
	const char *name;   /* the map's or the view's name; it may be the module's name */
	const char *help;   /* the help text: what is measured; "": the series is hidden */
	const char *layout; /* how `estat` lays out rows, from ESTAT_LAYOUT; "": not declared */
	unsigned int naxes;
	struct axis axes[SCHEMA_MAX_AXES];
	unsigned int ngroups;
	struct group *groups; /* of a view: the table's array itself, no copy */
	/* the number that ESTAT_SERIES or ESTAT_VIEW declares; not set for a hidden series */
	unsigned int first_group;
	struct position {
		estat_rank_t rank; /* position in the stack of `estat layers`; 0: no layer */
		/*
		 * the layers above, as ESTAT_LAYER names them; "": no layer is above; NULL: the
		 * series or group is itself no layer
		 */
		const char *above;
	} positions[SCHEMA_MAX_GROUPS];
	uint32_t slot_size;  /* bytes of one slot in one shard */
	uint32_t key_offset; /* bytes before the key in the slot */
	uint32_t key_size;
	uint32_t value_offset;
	uint32_t value_words; /* size of the value, in 64-bit words */
	uint32_t keys;        /* the most keys, as the module declares; estat.conf has priority */
	/*
	 * index in schema->series: that of the view's table or, if this is a table, its own index
	 */
	unsigned int table;
	struct {
		struct axis axis;
		/* a glob(7) for a key's text on `axis`; "": the view takes all keys of its table */
		char values[64];
	} only;        /* a view takes the keys whose text on `axis` matches `values` */
	bool hidden;   /* not exported: only views use the series */
	bool overflow; /* the table has an overflow key */
};

/* The number of a group in the module, which PMIDs and instance domains contain. */
static inline unsigned int schema_group_number(const struct series_schema *s, unsigned int group)
{
	return s->first_group + s->groups[group].number;
}

/* The rings of records that a module can have, see bpf/event.bpf.h. */
enum ring_kind {
	RING_EVENTS, /* event records */
	RING_LAST,   /* records for the metrics estat.MODULE.last.X, see ESTAT_LAST() */
	RINGS,
};

/* A parameter of an event: a member of the event struct. */
struct parameter {
	const char *help;
	struct axis axis;  /* the event's member; axis.kind has a meaning only for a text */
	unsigned int item; /* the metric's PMID item is RING_ITEM + item */
	bool text;         /* true: a text; false: an amount of 64 bits */
	enum unit unit;    /* the unit of an amount */
};

/* The records of a ring: event records, or those for the metrics estat.MODULE.last.X. */
struct ring_schema {
	const char *help;
	/* how `estat` prints a record, from ESTAT_LAYOUT; "": not declared; NULL for RING_LAST */
	const char *layout;
	/* how many members the event has; 0: the module has no such ring */
	unsigned int nparameters;
	struct parameter *parameters; /* owned */
	uint32_t records;             /* how many records the ring holds */
	uint32_t record_size;         /* bytes of a record, with its head */
	uint32_t event_offset;        /* bytes before the event in its record */
};

struct schema {
	/* from btf_copy_variables(); owned; the schema's `const char *` point to it or to "" */
	struct btf *btf;
	char name[ESTAT_NAME_LEN];
	uint32_t cluster;
	struct estat_needs needs; /* kernel module of ESTAT_NEEDS; .module is "": none */
	struct estat_needs also;  /* kernel module of ESTAT_ALSO; .module is "": none */
	/* files that change while what the module measures is at work; .files is "": none */
	struct estat_evidence evidence;
	/*
	 * ESTAT_IO_CGROUPS: an operation counts for its cgroup or, if that lacks the controller io,
	 * for the nearest cgroup above that has the controller
	 */
	bool io_cgroups;
	bool on_demand; /* the default of `attach` in estat.conf is demand */
	/* estat_walk stores details of the oldest operations under way, see told.bpf.h */
	bool tells;
	bool samples; /* the module can count a sample of its operations */
	bool slow;    /* the module's event records are of slow operations */
	/*
	 * the module follows some operations from the call to the disk, and has the variables
	 * estat_every and estat_focus
	 */
	bool every;
	/* series with maps of their own: series[0] to [ntables - 1]; views follow */
	unsigned int ntables;
	unsigned int nseries;
	struct series_schema *series;
	struct ring_schema rings[RINGS];
};

/* Read an opened object's schema. NULL: `error` says why not. Free with schema_free(). */
struct schema *schema_read(const struct bpf_object *object, char *error, size_t size);
void schema_free(struct schema *schema);

/*
 * Has `object` the same variables, with the same types and tags, as the object from which the
 * schema was read?
 */
bool schema_matches(const struct schema *schema, const struct bpf_object *object);

/* Has the series the module's name? A dot in a module's name is an underscore in a series' name. */
bool schema_is_own(const struct schema *schema, const struct series_schema *s);

/*
 * Have two schemas the same cluster, and the same names, numbers and types of series, keys, values
 * and events? Then the counters of an object with the one can go on in an object with the other.
 */
bool schema_counts_alike(const struct schema *a, const struct schema *b);

#endif /* ESTAT_PMDA_SCHEMA_SCHEMA_H */
