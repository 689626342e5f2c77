/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and classes of samples; see sample_fold.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "model/stack_rules.h"
#include "sample_fold.h"
#include "symbols.h"

const struct nio_sample *sample_fold__decode(const void *data, size_t size)
{
	const struct nio_sample *s = data;

	if (size < NIO_SAMPLE_HEAD || s->owner >= NIO_SAMPLE_OWNER_NR ||
	    s->frames > NIO_SAMPLE_FRAMES || size < NIO_SAMPLE_HEAD + s->frames * sizeof(s->ip[0]))
		return NULL;
	return s;
}

/* "outermost;...;innermost" of a stack whose names are innermost first. */
static void join(char text[SAMPLE_FOLD_LEN], const char *const *names, size_t n)
{
	text[0] = '\0';
	while (n--)
		append__text(text, SAMPLE_FOLD_LEN, "%s%s", *text ? ";" : "", names[n]);
}

/*
 * "[NAME]" of the file that holds the code. Users choose the names of files: a ';' would begin
 * another frame, and a line break another stack.
 */
static void name_object(char *text, size_t len, const char *object)
{
	char name[88];

	printable(name, sizeof(name), object ? object : "user");
	for (char *c = strchr(name, ';'); c; c = strchr(c, ';'))
		*c = '?';
	snprintf(text, len, "[%s]", name);
}

struct stack_class sample_fold__one(char text[SAMPLE_FOLD_LEN], const struct nio_sample *sample,
				    const struct symbols *symbols, const struct process_maps *maps,
				    bool gathers)
{
	const char *names[NIO_SAMPLE_FRAMES], *object;

	if (sample->frames) {
		symbols__stack(symbols, sample->ip, sample->frames, names);
		join(text, names, sample->frames);
		return stack_rules__class(names, sample->frames);
	}
	object = process_maps__object(maps, sample->user_ip);
	name_object(text, SAMPLE_FOLD_LEN, object);
	return (struct stack_class){.class = stack_rules__user(object, gathers)};
}

int sample_fold__add(const struct nio_sample *sample, void *fold)
{
	const struct sample_fold *f = fold;
	const struct process_maps *maps =
		sample->owner < NIO_SIDE_NR ? f->maps[sample->owner] : NULL;
	bool gathers = f->gathers && sample->owner == NIO_SAMPLE_SENDER;
	char text[SAMPLE_FOLD_LEN];
	struct stack_class class = sample_fold__one(text, sample, f->symbols, maps, gathers);

	f->out->gather_hidden |=
		gathers && class.class == CPU_CLASS_USER && maps && !process_maps__has_libc(maps);
	return cpu_time__add_stack(
		f->out,
		&(struct profile_stack){
			.frames = text, .count = 1, .owner = sample->owner, .class = class.class},
		class.shifted);
}

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
