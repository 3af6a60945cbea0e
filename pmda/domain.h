/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's domain in every PMID. pmdaproc.sh reads this line, too. */
#define ESTAT 400
