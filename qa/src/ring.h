/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring of io_uring of one request at a time. */
#ifndef ESTAT_QA_SRC_RING_H
#define ESTAT_QA_SRC_RING_H

#include <err.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ring;
static struct io_uring_params params;
static char *queue;
static struct io_uring_sqe *entries;

static void ring_set_up(void)
{
	ring = syscall(SYS_io_uring_setup, 1, &params);
	if (ring < 0 || !(params.features & IORING_FEAT_SINGLE_MMAP))
		err(1, "io_uring_setup");
	queue = mmap(NULL, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
		     PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	entries = mmap(NULL, params.sq_entries * sizeof(*entries), PROT_READ | PROT_WRITE,
		       MAP_SHARED, ring, IORING_OFF_SQES);
	if (queue == MAP_FAILED || entries == MAP_FAILED)
		err(1, "mmap");
}

/* Submit the request, await `n` results, and return the first. */
static int ring_do(const struct io_uring_sqe *request, unsigned int n)
{
	unsigned int *tail = (unsigned int *)(queue + params.sq_off.tail);
	unsigned int *head = (unsigned int *)(queue + params.cq_off.head);
	struct io_uring_cqe *results = (struct io_uring_cqe *)(queue + params.cq_off.cqes);
	int result;

	*entries = *request;
	((unsigned int *)(queue + params.sq_off.array))[0] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, n, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		err(1, "io_uring_enter");
	result = results[*head & (params.cq_entries - 1)].res;
	__atomic_store_n(head, *head + n, __ATOMIC_RELEASE);
	return result;
}

#endif /* ESTAT_QA_SRC_RING_H */
