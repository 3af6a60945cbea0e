// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns a key into text. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "axis.h"
#include "btf.h"
#include "lib/file.h"
#include "lib/xalloc.h"

/* dev_t inside the kernel: 12 bits of major number, 20 of minor (include/linux/kdev_t.h). */
#define DEVICE_MAJOR(dev) ((dev) >> 20)
#define DEVICE_MINOR(dev) ((dev)&0xfffff)

/* Is `dev` 0:MIN, MIN not 0: the number of a file system without a disk (NFS), or of Btrfs? */
static bool is_diskless(uint32_t dev)
{
	return dev && !DEVICE_MAJOR(dev);
}

/* The integer of `size` bytes at `at`, which need not be aligned. */
static uint64_t unsigned_at(const void *at, uint32_t size)
{
	bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint64_t value = 0;

	memcpy((char *)&value + (big_endian ? sizeof(value) - size : 0), at, size);
	return value;
}

static int64_t signed_at(const void *at, uint32_t size)
{
	unsigned int shift = 64 - 8 * size;

	return (int64_t)(unsigned_at(at, size) << shift) >> shift;
}

/*
 * Read the value of an id in the map estat_names, whose descriptor is `names` (-1: no map). A
 * struct estat_long_name has room for the value in any module's map. False: there is no value.
 */
static bool find_name(int names, uint64_t id, struct estat_long_name *name)
{
	return names >= 0 && !bpf_map_lookup_elem(names, &id, name);
}

static bool disk_is(const char *name, const char *diskseq)
{
	char path[AXIS_TEXT_LEN + 32], line[32];

	snprintf(path, sizeof(path), "/sys/block/%s/diskseq", name);
	return first_line(path, line, sizeof(line)) && !strcmp(line, diskseq);
}

static bool is_scsi_device(const char *name)
{
	char path[AXIS_TEXT_LEN + 32];

	snprintf(path, sizeof(path), "/sys/bus/scsi/devices/%s", name);
	return !access(path, F_OK);
}

/*
 * Write the name that the module noted for `dev`: of a disk the NAME of the noted NAME-DISKSEQ; of
 * a SCSI device that is no disk, its address; of 0:MIN, the file system's source. Returns false if
 * the disk, SCSI device or file system is gone.
 */
static bool noted_text(uint32_t dev, const struct estat_long_name *noted, char *text)
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
 * Write the name of a device number: from its link in /sys/dev/block; else the name that the module
 * noted, unless that name is "" or noted_text() finds its owner gone; else MAJ:MIN. `none` if 0.
 */
static void device_text(uint32_t dev, int names, char *text)
{
	char path[64], target[AXIS_TEXT_LEN];
	struct estat_long_name noted;
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
		snprintf(text, AXIS_TEXT_LEN, "%u:%u", DEVICE_MAJOR(dev), DEVICE_MINOR(dev));
	}
}

static void ip_text(const void *octets, char *text)
{
	struct in6_addr address; /* a copy, because the octets in a key may be unaligned */

	memcpy(&address, octets, sizeof(address));
	if (IN6_IS_ADDR_UNSPECIFIED(&address))
		strcpy(text, "none");
	else if (IN6_IS_ADDR_V4MAPPED(&address))
		inet_ntop(AF_INET, &address.s6_addr[12], text, AXIS_TEXT_LEN);
	else
		inet_ntop(AF_INET6, &address, text, AXIS_TEXT_LEN);
}

/*
 * Is the enum signed? clang 15 and newer say so in BTF. For an older clang, look for a negative
 * enumerator, too.
 */
static bool enum_signed(const struct btf_type *t)
{
	bool negative = btf_kflag(t);

	for (unsigned int i = 0; i < btf_vlen(t); i++)
		negative |= btf_is_enum64(t) ? (int64_t)btf_enum64_value(&btf_enum64(t)[i]) < 0
					     : btf_enum(t)[i].val < 0;
	return negative;
}

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

/* The id that a key has on an axis; the id of a disk is its device number. */
static uint64_t id_at(const struct axis *axis, const void *key)
{
	return unsigned_at((const char *)key + axis->offset, axis->size);
}

static bool axis_is_cgroup(const struct axis *axis)
{
	return axis->kind == AXIS_CGROUP || axis->kind == AXIS_CHARGED;
}

/*
 * Write the name of an id: `none` for the cgroup id 0, which means no cgroup, as of a driver's own
 * command; `unknown` for any other id that estat_names lacks.
 */
