/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCP's caches of instance numbers, which are files. The agent reads each file once,
 * and saves it so that neither a full disk nor an unreadable file loses a number.
 */
#ifndef ESTAT_PMDA_DATA_CACHE_H
#define ESTAT_PMDA_DATA_CACHE_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

/* Read an instance domain's numbers, unless they have been read. */
void cache_load(pmInDom indom);

/* Save an instance domain's numbers. Only the first failure is logged. */
void cache_save(pmInDom indom);

#endif /* ESTAT_PMDA_DATA_CACHE_H */
