/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units of metrics, for struct pmDesc. */
#ifndef ESTAT_PMDA_SERVE_UNITS_H
#define ESTAT_PMDA_SERVE_UNITS_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#define NONE       PMDA_PMUNITS(0, 0, 0, 0, 0, 0)
#define COUNT      PMDA_PMUNITS(0, 0, 1, 0, 0, PM_COUNT_ONE)
#define BYTES      PMDA_PMUNITS(1, 0, 0, PM_SPACE_BYTE, 0, 0)
#define NANOSEC    PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_NSEC, 0)
#define MICROSEC   PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_USEC, 0)
#define MSEC       PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_MSEC, 0)
#define SEC        PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_SEC, 0)
#define MICROSEC2  PMDA_PMUNITS(0, 2, 0, 0, PM_TIME_USEC, 0)
#define PER_SECOND PMDA_PMUNITS(0, -1, 1, 0, PM_TIME_SEC, PM_COUNT_ONE)
#define KBYTE_RATE PMDA_PMUNITS(1, -1, 0, PM_SPACE_KBYTE, PM_TIME_SEC, 0)

#endif /* ESTAT_PMDA_SERVE_UNITS_H */
