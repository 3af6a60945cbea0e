// SPDX-License-Identifier: GPL-2.0-or-later
#include <fnmatch.h>
#include <string.h>

#include "facts.h"
#include "source/texts.h"

#define ANY    ALL_KINDS
#define WRITES (KIND_BIT(KIND_WRITE) | KIND_BIT(KIND_SYNC))

static const struct fact facts[] = {
	{ .layer = "nfs", .stored = true },
	{ .layer = "nfs.queue", .noun = "request", .cause = "is waiting for a free nfsd thread" },
	{ .layer = "nfs_client",
	  .remote = true,
	  .cause = "is spent by the network or by server {server}",
	  .holder = "server {server} has not answered" },
	{ .layer = "vfs",
	  .called = true,
	  .reasons = "wait",
	  .unsubmitted = "If the operations are of aio, their waits in io_submit are not "
			 "known: see estat syscall." },
	{ .layer = "page_cache",
	  .apart = true }, /* a fault of a mapped file is in no layer above */
	{ .layer = "writeback",
	  .noun = "pause",
	  .only_for = KIND_BIT(KIND_BUFFERED),
	  .kinds = WRITES,
	  .cause = "is pauses: writers are faster than {device}" },
	{ .layer = "journal.commit",
	  .noun = "commit",
	  /* a direct write waits for no commit, unless the write is synchronous */
	  .only_for = KIND_BIT(KIND_SYNC) | KIND_BIT(KIND_OTHER),
	  .kinds = WRITES | KIND_BIT(KIND_BUFFERED),
	  .shared = true,
	  .evidence = "journal.wait" },
	{ .layer = "zio", .fails = true },
	{ .layer = "bio",
	  .fails = true,
	  .before = "passes in the block layer, before {disk} has a request",
	  .both = "is spent before {disk} has a request, and by {disk}" },
	{ .layer = "backend_io",
	  .fails = true,
	  .shared = true, /* several bios can wait for one request */
	  .holder = "the driver or the device {disk} has not answered" },
	{ .layer = "backend_io.wait",
	  .before_requests = true,
	  .waits = "Waits for io.max, wbt or tags",
	  .cause = "is waiting for io.max, wbt or tags of {disk}" },
	{ .layer = "scsi", .holder = "the device {disk} has not answered" },
	{ .layer = "nvme", .holder = "the device {namespace} has not answered" },
};

const struct fact *fact_of(const char *layer)
{
	static const struct fact none;

	for (unsigned int i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (!strcmp(layer, facts[i].layer))
			return &facts[i];
	return &none;
}

/*
 * For fact_needs(). An entry is about operations in the layers `layer`, on the file systems `fs`
 * and of one of `kinds`. To know what these operations wait for, the layer `needs` must be
 * measured; `needs` NULL: no layer need be measured. The first entry that fits counts. `layer` and
 * `fs` are globs; the file system of an operation without one is "".
 */
static const struct {
	const char *layer, *fs;
	kind_set kinds;
	const char *needs;
} needs[] = {
	{ "nfs_client", "*", ANY, NULL }, /* the layers below are on another host */
	{ "vfs", "*", KIND_BIT(KIND_BUFFERED), "writeback" },
	{ "zpl", "*", WRITES, "zil.commit" },
	{ "zvol", "*", WRITES, "zil.commit" },
	{ "*", "ext4", KIND_BIT(KIND_SYNC), "journal.commit" },
	{ "*", "nfs*", ANY, "nfs_client" },
	{ "zpl", "*", ANY, "zio" },
	{ "zvol", "*", ANY, "zio" },
	{ "zil.commit", "*", ANY, "zio" },
	{ "*", "zfs", ANY, "zio" },
	{ "*", "*", ANY, "bio" },
};

const char *fact_needs(const char *layer, const char *fs, enum kind kind)
{
	for (unsigned int i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (!fnmatch(needs[i].layer, layer, 0) && !fnmatch(needs[i].fs, fs ? fs : "", 0) &&
		    needs[i].kinds & KIND_BIT(kind))
			return needs[i].needs;
	return NULL;
}

const struct users_fact users_facts[USERS_FACTS] = {
	{ "nfs_by_client", "client", "nfs", NULL },
	{ "vfs.process", "command", "vfs", NULL },
	{ "bio.cgroup", "cgroup", NULL, "bio" },
};

const struct variant variants[] = {
	{ "backend_io.cgroup", "backend_io" },
	{ "backend_io.cgroup.queue", "backend_io.queue" },
	{ "bio.cgroup", "bio" },
	{ "nfs_by_client", "nfs" },
	{ "vfs.process", "vfs" },
	{ "writeback.cgroup", "writeback" },
	{ "zio.vdev", "zio" },
	{ "zpl.dataset", "zpl" },
	{ 0 },
};

const char *fact_layer(const char *series)
{
	static const char *const layers[][2] = {
		{ "block_flags", "backend_io" },
		{ "file", "vfs" },
		{ "metaslab_alloc", "zio" },
		{ "nfs_by_client", "nfs" },
		{ "shape", "bio" },
		{ "throttle", "backend_io.wait" },
		{ "wait", "vfs" },
	};

	for (unsigned int i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		if (owns(layers[i][0], series))
			return layers[i][1];
	return NULL;
}

bool fact_charges_nobody(const char *fs)
{
	return fs && !strcmp(fs, "zfs");
}

bool fact_is_remote(const char *fs)
{
	return fs && !strncmp(fs, "nfs", strlen("nfs"));
}

const char *fact_volume(const char *path)
{
	size_t length = strlen("/dev/zvol/");

	return strncmp(path, "/dev/zvol/", length) ? NULL : path + length;
}
