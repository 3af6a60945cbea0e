/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers pmcd's requests: the functions that libpcp_pmda calls. */
#ifndef ESTAT_PMDA_SERVE_REQUEST_H
#define ESTAT_PMDA_SERVE_REQUEST_H

#include "agent.h"

/* Register the functions that answer requests. */
void request_begin(pmdaInterface *dispatch, struct agent *a);

/*
 * Serve the names, descriptors and texts that modules_open() has built.
 * Until request_ready(), requests for values or instances get PM_ERR_AGAIN.
 */
void request_serve(pmdaInterface *dispatch);
void request_ready(void);

/* A module was added or removed: build the tables again, and tell pmcd that names have changed. */
void request_serve_again(pmdaInterface *dispatch);

#endif /* ESTAT_PMDA_SERVE_REQUEST_H */
