/* SPDX-License-Identifier: GPL-2.0-only */
/* Executable mappings of a process; see process_maps.h. */
#include "process_maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "model/stack_rules.h"

#define MAPS_MAX   4096
#define OBJECT_MAX 64

struct process_map {
	uint64_t from, to;
	char object[OBJECT_MAX];
};

struct process_maps {
	struct process_map *list;
	size_t nr;
};

/* The text after the last slash of a path, which may have spaces. */
static void name_of(char object[OBJECT_MAX], char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), cut = sizeof(deleted) - 1;
	const char *slash;

	if (len > cut && !strcmp(path + len - cut, deleted))
		path[len - cut] = '\0';
	slash = strrchr(path, '/');
	snprintf(object, OBJECT_MAX, "%.*s", OBJECT_MAX - 1, slash ? slash + 1 : path);
}

static void parse_line(struct process_maps *m, const char *line)
{
	struct process_map *map;
	char mode[8] = "", path[256] = "";

	m->list = xgrow(m->list, m->nr, sizeof(*m->list));
	map = &m->list[m->nr];
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*x %*x:%*x %*u %255[^\n]", &map->from,
		   &map->to, mode, path) < 4)
		return;
	if (!strchr(mode, 'x'))
		return;
	name_of(map->object, path);
	m->nr++;
}

struct process_maps *process_maps__read_from(const char *file)
{
	FILE *f = fopen(file, "re");
	struct process_maps *m;
	char line[512];

	if (!f)
		return NULL;
	m = xcalloc(1, sizeof(*m));
	while (m->nr < MAPS_MAX && fgets(line, sizeof(line), f))
		parse_line(m, line);
	fclose(f);
	return m;
}

struct process_maps *process_maps__read(pid_t pid)
{
	char file[32];

	snprintf(file, sizeof(file), "/proc/%d/maps", pid);
	return process_maps__read_from(file);
}

void process_maps__free(struct process_maps *m)
{
	if (m)
		free(m->list);
	free(m);
}

const char *process_maps__object(const struct process_maps *m, uint64_t address)
{
	for (size_t i = 0; m && i < m->nr; i++)
		if (address >= m->list[i].from && address < m->list[i].to)
			return m->list[i].object;
	return NULL;
}

bool process_maps__has_libc(const struct process_maps *m)
{
	for (size_t i = 0; m && i < m->nr; i++)
		if (stack_rules__is_libc(m->list[i].object))
			return true;
	return false;
}
