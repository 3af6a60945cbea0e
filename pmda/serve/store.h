/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets estat.module.* by pmStore(3). Which clients may store is for [access] of pmcd.conf to say.
 * The agent does not ask pmcd for the user of each client (PMDA_FLAG_AUTHORIZE): then pmcd would
 * wait for the agent whenever any client connects.
 */
#ifndef ESTAT_PMDA_SERVE_STORE_H
#define ESTAT_PMDA_SERVE_STORE_H

#include "agent.h"

/* Register the functions that libpcp_pmda calls for pmStore(3). `a` must stay where it is. */
void store_begin(pmdaInterface *dispatch, const struct agent *a);

#endif /* ESTAT_PMDA_SERVE_STORE_H */
