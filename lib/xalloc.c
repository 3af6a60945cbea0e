// SPDX-License-Identifier: GPL-2.0-or-later
#include <pcp/pmapi.h>
#include <stdlib.h>

#include "xalloc.h"

void (*xalloc_failed)(void);

void *xalloc(void *memory)
{
	if (memory)
		return memory;
	if (xalloc_failed)
		xalloc_failed();
	pmNotifyErr(LOG_CRIT, "out of memory");
	exit(1);
}
