// SPDX-License-Identifier: GPL-2.0-or-later
#include "values.h"

static void sumsq_add(uint64_t *into, const uint64_t *from)
{
	uint64_t lo = from[0];

	into[0] += lo;
	into[1] += from[1] + (into[0] < lo);
}

/*
 * Copy the gauge `from` to `into` if the stamp of `from` is the later one. The stamp is read before
 * the value, because estat_set() in a BPF program writes the stamp last.
 */
static void newer_gauge(uint64_t *into, const uint64_t *from)
{
	uint64_t stamp = __atomic_load_n(&from[0], __ATOMIC_ACQUIRE);

	if (stamp <= into[0])
		return;
	into[0] = stamp;
	into[1] = from[1];
}

/*
 * If the same walk by estat_walk has set both gauges, add `from` to `into` or, if `age`, set `into`
 * to the higher of both. If two walks have set the gauges, set `into` to that of the later walk.
 */
static void add_walked(uint64_t *into, const uint64_t *from, bool age)
{
	if (from[0] != into[0])
		newer_gauge(into, from);
	else if (!age)
		into[1] += from[1];
	else if (from[1] > into[1])
		into[1] = from[1];
}

void words_add(uint64_t *into, const uint64_t *from, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		into[i] += from[i];
}

void words_multiply(uint64_t *words, unsigned int n, uint32_t by)
{
	for (unsigned int i = 0; i < n; i++)
		words[i] *= by;
}

static void multiply(uint64_t *word, enum field_kind kind, uint32_t by)
{
	unsigned __int128 sum;

	switch (kind) {
	case FIELD_COUNT:
	case FIELD_BYTES:
	case FIELD_NSEC:
		*word *= by;
		break;
	case FIELD_SUMSQ:
		sum = ((unsigned __int128)word[1] << 64 | word[0]) * by;
		word[0] = sum;
		word[1] = sum >> 64;
		break;
	case FIELD_LATENCY:
		words_multiply(word, ESTAT_FINE_BUCKETS, by);
		break;
	case FIELD_SIZE:
		words_multiply(word, ESTAT_SIZE_BUCKETS, by);
		break;
	default:
		break;
	}
}

void values_multiply(const struct series_schema *schema, uint64_t *values, uint32_t by)
{
	for (unsigned int g = 0; g < schema->ngroups; g++) {
		const struct group *group = &schema->groups[g];

		for (const struct field *f = group->fields; f < group->fields + group->nfields; f++)
			multiply(values + f->word, f->kind, by);
	}
}

void values_add(const struct series_schema *schema, uint64_t *into, const uint64_t *from)
{
	for (unsigned int g = 0; g < schema->ngroups; g++) {
		const struct group *group = &schema->groups[g];

		for (const struct field *f = group->fields; f < group->fields + group->nfields;
		     f++) {
			uint64_t *to = into + f->word;
			const uint64_t *by = from + f->word;

			switch (f->kind) {
			case FIELD_COUNT:
			case FIELD_BYTES:
			case FIELD_NSEC:
				*to += *by;
				break;
			case FIELD_MAX:
				if (*by > *to)
					*to = *by;
				break;
			case FIELD_SUMSQ:
				sumsq_add(to, by);
				break;
			case FIELD_LATENCY:
				words_add(to, by, ESTAT_FINE_BUCKETS);
				break;
			case FIELD_SIZE:
				words_add(to, by, ESTAT_SIZE_BUCKETS);
				break;
			case FIELD_GAUGE:
				newer_gauge(to, by);
				break;
			case FIELD_UNDER_WAY:
			case FIELD_OLDEST:
			case FIELD_AGES:
				add_walked(to, by, f->kind == FIELD_OLDEST);
				break;
			}
		}
	}
}
