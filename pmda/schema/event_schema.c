// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads what a module declares of its rings, the arrays of its newest records. */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"
#include "reader.h"
#include "rodata.h"

/* The unit of an amount whose type is the typedef `name`; -1: the type is not that of an amount. */
static int amount_unit(const char *name)
{
	static const char *const names[] = {
		[UNIT_COUNT] = "estat_count_t",
		[UNIT_BYTES] = "estat_bytes_t",
		[UNIT_NSEC] = "estat_nsec_t",
		[UNIT_SHARE] = "estat_share_t",
	};

	return FIND_NAME(names, name);
}

/*
 * Read member `i` of the event struct `id` as a parameter. Refuses a number that an earlier
 * parameter has.
 */
static int read_parameter(struct reader *r, struct ring_schema *e, uint32_t id, unsigned int i)
{
	const struct btf_type *event = resolve(r, id);
	int unit = amount_unit(typedef_name(r, btf_type(r->btf, btf_members(event)[i].type)));
	struct tags tags = read_tags(r, btf__resolve_type(r->btf, id), i);
	struct parameter *p = &e->parameters[i];

	if (read_axis(r, event, i, "event", &p->axis) ||
	    read_number(r, &tags, "event", p->axis.name, 1, SCHEMA_LAST_PARAMETER, &p->item))
		return -1;
	for (const struct parameter *other = e->parameters; other < p; other++)
		if (other->item == p->item)
			return refuse(r, "event members %s and %s have the same number, %u",
				      other->axis.name, p->axis.name, p->item);
	p->help = tags.help;
	p->text = unit < 0 || p->axis.size != sizeof(uint64_t);
	p->unit = unit < 0 ? UNIT_COUNT : unit;
	return 0;
}

static int read_event(struct reader *r, uint32_t id, struct ring_schema *e)
{
	const struct btf_type *event = resolve(r, id);

	if (!btf_is_struct(event))
		return refuse(r, "the event is not a struct");
	if (e->event_offset < sizeof(struct estat_event_head) || e->record_size < e->event_offset ||
	    e->record_size - e->event_offset < event->size)
		return refuse(r, "the event is not within its record");
	if (btf_vlen(event) < 1 || btf_vlen(event) > SCHEMA_MAX_PARAMETERS)
		return refuse(r, "the event has %u members, not 1 to %u", btf_vlen(event),
			      SCHEMA_MAX_PARAMETERS);
	e->parameters = xalloc(calloc(btf_vlen(event), sizeof(*e->parameters)));
	for (unsigned int i = 0; i < btf_vlen(event); i++)
		if (read_parameter(r, e, id, i))
			return -1;
	e->nparameters = btf_vlen(event);
	return 0;
}

/*
 * Read a ring, the map `name`, if the object has this map. Refuses a map of another form than
 * ESTAT_RING declares.
 */
static int read_ring(struct reader *r, const char *name, struct ring_schema *e)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(r->object, name);
	const struct btf_type *record;
	char begun[ESTAT_NAME_LEN];

	if (!map)
		return 0;
	snprintf(begun, sizeof(begun), "%s_begun", name);
	record = map_value(r, map);
	if (bpf_map__type(map) != BPF_MAP_TYPE_ARRAY || !btf_is_struct(record) ||
	    btf_vlen(record) != 2 || record->size != bpf_map__value_size(map) ||
	    variable_offset(r->btf, ".bss", begun) < 0)
		return refuse(r, "map %s holds no events: use ESTAT_EVENTS or ESTAT_LAST", name);
	e->help = variable_tags(r, name).help;
	e->records = bpf_map__max_entries(map);
	e->record_size = record->size;
	e->event_offset = btf_member_bit_offset(record, 1) / 8;
	return read_event(r, btf_members(record)[1].type, e);
}

int read_rings(struct reader *r, struct schema *schema)
{
	struct ring_schema *events = &schema->rings[RING_EVENTS], *last = &schema->rings[RING_LAST];

	if (read_ring(r, "estat_events", events) || read_ring(r, "estat_lasts", last))
		return -1;
	if (last->nparameters && last->records != ESTAT_LAST_RECORDS)
		return refuse(r, "map estat_lasts holds %u records, not %u", last->records,
			      ESTAT_LAST_RECORDS);
	for (unsigned int i = 0; i < last->nparameters; i++)
		if (!strcmp(last->parameters[i].axis.name, "age"))
			return refuse(r, "the name age is reserved for the agent");
	events->layout = layout_of(r, "events");
	r->has_last = last->nparameters;
	return 0;
}
