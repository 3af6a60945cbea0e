// SPDX-License-Identifier: GPL-2.0-or-later
/* The agent pmdaestat: command line, start and main loop. */
#include <linux/capability.h>
#include <malloc.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "modules.h"
#include "devices/mounts.h"
#include "domain.h"
#include "lib/clock.h"
#include "load/helper.h"
#include "load/kallsyms.h"
#include "load/kernel.h"
#include "load/kernel_btf.h"
#include "load/kmod_events.h"
#include "load/privilege.h"
#include "load/wake.h"
#include "reconcile.h"
#include "serve/request.h"
#include "watch.h"

/*
 * pmcd waits 3 s for an agent's handshake (pmcd -q) and 5 s for an answer (pmcd -t). A start of all
 * modules may take longer, so the handshake comes first, and the agent answers requests between the
 * steps of the start. A request for values or instances of a module that has not started waits
 * until this module has started, but not longer than PATIENCE_NS after the start of all modules
 * began. After that time the request gets PM_ERR_AGAIN, and the module is the next to start. After
 * an answer the agent waits at most NEXT_MS for the client's next request.
 */
#define PATIENCE_NS UINT64_C(2000000000)
#define NEXT_MS     50

/*
 * When answer() has run for this time, nanoseconds, the agent takes no further request before the
 * next step of the start.
 */
#define ANSWER_NS UINT64_C(200000000)

/*
 * After this time without reconcile(), the agent calls reconcile() before the next request,
 * nanoseconds.
 */
#define WORK_NS UINT64_C(1000000000)

static struct agent agent;
static uint64_t begun; /* when the start of the modules began, CLOCK_MONOTONIC nanoseconds */
/*
 * The module that start() starts next, because a request for its values or instances got
 * PM_ERR_AGAIN; NULL: any module. The module may have been freed meanwhile, so only compare the
 * pointer.
 */
static const struct module *wanted;
/* Option --notready: pmcd sends no request before the agent has said that it is ready. */
static bool notready;
static pmdaInterface dispatch;

static pmLongOptions long_options[] = {
	PMDA_OPTIONS_HEADER("Options"),
	{ "config", 1, 'c', "FILE", "configuration [default $PCP_SYSCONF_DIR/estat/estat.conf]" },
	PMDAOPT_DEBUG,
	PMDAOPT_DOMAIN,
	PMDAOPT_INET,
	PMDAOPT_PIPE,
	PMDAOPT_UNIX,
	PMDAOPT_IPV6,
	PMDAOPT_LOGFILE,
	{ "notready", 0, 'r', NULL, "for notready in pmcd.conf: say when the agent is ready" },
	PMDAOPT_USERNAME,
	PMOPT_HELP,
	PMDA_OPTIONS_END,
};

static pmdaOptions options = {
	.short_options = "c:D:d:i:l:pru:U:6:?",
	.long_options = long_options,
};

static void parse_options(int argc, char **argv)
{
	int c;

	while ((c = pmdaGetOptions(argc, argv, &options, &dispatch)) != EOF) {
		if (c == 'c')
			agent.config = options.optarg;
		else if (c == 'r')
			notready = true;
	}
	if (options.optind < argc) {
		pmprintf("%s: unexpected argument: %s\n", pmGetProgname(), argv[options.optind]);
		options.errors++;
	}
	if (options.errors) {
		pmdaUsageMessage(&options);
		exit(1);
	}
}

/* Does the agent talk to pmcd by pipes, that is, without the options -i, -u and -6? */
static bool by_pipe(void)
{
	int io = dispatch.version.any.ext->e_io;

	return io == pmdaPipe || io == pmdaUnknown;
}

/*
 * Raise the limit of descriptors, because all modules together need more than the 1,024 that
 * systemd gives pmcd. The limit stays if the agent talks to pmcd by a socket: the agent opens the
 * socket after the modules, but libpcp uses select(2), so the socket's descriptor must be below
 * 1,024.
 */
