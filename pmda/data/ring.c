// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "ring.h"
#include "schema/axis.h"

struct ring_reader ring_reader(const struct module *module, enum ring_kind kind)
{
	return (struct ring_reader){
		.module = module,
		.ring = &module->now.memory.rings[kind],
		.schema = &module->edition->schema->rings[kind],
	};
}

bool ring_is_there(const struct ring_reader *r)
{
	return module_runs(r->module) && r->ring->records;
}

uint64_t ring_begun(const struct ring_reader *r)
{
	return __atomic_load_n(r->ring->begun, __ATOMIC_ACQUIRE);
}

uint64_t ring_oldest(const struct ring_reader *r)
{
	uint64_t n = ring_begun(r);

	return n > r->schema->records ? n - r->schema->records : 0;
}

bool ring_copy(const struct ring_reader *r, uint64_t number, void *record)
{
	size_t stride = (r->schema->record_size + 7) / 8 * 8;
	const struct estat_event_head *head =
		(const void *)(r->ring->records + number % r->schema->records * stride);

	if (__atomic_load_n(&head->done, __ATOMIC_ACQUIRE) != number + 1)
		return false;
	memcpy(record, head, r->schema->record_size);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&head->begun, __ATOMIC_RELAXED) == number + 1;
}

int ring_type(const struct parameter *p)
{
	if (p->text)
		return PM_TYPE_STRING;
	return p->unit == UNIT_SHARE ? PM_TYPE_DOUBLE : PM_TYPE_U64;
}

void ring_value(const struct ring_reader *r, const struct parameter *p, const void *record,
		char text[AXIS_TEXT_LEN], pmAtomValue *atom)
{
	const char *event = (const char *)record + r->schema->event_offset;

	if (p->text) {
		axis_text(r->module->edition->schema, &p->axis, event,
			  r->module->now.memory.names_fd, text);
		atom->cp = text;
		return;
	}
	memcpy(&atom->ull, event + p->axis.offset, sizeof(atom->ull));
	if (p->unit == UNIT_SHARE)
		atom->d = share_percent(atom->ull);
}
