/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's number in every metric's identifier; pmdaproc.sh reads it too. */
#define ESTAT 400
