/* SPDX-License-Identifier: GPL-2.0-only */
/* Sampled stacks of a data set, by cell; see dataset.h. No I/O. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataset.h"

static struct dataset_profile *find(const struct dataset *d, enum mode mode, uint64_t size,
				    unsigned int threads)
{
	for (size_t i = 0; i < d->profiles_nr; i++) {
		struct dataset_profile *p = &d->profiles[i];

		if (p->mode == mode && p->size == size && p->threads == threads)
			return p;
	}
	return NULL;
}

static struct dataset_profile *find_or_add(struct dataset *d, const struct dataset_row *row)
{
	struct dataset_profile *p = find(d, row->mode, row->size, row->threads);

	if (p)
		return p;
	p = reallocarray(d->profiles, d->profiles_nr + 1, sizeof(*p));
	if (!p)
		return NULL;
	d->profiles = p;
	p += d->profiles_nr++;
	*p = (struct dataset_profile){
		.mode = row->mode, .size = row->size, .threads = row->threads};
	return p;
}

/* "whose;frames N": what stands before the first ';' and behind the last ' ' is cut off. */
static bool parse(char *line, struct profile_stack *stack)
{
	char *frames = strchr(line, ';'), *count = strrchr(line, ' '), *end;

	if (!frames || !count || count < frames)
		return false;
	*frames++ = *count++ = '\0';
	stack->frames = frames;
	stack->count = strtoull(count, &end, 10);
	for (int w = 0; w < NIO_SAMPLE_WHOSE_NR; w++) {
		stack->whose = w;
		if (!strcmp(line, cpu_time__whose(w)))
			return stack->count && !*end;
	}
	return false;
}

static int add_line(struct profile *p, const char *text)
{
	struct profile_stack stack = {.class = CPU_CLASS_OTHER};
	char *line = strdup(text);
	int err = line ? 0 : -ENOMEM;

	if (line && parse(line, &stack))
		profile__add(p, &stack);
	free(line);
	return err;
}

int dataset__add_stacks(struct dataset *d, const struct dataset_row *row, const json_t *stacks)
{
	struct dataset_profile *p;
	const json_t *line;
	size_t i;
	int err = 0;

	if (!json_array_size(stacks))
		return 0;
	p = find_or_add(d, row);
	if (!p)
		return -ENOMEM;
	json_array_foreach(stacks, i, line)
		if (!err && json_is_string(line))
			err = add_line(&p->profile, json_string_value(line));
	return err;
}

const struct profile *dataset__profile(const struct dataset *d, enum mode mode, uint64_t size,
				       unsigned int threads)
{
	const struct dataset_profile *p = find(d, mode, size, threads);

	return p ? &p->profile : NULL;
}

void dataset__clear_profiles(struct dataset *d)
{
	for (size_t i = 0; i < d->profiles_nr; i++)
		profile__clear(&d->profiles[i].profile);
	free(d->profiles);
}
