/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the command line. */
#ifndef ESTAT_CLIENT_BASE_PARSE_H
#define ESTAT_CLIENT_BASE_PARSE_H

#include <pcp/pmapi.h>

struct options;

/* Read the command line, and PCP's options into *opts. Exits with a message on an error. */
void read_options(struct options *o, pmOptions *opts, int argc, char **argv);

#endif /* ESTAT_CLIENT_BASE_PARSE_H */
