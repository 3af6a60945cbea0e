// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pcp/pmapi.h>
#include <unistd.h>

#include "embed.h"
#include "kallsyms.h"
#include "kernel_btf.h"
#include "kmod.h"
#include "object.h"
#include "vdevs.h"

EMBED(vdevs_object, VDEVS_OBJECT)

#define TREE "spa_namespace_avl"

static struct bpf_object *object;
static uint64_t loaded; /* the kernel module that `object` was made for; 0: none */
static uint64_t tree;
static int program, answers;

void vdevs_want(void)
{
	kallsyms_want(TREE);
}

static void load(const struct kmod *zfs)
{
	char path[32], error[256];
	int made = *zfs->btf ? object_open_types(zfs->btf, error, sizeof(error)) : -1;
	int types = made < 0 ? kernel_btf_file(NULL, "zfs") : made;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", types);
	libbpf_log_begin();
	object = types < 0 ? NULL
			   : embed_load_with(path, "estat_vdevs", vdevs_object, vdevs_object_end);
	libbpf_log_end("vdevs", !object, error, sizeof(error));
	if (object) {
		program = bpf_program__fd(bpf_object__next_program(object, NULL));
		answers = bpf_object__find_map_fd_by_name(object, "answer");
	} else {
		pmNotifyErr(LOG_WARNING, "the devices of ZFS's pools are not known: %s", error);
	}
	if (made >= 0)
		close(made);
	kernel_btf_forget();
}

uint64_t vdevs_tree(void)
{
	static const struct estat_needs needs = { .module = "zfs" };
	const struct kmod *zfs = kmod_find(&needs);
	uint64_t now = zfs->ready ? zfs->loaded : 0;

	if (now != loaded) {
		vdevs_end();
		loaded = now;
		tree = now ? kallsyms_address(TREE) : 0;
		if (tree)
			load(zfs);
	}
	return object ? tree : 0;
}

bool vdevs_look(enum estat_vdev_what what, uint64_t address, uint32_t n,
		struct estat_vdev_answer *answer)
{
	struct estat_vdev_question question = { .what = what, .n = n, .address = address };
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &question,
		    .ctx_size_in = sizeof(question));

	return object && !bpf_prog_test_run_opts(program, &options) && !options.retval &&
	       !bpf_map_lookup_elem(answers, &(uint32_t){ 0 }, answer);
}

void vdevs_end(void)
{
	bpf_object__close(object);
	object = NULL;
	loaded = 0;
}
