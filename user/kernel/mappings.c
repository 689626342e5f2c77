/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses /proc/PID/maps; see mappings.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "mappings.h"
#include "model/stack_rules.h"

int mappings__read(struct mappings *m, pid_t pid, bool only_code)
{
	char path[64];
	FILE *f;

	*m = (struct mappings){0};
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	mappings__parse(m, f, only_code);
	fclose(f);
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
static void parse_line(struct mappings *m, const char *line, bool only_code, size_t *module)
{
	struct mapping *a;
	uint64_t offset;
	char execute;
	int path = 0;

	m->all = xgrow(m->all, m->nr, sizeof(*m->all));
	a = &m->all[m->nr];
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*2c%c%*c %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &a->start, &a->end, &execute, &offset, &a->major, &a->minor, &a->inode,
		   &path) < 7)
		return;
	a->code = execute == 'x';
	line += path ? (size_t)path : strlen(line);
	if (only_code && (!a->code || !*line))
		return;
	a->path = xstrdup(line);
	if (a->inode && !offset && *a->path == '/')
		*module = m->nr;
	a->module = *module;
	if (*module != MAPPINGS_NONE && a->inode && !is_of_file(a, &m->all[*module]))
		a->module = MAPPINGS_NONE;
	m->nr++;
}

void mappings__parse(struct mappings *m, FILE *f, bool only_code)
{
	size_t module = MAPPINGS_NONE, size = 0;
	char *line = NULL;

	*m = (struct mappings){0};
	while (!(only_code && m->nr == MAPPINGS_CODE_MAX) && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		parse_line(m, line, only_code, &module);
	}
	free(line);
}

void mappings__free(struct mappings *m)
{
	for (size_t i = 0; i < m->nr; i++)
		free(m->all[i].path);
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

size_t mappings__modules(const struct mappings *m, uint64_t ip, const uint8_t *stack,
			 size_t stack_len, size_t *modules, size_t max)
{
	uint64_t word = ip;
	size_t nr = 0, at = 0;

	for (;; at += sizeof(word)) {
		const struct mapping *a = mappings__at(m, word);
		size_t i = 0;

		while (i < nr && a && modules[i] != a->module)
			i++;
		if (a && a->code && a->module != MAPPINGS_NONE && i == nr)
			modules[nr++] = a->module;
		if (nr == max || at + sizeof(word) > stack_len)
			return nr;
		memcpy(&word, stack + at, sizeof(word));
	}
}

/* The text after the last slash of a path, which may have spaces. */
static const char *object_of(const struct mapping *a, char name[MAPPINGS_NAME])
{
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(a->path, '/'), *begin = slash ? slash + 1 : a->path;
	size_t cut = has_suffix(begin, deleted) ? strlen(deleted) : 0;

	snprintf(name, MAPPINGS_NAME, "%.*s", (int)(strlen(begin) - cut), begin);
	return name;
}

const char *mappings__object(const struct mappings *m, uint64_t address, char name[MAPPINGS_NAME])
{
	const struct mapping *a = m ? mappings__at(m, address) : NULL;

	return a && a->code && *a->path ? object_of(a, name) : NULL;
}

bool mappings__has_libc(const struct mappings *m)
{
	char name[MAPPINGS_NAME];

	for (size_t i = 0; i < m->nr; i++)
		if (m->all[i].code && stack_rules__is_libc(object_of(&m->all[i], name)))
			return true;
	return false;
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
