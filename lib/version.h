/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The version of estat. packaging/dist reads the line that defines ESTAT_VERSION. */
#ifndef ESTAT_LIB_VERSION_H
#define ESTAT_LIB_VERSION_H

#define ESTAT_VERSION "0.1.0"

#endif /* ESTAT_LIB_VERSION_H */
