// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Put random faults, which follow from a seed, into .bpf.o files and estat.conf, and let the
 * agent's code read them in a separate process. A file that crashes the process is kept, and
 * another process goes on.
 */
#include <elf.h>
#include <pcp/pmapi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load/edition.h"

#define MAX_SIZE  (1 << 21)
#define CASE_SECS 20 /* seconds of CPU time after which a case counts as hung */

/* Memory that the processes share: after a crash the next process goes on with the next case. */
static struct {
	uint64_t state;
	unsigned long cases;
	char path[MAXPATHLEN];
} * shared;

static const char *folder;
static char **files, path[MAXPATHLEN], said[MAXPATHLEN];
static int nfiles;
static unsigned long wanted; /* how many cases to try */

/* Sebastiano Vigna's SplitMix64. */
static uint64_t random64(void)
{
	uint64_t z = shared->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* A random number from 0 to n - 1; 0 if n is 0. */
static size_t any(size_t n)
{
	return n ? random64() % n : 0;
}

static size_t read_file(const char *path, uint8_t *data)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(data, 1, MAX_SIZE, f) : 0;

	if (!f || !n || n == MAX_SIZE) {
		fprintf(stderr, "fuzz: cannot read %s, or it has no byte, or %d or more\n", path,
			MAX_SIZE);
		exit(2);
	}
	fclose(f);
	return n;
}

static void write_file(const char *path, const uint8_t *data, size_t n)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(data, 1, n, f) != n || fclose(f)) {
		fprintf(stderr, "fuzz: cannot write %s\n", path);
		exit(2);
	}
}

/* Change a number: to one of limits[], by at most 4, in one bit, or to a random number. */
static void spoil(uint8_t *at, size_t size)
{
	static const uint64_t limits[] = { 0,          1,          2,          7,
					   0x7f,       0xff,       0x7fff,     0xffff,
					   0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff,
					   ~0ULL };
	uint64_t old = 0, new;

	memcpy(&old, at, size);
	switch (any(4)) {
	case 0:
		new = limits[any(sizeof(limits) / sizeof(limits[0]))];
		break;
	case 1:
		new = old + any(9) - 4;
		break;
	case 2:
		new = old ^ 1ULL << any(size * 8);
		break;
	default:
		new = random64();
	}
	memcpy(at, &new, size);
}

/*
 * Choose a part of an object: its header, its section headers, a section whose name begins with one
 * of names[], or all of it.
 */
static void choose_part(const uint8_t *data, size_t n, size_t *from, size_t *length)
{
	static const char *const names[] = { ".BTF",  ".BTF.ext", ".symtab", ".strtab",
					     ".maps", ".rel",     ".rodata" };
	const Elf64_Ehdr *e = (const void *)data;
	const Elf64_Shdr *sections = (const void *)(data + e->e_shoff);
	const char *wanted = names[any(sizeof(names) / sizeof(names[0]))];
	const char *strings = (const char *)data + sections[e->e_shstrndx].sh_offset;
	unsigned int choice = any(10), first = any(e->e_shnum);

	*from = 0;
	*length = n;
	if (choice == 0) {
		*length = sizeof(*e);
	} else if (choice < 3) {
		*from = e->e_shoff;
		*length = e->e_shnum * sizeof(*sections);
	} else if (choice < 9) {
		for (unsigned int i = 0; i < e->e_shnum; i++) {
			const Elf64_Shdr *s = &sections[(first + i) % e->e_shnum];

			if (strncmp(strings + s->sh_name, wanted, strlen(wanted)) || !s->sh_size)
				continue;
			*from = s->sh_offset;
			*length = s->sh_size;
			break;
		}
	}
}

static size_t spoil_object(uint8_t *data, size_t n)
{
	size_t from, length, size;

	choose_part(data, n, &from, &length);
	for (size_t times = 1 + any(4); times--;) {
		size = 1 << any(4);
		if (length >= size)
			spoil(data + from + any(length / size) * size, size);
	}
	return any(20) ? n : any(n);
}

static size_t spoil_text(uint8_t *data, size_t n)
{
	static const char special[] = "[]=:;#\n\r\t \"'\\%\0\xff"
				      "09-";
	size_t from, length;

	for (size_t times = 1 + any(8); times--;) {
		from = any(n);
		length = any(n - from) + 1;
		switch (any(4)) {
		case 0:
			data[from] = special[any(sizeof(special))];
			break;
		case 1:
			data[from] = random64();
			break;
		case 2: /* leave `length` bytes out */
			memmove(data + from, data + from + length, n - from - length);
			n -= length;
			break;
		default: /* repeat `length` bytes */
			if (n + length > MAX_SIZE / 2)
				break;
			memmove(data + from + length, data + from, n - from);
			n += length;
		}
		if (!n)
			break;
	}
	return n;
}

