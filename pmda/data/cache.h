/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCP's caches of instance numbers. Neither a full disk nor an unreadable file loses a number. */
#ifndef ESTAT_PMDA_DATA_CACHE_H
#define ESTAT_PMDA_DATA_CACHE_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

/* Read the instance numbers of a domain from the domain's file, unless that was done already. */
void cache_load(pmInDom indom);

/* Save the instance numbers of a domain to the domain's file. Log only the first failure. */
void cache_save(pmInDom indom);

#endif /* ESTAT_PMDA_DATA_CACHE_H */
