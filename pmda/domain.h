/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's domain in every PMID. PCP's pmdaproc.sh reads the next line, too. */
#define ESTAT 400
