/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's functions, sorted by address; see symbols.h. */
#include "symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "common/xalloc.h"

struct symbol {
	uint64_t address;
	size_t name; /* offset in names */
};

struct symbols {
	struct symbol *list;
	size_t nr;
	char *names;
	size_t names_len, names_room;
};

/* Stdio would read 1 KB at a time; the kernel gives this much at once. */
#define BUFFER_SIZE 4096

/* Called for a symbol; the name, without its module, lives for the call. */
typedef void (*symbol_handler)(void *arg, uint64_t address, char type, const char *name);

/* "ffffffff81234567 T name\t[module]" */
static void parse_line(char *line, symbol_handler handle, void *arg)
{
	char *end;
	uint64_t address = strtoull(line, &end, 16);

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return;
	end[3 + strcspn(end + 3, "\t\n")] = '\0';
	if (end[3])
		handle(arg, address, end[1], end + 3);
}

/* Skips lines without a symbol. The kernel needs some 40 ms to write its 100 000 lines. */
static int read_file(const char *file, symbol_handler handle, void *arg)
{
	char line[512], buffer[BUFFER_SIZE];
	FILE *f = fopen(file, "re");

	if (!f)
		return -errno;
	setvbuf(f, buffer, _IOFBF, sizeof(buffer));
	while (fgets(line, sizeof(line), f))
		parse_line(line, handle, arg);
	fclose(f);
	return 0;
}

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static void add_code(void *arg, uint64_t address, char type, const char *name)
{
	struct symbols *s = arg;
	size_t len = strlen(name) + 1;

	if (!address || !is_code(type))
		return;
	while (s->names_len + len > s->names_room) {
		s->names_room = s->names_room ? 2 * s->names_room : 1 << 20;
		s->names = xreallocarray(s->names, s->names_room, 1);
	}
	s->list = xgrow(s->list, s->nr, sizeof(*s->list));
	s->list[s->nr++] = (struct symbol){address, s->names_len};
	memcpy(s->names + s->names_len, name, len);
	s->names_len += len;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *s = a, *t = b;

	/* If two names have one address, the first in the file. */
	return s->address != t->address ? ORDER(s->address, t->address) : ORDER(s->name, t->name);
}

int symbols__load_from(struct symbols **out, const char *file)
{
	struct symbols *s = xcalloc(1, sizeof(*s));
	int err = read_file(file, add_code, s);

	if (!err && !s->nr)
		err = -EPERM;
	if (err) {
		symbols__free(s);
		return err;
	}
	qsort(s->list, s->nr, sizeof(*s->list), by_address);
	*out = s;
	return 0;
}

int symbols__load(struct symbols **out)
{
	return symbols__load_from(out, "/proc/kallsyms");
}

void symbols__free(struct symbols *s)
{
	if (!s)
		return;
	free(s->list);
	free(s->names);
	free(s);
}

const char *symbols__name(const struct symbols *s, uint64_t address)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	/* The first of those that share an address. */
	for (low--; low && s->list[low - 1].address == s->list[low].address;)
		low--;
	return s->names + s->list[low].name;
}

void symbols__stack(const struct symbols *s, const __u64 *ip, size_t n, const char **names)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = symbols__name(s, ip[i] - (i > 0));

		names[i] = name ? name : "[unknown]";
	}
}

void symbols__explain(int err, char *why, size_t len)
{
	if (err == -EPERM)
		snprintf(why, len,
			 "the kernel hides its symbols (/proc/kallsyms; kernel.kptr_restrict)");
	else
		snprintf(why, len, "/proc/kallsyms: %s", strerror(-err));
}

bool symbols__range(const struct symbols *s, const char *name, uint64_t *from, uint64_t *to)
{
	for (size_t i = 0; i < s->nr; i++) {
		size_t next = i + 1;

		if (strcmp(s->names + s->list[i].name, name) != 0)
			continue;
		while (next < s->nr && s->list[next].address == s->list[i].address)
			next++;
		if (next == s->nr)
			return false;
		*from = s->list[i].address;
		*to = s->list[next].address;
		return true;
	}
	return false;
}

struct search {
	const char *const *names;
	uint64_t *addresses;
	size_t n;
};

static void compare(void *arg, uint64_t address, char type, const char *name)
{
	struct search *s = arg;

	(void)type;
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(name, s->names[i]))
			s->addresses[i] = address;
}

int symbols__find_in(const char *file, const char *const *names, uint64_t *addresses, size_t n)
{
	struct search s = {names, addresses, n};

	memset(addresses, 0, n * sizeof(*addresses));
	return read_file(file, compare, &s);
}
