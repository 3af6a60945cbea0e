// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The state of kernel modules, from sysfs. /sys/module/NAME/refcnt does not tell whether a kernel
 * module is in use, because attached fentry and fexit programs count there, too.
 */
#include <glob.h>
#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kallsyms.h"
#include "kernel_btf.h"
#include "kmod.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "lib/xalloc.h"

/* for how long kmods_look() can leave out a kernel module that is not loaded, nanoseconds */
#define SEARCH_NS UINT64_C(60000000000)

static struct kmod **kmods;
static unsigned int nkmods;
/* st_nlink of /sys/module, 2 plus the number of folders, at the last kmods_look(); 0: not known */
static nlink_t folders;

/* Is the kernel module fully loaded, neither still loading nor being unloaded? */
static bool is_live(const char *initstate)
{
	char state[8];

	return first_line(initstate, state, sizeof(state)) && !strcmp(state, "live");
}

/*
 * Is the kernel module a file system that is compiled into the kernel? Such a file system may have
 * no folder in /sys/module, so /proc/filesystems has to tell.
 */
static bool is_built_in(const char *name)
{
	FILE *f = fopen("/proc/filesystems", "re");
	char line[128], fs[64] = "", initstate[64];

	snprintf(initstate, sizeof(initstate), "/sys/module/%s/initstate", name);
	while (f && strcmp(fs, name) && fgets(line, sizeof(line), f))
		if (sscanf(line, "nodev %63s", fs) != 1)
			sscanf(line, " %63s", fs);
	if (f)
		fclose(f);
	return !strcmp(fs, name) && access(initstate, F_OK);
}

/*
 * A number that changes with each load of the kernel module; 0: the kernel module is not loaded.
 * The number is
 *
 *	if /sys/module/NAME/initstate exists (a loaded kernel module): this file's inode number,
 *		but 0 until a call of look_loaded() has seen the kernel module fully loaded
 *	else, if /sys/module/NAME exists (a built-in kernel module): this folder's inode number
 *	else, if k->built_in or k->in_use shows that the kernel has the code: 1
 *	else: 0
 */
static uint64_t look_loaded(const struct kmod *k)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", k->needs.module);
	if (!stat(path, &st))
		return st.st_ino == k->loaded || is_live(path) ? st.st_ino : 0;
	*strrchr(path, '/') = '\0';
	return stat(path, &st) ? k->built_in || k->in_use : st.st_ino;
}

static bool look_in_use(struct kmod *k)
{
	glob_t found = {};

	if (k->used && !access(k->used, F_OK))
		return true;
	free(k->used);
	k->used = NULL;
	if (!glob(k->needs.in_use, GLOB_NOSORT | GLOB_BRACE, NULL, &found))
		k->used = xalloc(strdup(found.gl_pathv[0]));
	globfree(&found);
	return k->used;
}

/*
 * Are the kernel module's types known? They are if it is built in, has BTF in sysfs, or if there is
 * a file of BTF (k->btf) made in advance for this version of the kernel module and of the kernel.
 */
static bool look_typed(struct kmod *k)
{
	const char *name = k->needs.module;
	char path[64], version[64];
	struct utsname u;

	*k->btf = '\0';
	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	if (access(path, F_OK))
		return true;
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	if (!access(path, F_OK))
		return true;
	snprintf(path, sizeof(path), "/sys/module/%s/version", name);
	first_line(path, version, sizeof(version));
	uname(&u);
	snprintf(k->btf, sizeof(k->btf), "%s/estat/btf/%s-%s-%s.btf", pmGetConfig("PCP_PMDAS_DIR"),
		 name, version, u.release);
	return !access(k->btf, F_OK);
}

/* Update the state of the kernel module. Returns whether the state has changed. */
static bool look(struct kmod *k)
{
	bool was_in_use = k->in_use, changed, ready;
	uint64_t loaded;
	char path[64];

	k->in_use = k->built_in || look_in_use(k);
	loaded = look_loaded(k);
	ready = loaded && ((k->ready && loaded == k->loaded) || look_typed(k));
	changed = loaded != k->loaded || ready != k->ready;
	if (changed) {
		kallsyms_forget();
		kernel_btf_forget();
	}
	k->in_use &= loaded != 0;
	k->ready = ready;
	k->loaded = loaded;
	snprintf(path, sizeof(path), "/sys/module/%s", k->needs.module);
	k->search = access(path, F_OK) ? clock_now() + SEARCH_NS : 0;
	return changed || k->in_use != was_in_use;
}

const struct kmod *kmod_find(const struct estat_needs *needs)
{
	struct kmod *k;

	for (unsigned int i = 0; i < nkmods; i++)
		if (!memcmp(&kmods[i]->needs, needs, sizeof(*needs)))
			return kmods[i];
	k = xalloc(calloc(1, sizeof(*k)));
	k->needs = *needs;
	k->built_in = is_built_in(needs->module);
	kmods = grow(kmods, nkmods, sizeof(struct kmod *));
	kmods[nkmods++] = k;
	look(k);
	return k;
}

/*
 * look() takes long if needs.in_use is a pattern that can match a thousand disks. So look() runs
 * seldom for a kernel module that has no folder in /sys/module and counts as not loaded. (A
 * built-in kernel module without parameters has no folder either.) For such a kernel module look()
 * runs only if the number of folders in /sys/module has changed, if the path needs.in_use exists
 * literally, or if SEARCH_NS have passed since look() last ran. For a file system that is compiled
 * into the kernel only kmod_find() runs look(), because the state does not change.
 */
bool kmods_look(void)
{
	uint64_t now = clock_now();
	struct stat st = {};
	bool same, seldom = false, changed = false;

	for (unsigned int i = 0; i < nkmods; i++)
		seldom |= kmods[i]->search != 0;
	same = seldom && !stat("/sys/module", &st) && st.st_nlink == folders;
	folders = st.st_nlink;
	for (unsigned int i = 0; i < nkmods; i++) {
		struct kmod *k = kmods[i];

		if (k->built_in && k->loaded)
			continue;
		if (!same || k->loaded || now >= k->search ||
		    (*k->needs.in_use && !access(k->needs.in_use, F_OK)))
			changed |= look(k);
	}
	return changed;
}

void kmods_changed(void)
{
	folders = 0;
}

bool kmod_changes_alone(const struct kmod *k)
{
	return (k->loaded || !k->search) && !(k->built_in && k->loaded);
}

void kmod_explain(const struct kmod *k, char *text, size_t size)
{
	const char *name = k->needs.module;
	char maker[MAXPATHLEN];

	if (!k->loaded) {
		snprintf(text, size, "the kernel module %s is not loaded", name);
		return;
	}
	snprintf(maker, sizeof(maker), "%s/estat/%s-btf", pmGetConfig("PCP_PMDAS_DIR"), name);
	snprintf(text, size, "the kernel module %s has no BTF, and there is no %s%s%s", name,
		 k->btf, access(maker, X_OK) ? "" : ": run ", access(maker, X_OK) ? "" : maker);
}

void kmods_free(void)
{
	for (unsigned int i = 0; i < nkmods; i++) {
		free(kmods[i]->used);
		free(kmods[i]);
	}
	free(kmods);
}
