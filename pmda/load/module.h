/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module: a file NAME.bpf.o, its BPF programs in the kernel and its maps in the agent's memory.
 * docs/architecture.md has the life cycle: states, and the step from each state.
 */
#ifndef ESTAT_PMDA_LOAD_MODULE_H
#define ESTAT_PMDA_LOAD_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "focus.h"
#include "kmod.h"
#include "schema/schema.h"

#define MODULE_ERROR_LEN 512

/* The highest value of `keys` in estat.conf. */
#define MODULE_MOST_KEYS 65536

/* The highest value of `every` in estat.conf. */
#define MODULE_MOST_EVERY 1048576

/*
 * A module's settings: the module's section of estat.conf, and `fentry` of the section agent. The
 * structs are compared as bytes, so clear the padding with memset() before you set the members.
 */
struct settings {
	enum config_switch enabled;
	bool unknown;    /* estat.conf exists but cannot be read, so the module is off */
	uint32_t keys;   /* the most keys of each series; 0: as many as the module declares */
	uint32_t sample; /* BPF programs count one of this many operations; 1: all */
	uint64_t slow;   /* the threshold of slow operations, ns; 0: record no slow operations */
	/*
	 * one of this many operations begins a journey, that is, the module `trace` follows it to
	 * the disk; 0: the module decides
	 */
	uint32_t every;
	bool latency_by_size; /* count a matrix of latency by size, too */
	bool latency_fine;    /* export latency in thirty buckets a decade, too */
	bool all_buckets;     /* export buckets that were never hit, too */
	uint32_t prometheus;  /* Prometheus' scrape interval, seconds; 0: no latency_seconds.* */
	/*
	 * are fentry and fexit used? off: no; on: yes; auto: yes, but not in a module with
	 * kprobe.multi if a thread can be preempted at fentry. "How a function is probed" in
	 * docs/architecture.md has the exceptions.
	 */
	enum config_switch fentry;
	bool demand;         /* `attach = demand`: attach only while a client reads */
	unsigned int linger; /* seconds to stay attached after a client's newest read */
};

/*
 * An edition of a module: its file and its section of estat.conf, as both were read at one moment.
 * A changed file or section makes another edition, with one exception: when estat.conf switches
 * the module off, the edition in use gets the new settings.
 */
struct edition {
	const char *path; /* path of the file; the module owns the text */
	/*
	 * descriptor of the file that was opened; another file may have the path by now; -1:
	 * object_file() cannot open the file, or refuses it
	 */
	int file;
	/* the name in the schema; without a schema, the file's name without .bpf.o */
	char name[ESTAT_NAME_LEN];
	struct schema *schema;    /* owned; NULL: not read, `error` says why */
	struct settings settings; /* not set if `error` is not "" */
	bool has_kprobes; /* the object has kprobe programs, which can replace those for fentry */
	/* the object has kprobe.multi programs, which can replace those for fentry */
	bool has_multi;
	/* maps_have_two_writers() has returned true, so all additions are atomic */
	bool two_writers;
	bool clashes; /* refused: an earlier module has this name or PMID cluster */
	/*
	 * `kmod` or `also` is NULL if the module declares no such kernel module, or was off or
	 * refused when the edition was opened
	 */
	const struct kmod *kmod;      /* the kernel module that the module needs */
	const struct kmod *also;      /* another kernel module, to probe if it is loaded */
	char error[MODULE_ERROR_LEN]; /* why the file, name or cluster is refused; "": none is */
};

/*
 * Is the module off, because of `enabled = off` or because estat.conf cannot be read? False if the
 * edition is refused.
 */
static inline bool edition_is_off(const struct edition *e)
{
	return !*e->error && e->settings.enabled == SWITCH_OFF;
}

/* The state of a module. reconcile.c has the step from each state towards each desired one. */
enum module_state {
	MODULE_NEW, /* opened, and not started yet; estat.module.status is "off" */
	MODULE_OFF, /* `enabled = off`, or estat.conf cannot be read */
	/*
	 * the kernel lacks a function or tracepoint that the module probes, or lacks BTF for it,
	 * and a kernel module may bring what is missing; or the module was idle, and starts again
	 */
	MODULE_WAITING,
	MODULE_FAILED, /* m->error says why; m->tries.next says when the agent tries again */
	/* module_runs() is true in MODULE_IDLE and in the states below */
	/*
	 * m->now is not in the kernel: `attach = demand`, and no client reads; or the module was
	 * detached to be removed, switched off or started again
	 */
	MODULE_IDLE,
	MODULE_ATTACHED,
	MODULE_DETACHING, /* some BPF programs are attached, the next step detaches more */
};

