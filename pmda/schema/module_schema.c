// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads, in the BTF and .rodata of a module's object, what the module declares. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "btf_copy.h"
#include "lib/xalloc.h"
#include "reader.h"
#include "rodata.h"

/* If the object has `variable`, a struct that names a kernel module, copy the struct to *needs. */
static int read_kernel_module(struct reader *r, const char *variable, struct estat_needs *needs)
{
	const struct estat_needs *n = RODATA(r->object, variable, __typeof__(*n));

	if (!n)
		return 0;
	if (!memchr(n->module, 0, sizeof(n->module)) || !memchr(n->in_use, 0, sizeof(n->in_use)) ||
	    strchr(n->module, '/'))
		return refuse(r, "%s does not name a kernel module: use ESTAT_NEEDS or ESTAT_ALSO",
			      variable);
	*needs = *n;
	return 0;
}

static int read_evidence(struct reader *r, struct schema *schema)
{
	const struct estat_evidence *e = RODATA(r->object, "estat_evidence", __typeof__(*e));

	if (!e)
		return 0;
	if (!memchr(e->files, 0, sizeof(e->files)) || !memchr(e->lines, 0, sizeof(e->lines)))
		return refuse(r, "estat_evidence has a pattern without an end: use ESTAT_EVIDENCE");
	schema->evidence = *e;
	return 0;
}

/*
 * May a module have this name: a word, or two words with a . between? A word is a letter a-z, and
 * then any number of a-z, 0-9 and _.
 */
static bool is_module_name(const char *name)
{
	size_t n;

	for (int part = 0; part < 2; part++) {
		if (*name < 'a' || *name > 'z')
			return false;
		n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
		if (!name[n])
			return true;
		if (name[n] != '.')
			return false;
		name += n + 1;
	}
	return false;
}

static bool is_start(const char *name, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(name, word, n);
}

static int read_module(struct reader *r, struct schema *schema)
{
	const struct estat_module *m = RODATA(r->object, "estat_module", struct estat_module);
	size_t first;

	if (!m)
		return refuse(r, "the object declares no module: use ESTAT_MODULE");
	if (m->abi != ESTAT_ABI_VERSION)
		return refuse(r,
			      "built for version %u of bpf/abi.h, the agent has %u: build it again",
			      m->abi, ESTAT_ABI_VERSION);
	if (!memchr(m->name, 0, sizeof(m->name)) || !is_module_name(m->name))
		return refuse(r,
			      "the module's name must be a word, a letter a-z and then a-z, 0-9"
			      " and _, or two words with a . between, at most %u characters in all",
			      ESTAT_NAME_LEN - 1);
	first = strcspn(m->name, ".");
	if (is_start(m->name, first, "agent") || is_start(m->name, first, "module") ||
	    is_start(m->name, first, "layer"))
		return refuse(r, "the name %s is reserved for the agent", m->name);
	if (m->cluster > 1023)
		return refuse(r, "cluster %u is not 0 to 1023", m->cluster);
	strcpy(schema->name, m->name);
	schema->cluster = m->cluster;
	schema->on_demand = RODATA(r->object, "estat_on_demand", __u8);
	schema->tells = RODATA(r->object, "estat_tells", __u8);
	schema->samples = RODATA(r->object, "estat_samples", __u8);
	schema->every = variable_offset(r->btf, ".bss", "estat_every") >= 0;
	schema->slow = variable_offset(r->btf, ".bss", "estat_slow") >= 0;
	schema->io_cgroups = RODATA(r->object, "estat_io_cgroups", __u8);
	return 0;
}

static int read_all(struct reader *r, struct schema *schema)
{
	return read_module(r, schema) || read_kernel_module(r, "estat_needs", &schema->needs) ||
			       read_kernel_module(r, "estat_also", &schema->also) ||
			       read_evidence(r, schema) || read_rings(r, schema) ||
			       read_series(r, schema)
		       ? -1
		       : 0;
}

struct schema *schema_read(const struct bpf_object *object, char *error, size_t size)
{
	struct reader r = { .object = object, .error = error, .size = size };
	const struct btf *btf = bpf_object__btf(object);
	struct schema *schema;
	uint32_t *numbers;
	int err;

	if (!btf) {
		refuse(&r, "the object has no BTF: compile it with clang -g");
		return NULL;
	}
	schema = xalloc(calloc(1, sizeof(*schema)));
	/* a copy, because the schema outlives the object */
	schema->btf = btf_copy_variables(btf, &numbers);
	r.btf = schema->btf;
	r.numbers = numbers;
	err = r.btf ? read_all(&r, schema)
		    : refuse(&r, "cannot read the object's BTF: %s", strerror(errno));
	free(numbers);
	if (err) {
		schema_free(schema);
		return NULL;
	}
	return schema;
}

void schema_free(struct schema *schema)
{
	if (!schema)
		return;
	for (unsigned int i = 0; i < schema->ntables; i++)
		free(schema->series[i].groups);
	for (unsigned int i = 0; i < RINGS; i++)
		free(schema->rings[i].parameters);
	free(schema->series);
	btf__free(schema->btf);
	free(schema);
}
