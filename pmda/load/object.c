// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens a module's object file, checks who can write it, and collects libbpf's messages. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/xalloc.h"
#include "object.h"

#define LOG_LINES  20 /* the most lines of libbpf and the verifier to log */
#define MAX_OBJECT (16 << 20)

bool object_is_module_file(const char *name)
{
	return !fnmatch("[!.]*.bpf.o", name, 0);
}

static FILE *log_file; /* a stream to `log_text`, from libbpf_log_begin() to libbpf_log_end() */
static char *log_text;
static size_t log_size;

static int print(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level != LIBBPF_WARN || !log_file)
		return 0;
	return vfprintf(log_file, format, args);
}

void libbpf_log_add(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (log_file) {
		vfprintf(log_file, format, args);
		fputc('\n', log_file);
	}
	va_end(args);
}

void libbpf_log_begin(void)
{
	libbpf_set_print(print);
	log_file = xalloc(open_memstream(&log_text, &log_size));
}

void libbpf_log_end(const char *module, bool failed, char *reason, size_t size)
{
	char *lines[LOG_LINES], *last = NULL, *line, *save = NULL;
	unsigned int n = 0;

	fclose(log_file);
	log_file = NULL;
	*reason = '\0';
	for (line = strtok_r(log_text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!*reason)
			snprintf(reason, size, "%s", line);
		/* the verifier's last message comes just before the verifier's statistics */
		if (!strncmp(line, "processed ", 10) && last)
			snprintf(reason + strlen(reason), size - strlen(reason), ": %s", last);
		last = line;
		lines[n++ % LOG_LINES] = line;
	}
	for (unsigned int i = n > LOG_LINES ? n - LOG_LINES : 0; failed && i < n; i++)
		pmNotifyErr(LOG_INFO, "module %s: %s", module, lines[i % LOG_LINES]);
	free(log_text);
}

/*
 * Is the open file a regular file that root owns and only root can write, and its size 1 to
 * MAX_OBJECT bytes? If so, set *bytes to the size; else `error` says why the file is refused. BPF
 * programs in the file could read all memory of the kernel. Check the open file and not its path,
 * because the path may lead to another file by the time of read(2).
 */
static bool trusted(int fd, off_t *bytes, char *error, size_t size)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		snprintf(error, size, "cannot open it: %s",
			 errno == ELOOP ? "it is a symbolic link" : osstrerror());
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		snprintf(error, size, "it is not a regular file");
		return false;
	}
	if (st.st_uid != 0 || st.st_mode & (S_IWGRP | S_IWOTH)) {
		snprintf(error, size,
			 "owner %u, mode %04o: only root may own it and write it "
			 "(chown root, chmod go-w)",
			 st.st_uid, st.st_mode & 07777);
		return false;
	}
	if (st.st_size == 0 || st.st_size > MAX_OBJECT) {
		snprintf(error, size, "%lld bytes: not an object", (long long)st.st_size);
		return false;
	}
	*bytes = st.st_size;
	return true;
}

int object_file(const char *path, char *error, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	off_t bytes;

	if (trusted(fd, &bytes, error, size))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * The content of an open file, to be freed; sets *bytes. NULL: not read; `error` says why, for
 * example because a user other than root can write the file by now.
 */
static char *read_trusted(int file, off_t *bytes, char *error, size_t size)
{
	char *data;
	ssize_t n;

	if (!trusted(file, bytes, error, size))
		return NULL;
	data = xalloc(malloc(*bytes));
	n = pread(file, data, *bytes, 0);
	if (n != *bytes) {
		snprintf(error, size, "cannot read it: %s",
			 n < 0 ? osstrerror() : "it is changing");
		free(data);
		data = NULL;
	}
	return data;
}

/*
 * The path of an open file, for libbpf, which opens only paths. The path leads to the file that was
 * checked, even if another file has the checked file's name by now.
 */
#define FD_PATH "/proc/self/fd/%d"

int object_open_types(const char *path, char *error, size_t size)
{
	char reason[256], fd_path[32];
	struct btf *btf;
	int fd = object_file(path, reason, sizeof(reason));

	if (fd < 0) {
		snprintf(error, size, "%s: %s", path, reason);
		return -1;
	}
	snprintf(fd_path, sizeof(fd_path), FD_PATH, fd);
	btf = btf__parse_raw(fd_path);
	if (!btf) {
		snprintf(error, size, "%s: not BTF, or damaged", path);
		close(fd);
		return -1;
	}
	btf__free(btf);
	return fd;
}

struct bpf_object *object_open(int file, const char *name, int types, char *error, size_t size)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = name);
	struct bpf_object *object;
	char types_path[32];
	off_t bytes;
	char *data = read_trusted(file, &bytes, error, size);

	if (!data)
		return NULL;
	snprintf(types_path, sizeof(types_path), FD_PATH, types);
	if (types >= 0)
		options.btf_custom_path = types_path;
	object = bpf_object__open_mem(data, bytes, &options);
	if (!object)
		snprintf(error, size, "not a BPF object, or a damaged one");
	free(data);
	return object;
}
