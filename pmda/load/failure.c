// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "kernel.h"
#include "privilege.h"

/*
 * From include/linux/errno.h: the kernel cannot attach fentry programs, as on arm64 before Linux
 * 6.4.
 */
#define ENOTSUPP 524

bool failure_is_missing(int err)
{
	return err == -ESRCH || err == -ENOENT;
}

bool failure_is_transient(int err)
{
	return err == -ENOMEM || err == -EAGAIN || err == -EINTR || err == -EMFILE ||
	       err == -ENFILE;
}

bool failure_is_logged(int err)
{
	return err < 0 && err != -EPERM && !kernel_is_confidential();
}

/*
 * Can a later start succeed? False if the module's file or settings, the agent's privileges or the
 * kernel cause the error.
 */
static bool may_pass(int err)
{
	return err != -EINVAL && err != -EACCES && err != -E2BIG && err != -ENOEXEC &&
	       err != -ESTALE && err != -EPERM && err != -EOPNOTSUPP && err != -ENOTSUPP;
}

/* A hint at the cause of the error, or at what to do about the error; "": none. */
static const char *advice(int err)
{
	switch (-err) {
	case EPERM:
		return " (the agent needs CAP_BPF and CAP_PERFMON)";
	case ENOMEM:
		return " (lower `keys`, or free memory)";
	case EMFILE:
	case ENFILE:
		return " (too many files are open: raise the limit)";
	case EPIPE:
		return " (the helper, the process pmdaestat-help, has ended: restart pmcd)";
	case EBUSY:
		return " (another tracer or a live patch holds a function)";
	case EINVAL:
	case EACCES:
		return " (this kernel refuses the BPF program: report it with the agent's log)";
	default:
		return "";
	}
}

/*
 * Does the error mean that the kernel forbids the BPF programs, or lacks the kind of probe that
 * they use? -EPERM means that only if the agent has the capabilities to load BPF programs. On a
 * kernel that is locked down for confidentiality the result is true for every error.
 */
static bool is_kernels(int err)
{
	return err == -EOPNOTSUPP || err == -ENOTSUPP || kernel_is_confidential() ||
	       (err == -EPERM && privilege_to_load());
}

void failure_judge(const struct module *m, const struct loaded *l, int err, const char *reason,
		   struct failure *f)
{
	const struct edition *e = l->edition;
	bool automatic = e->settings.enabled == SWITCH_AUTO;
	const char *error = *e->error ? e->error : l->error;
	int n;

	if (!*error && !*reason)
		/* if libbpf gives no reason, as a rule a map could not be made */
		reason = "the agent cannot make a map";
	*f = (struct failure){ .state = MODULE_FAILED,
			       .passes = may_pass(err),
			       .is_kernels = !*e->error && is_kernels(err) };
	if (*error) {
		n = snprintf(f->error, sizeof(f->error), "%s", error);
		if (*reason)
			snprintf(f->error + n, sizeof(f->error) - n, ": %s", reason);
	} else if (e->kmod && !e->kmod->ready) {
		f->passes = !automatic && (e != m->edition || !m->history.started);
		f->state = f->passes ? MODULE_FAILED : MODULE_WAITING;
		kmod_explain(e->kmod, f->error, sizeof(f->error));
	} else if (kernel_is_confidential()) {
		f->passes = false;
		snprintf(f->error, sizeof(f->error),
			 "the kernel is locked down (confidentiality): boot it with "
			 "lockdown=integrity");
	} else if (err == -ENOTSUPP) {
		snprintf(f->error, sizeof(f->error),
			 "the kernel attaches no fentry and fexit programs");
	} else if (automatic && failure_is_missing(err)) {
		f->state = MODULE_WAITING;
		/*
		 * if e->kmod is NULL, the agent does not try again after a pause, because the
		 * module starts again when any kernel module is loaded
		 */
		f->passes = e->kmod;
		snprintf(f->error, sizeof(f->error), "the kernel lacks what it probes: %s", reason);
	} else if (err == -EPERM && privilege_to_load()) {
		snprintf(f->error, sizeof(f->error),
			 "the kernel or a security module forbids it, see dmesg: %s", reason);
	} else {
		snprintf(f->error, sizeof(f->error), "%s: %s%s", strerror(-err), reason,
			 advice(err));
	}
}
