/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FNV-1a, a hash of 32 bits. */
#ifndef ESTAT_LIB_HASH_H
#define ESTAT_LIB_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t hash_bytes(const char *bytes, size_t n)
{
	uint32_t hash = 2166136261;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 16777619;
	return hash;
}

#endif /* ESTAT_LIB_HASH_H */
