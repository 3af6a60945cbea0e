/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmcd's requests: what libpcp_pmda calls for each of them.
 */
#ifndef ESTAT_PMDA_SERVE_REQUEST_H
#define ESTAT_PMDA_SERVE_REQUEST_H

#include "agent.h"

/* Have them answered. */
void request_begin(pmdaInterface *dispatch, struct agent *a);

/*
 * Serve the names, descriptors and texts of what modules_open() has built. Who asks for values or
 * instances is told to try again, until all modules have started and they are ready.
 */
void request_serve(pmdaInterface *dispatch);
void request_ready(void);

/* Modules have come or gone: build the tables anew, and tell pmcd that names have changed. */
void request_serve_again(pmdaInterface *dispatch);

#endif /* ESTAT_PMDA_SERVE_REQUEST_H */
