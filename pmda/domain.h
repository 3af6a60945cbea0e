/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent's domain number, a part of each PMID, unless the option -d gives another number. PCP's
 * pmdaproc.sh reads the next line, too.
 */
#define ESTAT 400
