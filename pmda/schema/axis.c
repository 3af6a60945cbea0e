// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns a key into text. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "axis.h"
#include "btf.h"
#include "lib/xalloc.h"

/* Linux's dev_t inside the kernel: 12 bits of major, 20 of minor (include/linux/kdev_t.h). */
#define DEVICE_MAJOR(dev) ((dev) >> 20)
#define DEVICE_MINOR(dev) ((dev)&0xfffff)

/* Is it a file system without a disk? The module has noted its name while it is mounted. */
static bool is_diskless(uint32_t dev)
{
	return dev && !DEVICE_MAJOR(dev);
}

static uint64_t unsigned_at(const void *at, uint32_t size)
{
	union {
		uint8_t one;
		uint16_t two;
		uint32_t four;
		uint64_t eight;
	} value;

	memcpy(&value, at, size);
	switch (size) {
	case 1:
		return value.one;
	case 2:
		return value.two;
	case 4:
		return value.four;
	default:
		return value.eight;
	}
}

static int64_t signed_at(const void *at, uint32_t size)
{
	unsigned int shift = 64 - 8 * size;

	return (int64_t)(unsigned_at(at, size) << shift) >> shift;
}

static bool find_name(int names, uint64_t id, struct estat_name *name)
{
	return names >= 0 && !bpf_map_lookup_elem(names, &id, name);
}

