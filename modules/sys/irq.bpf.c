// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * irq: how long handlers of interrupts run, by name, and softirqs, by vector; and how long a
 * softirq that was raised waits to run (kernel/irq/handle.c, kernel/softirq.c, Linux 5.15 to 7.3).
 */
#include "softirq.bpf.h"

ESTAT_MODULE(irq, 37);
ESTAT_ON_DEMAND;
ESTAT_EVIDENCE("/proc/softirqs", "^ *TIMER:");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* include/linux/interrupt.h */
struct irqaction {
	const char *name;
};
#pragma clang attribute pop

struct handler_key {
	char handler[32] __attribute__((aligned(8)));
};

struct vector_key {
	enum vector vector;
};

struct vector_value {
	struct estat_latency;
	struct estat_latency wait ESTAT_GROUP(1, "From tracepoint softirq_raise to softirq_entry.\n"
						 "If a pending softirq is raised again, the wait\n"
						 "still counts from the first raise");
};

ESTAT_SERIES(
	irq, 0, struct handler_key, struct estat_latency, 128,
	"A call of an interrupt's handler, from tracepoint irq_handler_entry to irq_handler_exit,\n"
	"by the first 31 characters of the handler's name in /proc/interrupts. If handlers share\n"
	"a line, each interrupt on the line calls all of them. Of a threaded handler only the\n"
	"part in the interrupt counts. Not counted: interrupts that call no such handler, such\n"
	"as, on x86, those of the local timer and between processors. Linux 5.15 to 7.3");
ESTAT_ONE_WRITER(irq);
ESTAT_OVERFLOW(irq);

ESTAT_SERIES(
	softirq, 1, struct vector_key, struct vector_value, 16,
	"A run of a softirq, from tracepoint softirq_entry to softirq_exit, by the vector as in\n"
	"/proc/softirqs. The time of interrupts that come meanwhile is included. Linux 5.15 to\n"
	"7.3");
ESTAT_ONE_WRITER(softirq);

SEC("tp_btf/irq_handler_entry")
int irq_handler_begins(__u64 *ctx)
{
	struct cpu *c = this_cpu();

	if (c)
		c->handler_began = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int irq_handler_ends(__u64 *ctx)
{
	struct irqaction *action = (struct irqaction *)ctx[1];
	__u64 now = bpf_ktime_get_ns();
	struct handler_key key = {};
	struct cpu *c = this_cpu();

	if (!c || !estat_since_attach(c->handler_began))
		return 0;
	bpf_probe_read_kernel_str(key.handler, sizeof(key.handler), action->name);
	estat_count_latency(irq_get(&key), now - c->handler_began);
	c->handler_began = 0;
	return 0;
}

SEC("tp_btf/softirq_exit")
int irq_softirq_ends(__u64 *ctx)
{
	struct vector_key key = { .vector = ctx[0] };
	__u64 now = bpf_ktime_get_ns();
	struct vector_value *v;
	struct cpu *c = this_cpu();

	if (!c || !estat_since_attach(c->softirq_began))
		return 0;
	v = softirq_get(&key);
	if (v) {
		estat_count_latency(v, now - c->softirq_began);
		if (c->waited)
			estat_count_latency(&v->wait, c->waited - 1);
	}
	c->softirq_began = 0;
	return 0;
}
