/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module: one NAME.bpf.o, from its file to its programs attached in the
 * kernel and its maps in the agent's memory.
 */
#ifndef ESTAT_MODULE_H
#define ESTAT_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "kmod.h"
#include "schema.h"

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

/* Whether it has proven itself, see proof.h. */
struct proof {
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

struct served;

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
	struct proof proof;
	struct schema *schema; /* NULL if the object could not be read */
	struct served *served; /* NULL while it serves nothing */
	struct bpf_object
		*object; /* NULL until it has run; kept while it waits, or is tried, again */
	struct bpf_object *replaced; /* while it starts: the object whose maps go on */
	struct bpf_link **replaced_links;
	unsigned int replaced_nlinks;
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
	bool has_kprobes;         /* it can do with kprobe and kretprobe */
	bool kprobes;             /* it does */
	bool untyped;             /* for want of BTF that may come yet */
	bool wanted;              /* somebody looks, if it is attached on demand */
	bool knows_hits;          /* of its kprobes, see bpf/hits.bpf.c */
	bool replaced_knows_hits; /* the replaced object's */
	int64_t gap;              /* by how much hits exceed runs, as it was last seen */
	uint64_t skipped;         /* by how much that has grown */
	uint64_t lost_returns;    /* of kretprobes, whose thread or program has ended */
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

/*
 * Read a module's object: check that only root can have written it, open it and
 * read its schema. Returns the module, whose status tells how that went: OFF
 * means that it can now be configured and started.
 */
struct module *module_open(const char *path);

/* Take the module's section of estat.conf. */
void module_configure(struct module *m, struct config *config);

/* Is that what it has? */
bool module_is_configured(const struct module *m, struct config *config);

/*
 * Load, attach and map, in that order; everything is undone if one fails.
 * Sets the status to RUNNING, WAITING or FAILED and logs it.
 */
void module_start(struct module *m);

/* Stop a module that is off now, as estat.conf says. */
void module_switch_off(struct module *m, struct config *config);

/* What module_replace() has done. */
enum module_replaced {
	MODULE_KEPT,    /* it failed or waits, and the former goes on */
	MODULE_ANEW,    /* what it counts begins at 0, if it runs */
	MODULE_GOES_ON, /* what the former has counted is to be carried over */
};

/* Start a module, which has been configured, in the place of another one. */
enum module_replaced module_replace(struct module *m, struct module *former);

/*
 * Somebody looks at a module that runs and is not attached: attach it, as far as that takes no
 * longer than so. Returns whether it is, or has failed.
 */
bool module_attend(struct module *m, uint64_t ns);

/*
 * Detach a module, as far as that takes no longer than so. Returns whether it is. One with so many
 * programs that pmcd might give the agent up is to be detached by that alone.
 */
bool module_leave(struct module *m, uint64_t ns);
bool module_takes_long(const struct module *m);

bool module_is_attached(const struct module *m);

/* For how long it has been attached since its counters began, nanoseconds. */
uint64_t module_attached(const struct module *m);

/* Does it await what any kernel module may bring: what it probes, or the BTF of that? */
bool module_awaits_any(const struct module *m);

/*
 * The kernel's modules are settled; are they the same as the last time? If not,
 * one that waits for what it probes is to start again. One that lacked BTF is to
 * ask for it again, for as long as they change: a kernel module that was on its way
 * in has functions before it has types.
 */
void module_retry(struct module *m, bool same);

/*
 * Has what a module probes changed, or is it time to try again, so that
 * module_update() has something to do?
 */
bool module_is_outdated(const struct module *m);

/*
 * Detach a module from a kernel module that is gone, start it with one that is
 * there; hold one that is in use, by fentry and fexit, and let go of one that is
 * not, by kprobe and kretprobe. Its counters go on. Returns false if detaching takes longer than
 * `ns`: then there is more to do.
 */
bool module_update(struct module *m, uint64_t ns);

/* Give a module up before it was started, with the reason for its error. */
void module_refuse(struct module *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Detach, unmap, free. */
void module_free(struct module *m);

/* What the kernel, and its maps, have counted since it was started. */
void module_counters(const struct module *m, struct module_counters *counters);

const char *module_status_name(const struct module *m);

#endif /* ESTAT_MODULE_H */
