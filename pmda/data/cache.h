/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCP's caches of instance numbers. No number that was saved is lost if the disk is full or the
 * file cannot be read.
 */
#ifndef ESTAT_PMDA_DATA_CACHE_H
#define ESTAT_PMDA_DATA_CACHE_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

/* Read the instance numbers of a domain from the domain's file, unless that was done already. */
void cache_load(pmInDom indom);

/*
 * Save the instance numbers of a domain to the domain's file, unless cache_load() could not read
 * the file. Only the agent's first failure to save, of whichever domain, is logged.
 */
void cache_save(pmInDom indom);

#endif /* ESTAT_PMDA_DATA_CACHE_H */
