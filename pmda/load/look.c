// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pcp/pmapi.h>
#include <unistd.h>

#include "embed.h"
#include "failure.h"
#include "kallsyms.h"
#include "kernel_btf.h"
#include "kmod.h"
#include "lib/clock.h"
#include "look.h"
#include "object.h"

/* Nanoseconds between a failed load whose error may go away and the next try. */
#define AGAIN_NS UINT64_C(10000000000)

static void load(struct look *l, const struct kmod *k)
{
	char error[256];
	int err, made = *k->btf ? object_open_types(k->btf, error, sizeof(error)) : -1;

	if (*k->btf && made < 0) {
		pmNotifyErr(LOG_WARNING, "%s: %s", l->what, error);
		return;
	}
	libbpf_log_begin();
	l->object = kernel_btf_load(made, l->needs.module, l->name, l->begin, l->end);
	err = l->object ? 0 : -errno;
	libbpf_log_end(l->name, !l->object, error, sizeof(error));
	if (l->object) {
		l->program = bpf_program__fd(bpf_object__next_program(l->object, NULL));
		l->answers = bpf_object__find_map_fd_by_name(l->object, "answer");
	} else {
		pmNotifyErr(LOG_WARNING, "%s: %s", l->what, *error ? error : pmErrStr(err));
		l->again = failure_is_transient(err) ? clock_now() + AGAIN_NS : 0;
	}
	if (made >= 0)
		close(made);
}

uint64_t look_begin(struct look *l)
{
	const struct kmod *k = kmod_find(&l->needs);
	uint64_t now = k->ready ? k->loaded : 0;

	if (now != l->loaded || (l->again && clock_now() >= l->again)) {
		look_end(l);
		l->loaded = now;
		l->address = now ? kallsyms_address(l->symbol) : 0;
		if (l->address)
			load(l, k);
	}
	return l->object ? l->address : 0;
}

bool look_ask(const struct look *l, const void *question, size_t size, void *answer)
{
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = question, .ctx_size_in = size);

	return l->object && !bpf_prog_test_run_opts(l->program, &options) && !options.retval &&
	       !bpf_map_lookup_elem(l->answers, &(uint32_t){ 0 }, answer);
}

void look_end(struct look *l)
{
	bpf_object__close(l->object);
	l->object = NULL;
	l->loaded = l->again = 0;
}
