// SPDX-License-Identifier: GPL-2.0-or-later
/* Types of the kernel and of kernel modules, and the handlers that give them to libbpf. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi.h"
#include "helper.h"
#include "kallsyms.h"
#include "kernel_btf.h"
#include "lib/xalloc.h"
#include "object.h"
#include "schema/rodata.h"
#include "types.h"

/* bytes of the longest symbol with its NUL: KSYM_NAME_LEN since Linux 6.1; before, it was 128 */
#define SYMBOL_LEN  512
#define MOST_GIVERS 16 /* the most kernel modules of which an object gets the types */

struct kernel_module {
	char *name;
	struct types types; /* split BTF, whose base is `vmlinux` */
	int fd;             /* descriptor of the BTF object, from the helper; negative: none yet */
	struct kernel_module *next;
};

/* What a BPF program attaches to. */
struct target {
	enum { NOTHING, FUNCTION, TRACEPOINT } kind;
	const char *name;
};

/*
 * Enumerators that were looked up, and their values. To look up one takes 10 ms, because that reads
 * all types of the kernel.
 */
static struct enumerator {
	char name[SYMBOL_LEN];
	uint32_t value;
} enumerators[8];
static unsigned int nenumerators;
static struct types vmlinux; /* the kernel's types; .btf NULL: not read */
static struct kernel_module *kernel_modules;

static struct target target_of(const struct bpf_program *p)
{
	static const char *const functions[] = {
		"fentry/", "fexit/", "kprobe/", "kretprobe/", "kprobe.multi/", "kretprobe.multi/"
	};
	const char *section = bpf_program__section_name(p);

	for (unsigned int i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strncmp(section, functions[i], strlen(functions[i])))
			return (struct target){ FUNCTION, section + strlen(functions[i]) };
	if (!strncmp(section, "tp_btf/", 7))
		return (struct target){ TRACEPOINT, section + 7 };
	return (struct target){ NOTHING, section };
}

/*
 * Write the name of the target's function; for a tracepoint, of the function that runs the
 * tracepoint's BPF programs.
 */
static void symbol_of(const struct target *t, char *symbol)
{
	snprintf(symbol, SYMBOL_LEN, "%s%s", t->kind == TRACEPOINT ? "__traceiter_" : "", t->name);
}

/* The number of the target's type; 0: `types` lacks it. */
static uint32_t type_of(const struct target *t, const struct types *types)
{
	char name[SYMBOL_LEN];

	if (t->kind == FUNCTION)
		return types_find(types, t->name, BTF_KIND_FUNC);
	snprintf(name, sizeof(name), "btf_trace_%s", t->name);
	return types_find(types, name, BTF_KIND_TYPEDEF);
}

static bool load_vmlinux(void)
{
	struct btf *btf = vmlinux.btf ? NULL : btf__load_vmlinux_btf();

	if (btf)
		types_begin(&vmlinux, btf, 1);
	return vmlinux.btf;
}

void kernel_btf_read(void)
{
	load_vmlinux();
}

/*
 * A kernel module and its types; NULL: the agent cannot read BTF of this kernel module, for example
 * because the kernel module is not loaded, or is built in.
 */
static struct kernel_module *find_kernel_module(const char *name)
{
	struct kernel_module *k;
	struct btf *btf;
	char path[128];

	for (k = kernel_modules; k; k = k->next)
		if (!strcmp(k->name, name))
			return k;
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	if (access(path, R_OK) || !load_vmlinux())
		return NULL;
	btf = btf__parse_split(path, vmlinux.btf);
	if (!btf)
		return NULL;
	k = xalloc(malloc(sizeof(*k)));
	*k = (struct kernel_module){ .name = xalloc(strdup(name)),
				     .fd = -1,
				     .next = kernel_modules };
	types_begin(&k->types, btf, btf__type_cnt(vmlinux.btf));
	kernel_modules = k;
	return k;
}

/*
 * The kernel module that has the target; NULL: the target is missing, built in, or in a kernel
 * module without BTF.
 */
