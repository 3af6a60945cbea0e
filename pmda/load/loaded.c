// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "held.h"
#include "kallsyms.h"
#include "kept.h"
#include "kernel.h"
#include "kernel_btf.h"
#include "lib/xalloc.h"
#include "loaded.h"
#include "maps.h"
#include "object.h"
#include "probes.h"
#include "programs.h"
#include "schema/rodata.h"
#include "table.h"
#include "wake.h"

void loaded_begin(struct loaded *l, struct edition *e, const struct loaded *from)
{
	unsigned int tables = e->schema ? e->schema->ntables : 0;

	*l = (struct loaded){ .edition = e };
	if (e->kmod) {
		l->seen.loaded = e->kmod->loaded;
		l->seen.ready = e->kmod->ready;
		l->seen.in_use = e->kmod->in_use;
	}
	if (e->also) {
		l->seen.also_loaded = e->also->loaded;
		l->seen.also_ready = e->also->ready;
	}
	if (from && from->edition == e && loaded_is_there(from)) {
		l->shares = true;
		l->memory = from->memory;
		return;
	}
	l->memory.names_fd = -1;
	l->memory.maps = from && from->edition == e
				 ? from->memory.maps
				 : xalloc(calloc(tables + 1, sizeof(*l->memory.maps)));
}

/* Set the object's constants for addresses of kernel symbols. */
static void set_addresses(struct loaded *l)
{
	size_t n = strlen(l->programs.lacks);
	bool hidden = false;
	const char *name;
	uint64_t *address;

	for (unsigned int i = 0;
	     (address = rodata_prefixed(l->object, RODATA_ADDRESS, i, sizeof(*address), &name));
	     i++) {
		*address = kallsyms_address(name);
		hidden |= kallsyms_hides(name);
	}
	if (hidden)
		snprintf(l->programs.lacks + n, sizeof(l->programs.lacks) - n,
			 "%ssome names and kinds are not known: kernel.kptr_restrict hides "
			 "addresses",
			 n ? "; " : "");
}

/* Set the object's constants for values of the kernel's enumerators. */
static void set_enumerators(const struct loaded *l)
{
	const char *name;
	uint32_t *value;

	for (unsigned int i = 0;
	     (value = rodata_prefixed(l->object, RODATA_ENUMERATOR, i, sizeof(*value), &name)); i++)
		*value = kernel_btf_enumerator(name);
}

/* Set the object's constant for the length of a jiffy, in which a coarse clock goes on once. */
static void set_jiffy(const struct loaded *l)
{
	uint64_t *ns = RODATA(l->object, "estat_jiffy", uint64_t);
	struct timespec resolution;

	if (ns && !clock_getres(CLOCK_MONOTONIC_COARSE, &resolution))
		*ns = resolution.tv_nsec;
}

static void close_object(struct loaded *l)
{
	bpf_object__close(l->object);
	l->object = NULL;
}

/*
 * Open the object in the file that the edition keeps open. If that fails, for example because the
 * file was overwritten in place, open the object in the file that has the edition's path now. NULL:
 * that fails, too; `error` says why.
 */
static struct bpf_object *open_file(const struct edition *e, int types, char *error, size_t size)
{
	struct bpf_object *object = object_open(e->file, e->name, types, error, size);
	int file;

	if (object)
		return object;
	file = object_file(e->path, error, size);
	if (file < 0)
		return NULL;
	object = object_open(file, e->name, types, error, size);
	close(file);
	return object;
}

/* Open the object and choose its BPF programs. `types`: a file of types for CO-RE; -1: none. */
static int open_object(struct loaded *l, int types)
{
	const struct edition *e = l->edition;

	close_object(l);
	l->object = open_file(e, types, l->error, sizeof(l->error));
	if (!l->object)
		return -ENOEXEC;
	if (!schema_matches(e->schema, l->object)) {
		snprintf(l->error, sizeof(l->error),
			 "the file has changed: the agent takes it once it is complete");
		return -ESTALE;
	}
	return probes_choose(l);
}

/* Make the maps that libbpf does not make. libbpf has no message for an error of this function. */
static int make_maps(struct loaded *l)
{
	int err = wake_share(l->object);

	for (unsigned int i = 0; !err && i < l->edition->schema->ntables; i++)
		err = table_open_model(l, i);
	return err;
}

static int load_opened(struct loaded *l, const struct loaded *from, bool shared)
{
	int err;

	for (unsigned int i = 0;
	     !l->shares && loaded_goes_on(l, from) && i < l->edition->schema->ntables; i++)
		table_expect(&l->memory.maps[i], &from->memory.maps[i]);
	set_addresses(l);
	set_enumerators(l);
	set_jiffy(l);
	err = maps_prepare(l, shared);
	if (!err && l->shares)
		err = maps_share(l, from);
	else if (!err && loaded_is_there(from) && loaded_goes_on(l, from))
		err = maps_share_rings(l, from);
	if (!err)
		err = make_maps(l) ?: bpf_object__load(l->object);
	for (unsigned int i = 0; i < l->edition->schema->ntables; i++)
		table_close_model(&l->memory.maps[i]);
	if (!err)
		maps_forget_values(l);
	return err ?: held_take(l);
}

