// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <pcp/pmapi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edition.h"
#include "lib/xalloc.h"
#include "object.h"
#include "probes.h"

#define SUFFIX ".bpf.o"

/* Limits and defaults of settings in estat.conf. */
#define DEFAULT_LINGER 600                 /* seconds */
#define MAX_LINGER     86400               /* seconds */
#define MAX_SCRAPE     3600                /* the highest value of `prometheus`, seconds */
#define MAX_SAMPLE     1000                /* the highest N of `sample = 1/N` */
#define DEFAULT_SLOW   UINT64_C(100000000) /* the default of `slow`, nanoseconds */

void edition_refuse(struct edition *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(e->error, sizeof(e->error), format, args);
	va_end(args);
	pmNotifyErr(LOG_ERR, "module %s (%s): %s", e->name, e->path, e->error);
}

/* Set the module's name to the file's name without .bpf.o, until the schema is read. */
static void name_from_path(struct edition *e)
{
	const char *base = strrchr(e->path, '/'), *suffix;

	base = base ? base + 1 : e->path;
	suffix = strstr(base, SUFFIX);
	snprintf(e->name, sizeof(e->name), "%.*s",
		 (int)(suffix ? (size_t)(suffix - base) : strlen(base)), base);
}

struct edition *edition_open(const char *path)
{
	struct edition *e = xalloc(calloc(1, sizeof(*e)));
	char error[MODULE_ERROR_LEN], reason[MODULE_ERROR_LEN / 2];
	struct bpf_object *object;

	e->path = path;
	name_from_path(e);
	libbpf_log_begin();
	e->file = object_file(e->path, error, sizeof(error));
	object = e->file < 0 ? NULL : object_open(e->file, e->name, -1, error, sizeof(error));
	libbpf_log_end(e->name, !object, reason, sizeof(reason));
	if (!object) {
		edition_refuse(e, "%s%s%s", error, *reason ? ": " : "", reason);
		return e;
	}
	e->schema = schema_read(object, reason, sizeof(reason));
	e->has_kprobes = probes_have_kprobes(object);
	e->has_multi = probes_have_multi(object);
	probes_want_symbols(object);
	bpf_object__close(object);
	if (e->schema)
		memcpy(e->name, e->schema->name, sizeof(e->name));
	else
		edition_refuse(e, "%s", reason);
	return e;
}

void edition_free(struct edition *e)
{
	schema_free(e->schema);
	if (e->file >= 0)
		close(e->file);
	free(e);
}

static struct settings read_settings(const struct edition *e, struct config *config)
{
	struct settings s;

	memset(&s, 0, sizeof(s)); /* clears the padding, because settings are compared as bytes */
	s.enabled = config_switch(config, e->name, "enabled");
	s.unknown = *config_error(config);
	s.keys = config_number(config, e->name, "keys", 1, MODULE_MOST_KEYS, 0);
	s.sample = config_part(config, e->name, "sample", e->schema->samples ? MAX_SAMPLE : 1);
	if (e->schema->every)
		s.every = config_number(config, e->name, "every", 0, MODULE_MOST_EVERY, 0);
	if (e->schema->slow)
		s.slow = config_time(config, e->name, "slow", DEFAULT_SLOW);
	s.latency_by_size = config_flag(config, e->name, "latency_by_size", false);
	s.latency_fine = config_flag(config, e->name, "latency_fine", false);
	s.all_buckets = config_flag(config, e->name, "all_buckets", false);
	s.prometheus = config_number(config, e->name, "prometheus", 0, MAX_SCRAPE, 0);
	s.fentry = config_switch(config, "agent", "fentry");
	s.demand = config_demand(config, e->name, "attach", e->schema->on_demand);
	s.linger = config_number(config, e->name, "linger", 1, MAX_LINGER, DEFAULT_LINGER);
	return s;
}

void edition_configure(struct edition *e, struct config *config)
{
	e->settings = read_settings(e, config);
	if (e->settings.enabled != SWITCH_OFF && *e->schema->needs.module)
		e->kmod = kmod_find(&e->schema->needs);
	if (e->settings.enabled != SWITCH_OFF && *e->schema->also.module)
		e->also = kmod_find(&e->schema->also);
}

bool edition_is_configured(const struct edition *e, struct config *config)
{
	struct settings s = read_settings(e, config);

	return !memcmp(&s, &e->settings, sizeof(s));
}
