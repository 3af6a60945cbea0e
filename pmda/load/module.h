/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module: one NAME.bpf.o, from its file to its programs attached in the
 * kernel and its maps in the agent's memory.
 */
#ifndef ESTAT_PMDA_LOAD_MODULE_H
#define ESTAT_PMDA_LOAD_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "kmod.h"
#include "schema/schema.h"

#define MODULE_ERROR_LEN 512

/* The most keys that estat.conf can give a table. */
#define MODULE_MOST_KEYS 65536

enum module_status {
	MODULE_RUNNING,
	MODULE_OFF,     /* by estat.conf */
	MODULE_WAITING, /* auto, and the kernel lacks what it probes; tried again later */
	MODULE_FAILED,
};

/* Shall a module be tried again because the kernel's modules are others, or settled? */
enum module_retry {
	RETRY_NOT,
	RETRY,
	RETRY_LAST, /* they are the same as the last time, so nothing more will come */
};

/* A table's maps as the agent sees them while the module runs. */
struct series_maps {
	const char *slots;               /* mapped: slots x shards */
	const uint64_t *by_size;         /* mapped: slots x struct estat_matrix, or NULL */
	struct estat_state *state;       /* mapped */
	int keys_fd, free_fd;            /* the hash of keys, the stack of free slots */
	uint32_t keys;                   /* how many the maps hold */
	uint32_t nslots;                 /* one each, and one after them if others are counted */
	uint32_t begun;                  /* how many had keys when it was started */
	uint32_t mapped;                 /* how many slots are mapped */
	size_t slots_size, by_size_size; /* of the mappings, bytes */
};

/* What the kernel says of a module's programs, summed. */
struct module_counters {
	uint64_t runs;     /* counted only with kernel.bpf_stats_enabled */
	uint64_t run_time; /* nanoseconds, likewise */
	uint64_t missed;   /* events the kernel skipped, and events whose start was not seen */
	uint64_t dropped;  /* events without a slot */
};

/* Whether it has proven itself, see liveness.h. */
struct liveness {
	bool wanted;                  /* it has not, and there is evidence to be looked at */
	uint64_t activity, evidence;  /* as they were when it was attached, and at the last look */
	int stats;                    /* have the kernel count runs while open; else -1 */
	uint64_t *runs;               /* by program: how many it had had then, or NULL */
	char error[MODULE_ERROR_LEN]; /* one line, "" if there is nothing to say */
};

/* What estat.conf says of a module. */
struct settings {
	enum config_switch enabled;
	bool unknown;  /* whether it is to be off, for estat.conf cannot be read: then it is */
	uint32_t keys; /* 0: as declared */
	bool latency_by_size;
	bool latency_fine;   /* export the buckets as they are counted, too */
	bool all_buckets;    /* and not only those that were ever hit */
	uint32_t prometheus; /* seconds between two scrapes; 0: export nothing for them */
	bool fentry;         /* try fentry and fexit first */
	bool demand;         /* attach it while somebody looks */
	unsigned int linger; /* and for so long after, seconds */
};

/* What has failed for what may pass is tried again. */
struct tries {
	unsigned int pause; /* before the next try, seconds; 0: the first */
	uint64_t next;      /* when that is, CLOCK_MONOTONIC nanoseconds; 0: there is none */
};

struct exports;

struct module {
	char *path;                /* of its object */
	char name[ESTAT_NAME_LEN]; /* the schema's, else the file's without .bpf.o */
	struct settings settings;
	enum module_status status;
	char error[MODULE_ERROR_LEN];      /* one line, "" if there is nothing to say */
	char lacks[MODULE_ERROR_LEN];      /* what it lacks though it runs, likewise */
	char stale[MODULE_ERROR_LEN + 64]; /* why it runs on as it was before a change, likewise */
	unsigned int stops;                /* how often it has lost what it had counted */
	bool begun;         /* it was started, or has taken the place of one that was */
	bool clashes;       /* another one has its name or cluster */
	bool stale_clashes; /* what its file is now has another one's: that is why it is stale */
	bool leaving;       /* it is being detached, before it is replaced or removed */
	bool due; /* to be started, or to be replaced by what its file or estat.conf is now */
	struct liveness liveness;
	struct schema *schema;   /* NULL if the object could not be read */
	struct exports *exports; /* NULL while it serves nothing */
	struct bpf_object
		*object; /* NULL until it has run; kept while it waits, or is tried, again */
	struct bpf_object *old_object; /* while it starts: the object whose maps go on */
	struct bpf_link **old_links;
	unsigned int old_nlinks;
	struct series_maps *maps; /* one a table of the schema; valid if there is an object */
	char *bss;                /* mapped: where the series' states are */
	size_t bss_size;
	int names_fd;         /* of its map estat_names; -1 if there is none */
	uint32_t *names_full; /* mapped: one has found no room in it; NULL if there is none */
	const char *events;   /* mapped: the ring of event records, or NULL */
	size_t events_size;
	uint64_t *events_begun;  /* mapped: how many there were, ever */
	struct bpf_link **links; /* one a program, NULL for those that are not attached */
	unsigned int nlinks;
	unsigned int nprograms; /* attached */
	uint32_t shards;
	bool has_kprobes;        /* it can do with kprobe and kretprobe */
	bool kprobes;            /* it does */
	bool untyped;            /* for want of BTF that may come yet */
	bool wanted;             /* somebody looks, if it is attached on demand */
	bool knows_hits;         /* of its kprobes, see pmda/load/kprobe_missed.bpf.c */
	bool old_knows_hits;     /* the replaced object's */
	int64_t gap;             /* by how much hits exceed runs, as it was last seen */
	uint64_t skipped;        /* by how much that has grown */
	uint64_t lost_returns;   /* of kretprobes, whose thread or program has ended */
	uint64_t started;        /* when its counters began, since 1970, milliseconds; 0: not yet */
	uint64_t attached_since; /* CLOCK_MONOTONIC nanoseconds; 0: it is not */
	uint64_t attached_for;   /* before that, nanoseconds */
	uint64_t memory;         /* bytes that its maps take in the kernel */
	struct tries starts;     /* of a start that failed */
	struct tries takes;      /* of its file or estat.conf as it is now, which was refused */
	/* the kernel module that it probes, NULL for the kernel itself; and how that was at the
	   last start */
	const struct kmod *kmod;
	uint64_t kmod_loaded;
	bool kmod_ready, kmod_in_use;
	const struct kmod *also; /* the one that it probes besides, or NULL; */
	uint64_t also_loaded;    /* likewise */
	enum module_retry retry;
	struct module_counters past; /* of programs that were replaced */
};

/* Give a module up before it was started, with the reason for its error. */
void module_refuse(struct module *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Is the name its own, and not what its file is called, or another one's? */
bool module_owns_name(const struct module *m);

bool module_is_attached(const struct module *m);

/* For how long it has been attached since its counters began, nanoseconds. */
uint64_t module_attached(const struct module *m);

const char *module_status_name(const struct module *m);

#endif /* ESTAT_PMDA_LOAD_MODULE_H */
