// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "base/pcptime.h"
#include "domains.h"
#include "texts.h"

unsigned int source_texts(struct source *s, const char *metric, struct text **texts)
{
	struct domain *d;
	pmDesc desc;
	pmID pmid;
	pmResult *r;
	pcp_time end = pcp_time_of(s->finish);
	unsigned int n = 0;

	*texts = NULL;
	if (s->archive)
		pmSetMode(PM_MODE_BACK, &end, 0);
	if (pmLookupName(1, &metric, &pmid) != 1 || pmLookupDesc(pmid, &desc) < 0 ||
	    source_fetch(s, 1, &pmid, &r) < 0)
		return 0;
	d = domain_of(s, desc.indom);
	for (int i = 0; i < r->vset[0]->numval; i++) {
		const pmValue *value = &r->vset[0]->vlist[i];
		const struct inst *inst = domain_inst(s, d, value->inst);
		pmAtomValue atom;

		if (!inst ||
		    pmExtractValue(r->vset[0]->valfmt, value, desc.type, &atom, desc.type) < 0)
			continue;
		if (desc.type != PM_TYPE_STRING)
			atom.cp = xalloc(strdup(pmAtomStr(&atom, desc.type)));
		*texts = grow(*texts, n, sizeof(**texts));
		(*texts)[n++] = (struct text){ inst->name, atom.cp };
	}
	pmFreeResult(r);
	return n;
}

void source_numbers(struct source *s, unsigned int n, const char **metrics, double *numbers)
{
	pcp_time end = pcp_time_of(s->finish);
	pmID pmids[n];
	pmAtomValue atom;
	pmResult *r;

	for (unsigned int i = 0; i < n; i++)
		numbers[i] = -1;
	if (s->archive)
		pmSetMode(PM_MODE_BACK, &end, 0);
	if (pmLookupName(n, metrics, pmids) != (int)n || source_fetch(s, n, pmids, &r) < 0)
		return;
	for (unsigned int i = 0; i < n; i++)
		if (r->vset[i]->numval == 1 &&
		    pmExtractValue(r->vset[i]->valfmt, r->vset[i]->vlist, PM_TYPE_U64, &atom,
				   PM_TYPE_DOUBLE) >= 0)
			numbers[i] = atom.d;
	pmFreeResult(r);
}

void texts_free(struct text *texts, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		free(texts[i].value);
	free(texts);
}

const char *text_of(const struct text *texts, unsigned int n, const char *instance)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(texts[i].instance, instance))
			return texts[i].value;
	return NULL;
}

bool text_has(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = text; *word && (p = strstr(p, word)); p++)
		if ((p == text || p[-1] == ':') && (!p[length] || p[length] == ':'))
			return true;
	return false;
}

char *text_word(const char **text)
{
	size_t length = strcspn(*text, ":");
	char *word = length ? xalloc(strndup(*text, length)) : NULL;

	*text += length;
	*text += strspn(*text, ":");
	return word;
}

bool owns(const char *module, const char *name)
{
	size_t length = strlen(module);

	return !strncmp(module, name, length) && (!name[length] || name[length] == '.');
}

const struct text *find_owner(const struct text *texts, unsigned int n, const char *name)
{
	const struct text *best = NULL;
	size_t longest = 0;

	for (unsigned int i = 0; i < n; i++) {
		size_t length = strlen(texts[i].instance);

		if (length >= longest && owns(texts[i].instance, name)) {
			longest = length;
			best = &texts[i];
		}
	}
	return best;
}

const char *owner_text(const struct text *texts, unsigned int n, const char *name)
{
	const struct text *found = find_owner(texts, n, name);

	return found ? found->value : NULL;
}
