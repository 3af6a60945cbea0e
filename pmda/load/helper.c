// SPDX-License-Identifier: GPL-2.0-or-later
/* The helper process, and the agent's end of the socket to it. */
#include <bpf/bpf.h>
#include <cap-ng.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper.h"
#include "lib/file.h"
#include "privilege.h"

#define KPROBE_PMU "/sys/bus/event_source/devices/kprobe/"

enum operation {
	BTF,
	KPROBE,
	KRETPROBE,
	CLOCK,
	COUNT_RUNS,
};

struct request {
	uint32_t operation;
	/*
	 * name of a kernel module or function; the size is KSYM_NAME_LEN. For the request CLOCK:
	 * "CPU HZ"
	 */
	char name[512];
};

/* The control message that brings a descriptor with an answer. */
union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static int helper = -1;      /* the agent's end of the socket; -1: there is no helper */
static pid_t agent, process; /* process IDs: `agent` of the agent, `process` of the helper */
static struct {
	int type, return_bit;
} kprobe; /* what sysfs says of the kprobe PMU; .type 0: not read, or the kernel has no kprobes */

static int open_btf(const char *kernel_module)
{
	uint32_t id = 0;

	while (!bpf_btf_get_next_id(id, &id)) {
		char name[64] = "";
		struct bpf_btf_info info = { .name = (uintptr_t)name, .name_len = sizeof(name) };
		uint32_t size = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		if (fd < 0 && errno == ENOENT)
			continue; /* the BTF object was freed since its id was read */
		if (fd < 0)
			break;
		if (!bpf_obj_get_info_by_fd(fd, &info, &size) && info.kernel_btf &&
		    !strcmp(name, kernel_module))
			return fd;
		close(fd);
	}
	return -errno;
}

/* Read sysfs's files of the kprobe PMU. Must run before confine(), whose filter forbids open(2). */
static void know_kprobes(void)
{
	if (kprobe.type)
		return;
	scan_lines(KPROBE_PMU "type", "%d", &kprobe.type);
	scan_lines(KPROBE_PMU "format/retprobe", "config:%d", &kprobe.return_bit);
}

static int open_kprobe(const char *function, bool returns)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = kprobe.type,
		.config = returns ? UINT64_C(1) << kprobe.return_bit : 0,
		.kprobe_func = (uintptr_t)function,
	};
	int fd;

	if (!kprobe.type)
		return -EOPNOTSUPP;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * Open a perf event that overflows HZ times a second on a CPU while the CPU is not idle.
 * `cpu_and_hz`: "CPU HZ". Returns a descriptor or a negative errno.
 */
static int open_clock(const char *cpu_and_hz)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.exclude_idle = 1,
	};
	char *hz;
	int cpu = strtol(cpu_and_hz, &hz, 10), fd;

	attr.sample_freq = strtoul(hz, NULL, 10);
	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Send 0 and the descriptor `fd`. A negative `fd` is an errno: send that number alone. */
static void answer(int socket, int fd)
{
	int32_t error = fd < 0 ? fd : 0;
	struct iovec data = { .iov_base = &error, .iov_len = sizeof(error) };
	union control control = {};
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1 };

	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		control.align = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
						  .cmsg_type = SCM_RIGHTS,
						  .cmsg_len = CMSG_LEN(sizeof(int)) };
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
	}
	if (sendmsg(socket, &m, MSG_NOSIGNAL) < 0)
		_exit(1);
}

static int open_asked(const struct request *r)
{
	switch (r->operation) {
	case BTF:
		return open_btf(r->name);
	case KPROBE:
	case KRETPROBE:
		return open_kprobe(r->name, r->operation == KRETPROBE);
	case CLOCK:
		return open_clock(r->name);
	case COUNT_RUNS:
		return bpf_enable_stats(BPF_STATS_RUN_TIME);
	default:
		return -EINVAL;
	}
}

static void serve(int socket)
{
	struct request r;

	while (recv(socket, &r, sizeof(r), 0) == sizeof(r)) {
		int fd;

		r.name[sizeof(r.name) - 1] = '\0';
		fd = open_asked(&r);
		answer(socket, fd);
		if (fd >= 0)
			close(fd);
	}
}

/*
 * Does seccomp(2) exist? If not, the helper runs without a filter. That is so under valgrind, where
 * libseccomp would load the filter by prctl(2), and the filter would forbid valgrind's own system
 * calls.
 */
