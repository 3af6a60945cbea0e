/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of the output of `estat layers`: the cgroup, command and client with the largest share of
 * the time of the verdict's operations, and the commands that show more.
 */
#ifndef ESTAT_CLIENT_LAYERS_WHO_H
#define ESTAT_CLIENT_LAYERS_WHO_H

#include "facts.h"
#include "verdict.h"

#define MAX_USERS 4
#define MAX_NEXT  3

/*
 * The series with an axis of users (cgroups, commands or clients), in the order of users_facts;
 * NULL: the source lacks the series.
 */
struct who {
	const struct series *series[USERS_FACTS];
};

/* A cgroup, command or client, and its share of the waiting time of the verdict's operations. */
struct user {
	const char *axis; /* "cgroup", "command" or "client" */
	const char *name; /* the value on that axis, such as the cgroup's path */
	double share;     /* 0 to 1 */
};

/* Set `who`, and read its series from now on. */
void who_read(struct who *who, struct source *s);

/*
 * Set users[] to the user with the largest share on each axis, if the axis' series tells the users
 * (applies() in who.c), no filter has the axis, the share is not small (LEAST in who.c), and the
 * user is not cgroup /. Returns the number of users: 0 if the verdict has no step, or if the output
 * is about operations that hang.
 */
unsigned int who_find(const struct who *who, const struct verdict *v, const struct stack *stack,
		      struct user users[MAX_USERS]);

/*
 * Set commands[] to command lines that show more of the operations of the verdict, of those that
 * hang and of those that failed, for the same source and time window. Returns the number of command
 * lines, at most MAX_NEXT. The caller frees the texts.
 */
unsigned int next_commands(const struct who *who, const struct verdict *v,
			   const struct stack *stack, char *commands[MAX_NEXT]);

#endif /* ESTAT_CLIENT_LAYERS_WHO_H */
