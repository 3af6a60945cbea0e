/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module: a file NAME.bpf.o, its BPF programs in the kernel and its maps in the agent's memory.
 * docs/architecture.md has the life cycle: which event leads to which status.
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

/* The highest value of `keys` in estat.conf. */
#define MODULE_MOST_KEYS 65536

/* The values of estat.module.status. "blind" is MODULE_RUNNING, too: see liveness.h. */
enum module_status {
	MODULE_RUNNING, /* loaded; attached, unless `attach = demand` and no client reads */
	MODULE_OFF,     /* `enabled = off`, or not started yet */
	MODULE_WAITING, /* the kernel lacks what the module probes; a kernel module may bring it */
	MODULE_FAILED,  /* m->error says why; m->starts says whether the agent tries again */
};

/* Shall a module that waits for any kernel module, or for BTF, start again? */
enum module_retry {
	RETRY_NOT,
	RETRY,
	RETRY_LAST, /* kernel modules are as at the last look: try once more, then give up */
};

/* The maps of one series, as the agent sees them while the module is loaded. */
struct series_maps {
	const char *slots;         /* mapped; slot N of shard S is element N * shards + S */
	const uint64_t *by_size;   /* mapped; a struct estat_matrix a slot; NULL: not counted */
	struct estat_state *state; /* slots taken and events dropped, in m->bss */
	int keys_fd;               /* descriptor of the hash that has each key's slot */
	int free_fd;               /* descriptor of the stack of free slots */
	uint32_t keys;             /* the most keys that the maps hold */
	uint32_t nslots;           /* `keys`, plus the slot of the overflow key if there is one */
	uint32_t begun;            /* the number of keys taken over from the old module */
	uint32_t mapped;           /* slots mapped so far, from slot 0 on */
	size_t slots_size;         /* bytes mapped at `slots` */
	size_t by_size_size;       /* bytes mapped at `by_size` */
};

/* Sums over a module's BPF programs and series. */
struct module_counters {
	uint64_t runs; /* how often the BPF programs ran; 0 unless kernel.bpf_stats_enabled is 1 */
	uint64_t run_time; /* nanoseconds of these runs */
	uint64_t missed;   /* events that were not counted */
	uint64_t dropped;  /* operations whose key found no slot */
};

/* Does an attached module see what it measures? See liveness.h. */
struct liveness {
	bool wanted;       /* the module declares evidence and has counted nothing yet */
	uint64_t activity; /* checksum of the module's counters when it was attached */
	uint64_t evidence; /* checksum of the evidence files at the last look */
	int stats;         /* descriptor from helper_count_runs(); -1: none is open */
	uint64_t *runs;    /* runs of each BPF program when `stats` was opened; NULL: not opened */
	char error[MODULE_ERROR_LEN]; /* why the module is blind, one line; "": not blind */
};

/* A module's section of estat.conf. Compared as bytes: memset() it before filling it. */
struct settings {
	enum config_switch enabled;
	bool unknown;         /* estat.conf exists but cannot be read: `enabled` is off */
	uint32_t keys;        /* the number of keys of each series; 0: as the module declares */
	bool latency_by_size; /* count a matrix of latency by size, too */
	bool latency_fine;    /* export latency in thirty buckets a decade, too */
	bool all_buckets;     /* export buckets that were never hit, too */
	uint32_t prometheus;  /* seconds from scrape to scrape; 0: export no latency_seconds.* */
	bool fentry;          /* try fentry and fexit before kprobe and kretprobe */
	bool demand;          /* `attach = demand`: attach only while a client reads */
	unsigned int linger;  /* seconds to stay attached after the last read */
};

/* When to repeat an action that failed for a reason that may pass. */
struct tries {
	unsigned int pause; /* seconds between the last try and the next; 0: no try has failed */
	uint64_t next;      /* time of the next try, CLOCK_MONOTONIC nanoseconds; 0: none */
};

struct exports;

struct module {
	/* What the module is. */
	char *path;                /* path of the file NAME.bpf.o; owned */
	char name[ESTAT_NAME_LEN]; /* from the schema; if it is NULL, the file's name less .bpf.o */
	struct schema *schema;     /* owned; NULL: the file could not be read */
	bool clashes;              /* another module has this one's name or PMID cluster */

