/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCP's caches of instance numbers, which are files: read once, and saved so
 * that neither a full disk nor a file that cannot be read loses a number.
 */
#ifndef ESTAT_PMDA_DATA_CACHE_H
#define ESTAT_PMDA_DATA_CACHE_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

/* Read a domain's numbers, if that has not been done. */
void cache_load(pmInDom indom);

/* Save them. What fails is logged, the first time. */
void cache_save(pmInDom indom);

#endif /* ESTAT_PMDA_DATA_CACHE_H */