static void id_text(const struct axis *axis, int names, uint64_t id, char *text)
{
	struct estat_long_name name;

	if (!id && axis_is_cgroup(axis))
		strcpy(text, "none");
	else if (find_name(names, id, &name))
		snprintf(text, AXIS_TEXT_LEN, "%.*s", (int)sizeof(name.text), name.text);
	else
		strcpy(text, "unknown");
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/*
 * Must the character at `at` be written as \NNN? True for an ASCII control character, and for a \
 * that three octal digits follow: otherwise the four would look like an escaped control character.
 */
static bool is_escaped(const char *at)
{
	return (unsigned char)*at < ' ' || *at == 0x7f ||
	       (*at == '\\' && is_octal(at[1]) && is_octal(at[2]) && is_octal(at[3]));
}

void escape_controls(char *text)
{
	char plain[AXIS_TEXT_LEN], *end = text + AXIS_TEXT_LEN;

	strcpy(plain, text);
	for (const char *p = plain; *p && text + (is_escaped(p) ? 4 : 1) < end; p++)
		if (is_escaped(p))
			text += sprintf(text, "\\%03o", (unsigned char)*p);
		else
			*text++ = *p;
	*text = '\0';
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
	case AXIS_CGROUP:
	case AXIS_CHARGED:
		id_text(axis, names, id_at(axis, key), text);
		break;
	case AXIS_IP:
		ip_text(at, text);
		break;
	}
	if (!*text)
		strcpy(text, "none");
	escape_controls(text);
}

/* FNV-1a. Archives contain the hash in instance names, so the function must never change. */
static uint64_t hash(const char *text)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return sum;
}

/* Write a text with \040 for a blank, as in instance names. Returns the end of the written text. */
static char *put_in_name(char *to, const char *text)
{
	for (; *text; text++)
		if (*text == ' ')
			to = stpcpy(to, "\\040");
		else
			*to++ = *text;
	*to = '\0';
	return to;
}

/* Write the labels of one axis of a key. `text` is the key's text on that axis. */
static void put_labels(struct json *j, const struct axis *axis, const char *text)
{
	json_put_string(j, axis->name, text);
	if (axis->kind == AXIS_DEVICE)
		put_device_labels(j, text);
	else if (axis_is_cgroup(axis))
		put_cgroup_labels(j, text);
	if (axis->kind == AXIS_CHARGED)
		put_includes(j, text, CGROUPS, POOLS);
}

void key_name(const struct schema *schema, const struct series_schema *series, const void *key,
	      int names, char *name, char **labels)
{
	char whole[SCHEMA_MAX_AXES * (4 * AXIS_TEXT_LEN + 2)], *end = whole, text[AXIS_TEXT_LEN];
	size_t size;
	struct json j = { .f = labels ? xalloc(open_memstream(labels, &size)) : NULL };

	for (unsigned int i = 0; i < series->naxes; i++) {
		if (i)
			end = stpcpy(end, "::");
		axis_text(schema, &series->axes[i], key, names, text);
		end = put_in_name(end, text);
		if (labels)
			put_labels(&j, &series->axes[i], text);
	}
	if (labels) {
		fclose(j.f);
		xalloc(*labels);
	}
	if (end - whole < INSTANCE_NAME_LEN)
		strcpy(name, whole);
	else
		snprintf(name, INSTANCE_NAME_LEN, "%.*s~%016" PRIx64, INSTANCE_NAME_LEN - 18, whole,
			 hash(whole));
	if (*name == '[')
		*name = '_';
}

char *instance_labels(const char *name, int inst)
{
	char *labels = NULL, number[16] = "";
	size_t size;
	struct json j = { .f = xalloc(open_memstream(&labels, &size)) };

	if (name)
		snprintf(number, sizeof(number), "%d", inst);
	json_put_string(&j, "instname", name ? name : "");
	json_put_string(&j, "instid", number);
	fclose(j.f);
	return xalloc(labels);
}

char *overflow_labels(const struct series_schema *series)
{
	char *labels = NULL;
	size_t size;
	struct json j = { .f = xalloc(open_memstream(&labels, &size)) };

	json_put_string(&j, series->axes[0].name, ESTAT_OVERFLOW_NAME);
	fclose(j.f);
	return xalloc(labels);
}

/*
 * Has what the key's id on the axis names, such as a pool or cgroup, been deleted or renamed? True,
 * too, if estat_names lacks the id's name. But false for the id 0 of a cgroup or device, and for a
 * disk or SCSI device without a name there: is_renamed() in data/slots.c notices such a disk's end.
 */
static bool axis_gone(const struct axis *axis, const void *key, int names)
{
	char text[AXIS_TEXT_LEN];
	struct estat_long_name name;

	if (axis->kind == AXIS_DEVICE)
		return find_name(names, id_at(axis, key), &name)
			       ? !noted_text(id_at(axis, key), &name, text)
			       : names >= 0 && is_diskless(id_at(axis, key));
	if (!axis_is_named(axis->kind) || (axis_is_cgroup(axis) && !id_at(axis, key)))
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

bool key_cgroup_gone(const struct series_schema *series, const void *key, int names)
{
	for (unsigned int i = 0; i < series->naxes; i++)
		if (axis_is_cgroup(&series->axes[i]) && axis_gone(&series->axes[i], key, names))
			return true;
	return false;
}

bool axis_is_id(const struct axis *axis)
{
	return axis->kind == AXIS_DEVICE || axis_is_named(axis->kind);
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

		/*
		 * if axis_gone() is false, estat_names has no name to delete: the axis has no ids,
		 * or estat_names lacks the id's name, or that name is not outdated
		 */
		if (!axis_gone(axis, key, names))
			continue;
		id = id_at(axis, key);
		bpf_map_delete_elem(names, &id);
	}
}