/* Does the disk exist, with this diskseq? */
static bool disk_is(const char *name, const char *diskseq)
{
	char path[AXIS_TEXT_LEN + 32], line[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/block/%s/diskseq", name);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		*line = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return !strcmp(line, diskseq);
}

/* Does the SCSI device HOST:CHANNEL:TARGET:LUN exist? */
static bool is_scsi_device(const char *name)
{
	char path[AXIS_TEXT_LEN + 32];

	snprintf(path, sizeof(path), "/sys/bus/scsi/devices/%s", name);
	return !access(path, F_OK);
}

/*
 * Write the name that the module has noted, and return whether it is still
 * valid. The noted name of a disk is NAME-DISKSEQ; of a SCSI device that is
 * no disk, its address; of a file system without a disk, what is mounted.
 */
static bool noted_text(uint32_t dev, const struct estat_name *noted, char *text)
{
	char *diskseq;

	snprintf(text, AXIS_TEXT_LEN, "%.*s", (int)sizeof(noted->text), noted->text);
	if (is_diskless(dev))
		return !noted->gone;
	diskseq = strrchr(text, '-');
	if (!diskseq)
		return is_scsi_device(text);
	*diskseq++ = '\0';
	return disk_is(text, diskseq);
}

/*
 * Write the name of a disk: /sys/dev/block links its number to the name.
 * A disk without such a link has a name that the module has noted.
 */
static void device_text(uint32_t dev, int names, char *text)
{
	char path[64], target[AXIS_TEXT_LEN];
	struct estat_name noted;
	const char *name;
	ssize_t n;

	if (!dev) {
		strcpy(text, "none");
		return;
	}
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", DEVICE_MAJOR(dev), DEVICE_MINOR(dev));
	n = readlink(path, target, sizeof(target) - 1);
	if (n >= 0) {
		target[n] = '\0';
		name = strrchr(target, '/');
		strcpy(text, name ? name + 1 : target);
	} else if (!find_name(names, dev, &noted) || !noted_text(dev, &noted, text) || !*text) {
		/* the disk is gone, or has no name */
		snprintf(text, AXIS_TEXT_LEN, "%u:%u", DEVICE_MAJOR(dev), DEVICE_MINOR(dev));
	}
}

static void ip_text(const void *octets, char *text)
{
	struct in6_addr address; /* a copy, because the key is not aligned */

	memcpy(&address, octets, sizeof(address));
	if (IN6_IS_ADDR_UNSPECIFIED(&address))
		strcpy(text, "none");
	else if (IN6_IS_ADDR_V4MAPPED(&address))
		inet_ntop(AF_INET, &address.s6_addr[12], text, AXIS_TEXT_LEN);
	else
		inet_ntop(AF_INET6, &address, text, AXIS_TEXT_LEN);
}

/* Is an enum signed? Compilers before clang 15 do not say so; then a negative value does. */
static bool enum_signed(const struct btf_type *t)
{
	bool negative = btf_kflag(t);

	for (unsigned int i = 0; i < btf_vlen(t); i++)
		negative |= btf_is_enum64(t) ? (int64_t)btf_enum64_value(&btf_enum64(t)[i]) < 0
					     : btf_enum(t)[i].val < 0;
	return negative;
}

/* The value of enumerator number `i`. */
static uint64_t enumerator(const struct axis *axis, unsigned int i)
{
	if (btf_is_enum64(axis->type))
		return btf_enum64_value(&btf_enum64(axis->type)[i]);
	return (uint32_t)btf_enum(axis->type)[i].val;
}

void enumerator_text(const struct schema *schema, const struct axis *axis, unsigned int i,
		     char *text)
{
	const char *prefix = btf_string(schema->btf, axis->type->name_off);
	const char *name = btf_string(schema->btf, btf_is_enum64(axis->type)
							   ? btf_enum64(axis->type)[i].name_off
							   : btf_enum(axis->type)[i].name_off);
	size_t length = strlen(prefix);

	if (!strncmp(name, prefix, length) && name[length] == '_')
		name += length + 1;
	snprintf(text, AXIS_TEXT_LEN, "%s", name);
}

static void enum_text(const struct schema *schema, const struct axis *axis, const void *at,
		      char *text)
{
	uint64_t value = unsigned_at(at, axis->size), mask = ~UINT64_C(0) >> (64 - 8 * axis->size);

	for (unsigned int i = 0; i < btf_vlen(axis->type); i++) {
		if ((enumerator(axis, i) & mask) == value) {
			enumerator_text(schema, axis, i, text);
			return;
		}
	}
	if (enum_signed(axis->type))
		snprintf(text, AXIS_TEXT_LEN, "%s_%" PRId64, axis->name, signed_at(at, axis->size));
	else
		snprintf(text, AXIS_TEXT_LEN, "%s_%" PRIu64, axis->name, value);
}

/* The id in a key; for a disk, its number. */
static uint64_t id_at(const struct axis *axis, const void *key)
{
	return unsigned_at((const char *)key + axis->offset, axis->size);
}

static void id_text(int names, uint64_t id, char *text)
{
	struct estat_name name;

	if (find_name(names, id, &name))
		snprintf(text, AXIS_TEXT_LEN, "%.*s", (int)sizeof(name.text), name.text);
	else
		strcpy(text, "unknown");
}

/* Id 0 means no cgroup: for example an I/O of a driver's own. */
static void cgroup_text(int names, uint64_t id, char *text)
{
	if (id)
		id_text(names, id, text);
	else
		strcpy(text, "none");
}

void axis_text(const struct schema *schema, const struct axis *axis, const void *key, int names,
	       char *text)
{
	const char *at = (const char *)key + axis->offset;

	switch (axis->kind) {
	case AXIS_TEXT:
		snprintf(text, AXIS_TEXT_LEN, "%.*s", (int)strnlen(at, axis->size), at);
		break;
	case AXIS_ENUM:
		enum_text(schema, axis, at, text);
		break;
	case AXIS_UNSIGNED:
		snprintf(text, AXIS_TEXT_LEN, "%" PRIu64, unsigned_at(at, axis->size));
		break;
	case AXIS_SIGNED:
		snprintf(text, AXIS_TEXT_LEN, "%" PRId64, signed_at(at, axis->size));
		break;
	case AXIS_DEVICE:
		device_text(unsigned_at(at, axis->size), names, text);
		break;
	case AXIS_NAME:
		id_text(names, id_at(axis, key), text);
		break;
	case AXIS_CGROUP:
		cgroup_text(names, id_at(axis, key), text);
		break;
	case AXIS_IP:
		ip_text(at, text);
		break;
	}
	if (!*text)
		strcpy(text, "none");
	for (; *text; text++)
		if ((unsigned char)*text <= ' ' || *text == 0x7f)
			*text = '_';
}

/* FNV-1a. Archives contain the result, so it must be the same on each host and for ever. */
static uint64_t hash(const char *text)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return sum;
}

