/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and classes of samples; see sample_fold.h. */
#include "sample_fold.h"

#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "base/printable.h"
#include "model/stack_rules.h"
#include "process_maps.h"
#include "symbols.h"

const struct nio_sample *sample_fold__decode(const void *data, size_t size)
{
	const struct nio_sample *s = data;

	if (size < NIO_SAMPLE_HEAD || s->whose >= NIO_SAMPLE_WHOSE_NR ||
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

char *sample_fold__frames(char text[SAMPLE_FOLD_LEN], const struct nio_sample *sample,
			  const char *const *names, const char *object)
{
	if (sample->frames)
		join(text, names, sample->frames);
	else
		name_object(text, SAMPLE_FOLD_LEN, object);
	return text;
}

static int take_kernel(const struct sample_fold *f, const struct nio_sample *sample)
{
	const char *names[NIO_SAMPLE_FRAMES];
	char text[SAMPLE_FOLD_LEN];
	struct stack_class class;

	symbols__stack(f->symbols, sample->ip, sample->frames, names);
	class = stack_rules__class(names, sample->frames);
	sample_fold__frames(text, sample, names, NULL);
	return cpu_time__take(
		f->out,
		&(struct profile_stack){
			.frames = text, .count = 1, .whose = sample->whose, .class = class.class},
		class.shifted);
}

static int take_user(const struct sample_fold *f, const struct nio_sample *sample)
{
	const struct process_maps *maps =
		sample->whose < NIO_SIDE_NR ? f->maps[sample->whose] : NULL;
	const char *object = process_maps__object(maps, sample->user_ip);
	bool gathers = f->gathers && sample->whose == NIO_SAMPLE_SENDER;
	char text[SAMPLE_FOLD_LEN];

	sample_fold__frames(text, sample, NULL, object);
	return cpu_time__take(f->out,
			      &(struct profile_stack){.frames = text,
						      .count = 1,
						      .whose = sample->whose,
						      .class = stack_rules__user(object, gathers)},
			      false);
}

int sample_fold__take(const struct nio_sample *sample, void *fold)
{
	return sample->frames ? take_kernel(fold, sample) : take_user(fold, sample);
}
