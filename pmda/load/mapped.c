// SPDX-License-Identifier: GPL-2.0-or-later
#include "embed.h"
#include "kallsyms.h"
#include "look.h"
#include "mapped.h"

EMBED(mapped_object, MAPPED_OBJECT)

static struct look look = {
	.name = "estat_mapped",
	.what = "the types of devices of device mapper are not known",
	.needs = { .module = "dm_mod" },
	.symbol = "_minor_idr",
	.begin = mapped_object,
	.end = mapped_object_end,
};

void mapped_want(void)
{
	kallsyms_want(look.symbol);
}

bool mapped_look(uint32_t minor, struct estat_mapped_answer *answer)
{
	struct estat_mapped_question question = { .minor = minor, .idr = look_begin(&look) };

	return look_ask(&look, &question, sizeof(question), answer);
}

void mapped_end(void)
{
	look_end(&look);
}
