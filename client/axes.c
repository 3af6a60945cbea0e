// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The axes of a key: the labels of its instance. An archive need not have them, as
 * pmlogger keeps those only that it saw when it began; there shipped modules' are known.
 */
#include <stdlib.h>
#include <string.h>

#include "source.h"

static const struct {
	const char *prefix, *axes[MAX_AXES];
} shipped[] = {
	{ "estat.backend_io", { "disk", "op" } },
	{ "estat.backend_io.queue", { "disk", "op" } },
	{ "estat.backend_io.wait", { "disk", "op" } },
	{ "estat.backend_io.wait.plug", { "disk", "op" } },
	{ "estat.zio", { "pool", "op", "priority" } },
	{ "estat.zio.vdev", { "pool", "vdev", "op" } },
	{ "estat.zio.flush", { "pool", "vdev" } },
	{ "estat.zio_queue", { "pool", "op", "priority" } },
	{ "estat.zpl", { "pool", "op", "sync" } },
	{ "estat.zpl.dataset", { "pool", "dataset", "op", "sync" } },
	{ "estat.zvol", { "pool", "volume", "op", "sync" } },
	{ "estat.metaslab_alloc", { "pool", "vdev", "result" } },
	{ "estat.metaslab_alloc.pool", { "pool" } },
	{ "estat.zil", { "pool", "stage" } },
	{ "estat.zil.pool", { "pool" } },
	{ "estat.txg", { "pool" } },
	{ "estat.arc_prefetch", { "pool" } },
	{ "estat.arc_prefetch.arc_read", { "pool" } },
	{ "estat.arc_prefetch.normal_read", { "pool" } },
	{ "estat.arc_prefetch.prefetch_read", { "pool" } },
	{ "estat.nfs", { "version", "op", "how" } },
	{ "estat.nfs.procedures", { "version", "procedure" } },
	{ "estat.nfs.compounds", { "version" } },
	{ "estat.nfs.failures", { "version", "procedure", "status" } },
	{ "estat.nfs.queue", { "version" } },
	{ "estat.nfs_by_client", { "client", "version", "op", "how" } },
	{ "estat.nfs_by_client.export", { "export", "client", "op" } },
	{ "estat.iscsi", { "target", "lun", "initiator", "op" } },
	{ "estat.iscsi.backend", { "target", "lun", "initiator", "op" } },
	{ "estat.scsi", { "disk", "op", "result" } },
	{ "estat.scsi.error_handler", { "scsi_host" } },
	{ "estat.nvme", { "controller", "namespace", "op", "status" } },
	{ "estat.nvme.admin", { "controller", "op", "status" } },
	{ "estat.nvme.queue", { "controller", "queue" } },
};

const char *key_axis(const struct key *key, const char *axis)
{
	for (unsigned int i = 0; i < key->naxes; i++)
		if (!strcmp(key->axes[i].name, axis))
			return key->axes[i].value;
	return NULL;
}

/* A key's axes are the labels of its instance, in the order of its name's parts. */
static void axes_from_labels(struct key *key, const pmLabelSet *set)
{
	const char *part = key->name;

	for (int turn = 0; turn < set->nlabels && key->naxes < MAX_AXES; turn++) {
		for (int i = 0; i < set->nlabels; i++) {
			const pmLabel *label = &set->labels[i];
			const char *value = set->json + label->value + 1;
			int length = label->valuelen - 2; /* without its quotes */
			char *name;

			if (length <= 0 || strncmp(part, value, length) ||
			    (part[length] && strncmp(part + length, "::", 2)))
				continue;
			name = or_die(strndup(set->json + label->name, label->namelen));
			if (key_axis(key, name)) {
				free(name);
				continue;
			}
			key->axes[key->naxes++] =
				(struct axis){ name, or_die(strndup(part, length)) };
			part += length;
			if (!*part)
				return;
			part += 2;
			break;
		}
	}
}

/* Of an instance without labels: its name's parts, the last of which is the rest. */
static void axes_from_name(struct key *key, const char *const *names)
{
	const char *part = key->name;

	for (key->naxes = 0; names[key->naxes]; key->naxes++) {
		const char *end = names[key->naxes + 1] ? strstr(part, "::") : NULL;

		key->axes[key->naxes].name = (char *)names[key->naxes];
		key->axes[key->naxes].value =
			or_die(end ? strndup(part, end - part) : strdup(part));
		part = end ? end + 2 : "";
	}
}

void find_axes(struct key *key, const char *prefix, const pmLabelSet *labels)
{
	if (labels)
		axes_from_labels(key, labels);
	for (size_t i = 0; !key->naxes && i < sizeof(shipped) / sizeof(shipped[0]); i++)
		if (!strcmp(shipped[i].prefix, prefix))
			axes_from_name(key, shipped[i].axes);
}
