/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads BTF that may be damaged: an id without a type gives void, an offset without a string gives
 * "".
 */
#ifndef ESTAT_PMDA_SCHEMA_BTF_H
#define ESTAT_PMDA_SCHEMA_BTF_H

#include <stdint.h>

#include <bpf/btf.h>

static inline const char *btf_string(const struct btf *btf, uint32_t offset)
{
	const char *s = btf__name_by_offset(btf, offset);

	return s ? s : "";
}

static inline const struct btf_type *btf_type(const struct btf *btf, uint32_t id)
{
	static const struct btf_type none;
	const struct btf_type *t = btf__type_by_id(btf, id);

	return t ? t : &none;
}

#endif /* ESTAT_PMDA_SCHEMA_BTF_H */