static bool has_filters(void)
{
	const uint32_t action = SECCOMP_RET_ERRNO;

	return !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) || errno != ENOSYS;
}

/*
 * Allow only the system calls that run() makes from here on, and only the commands of bpf(2) that
 * serve() uses.
 */
static void confine(void)
{
	const int calls[] = { SCMP_SYS(recvfrom),       SCMP_SYS(sendmsg), SCMP_SYS(sendto),
			      SCMP_SYS(close),          SCMP_SYS(fcntl),   SCMP_SYS(exit_group),
			      SCMP_SYS(perf_event_open) };
	const int commands[] = { BPF_BTF_GET_NEXT_ID, BPF_BTF_GET_FD_BY_ID, BPF_OBJ_GET_INFO_BY_FD,
				 BPF_ENABLE_STATS };
	scmp_filter_ctx filter;
	int sts;

	if (!has_filters())
		return;
	filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	sts = filter ? 0 : -ENOMEM;
	for (size_t i = 0; !sts && i < sizeof(calls) / sizeof(calls[0]); i++)
		sts = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
	for (size_t i = 0; !sts && i < sizeof(commands) / sizeof(commands[0]); i++)
		sts = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(bpf), 1,
				       SCMP_A0_32(SCMP_CMP_EQ, commands[i]));
	if (!sts)
		sts = seccomp_load(filter);
	if (sts)
		privilege_end("the helper cannot confine itself: %s", strerror(-sts));
	seccomp_release(filter);
}

static void __attribute__((noreturn)) run(int socket, const struct passwd *user)
{
	const unsigned int wanted[] = { CAP_SYS_ADMIN };

	privilege_keep(user, wanted, 1);
	/*
	 * stdin and stdout are the agent's pipes to pmcd, so put the helper's socket in their place
	 */
	if (dup2(socket, STDIN_FILENO) < 0 || dup2(socket, STDOUT_FILENO) < 0)
		privilege_end("the helper's socket: %s", strerror(errno));
	closefrom(STDERR_FILENO + 1);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		privilege_end("the helper would outlive the agent: %s", strerror(errno));
	if (getppid() != agent)
		_exit(1);
	prctl(PR_SET_NAME, "pmdaestat-help");
	know_kprobes();
	confine();
	if (send(STDIN_FILENO, "", 1, MSG_NOSIGNAL) == 1)
		serve(STDIN_FILENO);
	_exit(0);
}

void helper_start(const struct passwd *user)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		privilege_end("no socket for the helper: %s", strerror(errno));
	agent = getpid();
	process = fork();
	if (process < 0)
		privilege_end("no process for the helper: %s", strerror(errno));
	if (!process)
		run(ends[1], user);
	close(ends[1]);
	helper = ends[0];
}

void helper_stop(void)
{
	if (helper < 0)
		return;
	close(helper);
	helper = -1;
	waitpid(process, NULL, 0);
}

/* Returns the descriptor in the helper's answer, or a negative errno. */
static int receive(void)
{
	int32_t error;
	struct iovec data = { .iov_base = &error, .iov_len = sizeof(error) };
	union control control;
	struct msghdr m = { .msg_iov = &data,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t n;
	int fd;

	do
		n = recvmsg(helper, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n != sizeof(error))
		return -EPIPE; /* the helper has ended */
	if (error)
		return error;
	if (!CMSG_FIRSTHDR(&m))
		return -EMFILE; /* the agent has no free descriptor */
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

void helper_await(void)
{
	char ready;

	if (recv(helper, &ready, 1, 0) != 1)
		privilege_end("the helper has not started");
}

static int ask(enum operation operation, const char *name)
{
	struct request r = { .operation = operation };

	snprintf(r.name, sizeof(r.name), "%s", name);
	if (helper < 0) {
		know_kprobes();
		return open_asked(&r);
	}
	if (send(helper, &r, sizeof(r), MSG_NOSIGNAL) < 0)
		return -errno;
	return receive();
}

int helper_btf(const char *kernel_module)
{
	return ask(BTF, kernel_module);
}

int helper_kprobe(const char *function, bool returns)
{
	return ask(returns ? KRETPROBE : KPROBE, function);
}

int helper_clock(unsigned int cpu, unsigned int hz)
{
	char text[32];

	snprintf(text, sizeof(text), "%u %u", cpu, hz);
	return ask(CLOCK, text);
}

int helper_count_runs(void)
{
	return ask(COUNT_RUNS, "");
}