static struct kernel_module *kernel_module_of(const struct target *t)
{
	char symbol[SYMBOL_LEN];
	const char *name;

	symbol_of(t, symbol);
	name = kallsyms_module(symbol);
	return name ? find_kernel_module(name) : NULL;
}

/*
 * Returns the number of the target's type, or a negative errno. Sets *k to the kernel module that
 * has the type; NULL: the type is the kernel's own, or was not found.
 */
static int find_type(const struct target *t, struct kernel_module **k)
{
	int id;

	*k = NULL;
	if (!load_vmlinux())
		return -errno;
	id = type_of(t, &vmlinux);
	if (id)
		return id;
	*k = kernel_module_of(t);
	id = *k ? type_of(t, &(*k)->types) : 0;
	return id ? id : -ESRCH;
}

/* Tell libbpf, before it loads an fentry, fexit or tp_btf program, the type to attach to. */
static int prepare(struct bpf_program *p, struct bpf_prog_load_opts *options, long cookie)
{
	struct target t = target_of(p);
	struct kernel_module *k;
	int id = find_type(&t, &k);

	(void)cookie;
	if (id < 0) {
		libbpf_log_add("%s: %s", bpf_program__section_name(p),
			       id == -ESRCH ? "not in the kernel's BTF" : strerror(-id));
		return id;
	}
	if (k && k->fd < 0)
		k->fd = helper_btf(k->name);
	if (k && k->fd < 0) {
		libbpf_log_add("the helper cannot get the BTF of %s: %s", k->name,
			       strerror(-k->fd));
		return k->fd;
	}
	options->attach_prog_fd = 0; /* take back the 1 that spare_libbpf() has set */
	options->attach_btf_id = id;
	options->attach_btf_obj_fd = k ? k->fd : 0;
	return 0;
}

static int attach(const struct bpf_program *p, long cookie, struct bpf_link **link)
{
	(void)cookie;
	*link = bpf_program__attach_trace(p);
	return *link ? 0 : -errno;
}

static int attach_kprobe(const struct bpf_program *p, long cookie, struct bpf_link **link)
{
	struct target t = target_of(p);
	int fd = helper_kprobe(t.name, cookie), err;

	if (fd < 0) {
		libbpf_log_add("%s: %s", bpf_program__section_name(p), strerror(-fd));
		return fd;
	}
	*link = bpf_program__attach_perf_event(p, fd); /* if made, the link owns fd */
	if (*link)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

static void handle(const char *section, enum bpf_prog_type type, enum bpf_attach_type attach_type,
		   const struct libbpf_prog_handler_opts *options)
{
	if (libbpf_register_prog_handler(section, type, attach_type, options) < 0)
		xalloc(NULL);
}

void kernel_btf_register(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, tracing, .prog_prepare_load_fn = prepare,
		    .prog_attach_fn = attach);
	LIBBPF_OPTS(libbpf_prog_handler_opts, entry, .prog_attach_fn = attach_kprobe);
	LIBBPF_OPTS(libbpf_prog_handler_opts, returned, .prog_attach_fn = attach_kprobe,
		    .cookie = true);

	handle("fentry+", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, &tracing);
	handle("fexit+", BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, &tracing);
	handle("tp_btf+", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, &tracing);
	handle("kprobe+", BPF_PROG_TYPE_KPROBE, 0, &entry);
	handle("kretprobe+", BPF_PROG_TYPE_KPROBE, 0, &returned);
}

bool kernel_btf_has(const char *function)
{
	return (load_vmlinux() && types_find(&vmlinux, function, BTF_KIND_FUNC)) ||
	       kallsyms_is_function(function);
}

void kernel_btf_want(const struct bpf_object *object)
{
	char symbol[SYMBOL_LEN];
	struct bpf_program *p;

	bpf_object__for_each_program (p, object) {
		struct target t = target_of(p);

		symbol_of(&t, symbol);
		if (t.kind != NOTHING)
			kallsyms_want(symbol);
	}
}