/*
 * Read an object's schema and settings, as the agent does before it loads the object, or read
 * settings of an estat.conf.
 */
static void use(void)
{
	struct config *config;
	struct edition *e;

	if (strstr(path, ".conf")) {
		config = config_read(path, false);
		config_text(config, "agent", "modules", "");
		config_flag(config, "agent", "fentry", true);
		config_switch(config, "backend_io", "enabled");
		config_number(config, "backend_io", "keys", 1, 65536, 0);
		config_report_unknown(config);
	} else {
		config = config_read("/dev/null", false);
		e = edition_open(path);
		if (e->schema)
			edition_configure(e, config);
		edition_free(e);
	}
	config_free(config);
}

/* Run `cases` in a process of its own. Returns the process's status: 0 if all went well. */
static int apart(void (*cases)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		cases();
		exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

/* Call use(), with the standard error in the file `said`, and with a limit of CPU time. */
static void try(void)
{
	const struct itimerval limit = { .it_value.tv_sec = CASE_SECS };

	if (!freopen(said, "w", stderr))
		_exit(2);
	setitimer(ITIMER_PROF, &limit, NULL);
	use();
}

/* Spoil files and try them. */
static void try_many(void)
{
	static uint8_t data[MAX_SIZE];

	while (shared->cases < wanted) {
		shared->cases++;
		const char *from = files[any(nfiles)];
		bool text = strstr(from, ".conf");
		size_t n = read_file(from, data);

		n = text ? spoil_text(data, n) : spoil_object(data, n);
		snprintf(path, sizeof(path), "%s/case%s", folder, text ? ".conf" : ".bpf.o");
		snprintf(shared->path, sizeof(shared->path), "%s", path);
		write_file(path, data, n);
		try();
	}
}

/*
 * Whose fault is a crash: "libbpf" if the stack in the file `said` has a frame of libbpf or libelf
 * above the first frame of the agent, else "estat".
 */
static const char *whose(void)
{
	FILE *f = fopen(said, "r");
	const char *who = "estat";
	char line[1024];

	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "    #"))
			continue;
		if (strstr(line, "libbpf.so") || strstr(line, "libelf.so")) {
			who = "libbpf";
			break;
		}
		if (strstr(line, "/pmda/"))
			break;
	}
	if (f)
		fclose(f);
	return who;
}

static void print_log(void)
{
	FILE *f = fopen(said, "r");
	char line[1024];

	for (int i = 0; f && i < 40 && fgets(line, sizeof(line), f); i++)
		fputs(line, stderr);
	if (f)
		fclose(f);
}

/* Print whose fault the crash of case `name` is, and the log of the case. */
static void tell(const char *name, int status)
{
	fprintf(stderr, "%s: %s: status %#x\n", name, whose(), status);
	print_log();
	printf("%s: %s\n", whose(), name);
}

static void keep(void)
{
	char kept[sizeof(path)];

	snprintf(kept, sizeof(kept), "%s/found-%lu%s", folder, shared->cases,
		 strstr(shared->path, ".conf") ? ".conf" : ".bpf.o");
	if (rename(shared->path, kept))
		perror(kept);
}

int main(int argc, char **argv)
{
	int status;

	if (argc < 5) {
		fprintf(stderr, "usage: fuzz FOLDER SEED CASES FILE...\n"
				"Spoil and read one of the FILEs, CASES times;\n"
				"if CASES is 0, read each FILE as it is\n");
		return 2;
	}
	pmSetProgname("fuzz");
	umask(022);
	folder = argv[1];
	files = argv + 4;
	nfiles = argc - 4;
	snprintf(said, sizeof(said), "%s/log", folder);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return 2;
	shared->state = strtoull(argv[2], NULL, 10);
	wanted = strtoul(argv[3], NULL, 10);
	for (int i = 0; i < nfiles && !wanted; i++) {
		snprintf(path, sizeof(path), "%s", files[i]);
		status = apart(try);
		if (status)
			tell(files[i], status);
	}
	while (shared->cases < wanted) {
		status = apart(try_many);
		if (!status)
			continue;
		snprintf(path, sizeof(path), "case %lu", shared->cases);
		tell(path, status);
		keep();
	}
	fprintf(stderr, "seed %s: %lu cases\n", argv[2], shared->cases);
	return 0;
}