/*
 * For a module that waits for any kernel module to bring functions or BTF (module_awaits_any()):
 * shall the module start again or, if it runs, try fentry again? module_retry() in due.c sets
 * m->retry, lifecycle.c sets it back to RETRY_NOT.
 */
enum module_retry {
	RETRY_NOT,
	RETRY,
	/*
	 * no kernel module came or went between the agent's newest two looks at the kernel modules:
	 * try fentry once more and, if that fails, not again
	 */
	RETRY_LAST,
};

/*
 * A map with slots that were added to a table. The agent keeps `fd` open, so that bpftool lists the
 * agent among the processes that use the map.
 */
struct page {
	char *at; /* mapped */
	int fd;
};

/* The maps of a table (a series with maps of its own) while an object is loaded; see table.h. */
struct series_maps {
	char *slots;        /* mmapped: the slots that are not in `pages`; NULL: not mmapped yet */
	struct page *pages; /* npages elements; owned */
	/* mmapped: each slot's matrix of latency by size; NULL: the matrices are not counted */
	const uint64_t *by_size;
	struct estat_state *state; /* in bss: such as counts of taken slots and of drops */
	/*
	 * while the object is being loaded: descriptor of the map that table_open_model() made as
	 * the model of the maps in `pages`
	 */
	int model;
	int keys_fd;     /* descriptor of the hash that has each key's slot */
	uint32_t keys;   /* the most keys that the maps can hold */
	uint32_t nslots; /* the most slots: `keys`, and 1 more if there is an overflow key */
	/*
	 * about how many keys the table will have; when the object is unloaded, the number stays
	 * or, if more keys had a slot, rises to the number of these keys
	 */
	uint32_t expected;
	uint32_t first;      /* how many slots are not in `pages` */
	uint32_t overflow;   /* the slot of the overflow key; nslots: there is none */
	uint32_t page_shift; /* each of `pages` has 1 << page_shift slots */
	uint32_t npages;     /* pages so far */
	uint32_t there;      /* how many slots exist: numbers 0 to `there` - 1 */
	/*
	 * how many times, in all, the agent gave a free slot to the BPF programs, or a slot to a
	 * key of struct kept
	 */
	uint32_t given;
	uint32_t low;        /* the agent adds to `pages` if this many slots or fewer are free */
	size_t slots_size;   /* bytes mapped at `slots` */
	size_t page_size;    /* bytes mapped of each page */
	size_t by_size_size; /* bytes mapped at `by_size` */
};

/* Counts of all of a module's BPF programs and series together. */
struct module_counters {
	/*
	 * How many times the BPF programs ran. The kernel counts runs only while
	 * kernel.bpf_stats_enabled is 1, or while a process asks for it (BPF_ENABLE_STATS), as
	 * liveness.c does.
	 */
	uint64_t runs;
	uint64_t run_time;      /* nanoseconds that the BPF programs ran */
	uint64_t missed;        /* events that were not counted */
	uint64_t dropped;       /* operations not counted, because no slot was free for their key */
	uint64_t withheld;      /* slow operations without a record: their key had too many */
	uint64_t partial_walks; /* how many walks by estat_walk left out operations under way */
};

/* The BPF programs of an object, and the events that they miss. */
struct programs {
	/*
	 * the link of each BPF program in the kernel, in the order of held.programs, and then the
	 * link of each possible CPU's clock (clocks.h). An element that is NULL: not attached
	 */
	struct bpf_link **links;
	unsigned int n;      /* the number of elements of `links` */
	unsigned int clocks; /* how many elements of `links`, the last ones, are of clocks */
	/*
	 * for each possible CPU: a number that changes each time the CPU comes online, as the
	 * number was at the newest clocks_attach(); 0: the CPU was offline
	 */
	uint64_t *clocked;
	/* how many times a second a clock runs its BPF program on a busy CPU; 0: no clocks */
	uint32_t clock_hz;
	unsigned int switches; /* values of enum kernel_switch that the BPF programs need */
	unsigned int required; /* the switches without which the module counts as blind */
	/*
	 * kprobe or kprobe.multi programs are preferred to fentry programs; probes.c has exceptions
	 */
	bool kprobes;
	bool kprobe_missed_known; /* read_unrun_hits() has set `unrun_hits` */
	int64_t unrun_hits; /* hits of kprobes less runs of their BPF programs: the most so far */
	/* events missed by kprobes: all that programs_kprobe_missed() has added to `unrun_hits` */
	uint64_t kprobe_missed;
	/* time of the newest walk by estat_walk, CLOCK_MONOTONIC ns; 0: none since the attach */
	uint64_t walk;
	bool partial_walk;      /* the newest walk left out operations */
	uint64_t partial_walks; /* walks that left out operations */
	uint64_t lost_returns;  /* how many calls never returned because their thread ended */
	/* what the module cannot measure on this kernel; "": it measures all */
	char lacks[MODULE_ERROR_LEN];
};

