/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets estat.module.slow, .every and .focus by pmStore(3). The section [access] of pmcd.conf says
 * which clients may store. So the agent does not set PMDA_FLAG_AUTHORIZE, with which pmcd would
 * send the agent the attributes of each client that connects, such as the user.
 */
#ifndef ESTAT_PMDA_SERVE_STORE_H
#define ESTAT_PMDA_SERVE_STORE_H

#include "agent.h"

/*
 * Register the function that libpcp_pmda calls for pmStore(3). This function uses `a` from now on.
 */
void store_begin(pmdaInterface *dispatch, const struct agent *a);

#endif /* ESTAT_PMDA_SERVE_STORE_H */
