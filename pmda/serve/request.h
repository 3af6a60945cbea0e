/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers pmcd's requests: the functions that libpcp_pmda calls. */
#ifndef ESTAT_PMDA_SERVE_REQUEST_H
#define ESTAT_PMDA_SERVE_REQUEST_H

#include "agent.h"

/*
 * Register the functions that answer requests. start(m) starts module m, which a request needs;
 * start(NULL) starts all modules. If `start` returns false, the client gets PM_ERR_AGAIN.
 */
void request_begin(pmdaInterface *dispatch, struct agent *a, bool (*start)(const struct module *m));

/* Give libpcp_pmda the tables, so that it can answer requests from now on. */
void request_serve(pmdaInterface *dispatch);

/*
 * After modules or metrics have changed: build the tables again, and tell pmcd that names have
 * changed.
 */
void request_serve_again(pmdaInterface *dispatch);

#endif /* ESTAT_PMDA_SERVE_REQUEST_H */