/* A ring of records, see bpf/event.bpf.h. */
struct ring {
	const char *records; /* mmapped, or a copy that struct kept owns; NULL: neither */
	size_t size;         /* bytes at `records` */
	/* in bss: how many records BPF programs have begun to write; NULL: no ring */
	uint64_t *begun;
};

/*
 * Memory shared with the kernel. While no object is loaded, names_fd is -1, `rings` are copies that
 * struct kept owns, and all other pointers except `maps` are NULL. Of the other numbers, only
 * `keys` and `expected` of each element of `maps` mean something then.
 */
struct memory {
	uint32_t shards;          /* the number of shards of each series, a power of two */
	uint32_t sample;          /* the agent multiplies by this number what BPF programs count */
	struct series_maps *maps; /* one element for each table of the schema; owned */
	char *bss;                /* the object's global variables; see maps_variable() */
	size_t bss_size;          /* bytes reserved at `bss` */
	int names_fd;             /* descriptor of the map estat_names; -1: none */
	uint64_t *missed;         /* in bss: events that the BPF programs did not count */
	/* in bss; not 0: a name found no room in estat_names; NULL: the module stores no names */
	uint32_t *names_full;
	/*
	 * in bss: one of this many operations begins a journey (estat_every); 0: the module
	 * decides; NULL: no journeys
	 */
	uint32_t *every;
	/* in bss: the focus, see focus.h; NULL: the module cannot have a focus */
	struct estat_focus *focus;
	/*
	 * in bss: the threshold of slow operations, and how many slow operations have no record;
	 * NULL: the module does not record slow operations
	 */
	struct estat_slow *slow;
	/*
	 * in bss: what a walk tells of the oldest operations; NULL: the module's walk tells nothing
	 */
	const struct estat_all_told *told;
	struct ring rings[RINGS];
};

/* A map of an object in the kernel. */
struct held_map {
	char *name; /* owned */
	int fd;
	uint32_t type; /* enum bpf_map_type */
	uint32_t flags, key_size, value_size, max_entries;
};

/* A BPF program of an object in the kernel. */
struct held_program {
	char *name, *section; /* owned */
	int fd;
	bool probes;      /* the agent attaches the BPF program; false for estat_walk */
	bool clock;       /* clocks run the BPF program: its section is "perf_event" */
	bool counts_runs; /* the BPF program counts its runs, see probes_count_runs() */
	bool ends_calls;  /* the BPF program can end kept calls, see probes_end_calls() */
};

/*
 * What the agent needs of an object that is in the kernel. libbpf's struct of the object holds much
 * more, such as the instructions and types of the BPF programs.
 */
struct held {
	struct held_map *maps;         /* nmaps elements; owned; NULL: no object is loaded */
	struct held_program *programs; /* nprograms elements; owned */
	unsigned int nmaps, nprograms;
};

/*
 * The state of edition->kmod and edition->also when the agent last chose the object's BPF programs.
 */
struct seen {
	uint64_t loaded, also_loaded; /* kmod->loaded, also->loaded */
	bool ready, in_use;           /* kmod->ready, kmod->in_use */
	bool also_ready;              /* also->ready */
};

/*
 * A BPF object, in the kernel or not. A module has one, and a second one while a change is under
 * way.
 */
struct loaded {
	struct edition *edition; /* the file and settings that the object is made of */
	struct seen seen;
	/*
	 * libbpf's struct of the object; owned; NULL: not opened, or closed after loaded_check(),
	 * or because the BPF programs are attached and have no clocks
	 */
	struct bpf_object *object;
	struct held held;
	/*
	 * the keys, names and event records with which the next object begins; owned; NULL while
	 * this object is loaded, and if the next object's counters begin at 0
	 */
	struct kept *kept;
	struct programs programs;
	struct memory memory;
	bool shares;  /* the object uses the maps of the object that it replaces */
	bool checked; /* loaded_check() has been called */
	/*
	 * attach the BPF programs before this object replaces the old object; false: do not load
	 * this object, but call loaded_check()
	 */
	bool attaches;
	/*
	 * a failed change has left the old object with some of its BPF programs detached, so this
	 * object, of the same file and settings, replaces the old object
	 */
	bool restores;
	/* the agent's reason why it cannot load the object, without libbpf's reason */
	char error[MODULE_ERROR_LEN];
};

/* Is the object in the kernel? */
static inline bool loaded_is_there(const struct loaded *l)
{
	return l->held.maps;
}

/*
 * From these members the agent knows whether an attached module sees what it measures; see
 * liveness.h.
 */