/*
 * Can the agent load BPF programs with the type of `p` and, for fentry, fexit and tp_btf, with the
 * target of `p`? Loads one of two instructions to find out. Returns 0 or a negative errno.
 */
static int try_to_load(struct bpf_program *p)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options,
		    .expected_attach_type = bpf_program__expected_attach_type(p));
	const struct bpf_insn instructions[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	enum bpf_prog_type type = bpf_program__type(p);
	int fd = type == BPF_PROG_TYPE_TRACING ? prepare(p, &options, 0) : 0;

	if (fd < 0)
		return fd;
	fd = bpf_prog_load(type, NULL, "GPL", instructions, 2, &options);
	if (fd >= 0)
		return close(fd);
	libbpf_log_add("%s: %s", bpf_program__section_name(p), strerror(-fd));
	return fd;
}

/*
 * Returns 0 if /proc/kallsyms has what `p` probes, else -ESRCH or -ENOENT, for which
 * failure_is_missing() is true.
 */
static int find_symbol(const struct bpf_program *p, const struct target *t)
{
	const char *section = bpf_program__section_name(p);
	char symbol[SYMBOL_LEN];

	symbol_of(t, symbol);
	if (kallsyms_is_function(symbol))
		return 0;
	if (bpf_program__type(p) == BPF_PROG_TYPE_TRACING) {
		libbpf_log_add("%s: not in the kernel's BTF", section);
		return -ESRCH;
	}
	libbpf_log_add("%s: %s", section, strerror(ENOENT));
	return -ENOENT;
}

int kernel_btf_check(const struct bpf_object *object)
{
	bool tried[2][TRACEPOINT + 1] = {};
	struct bpf_program *p;
	int err = 0;

	bpf_object__for_each_program (p, object) {
		struct target t = target_of(p);
		bool *has = &tried[bpf_program__type(p) == BPF_PROG_TYPE_TRACING][t.kind];

		if (err || t.kind == NOTHING || !bpf_program__autoload(p))
			continue;
		err = find_symbol(p, &t);
		if (!err && !*has)
			err = try_to_load(p);
		*has = true;
	}
	return err;
}

/* Kernel modules whose types an object gets. */
struct givers {
	unsigned int n;
	const struct types *types[MOST_GIVERS];
};

static void add_giver(struct givers *g, const struct kernel_module *k)
{
	for (unsigned int i = 0; k && i < g->n; i++)
		if (g->types[i] == &k->types)
			return;
	if (k && g->n < MOST_GIVERS)
		g->types[g->n++] = &k->types;
}

/* Add the kernel modules with BTF that the object's chosen BPF programs probe. */
static void add_probed(struct givers *g, const struct bpf_object *object)
{
	struct bpf_program *p;

	bpf_object__for_each_program (p, object) {
		struct target t = target_of(p);
		struct kernel_module *k;

		if (t.kind != NOTHING && bpf_program__autoload(p) && find_type(&t, &k) >= 0)
			add_giver(g, k);
	}
}

/* Add the kernel modules with BTF that ESTAT_TYPES names; `names` NULL: none. */
static void add_named(struct givers *g, const char *names)
{
	char name[ESTAT_NAME_LEN];

	while (names && *names) {
		int length = strcspn(names, " ");

		snprintf(name, sizeof(name), "%.*s", length, names);
		add_giver(g, find_kernel_module(name));
		names += length + strspn(names + length, " ");
	}
}

int kernel_btf_file(void)
{
	return load_vmlinux() ? memfd_create("estat-types", MFD_CLOEXEC) : -1;
}

/*
 * Tell libbpf that the object's tracing programs attach to another BPF program, so that libbpf does
 * not read the kernel's BTF for each object with tracing programs. prepare() later says what the
 * programs really attach to.
 */
static void spare_libbpf(const struct bpf_object *object)
{
	struct bpf_program *p;

	bpf_object__for_each_program (p, object)
		if (bpf_program__type(p) == BPF_PROG_TYPE_TRACING && target_of(p).kind != NOTHING)
			bpf_program__set_attach_target(p, 1, NULL);
}

