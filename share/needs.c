// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks that PCP and libbpf are not too old. make compiles this file before the agent, the
 * command and the modules, so that a library that is too old causes one error, and no errors in
 * their files.
 */
#include <pcp/platform_defs.h>

#if __has_include(<bpf/libbpf_version.h>)
#include <bpf/libbpf_version.h>
#endif

#if PM_VERSION_CURRENT < PM_VERSION(5, 3, 6)
#error estat needs PCP 5.3.6 or newer: see docs/packages.md
#endif

#if LIBBPF_MAJOR_VERSION * 1000 + LIBBPF_MINOR_VERSION < 1001
#error estat needs libbpf 1.1 or newer, or make LIBBPF=FOLDER: see docs/packages.md
#endif

extern int needs_are_met;
