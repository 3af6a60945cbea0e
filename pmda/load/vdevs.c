// SPDX-License-Identifier: GPL-2.0-or-later
#include "embed.h"
#include "kallsyms.h"
#include "look.h"
#include "vdevs.h"

EMBED(vdevs_object, VDEVS_OBJECT)

static struct look look = {
	.name = "estat_vdevs",
	.what = "the devices of ZFS's pools are not known",
	.needs = { .module = "zfs" },
	.symbol = "spa_namespace_avl",
	.begin = vdevs_object,
	.end = vdevs_object_end,
};

void vdevs_want(void)
{
	kallsyms_want(look.symbol);
}

uint64_t vdevs_tree(void)
{
	return look_begin(&look);
}

bool vdevs_look(enum estat_vdev_what what, uint64_t address, uint32_t n,
		struct estat_vdev_answer *answer)
{
	struct estat_vdev_question question = { .what = what, .n = n, .address = address };

	return look_ask(&look, &question, sizeof(question), answer);
}

void vdevs_end(void)
{
	look_end(&look);
}
