/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and classes of samples; see sample_fold.h. */
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "mappings.h"
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
				    const struct symbols *symbols, const struct mappings *maps,
				    bool gathers)
{
	const char *names[NIO_SAMPLE_FRAMES], *object;
	char name[MAPPINGS_NAME];

	if (sample->frames) {
		symbols__stack(symbols, sample->ip, sample->frames, names);
		join(text, names, sample->frames);
		return stack_rules__class(names, sample->frames);
	}
	object = mappings__object(maps, sample->user_ip, name);
	name_object(text, SAMPLE_FOLD_LEN, object);
	return (struct stack_class){.class = stack_rules__user(object, gathers)};
}

int sample_fold__add(const struct nio_sample *sample, void *fold)
{
	const struct sample_fold *f = fold;
	const struct mappings *maps = sample->owner < NIO_SIDE_NR ? f->maps[sample->owner] : NULL;
	bool gathers = f->gathers && sample->owner == NIO_SAMPLE_SENDER;
	char text[SAMPLE_FOLD_LEN];
	struct stack_class class = sample_fold__one(text, sample, f->symbols, maps, gathers);

	f->out->gather_hidden |=
		gathers && class.class == CPU_CLASS_USER && maps && !mappings__has_libc(maps);
	return cpu_time__add_stack(
		f->out,
		&(struct profile_stack){
			.frames = text, .count = 1, .owner = sample->owner, .class = class.class},
		class.shifted);
}
