/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmcd's requests: what libpcp_pmda calls for each of them.
 */
#ifndef ESTAT_REQUEST_H
#define ESTAT_REQUEST_H

#include "agent.h"

/* Have them answered: until request_serve() by "try again". */
void request_begin(pmdaInterface *dispatch, struct agent *a);

/* All modules have started: serve what there is. */
void request_serve(pmdaInterface *dispatch);

/* Modules have come or gone: build the tables anew, and tell pmcd that names have changed. */
void request_serve_again(pmdaInterface *dispatch);

#endif /* ESTAT_REQUEST_H */
