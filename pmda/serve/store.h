/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmStore(3): root sets estat.module.* live. Whose a client context is pmcd tells by attributes. */
#ifndef ESTAT_PMDA_SERVE_STORE_H
#define ESTAT_PMDA_SERVE_STORE_H

#include "agent.h"

/* Register the functions; `a` as in request_begin(). */
void store_begin(pmdaInterface *dispatch, const struct agent *a);

/* Forget a client context that has ended. */
void store_end_client(int context);

#endif /* ESTAT_PMDA_SERVE_STORE_H */
