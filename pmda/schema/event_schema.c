// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the event records of a module. */
#include <bpf/libbpf.h>

#include "reader.h"
#include "rodata.h"

/* The unit of an amount declared by this typedef; -1: bpf/abi.h has no such typedef. */
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

/* Read member `i` of the event struct `id` as a parameter. No two parameters have one PMID item. */
static int read_parameter(struct reader *r, struct event_schema *e, uint32_t id, unsigned int i)
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

static int read_event(struct reader *r, uint32_t id, struct event_schema *e)
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
	for (unsigned int i = 0; i < btf_vlen(event); i++)
		if (read_parameter(r, e, id, i))
			return -1;
	e->nparameters = btf_vlen(event);
	return 0;
}

int read_events(struct reader *r, struct schema *schema)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(r->object, "estat_events");
	struct event_schema *e = &schema->events;
	const struct btf_type *record;

	if (!map)
		return 0;
	record = resolve(r, bpf_map__btf_value_type_id(map));
	if (bpf_map__type(map) != BPF_MAP_TYPE_ARRAY || !btf_is_struct(record) ||
	    btf_vlen(record) != 2 || record->size != bpf_map__value_size(map) ||
	    variable_offset(r->btf, ".bss", "estat_events_begun") < 0)
		return refuse(r, "map estat_events holds no events: use ESTAT_EVENTS");
	e->help = variable_tags(r, "estat_events").help;
	e->layout = layout_of(r, "events");
	e->records = bpf_map__max_entries(map);
	e->record_size = record->size;
	e->event_offset = btf_member_bit_offset(record, 1) / 8;
	return read_event(r, btf_members(record)[1].type, e);
}