static void close_types(int types)
{
	if (types >= 0)
		close(types);
}

/*
 * Open the file of types that was made in advance for the kernel module of ESTAT_NEEDS, else of
 * ESTAT_ALSO. Sets *made to a descriptor; -1: there is no such file. Returns 0 or a negative errno.
 */
static int open_made(struct loaded *l, int *made)
{
	const struct kmod *kmod = l->edition->kmod, *also = l->edition->also;

	*made = -1;
	if (!kmod || !*kmod->btf)
		kmod = also && also->ready && *also->btf ? also : NULL;
	if (kmod)
		*made = object_open_types(kmod->btf, l->error, sizeof(l->error));
	return kmod && *made < 0 ? -ENOEXEC : 0;
}

/* Fill the file `types` with the types that the object needs. */
static int fill_types(struct loaded *l, int types)
{
	const struct kmod *kmod = l->edition->kmod;
	int made, err = open_made(l, &made);

	if (!err)
		err = kernel_btf_fill(types, l->object, kmod ? kmod->needs.module : NULL, made);
	close_types(made);
	return err;
}

/* Open, prepare and load the object, to replace `from`. `shared`: see maps_prepare(). */
static int load(struct loaded *l, const struct loaded *from, bool shared)
{
	int types = kernel_btf_file();
	int err = open_object(l, types);

	if (!err && types >= 0)
		err = fill_types(l, types);
	if (!err)
		err = load_opened(l, from, shared);
	close_types(types);
	return err;
}

bool loaded_goes_on(const struct loaded *l, const struct loaded *from)
{
	return (loaded_is_there(from) || from->kept) &&
	       (l->edition == from->edition ||
		schema_counts_alike(l->edition->schema, from->edition->schema));
}

int loaded_check(struct loaded *l)
{
	int made, err = open_made(l, &made) ?: open_object(l, -1);

	if (!err) {
		set_addresses(l);
		err = maps_prepare(l, false) ?: kernel_btf_check(l->object);
	}
	close_object(l);
	close_types(made);
	return err;
}

int loaded_load(struct loaded *l, const struct loaded *from)
{
	bool *two_writers = &l->edition->two_writers;
	int err = load(l, from, *two_writers);

	if (!err && !*two_writers && maps_have_two_writers(l)) {
		*two_writers = true;
		held_free(&l->held);
		err = load(l, from, true);
	}
	if (!err && !l->shares) {
		struct kept *read = loaded_is_there(from) && loaded_goes_on(l, from)
					    ? kept_take(from, false)
					    : NULL;

		err = maps_set_up(l, read || !loaded_goes_on(l, from) ? read : from->kept);
		kept_free(read, from->edition->schema);
	}
	return err;
}

void loaded_end(struct loaded *l)
{
	programs_detach(l, UINT64_MAX);
	if ((l->object || loaded_is_there(l)) && !l->shares)
		maps_unmap(l);
	close_object(l);
	held_free(&l->held);
	if (!l->kept)
		return;
	kept_free(l->kept, l->edition->schema);
	l->kept = NULL;
	memset(l->memory.rings, 0, sizeof(l->memory.rings));
}

/*
 * Make *l the owner of `kept`. The next object begins with the keys, names and event records in
 * `kept`. Until then clients can still fetch these event records.
 */
static void keep(struct loaded *l, struct kept *kept)
{
	l->kept = kept;
	for (unsigned int i = 0; i < RINGS; i++)
		if (kept->rings[i].records)
			l->memory.rings[i] = (struct ring){
				.records = kept->rings[i].records,
				.size = kept->rings[i].size,
				.begun = &kept->rings[i].begun,
			};
}

void loaded_rest(struct loaded *l, struct module_counters *counters)
{
	struct kept *kept = kept_take(l, true);

	programs_retire(l, true, counters);
	loaded_end(l);
	keep(l, kept);
}

/*
 * *l is not loaded. If loaded_goes_on(), unload `from`, and move the keys, names and event records
 * of `from` to *l; add to *counters those counts of `from` that belong to no key. Else give *l an
 * empty struct kept.
 */
static void carry(struct loaded *l, struct loaded *from, struct module_counters *counters)
{
	if (!loaded_goes_on(l, from)) {
		keep(l, kept_take(l, false));
		return;
	}
	if (loaded_is_there(from))
		loaded_rest(from, counters);
	keep(l, from->kept);
	from->kept = NULL;
}

void loaded_replace(struct loaded *from, struct loaded *l, struct module_counters *counters)
{
	if (!loaded_is_there(l)) {
		carry(l, from, counters);
	} else {
		maps_finish(l);
		/*
		 * keep libbpf's struct of the object if there are clocks, because libbpf needs the
		 * struct to attach the clock of a CPU that comes online later
		 */
		if (!l->programs.clocks)
			close_object(l);
		if (loaded_is_there(from) && loaded_goes_on(l, from)) {
			programs_retire(from, !l->shares, counters);
			counters->missed += l->shares ? 0 : programs_calls(from);
		}
	}
	from->shares = l->shares;
	loaded_end(from);
	if (l->edition != from->edition)
		free(from->memory.maps);
	*from = *l;
	from->shares = false;
}
