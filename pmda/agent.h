/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that the agent serves: its modules, which come and go, and the tables of their metrics.
 */
#ifndef ESTAT_AGENT_H
#define ESTAT_AGENT_H

#include "tables.h"

struct agent {
	int domain;
	const char *config;      /* path of estat.conf */
	bool optional;           /* it need not be there */
	char *folder;            /* of the modules */
	struct config *settings; /* what estat.conf says */
	unsigned int nmodules;
	struct module **modules;
	pmInDom module_indom; /* cached: a module's number is its own for good */
	pmInDom layer_indom;
	struct metrics metrics; /* estat.agent.*, estat.module.* and estat.layer.* */
	struct tables tables;
	unsigned long kernel_modules; /* changes when the kernel's modules do */
	uint64_t watched;             /* when those were looked at */
	uint64_t looked;              /* when modules that have yet to prove themselves were */
	char error[256];              /* why estat.conf cannot be read, or "" */
};

/*
 * Find and configure the modules in estat.conf's folder, and build the metrics of all that are
 * on, as if they ran: a client that looks for names finds them while modules have yet to start,
 * which takes a while. agent_work() starts them, one at a time. What is wrong with a module is in
 * its status.
 */
void agent_open(struct agent *a);

/* Are there some that have yet to start for the first time? */
bool agent_is_starting(const struct agent *a);

/* The series that an instance domain belongs to, or NULL; also its buckets, if it has such. */
struct series *agent_series(const struct agent *a, pmInDom indom, struct bucket_indom **buckets);

/* A client context has gone: forget what it has had. */
void agent_end_client(struct agent *a, int context);

/* Read estat.conf again. Returns false if it cannot be read: what was read before is kept. */
bool agent_configure(struct agent *a);

/* Is the folder root's alone to write? Who can write it can put modules there. Logs it if not. */
bool agent_trusts_folder(const struct agent *a);

/* Is that the name of a module's file? */
bool agent_is_module_file(const char *name);

/* There is a new file in the folder: it is due to be started. */
void agent_add(struct agent *a, const char *file);

/*
 * Start a module that is due for the first time; or one from its file and configuration as
 * they are now in the place of one that is there, or none, as its file is gone. agent_build() when
 * all is done, if that says that it serves more or other ones, or no more. One that takes long to
 * be detached is `leaving` instead: replace or remove it again once it has left.
 */
bool agent_begin(struct agent *a, unsigned int index);
bool agent_replace(struct agent *a, unsigned int index);
bool agent_remove(struct agent *a, unsigned int index);

/* Serve a module that runs, or may yet; and no other one. Returns whether that is new. */
bool agent_serve(const struct agent *a, struct module *m);

/* Build the tables; those that there are the caller has. */
void agent_build(struct agent *a);

void agent_stop(struct agent *a);

#endif /* ESTAT_AGENT_H */
