// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "block.h"
#include "filesystems.h"
#include "lib/file.h"
#include "lib/xalloc.h"
#include "mounts.h"

/* Types of file systems whose mounts get no node: nearly all are interfaces of the kernel. */
static const char *const skipped[] = {
	"autofs", "binfmt_misc", "bpf",        "cgroup",     "cgroup2",   "configfs", "debugfs",
	"devpts", "efivarfs",    "fusectl",    "hugetlbfs",  "mqueue",    "nfsd",     "nsfs",
	"proc",   "pstore",      "rpc_pipefs", "securityfs", "selinuxfs", "sysfs",    "tracefs",
};

static int fd = -1;

/* A line of mountinfo, and the mount that the line describes. */
struct line {
	char *text; /* owned; `mount` points into it */
	int id, parent;
	struct mount mount;
	struct node *node; /* NULL: a mount on the same directory hides this mount */
};

void mounts_open(void)
{
	fd = open("/proc/1/mountinfo", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
}

void mounts_close(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
}

int mounts_fd(void)
{
	return fd;
}

static bool is_skipped(const char *type)
{
	for (size_t i = 0; i < sizeof(skipped) / sizeof(skipped[0]); i++)
		if (!strcmp(type, skipped[i]))
			return true;
	return false;
}

/* Split `text`, a line of proc_pid_mountinfo(5), in place. Returns false if `text` is malformed. */
static bool split(struct line *line, char *text)
{
	char *words[5], *rest = text;

	*line = (struct line){ .text = text };
	text[strcspn(text, "\n")] = '\0';
	for (unsigned int i = 0; i < 5; i++)
		words[i] = strsep(&rest, " ");
	rest = rest ? strstr(rest, " - ") : NULL;
	if (!rest)
		return false;
	rest += strlen(" - ");
	line->id = atoi(words[0]);
	line->parent = atoi(words[1]);
	line->mount.number = words[2];
	line->mount.directory = words[4];
	line->mount.type = strsep(&rest, " ");
	line->mount.source = strsep(&rest, " ") ?: "";
	line->mount.options = rest ?: "";
	return true;
}

/*
 * Read mountinfo's lines, except those of file systems in skipped[]. Sets *n to the number of
 * lines. The caller frees the lines and their texts.
 */
static struct line *read_lines(unsigned int *n)
{
	FILE *f = fd < 0 || lseek(fd, 0, SEEK_SET) ? NULL : fdopen(dup(fd), "r");
	struct line *lines = NULL;
	char *text = NULL;

	*n = 0;
	for (size_t size = 0; f && getline(&text, &size, f) > 0; text = NULL, size = 0) {
		if (!(*n & (*n - 1))) /* *n is 0 or a power of 2: make room for 2 * *n + 1 lines */
			lines = xalloc(realloc(lines, (2 * *n + 1) * sizeof(*lines)));
		if (split(&lines[*n], text) && !is_skipped(lines[*n].mount.type))
			(*n)++;
		else
			free(text);
	}
	free(text);
	if (f)
		fclose(f);
	return lines;
}

/*
 * If a line before line `i` has a mount on the same directory, set `node` of the lower mount to
 * NULL, because the upper mount hides the lower one. The lower mount is the parent of the upper
 * mount.
 */
static void hide(struct line *lines, unsigned int i)
{
	unsigned int other = 0;

	while (lines[other].node != lines[i].node)
		other++;
	if (other == i)
		return;
	if (lines[other].parent == lines[i].id)
		lines[i].node = NULL;
	else
		lines[other].node = NULL;
}

static void add_lines(struct graph *g, struct line *lines, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		unsigned int before = g->n;

		lines[i].node = graph_add(g, lines[i].mount.directory, lines[i].mount.type);
		if (g->n == before)
			hide(lines, i);
	}
	for (unsigned int i = 0; i < n; i++) {
		const struct mount *mount = &lines[i].mount;

		if (!lines[i].node)
			continue;
		graph_set_kind(lines[i].node, mount->type);
		graph_name(g, lines[i].node, "", mount->number);
		filesystem_add(g, lines[i].node, mount);
	}
}

static void add_file(const struct graph *g, struct node *loop)
{
	char path[512], line[4096], *file;

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/loop/backing_file", loop->name);
	if (!first_line(path, line, sizeof(line)) || !strncmp(line, "/memfd:", strlen("/memfd:")))
		return;
	file = graph_escape(line);
	stand_on_path(g, loop, file);
	free(file);
}

static void add_swap(struct graph *g)
{
	FILE *f = fopen("/proc/swaps", "re");
	size_t size = 0;
	char *line = NULL;

	while (f && getline(&line, &size, f) > 0)
		if (*line == '/') { /* the first line of /proc/swaps is a title */
			line[strcspn(line, " \t")] = '\0';
			stand_on_path(g, graph_add(g, "swap", "swap"), line);
		}
	free(line);
	if (f)
		fclose(f);
}

void mounts_add(struct graph *g)
{
	unsigned int n, devices = g->n;
	struct line *lines = read_lines(&n);

	add_lines(g, lines, n);
	for (unsigned int i = 0; i < devices; i++)
		if (!strcmp(g->nodes[i]->kind, "loop"))
			add_file(g, g->nodes[i]);
	add_swap(g);
	for (unsigned int i = 0; i < n; i++)
		free(lines[i].text);
	free(lines);
}
