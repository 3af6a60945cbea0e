// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kallsyms.h"
#include "kernel_btf.h"
#include "lib/xalloc.h"
#include "loaded.h"
#include "maps.h"
#include "object.h"
#include "probes.h"
#include "programs.h"
#include "schema/rodata.h"

void loaded_begin(struct loaded *l, struct edition *e, const struct loaded *from)
{
	unsigned int tables = e->schema ? e->schema->ntables : 0;

	*l = (struct loaded){ .edition = e };
	if (e->kmod) {
		l->seen.loaded = e->kmod->loaded;
		l->seen.ready = e->kmod->ready;
		l->seen.in_use = e->kmod->in_use;
	}
	if (e->also)
		l->seen.also_loaded = e->also->loaded;
	if (from && from->edition == e) {
		l->shares = from->object;
		l->memory = from->memory;
		return;
	}
	l->memory.names_fd = -1;
	l->memory.maps = xalloc(calloc(tables + 1, sizeof(*l->memory.maps)));
}

/* Set the constants that stand for addresses of kernel symbols and for values of enumerators. */
static void set_constants(struct loaded *l)
{
	const struct bpf_object *object = l->object;
	size_t n = strlen(l->programs.lacks);
	bool hidden = false;
	const char *name;
	uint64_t *address;
	uint32_t *value;

	for (unsigned int i = 0;
	     (address = rodata_prefixed(object, RODATA_ADDRESS, i, sizeof(*address), &name)); i++) {
		*address = kallsyms_address(name);
		hidden |= kallsyms_hides(name);
	}
	for (unsigned int i = 0;
	     (value = rodata_prefixed(object, RODATA_ENUMERATOR, i, sizeof(*value), &name)); i++)
		*value = kernel_btf_enumerator(name);
	if (hidden)
		snprintf(l->programs.lacks + n, sizeof(l->programs.lacks) - n,
			 "%ssome names and kinds are not known: kernel.kptr_restrict hides "
			 "addresses",
			 n ? "; " : "");
}

/* Open the object and choose its BPF programs. `types`: a file of the kernel's types; -1: none. */
static int open_object(struct loaded *l, int types)
{
	const struct edition *e = l->edition;

	bpf_object__close(l->object);
	l->object = object_open(e->path, e->name, types, l->error, sizeof(l->error));
	if (!l->object)
		return -ENOEXEC;
	if (!schema_matches(e->schema, l->object)) {
		snprintf(l->error, sizeof(l->error),
			 "the file has changed: the agent takes it once it is complete");
		return -ESTALE;
	}
	return probes_choose(l);
}

static int load_opened(struct loaded *l, const struct loaded *from, bool shared)
{
	int err;

	set_constants(l);
	err = maps_prepare(l, shared);
	if (!err && l->shares)
		err = maps_share(l, from);
	else if (!err && loaded_goes_on(l, from))
		err = maps_share_events(l, from);
	if (!err)
		err = bpf_object__load(l->object);
	if (!err)
		maps_forget_values(l);
	return err;
}

/* Open, prepare and load the object. `types`: a file that was made in advance, or to be filled. */
static int load_with(struct loaded *l, const struct loaded *from, bool shared, int types, bool made)
{
	const struct kmod *kmod = l->edition->kmod;
	int err = open_object(l, types);

	if (!err && types >= 0 && !made)
		err = kernel_btf_fill(types, l->object, kmod ? kmod->needs.module : NULL);
	return err ? err : load_opened(l, from, shared);
}

static int load(struct loaded *l, const struct loaded *from, bool shared)
{
	const struct kmod *kmod = l->edition->kmod;
	bool made = kmod && *kmod->btf;
	int types = made ? object_open_types(kmod->btf, l->error, sizeof(l->error))
			 : kernel_btf_file();
	int err = made && types < 0 ? -ENOEXEC : load_with(l, from, shared, types, made);

	if (types >= 0)
		close(types);
	return err;
}

bool loaded_goes_on(const struct loaded *l, const struct loaded *from)
{
	return from->object && (l->edition == from->edition ||
				schema_counts_alike(l->edition->schema, from->edition->schema));
}

int loaded_load(struct loaded *l, const struct loaded *from)
{
	int err = load(l, from, false);

	if (!err && maps_have_two_writers(l))
		err = load(l, from, true);
	if (!err && !l->shares)
		err = maps_set_up(l, loaded_goes_on(l, from) ? from : NULL);
	return err;
}

void loaded_end(struct loaded *l)
{
	programs_detach(l, UINT64_MAX);
	if (!l->shares)
		maps_unmap(l);
	bpf_object__close(l->object);
	l->object = NULL;
}

void loaded_replace(struct loaded *from, struct loaded *l, struct module_counters *counters)
{
	if (loaded_goes_on(l, from))
		programs_retire(from, l->shares, counters);
	maps_finish(l);
	from->shares = l->shares;
	loaded_end(from);
	if (l->edition != from->edition)
		free(from->memory.maps);
	*from = *l;
	from->shares = false;
}