	/* The desired state of the module. */
	struct settings settings;
	bool due;            /* the file or the settings changed: start the module, or replace it */
	bool leaving;        /* detaching in steps: to be replaced or removed, or no client reads */
	bool wanted;         /* `attach = demand`: a client has read it within `linger` seconds */
	struct tries starts; /* when to repeat a start that failed */
	struct tries takes;  /* when to try again the new file or settings that were refused */
	enum module_retry retry;

	/* Actual state. Each error is one line, "" if there is none. */
	enum module_status status;
	bool begun; /* module_start() was called, or the module has replaced another one */
	char error[MODULE_ERROR_LEN]; /* why the module does not run */
	char lacks[MODULE_ERROR_LEN]; /* what a running module does not measure on this kernel */
	char stale[MODULE_ERROR_LEN + 64]; /* why the new file or settings were refused */
	bool stale_clashes; /* `stale` is set because another module has the new name or cluster */
	struct liveness liveness;
	struct exports *exports; /* owned; NULL while the module exports no metrics */

	/* The BPF object. It may stay loaded until a module that waits or failed starts again. */
	struct bpf_object *object; /* owned; NULL: not loaded */
	struct bpf_link **links;   /* one for each BPF program of `object`; NULL: not attached */
	unsigned int nlinks;       /* the number of elements of `links` */
	unsigned int nprograms;    /* BPF programs that are attached */
	bool has_kprobes;          /* the object has kprobe programs in the place of fentry */
	bool kprobes;              /* kprobe programs were chosen in the place of fentry */
	bool untyped;              /* fentry failed because BTF is missing, which may come later */

	/* The object that a start replaces, while the start lasts; NULL otherwise. */
	struct bpf_object *old_object; /* `object` takes over the maps of old_object */
	struct bpf_link **old_links;
	unsigned int old_nlinks;
	bool old_kprobe_missed_known; /* the value of `kprobe_missed_known` for old_object */

	/* Memory shared with the kernel; unmapped, and *maps is zeros, while `object` is NULL. */
	uint32_t shards;          /* the number of shards of each series, a power of two */
	struct series_maps *maps; /* one element for each table of the schema; owned */
	char *bss;                /* mapped: the object's global variables */
	size_t bss_size;          /* bytes mapped at `bss` */
	int names_fd;             /* descriptor of the map estat_names; -1: none */
	uint64_t *missed;         /* in bss: events that the BPF programs did not count */
	uint32_t *names_full;     /* in bss: not 0 once estat_names was full; NULL: no names */
	const char *events;       /* mapped: the ring of event records; NULL: none */
	size_t events_size;       /* bytes mapped at `events` */
	uint64_t *events_begun;   /* in bss: the number of event records ever begun; NULL: none */
	uint64_t memory;          /* bytes that the maps take in the kernel */

	/* Counts that are in no map; for kprobes see kprobe_missed.bpf.c. */
	bool kprobe_missed_known; /* the kernel tells how often the kprobes were hit */
	int64_t unrun_hits;       /* hits of kprobes less runs of BPF programs, at the last look */
	uint64_t kprobe_missed;   /* events missed by kprobes: by how much `unrun_hits` has grown */
	uint64_t lost_returns;    /* calls whose return no BPF program can see any more */
	struct module_counters past; /* counters of BPF programs that were replaced */

	/* Times. */
	uint64_t started;        /* when the counters began, milliseconds since 1970; 0: none yet */
	uint64_t attached_since; /* when it was attached, CLOCK_MONOTONIC ns; 0: not attached */
	uint64_t attached_for;   /* nanoseconds that it was attached, before attached_since */
	unsigned int stops;      /* how often the counters were lost and began at 0 again */

	/* The kernel module that the module needs; NULL: the module needs none. */
	const struct kmod *kmod;
	uint64_t kmod_loaded; /* these three: kmod->loaded, ready and in_use at the last start */
	bool kmod_ready, kmod_in_use;
	const struct kmod *also; /* another kernel module to probe if it is loaded; NULL: none */
	uint64_t also_loaded;    /* also->loaded when the BPF programs were chosen */
};

/* Set m->status to MODULE_FAILED and m->error to the text, and log the text. */
void module_refuse(struct module *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Was the schema read, and has no other module this one's name or PMID cluster? */
bool module_owns_name(const struct module *m);

bool module_is_attached(const struct module *m);

/* Nanoseconds that the module has been attached since its counters began. */
uint64_t module_attached(const struct module *m);

/* The value of estat.module.status. */
const char *module_status_name(const struct module *m);

#endif /* ESTAT_PMDA_LOAD_MODULE_H */