struct liveness {
	bool wanted;       /* liveness_look() shall look at the module while the module runs */
	uint64_t activity; /* activity() at liveness_begin(): a checksum of the counters */
	uint64_t evidence; /* a hash of the evidence: the newest result of read_evidence() */
	int stats;         /* descriptor from helper_count_runs(); negative: none is open */
	uint64_t *runs;    /* owned; runs of each BPF program at watch_runs(); NULL: not watched */
	/*
	 * in one line: the module is blind, because it counts nothing while its evidence changes;
	 * "": it is not blind for this reason
	 */
	char error[MODULE_ERROR_LEN];
};

/* Whether a switch of the kernel keeps BPF programs of the module from running. */
struct switched_off {
	/* which switch, in one line; NULL: all switches that the module needs are on */
	const char *why;
	bool blinds; /* a switch of programs.required is off: the module counts as blind */
};

/*
 * What desired() in reconcile.c must know of the module's file and settings. modules.c, reconcile.c
 * and lifecycle.c set the members.
 */
struct wish {
	bool gone;    /* the file is gone */
	bool changed; /* file or settings have changed, or refused ones are to be tried again */
	bool off;     /* estat.conf has `enabled = off`, or cannot be read */
};

/* When to repeat an action that failed for a reason that may pass. */
struct tries {
	unsigned int pause; /* the newest pause before a try, seconds; 0: none since a success */
	uint64_t next;      /* time of the next try, CLOCK_MONOTONIC nanoseconds; 0: none */
};

/* Since when a module counts, and what its earlier objects have counted. */
struct history {
	uint64_t started;        /* when the counters began, ms since 1970; 0: no counters */
	uint64_t attached_since; /* CLOCK_MONOTONIC ns of the attach; 0: not attached */
	uint64_t attached_for;   /* ns attached since `started`, up to the newest detachment */
	unsigned int stops;      /* how many times the counters were lost, to begin at 0 again */
	struct module_counters before; /* counters of objects that were replaced or unloaded */
};

struct exports;

struct module {
	enum module_state state;
	/*
	 * in the state MODULE_FAILED: the kernel forbids the BPF programs, or lacks the kind of
	 * probe that they use. False if a probed function is missing or the verifier refuses a BPF
	 * program.
	 */
	bool unfit;
	struct edition *edition; /* the file and settings in use; owned */
	/* the module's object; in the kernel while the module is attached or detaching */
	struct loaded now;
	struct loaded *next; /* the object to replace `now`; owned; NULL: no change is under way */
	struct wish wish;
	/*
	 * the threshold of slow operations, ns: the one in estat.conf, or one that pmStore(3) has
	 * set since
	 */
	uint64_t slow;
	/*
	 * one of `every` operations begins a journey (0: the module decides): the value in
	 * estat.conf, or one that pmStore(3) has set since. every_read: the value in estat.conf
	 * when `every` was last set from estat.conf
	 */
	uint32_t every, every_read;
	/* set by pmStore(3); when the module is detached, the focus ends */
	struct focus focus;
	/* the threshold in estat.conf when `slow` was last set from estat.conf, ns */
	uint64_t slow_read;
	/*
	 * when a client last fetched metrics of `exports`, or when the module was attached for a
	 * client, CLOCK_MONOTONIC ns; 0: no client has fetched them since the module was detached
	 */
	uint64_t fetched;
	struct tries tries; /* when to try a failed start, or a refused file or settings, again */
	enum module_retry retry;
	bool untyped; /* fentry failed because BTF is missing; BTF may come later */
	/* why the module does not run, one line; "": it runs, or its state is MODULE_NEW */
	char error[MODULE_ERROR_LEN];
	/* why the newest file or settings are refused; "": they are not */
	char refused[MODULE_ERROR_LEN + 64];
	struct liveness liveness;
	struct switched_off switched_off;
	struct history history;
	struct exports *exports; /* owned; NULL while the module exports no metrics */
};

/* Does the module count, or would it if a client read it? */
static inline bool module_runs(const struct module *m)
{
	return m->state >= MODULE_IDLE;
}

/* Is the file there, and has the module's first start not ended yet? */
static inline bool module_is_starting(const struct module *m)
{
	return m->state == MODULE_NEW && !m->wish.gone;
}

/*
 * Is the file there, was the schema read, and is this the first module with the name and the PMID
 * cluster?
 */
bool module_owns_name(const struct module *m);

bool module_is_attached(const struct module *m);

/* Nanoseconds that the module has been attached since its counters began. */
uint64_t module_attached(const struct module *m);

/* The value of estat.module.status. */
const char *module_status_name(const struct module *m);

#endif /* ESTAT_PMDA_LOAD_MODULE_H */