/*
 * Read the types in the file `made`, which were made in advance for a kernel module without BTF.
 * `made`: a descriptor; -1: no file. .btf NULL: no types.
 */
static struct types read_made(int made)
{
	struct types types = {};
	char path[32];
	struct btf *btf;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", made);
	btf = made < 0 ? NULL : btf__parse_raw(path);
	if (btf)
		types_begin(&types, btf, 1);
	return types;
}

int kernel_btf_fill(int file, const struct bpf_object *object, const char *needs, int made)
{
	const struct estat_needs *also = RODATA(object, "estat_also", struct estat_needs);
	const char *more = RODATA(object, "estat_types", char);
	struct givers g = {};
	struct types last;
	int err;

	if (!load_vmlinux())
		return -errno;
	add_giver(&g, needs ? find_kernel_module(needs) : NULL);
	if (!g.n) {
		add_probed(&g, object);
		add_named(&g, more);
	}
	add_giver(&g, also ? find_kernel_module(also->module) : NULL);
	last = read_made(made);
	if (last.btf && g.n < MOST_GIVERS)
		g.types[g.n++] = &last;
	spare_libbpf(object);
	err = types_copy(&vmlinux, g.types, g.n, bpf_object__btf(object), file);
	types_end(&last);
	return err;
}

struct bpf_object *kernel_btf_load(int made, const char *kernel_module, const char *name,
				   const char *begin, const char *end)
{
	int types = kernel_btf_file(), err;
	char path[64];
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = name, .btf_custom_path = path);
	struct bpf_object *object;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", types);
	object = bpf_object__open_mem(begin, end - begin, &options);
	err = object ? 0 : -errno;
	if (!err && types >= 0)
		err = kernel_btf_fill(types, object, kernel_module, made);
	if (!err)
		err = bpf_object__load(object);
	if (types >= 0)
		close(types);
	if (!err)
		return object;
	bpf_object__close(object);
	errno = -err;
	return NULL;
}

static uint32_t find_enumerator(const char *name)
{
	uint32_t types = load_vmlinux() ? btf__type_cnt(vmlinux.btf) : 0;

	for (uint32_t id = 1; id < types; id++) {
		const struct btf_type *type = btf__type_by_id(vmlinux.btf, id);
		const struct btf_enum *e = btf_enum(type);

		for (int i = 0; btf_is_enum(type) && i < btf_vlen(type); i++)
			if (!strcmp(btf__name_by_offset(vmlinux.btf, e[i].name_off), name))
				return e[i].val;
	}
	return ESTAT_NO_ENUMERATOR;
}

uint32_t kernel_btf_enumerator(const char *name)
{
	struct enumerator *e = enumerators;

	while (e < enumerators + nenumerators && strcmp(e->name, name))
		e++;
	if (e == enumerators + 8) /* the array is full: the last element is replaced */
		e = &enumerators[--nenumerators];
	if (e == enumerators + nenumerators) {
		nenumerators++;
		snprintf(e->name, sizeof(e->name), "%s", name);
		e->value = find_enumerator(name);
	}
	return e->value;
}

unsigned int kernel_btf_arguments(const struct bpf_program *p)
{
	struct target t = target_of(p);
	struct kernel_module *k;
	int id = find_type(&t, &k);
	const struct btf *btf = k ? k->types.btf : vmlinux.btf;
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, id) : NULL;

	type = type && btf_is_func(type) ? btf__type_by_id(btf, type->type) : NULL;
	return type ? btf_vlen(type) : 0;
}

void kernel_btf_forget(void)
{
	while (kernel_modules) {
		struct kernel_module *k = kernel_modules;

		kernel_modules = k->next;
		types_end(&k->types);
		if (k->fd >= 0)
			close(k->fd);
		free(k->name);
		free(k);
	}
	nenumerators = 0;
	types_end(&vmlinux);
}
