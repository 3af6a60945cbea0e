// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <strings.h>

#include "kinds.h"

/*
 * Beginnings of values on the axis op; the first that fits counts. Case does not matter: nfs_client
 * has the protocol's names, such as READ.
 */
static const struct {
	const char *op;
	enum kind kind;
} ops[] = {
	{ "readlink", KIND_OTHER }, { "readdir", KIND_OTHER },     { "read", KIND_READ },
	{ "fault", KIND_READ },     { "write_same", KIND_OTHER },  { "write_zeroes", KIND_OTHER },
	{ "write", KIND_WRITE },    { "zone_append", KIND_WRITE }, { "compare", KIND_WRITE },
	{ "fsync", KIND_SYNC },     { "flush", KIND_SYNC },        { "commit", KIND_SYNC },
};

static bool begins(const char *text, const char *with)
{
	return text && !strncmp(text, with, strlen(with));
}

/* Does the key say that its writes return before the data is on the device? */
static bool is_buffered(const struct key *key)
{
	const char *how = key_axis(key, "how"), *sync = key_axis(key, "sync");

	return begins(how, "buffered") || begins(how, "async") || begins(sync, "async");
}

/* Does the key say that its writes return when the data is in stable storage, as with O_SYNC? */
static bool is_sync(const struct key *key)
{
	const char *how = key_axis(key, "how");

	return begins(how, "sync") || begins(how, "direct_sync") ||
	       begins(key_axis(key, "sync"), "sync");
}

enum kind kind_of(const struct key *key)
{
	const char *op = key_axis(key, "op");

	if (!op)
		return KIND_SYNC; /* keys without op: commits, pauses, NFS requests in a queue */
	for (unsigned int i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (strncasecmp(op, ops[i].op, strlen(ops[i].op)))
			continue;
		if (ops[i].kind != KIND_WRITE)
			return ops[i].kind;
		return is_buffered(key) ? KIND_BUFFERED : is_sync(key) ? KIND_SYNC : KIND_WRITE;
	}
	return KIND_OTHER;
}

kind_set kinds_below(enum kind kind)
{
	switch (kind) {
	case KIND_READ:
		return KIND_BIT(KIND_READ);
	case KIND_BUFFERED:
		return KIND_BIT(KIND_READ) | KIND_BIT(KIND_BUFFERED);
	case KIND_WRITE:
	case KIND_SYNC:
		return KIND_BIT(KIND_BUFFERED) | KIND_BIT(KIND_WRITE) | KIND_BIT(KIND_SYNC);
	default:
		return ALL_KINDS;
	}
}
