/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets estat.module.* by pmStore(3), for clients of root; pmcd tells the user of each context. */
#ifndef ESTAT_PMDA_SERVE_STORE_H
#define ESTAT_PMDA_SERVE_STORE_H

#include "agent.h"

/* Register the functions that libpcp_pmda calls for pmStore(3). `a` must stay where it is. */
void store_begin(pmdaInterface *dispatch, const struct agent *a);

/* Forget a client context that has ended. */
void store_end_client(int context);

#endif /* ESTAT_PMDA_SERVE_STORE_H */
