// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: loads fentry|kprobe OBJECT...
 * Has the kernel load each object of a module as the agent would: by fentry and, if the object has
 * programs for kprobes, then by kprobes: with `kprobe` in any case, with `fentry` only if a
 * function or its BTF is missing for fentry. Attaches nothing. Prints how many objects were refused
 * in none of these ways and how many wait for a kernel module, then a line with the reason for each
 * way by which an object is refused.
 */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "load/config.h"
#include "load/edition.h"
#include "load/failure.h"
#include "load/kallsyms.h"
#include "load/kernel_btf.h"
#include "load/loaded.h"
#include "load/object.h"
#include "load/probes.h"

/* Load the object and unload it. Returns 0, or a negative errno: then *reason says why. */
static int load(struct edition *e, bool kprobes, char *reason, size_t size)
{
	uint64_t begun = clock_now();
	struct loaded none, l;
	int err;

	loaded_begin(&none, e, NULL);
	loaded_begin(&l, e, &none);
	l.programs.kprobes = kprobes;
	libbpf_log_begin();
	err = loaded_load(&l, &none);
	libbpf_log_end(e->name, err, reason, size);
	if (*l.error)
		snprintf(reason, size, "%s", l.error);
	loaded_end(&l);
	free(none.memory.maps);
	fprintf(stderr, "%s: %d after %.1f s\n", e->path, err, (clock_now() - begun) / 1e9);
	return err;
}

/* Are there programs for kprobes that the agent would load on this kernel? */
static bool has_kprobes(const struct edition *e)
{
	return e->has_kprobes || (e->has_multi && probes_can_be_multi());
}

/*
 * Load an object by fentry and, if `by_kprobes` or if something is missing for fentry, by kprobes.
 * Returns false if it has written to `refused` how the kernel refuses the object.
 */
static bool loads(struct edition *e, bool by_kprobes, FILE *refused)
{
	char reason[MODULE_ERROR_LEN];
	int err = load(e, false, reason, sizeof(reason));
	bool lacks = failure_is_missing(err) && has_kprobes(e), good = !err || lacks;

	if (!good)
		fprintf(refused, "%s: %s\n", e->name, reason);
	if ((lacks || (by_kprobes && has_kprobes(e))) && load(e, true, reason, sizeof(reason))) {
		fprintf(refused, "%s by kprobes: %s\n", e->name, reason);
		good = false;
	}
	return good;
}

int main(int argc, char **argv)
{
	struct config *config = config_read("/dev/null", true);
	struct edition *editions[argc];
	unsigned int loaded = 0, waiting = 0;
	size_t size;
	char *text;
	FILE *refused = open_memstream(&text, &size);

	if (argc < 2)
		return 1;
	kallsyms_open();
	kernel_btf_register();
	for (int i = 2; i < argc; i++) {
		editions[i] = edition_open(argv[i]);
		if (!*editions[i]->error)
			edition_configure(editions[i], config);
	}
	kmods_look();
	for (int i = 2; i < argc; i++) {
		struct edition *e = editions[i];

		if (*e->error)
			fprintf(refused, "%s: %s\n", e->name, e->error);
		else if (e->kmod && !e->kmod->ready)
			waiting++;
		else
			loaded += loads(e, !strcmp(argv[1], "kprobe"), refused);
	}
	fclose(refused);
	printf("%u loaded, %u wait\n%s", loaded, waiting, text);
	return 0;
}