void key_name(const struct schema *schema, const struct series_schema *series, const void *key,
	      int names, char *name)
{
	char whole[SCHEMA_MAX_AXES * (AXIS_TEXT_LEN + 2)], *end = whole;

	for (unsigned int i = 0; i < series->naxes; i++) {
		if (i)
			end = stpcpy(end, "::");
		axis_text(schema, &series->axes[i], key, names, end);
		end += strlen(end);
	}
	if (end - whole < INSTANCE_NAME_LEN)
		strcpy(name, whole);
	else
		snprintf(name, INSTANCE_NAME_LEN, "%.*s~%016" PRIx64, INSTANCE_NAME_LEN - 18, whole,
			 hash(whole));
	if (*name == '[')
		*name = '_';
}

char *key_labels(const struct schema *schema, const struct series_schema *series, const void *key,
		 int names)
{
	char text[AXIS_TEXT_LEN], *labels = NULL;
	size_t size;
	FILE *f = xalloc(open_memstream(&labels, &size));

	for (unsigned int i = 0; i < series->naxes; i++) {
		axis_text(schema, &series->axes[i], key, names, text);
		if (i)
			fputc(',', f);
		put_label(f, series->axes[i].name, text);
		if (series->axes[i].kind == AXIS_DEVICE)
			put_device_labels(f, text);
		else if (series->axes[i].kind == AXIS_CGROUP)
			put_cgroup_labels(f, text);
	}
	fclose(f);
	return xalloc(labels);
}

char *instance_labels(const char *name, int inst)
{
	char *labels = NULL, number[16] = "";
	size_t size;
	FILE *f = xalloc(open_memstream(&labels, &size));

	if (name)
		snprintf(number, sizeof(number), "%d", inst);
	put_label(f, "instname", name ? name : "");
	fputc(',', f);
	put_label(f, "instid", number);
	fclose(f);
	return xalloc(labels);
}

char *overflow_labels(const struct series_schema *series)
{
	char *labels;

	if (asprintf(&labels, "\"%s\":\"%s\"", series->axes[0].name, ESTAT_OTHERS_NAME) < 0)
		labels = NULL;
	return xalloc(labels);
}

/* Has the thing that this axis names been deleted? */
static bool axis_gone(const struct axis *axis, const void *key, int names)
{
	char text[AXIS_TEXT_LEN];
	struct estat_name name;

	if (axis->kind == AXIS_DEVICE)
		return find_name(names, id_at(axis, key), &name)
			       ? !noted_text(id_at(axis, key), &name, text)
			       : names >= 0 && is_diskless(id_at(axis, key));
	if (axis->kind != AXIS_NAME && (axis->kind != AXIS_CGROUP || !id_at(axis, key)))
		return false;
	return !find_name(names, id_at(axis, key), &name) || name.gone;
}

bool key_gone(const struct series_schema *series, const void *key, int names)
{
	for (unsigned int i = 0; i < series->naxes; i++)
		if (axis_gone(&series->axes[i], key, names))
			return true;
	return false;
}

bool axis_is_id(const struct axis *axis)
{
	return axis->kind == AXIS_DEVICE || axis->kind == AXIS_NAME || axis->kind == AXIS_CGROUP;
}

unsigned int key_ids(const struct series_schema *series, const void *key, uint64_t *ids)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < series->naxes; i++)
		if (axis_is_id(&series->axes[i]))
			ids[n++] = id_at(&series->axes[i], key);
	return n;
}

void key_forget(const struct series_schema *series, const void *key, int names)
{
	for (unsigned int i = 0; i < series->naxes; i++) {
		const struct axis *axis = &series->axes[i];
		uint64_t id;

		if (!axis_gone(axis, key, names))
			continue;
		id = id_at(axis, key);
		bpf_map_delete_elem(names, &id);
	}
}