static void raise_descriptors(void)
{
	struct rlimit limit;

	if (!by_pipe() || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Free memory that is needed only to load modules. */
static void settle(void)
{
	kernel_btf_forget();
	malloc_trim(0); /* gives back what libbpf allocated to read the kernel's BTF */
}

static void connect_pmcd(void)
{
	pmdaConnect(&dispatch);
	if (dispatch.status < 0)
		exit(1); /* libpcp_pmda has logged why */
}

/*
 * Wait until pmcd sends a request or closes the connection, a watched folder changes, a BPF program
 * wakes the agent, a kernel module comes or goes, or reconcile() has something to do. Returns
 * whether pmcd has sent a request or closed the connection.
 */
static bool wait_for_pmcd(void)
{
	struct pollfd fds[] = {
		{ .fd = __pmdaInFd(&dispatch), .events = POLLIN },
		{ .fd = watch_fd(), .events = POLLIN },
		{ .fd = wake_fd(), .events = POLLIN },
		{ .fd = kmod_events_fd(), .events = POLLIN },
	};
	int wait = reconcile_wait(&agent), n;

	do
		n = poll(fds, 4, wait);
	while (!n && reconcile_rests(&agent, &wait));
	if (n > 0 && fds[1].revents)
		watch_read();
	if (fds[2].revents)
		wake_read();
	if (fds[3].revents) {
		kmod_events_read();
		agent.watched = 0; /* have reconcile() look at kernel modules now */
	}
	modules_grow(&agent);
	return fds[0].revents;
}

/*
 * Do a step for the module `m`. If `m` is NULL, was freed or needs no step, call reconcile(), which
 * does a step for the first module that needs one.
 */
static void work(const struct module *m)
{
	static bool loaded;
	enum reconcile_done done = m ? reconcile_module(&agent, m) : RECONCILE_NOTHING;

	if (done == RECONCILE_NOTHING)
		done = reconcile(&agent);
	/*
	 * add slots after each step, because the start of all modules takes seconds, and keys need
	 * slots before the start ends
	 */
	if (done != RECONCILE_NOTHING)
		modules_grow(&agent);
	if (done == RECONCILE_CHANGED)
		request_serve_again(&dispatch);
	loaded |= done != RECONCILE_NOTHING;
	if (!loaded || !reconcile_wait(&agent))
		return; /* settle() would free the kernel's types, which the next module needs */
	settle();
	loaded = false;
}

/*
 * Does pmcd send a request within `ms` milliseconds? Before it returns, the function adds slots to
 * the tables that have few free slots, so that keys have slots when the agent answers.
 */
static bool asked(int ms)
{
	struct pollfd pmcd = { .fd = __pmdaInFd(&dispatch), .events = POLLIN };
	bool asks = poll(&pmcd, 1, ms) > 0;

	modules_grow(&agent);
	return asks;
}

/*
 * Answer the waiting requests, and then those that come at most NEXT_MS after an answer, until
 * ANSWER_NS have passed. Returns false if pmcd has closed the connection.
 */
static bool answer(void)
{
	uint64_t end = clock_now() + ANSWER_NS;
	int wait = 0;

	while (clock_now() < end && asked(wait)) {
		if (__pmdaMainPDU(&dispatch) < 0)
			return false;
		wait = NEXT_MS;
	}
	return true;
}

/* Start the module `m` (NULL: all modules) for a request. Returns false if that takes too long. */
static bool start_now(const struct module *m)
{
	while (m ? module_is_starting(m) : modules_is_starting(&agent)) {
		if (clock_now() - begun >= PATIENCE_NS) {
			wanted = m;
			return false;
		}
		work(m);
	}
	return true;
}

/*
 * Start all modules. Returns false if pmcd has closed the connection. If the agent talks to pmcd by
 * pipes, it answers requests between steps, so steps must be short. So the first step only reads
 * the types of the kernel. The symbols of the kernel are read when the first module needs them.
 */
static bool start(void)
{
	begun = clock_now();
	for (unsigned int steps = 0; modules_is_starting(&agent); steps++) {
		if (by_pipe() && !answer())
			return false;
		if (steps)
			work(wanted);
		else
			kernel_btf_read();
	}
	return true;
}

/*
 * Serve pmcd until it closes the connection. Call work() while no request waits, and after WORK_NS
 * even if one waits.
 */
static void serve(void)
{
	uint64_t worked = 0;

	for (;;) {
		bool request = wait_for_pmcd();

		if (!request || clock_now() - worked > WORK_NS) {
			work(NULL);
			worked = clock_now();
		}
		if (request && __pmdaMainPDU(&dispatch) < 0)
			break;
	}
}

/*
 * As root: start the helper, then become `user` with CAP_BPF and CAP_PERFMON alone. An agent that
 * is not root keeps its privileges, and has no helper. If the privileges of such an agent do not
 * suffice, modules fail with the kernel's reason.
 */
static void drop_privileges(const char *user)
{
	const unsigned int kept[] = { CAP_BPF, CAP_PERFMON };
	const struct passwd *entry;

	if (geteuid() != 0)
		return;
	entry = getpwnam(user);
	if (!entry)
		privilege_end("no user %s to become", user);
	helper_start(entry);
	privilege_keep(entry, kept, sizeof(kept) / sizeof(kept[0]));
	helper_await();
}

int main(int argc, char **argv)
{
	char path[MAXPATHLEN];

	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), ESTAT, "estat.log", NULL);
	parse_options(argc, argv);
	signal(SIGHUP, SIG_IGN);
	raise_descriptors();
	kallsyms_open();
	mounts_open();
	kernel_open_switches();
	drop_privileges(options.username ? options.username : pmGetConfig("PCP_USER"));
	/*
	 * the user pcp opens the log, and not root, because pcp could put a link into the log's
	 * folder
	 */
	pmdaOpenLog(&dispatch);

	agent.optional = !agent.config;
	if (agent.optional) {
		pmsprintf(path, sizeof(path), "%s/estat/estat.conf",
			  pmGetConfig("PCP_SYSCONF_DIR"));
		agent.config = path;
	}
	agent.domain = dispatch.domain;
	kernel_btf_register();
	kmod_events_begin();
	request_begin(&dispatch, &agent, start_now);
	reconcile_begin(&agent);
	modules_open(&agent);
	request_serve(&dispatch);
	if (by_pipe())
		connect_pmcd();
	if (start()) {
		/* clients would find no values before the start, so open a socket only now */
		if (!by_pipe())
			connect_pmcd();
		if (notready)
			pmdaSendError(&dispatch, PM_ERR_PMDAREADY);
		serve();
	}
	modules_stop(&agent);
	kmod_events_end();
	helper_stop();
	return 0;
}
