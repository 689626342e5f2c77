/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses /proc/PID/maps; see mappings.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "mappings.h"

int mappings__read(struct mappings *m, pid_t pid)
{
	char path[64], *text = NULL, block[4096];
	size_t len, n;
	FILE *in, *out;

	*m = (struct mappings){0};
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	in = fopen(path, "re");
	if (!in)
		return -errno;
	out = xopen_memstream(&text, &len);
	while ((n = fread(block, 1, sizeof(block), in)) > 0)
		fwrite(block, 1, n, out);
	xclose_memstream(out);
	fclose(in);
	mappings__parse(m, text);
	return 0;
}

static bool is_of_file(const struct mapping *a, const struct mapping *file)
{
	return a->inode == file->inode && a->major == file->major && a->minor == file->minor;
}

/*
 * module: of the mapping before. Code that a program moved to memory without a file, such as huge
 * pages, still belongs to the file around it.
 */
static bool parse_line(struct mappings *m, const char *line, size_t *module)
{
	struct mapping *a = &m->all[m->nr];
	uint64_t offset;
	char execute;
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*2c%c%*c %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &a->start, &a->end, &execute, &offset, &a->major, &a->minor, &a->inode,
		   &path) < 7)
		return false;
	a->code = execute == 'x';
	a->path = path ? line + path : "";
	if (a->inode && !offset && *a->path == '/')
		*module = m->nr;
	a->module = *module;
	if (*module != MAPPINGS_NONE && a->inode && !is_of_file(a, &m->all[*module]))
		a->module = MAPPINGS_NONE;
	return true;
}

void mappings__parse(struct mappings *m, char *text)
{
	size_t module = MAPPINGS_NONE, lines = 0;
	char *line;

	*m = (struct mappings){.text = text};
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	m->all = xcalloc(lines + 1, sizeof(*m->all));
	while ((line = strsep(&text, "\n")))
		m->nr += parse_line(m, line, &module);
}

void mappings__free(struct mappings *m)
{
	free(m->text);
	free(m->all);
	*m = (struct mappings){0};
}

static int compare_address(const void *key, const void *element)
{
	const uint64_t *address = key;
	const struct mapping *a = element;

	return *address < a->start ? -1 : *address >= a->end;
}

const struct mapping *mappings__at(const struct mappings *m, uint64_t address)
{
	return m->nr ? bsearch(&address, m->all, m->nr, sizeof(*m->all), compare_address) : NULL;
}

size_t mappings__modules(const struct mappings *m, const struct stack_copy *stack, size_t *modules,
			 size_t max)
{
	uint64_t word = stack->regs.rip;
	size_t nr = 0, at = 0;

	for (;; at += sizeof(word)) {
		const struct mapping *a = mappings__at(m, word);
		size_t i = 0;

		while (i < nr && a && modules[i] != a->module)
			i++;
		if (a && a->code && a->module != MAPPINGS_NONE && i == nr)
			modules[nr++] = a->module;
		if (nr == max || at + sizeof(word) > stack->len || at == sizeof(stack->bytes))
			return nr;
		memcpy(&word, stack->bytes + at, sizeof(word));
	}
}

void mappings__region(const struct mappings *m, uint64_t address, char *to, size_t len)
{
	const struct mapping *a = mappings__at(m, address);
	const char *name = a ? a->path : "";

	if (*name == '/')
		name = strrchr(name, '/') + 1;
	printable(to, len,
		  !a                         ? ""
		  : !strcmp(name, "[heap]")  ? "heap"
		  : !strcmp(name, "[stack]") ? "stack"
		  : *name                    ? name
					     : "mapped memory");
}
