// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens a source's context of PCP, and fetches from that context. */
#include <errno.h>
#include <unistd.h>

#include "base/message.h"
#include "base/pcptime.h"
#include "base/signals.h"
#include "source.h"

void source_open(struct source *s, pmOptions *opts, const char *advice)
{
	const char *host = opts->nhosts ? opts->hosts[0] : "local:";
	int sts;

	s->archive = opts->narchives > 0;
	s->where = s->archive ? opts->archives[0] : host;
	s->context = pmNewContext(s->archive ? PM_CONTEXT_ARCHIVE : PM_CONTEXT_HOST, s->where);
	if (s->context == -ENOENT && s->archive && !access(s->where, F_OK))
		die(EXIT_NO_DATA, "%s is no archive of PCP: there is no %s.meta", s->where,
		    s->where);
	if (s->context < 0 && s->archive)
		die(EXIT_NO_DATA, "cannot open the archive %s: %s", s->where, pmErrStr(s->context));
	if (s->context < 0)
		die(EXIT_NO_DATA, "no pmcd answers on %s: %s\n%s",
		    opts->nhosts ? host : "this host", pmErrStr(s->context), advice);
	sts = pmGetContextOptions(s->context, opts);
	if (sts < 0 || opts->errors) {
		pmflush();
		die(EXIT_USAGE, "bad time window or time zone");
	}
	pmGetContextHostName_r(s->context, s->host, sizeof(s->host));
	s->start = seconds_of(opts->origin);
	s->finish = seconds_of(opts->finish);
}

const char *source_name(const struct source *s)
{
	return s->archive ? s->where : s->host;
}

int source_fetch(struct source *s, unsigned int n, pmID *pmids, pmResult **r)
{
	int sts;

	blocking_begin();
	sts = pmFetch(n, pmids, r);
	if (sts < 0 && !s->archive)
		pmReconnectContext(s->context);
	blocking_end();
	return sts;
}
