/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers pmcd's requests: the functions that libpcp_pmda calls. */
#ifndef ESTAT_PMDA_SERVE_REQUEST_H
#define ESTAT_PMDA_SERVE_REQUEST_H

#include "agent.h"

/* Register the functions that answer requests. */
void request_begin(pmdaInterface *dispatch, struct agent *a);

/*
 * request_serve(): answer requests for names, descriptors and help texts. Requests for values and
 * instances get PM_ERR_AGAIN until request_ready() is called.
 */
void request_serve(pmdaInterface *dispatch);
void request_ready(void);

/* After a module was added or removed: build the tables again, and tell pmcd of changed names. */
void request_serve_again(pmdaInterface *dispatch);

#endif /* ESTAT_PMDA_SERVE_REQUEST_H */
