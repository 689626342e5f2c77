/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows, notes and profiles of a data set and their life; see dataset.h. No file formats. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "common/word.h"
#include "common/xalloc.h"
#include "dataset.h"
#include "run_conditions.h"
#include "write/json.h"

static struct dataset_profile *find_profile(const struct dataset *d, enum mode mode, uint64_t size,
					    unsigned int threads)
{
	for (size_t i = 0; i < d->profiles_nr; i++) {
		struct dataset_profile *p = &d->profiles[i];

		if (p->mode == mode && p->size == size && p->threads == threads)
			return p;
	}
	return NULL;
}

/* "whose;frames N": cuts the parts before the first ';' and after the last ' '. */
static bool parse_stack(char *line, struct profile_stack *stack)
{
	char *frames = strchr(line, ';'), *count = strrchr(line, ' '), *end;

	if (!frames || !count || count < frames)
		return false;
	*frames++ = *count++ = '\0';
	stack->frames = frames;
	stack->count = strtoull(count, &end, 10);
	for (int w = 0; w < NIO_SAMPLE_OWNER_NR; w++) {
		stack->owner = w;
		if (!strcmp(line, cpu_time__whose(w)))
			return stack->count && !*end;
	}
	return false;
}

void dataset__add_stacks(struct dataset *d, const struct dataset_row *row, const json_t *stacks)
{
	struct dataset_profile *p = find_profile(d, row->mode, row->size, row->threads);
	const json_t *item;
	size_t i;

	if (!json_array_size(stacks))
		return;
	if (!p) {
		d->profiles = xgrow(d->profiles, d->profiles_nr, sizeof(*p));
		p = &d->profiles[d->profiles_nr++];
		*p = (struct dataset_profile){
			.mode = row->mode, .size = row->size, .threads = row->threads};
	}
	json_array_foreach(stacks, i, item) {
		struct profile_stack stack = {.class = CPU_CLASS_OTHER};
		char *line = xstrdup(json_is_string(item) ? json_string_value(item) : "");

		if (parse_stack(line, &stack))
			profile__add(&p->profile, &stack);
		free(line);
	}
}

const struct profile *dataset__profile(const struct dataset *d, enum mode mode, uint64_t size,
				       unsigned int threads)
{
	const struct dataset_profile *p = find_profile(d, mode, size, threads);

	return p ? &p->profile : NULL;
}

struct dataset_row *dataset__new_row(struct dataset *d)
{
	struct dataset_row *row;

	d->rows = xgrow(d->rows, d->rows_nr, sizeof(*d->rows));
	row = &d->rows[d->rows_nr++];
	*row = (struct dataset_row){0};
	for (int m = 0; m < METRIC_NR; m++)
		row->value[m] = (double)NAN;
	return row;
}

int dataset__answerable(const struct dataset *d, const char *name,
			char message[DATASET_MESSAGE_MAX])
{
	if (!d->lacking)
		return 0;
	for (size_t i = 0; i < d->rows_nr; i++) {
		const double *v = d->rows[i].value;

		if (!isnan(v[METRIC_GBPS]) || !isnan(v[METRIC_L1D_MISSES]) ||
		    !isnan(v[METRIC_LLC_MISSES]) || !isnan(v[METRIC_CYCLES]))
			return 0;
	}
	snprintf(message, DATASET_MESSAGE_MAX,
		 "%.100s: no column holds a throughput, cycles or cache misses, so no question can "
		 "be answered.%s%.250s A file with the throughput can be given "
		 "before this one.",
		 name, d->unread ? " " : "", d->unread ? d->unread : "");
	return -ENODATA;
}

bool dataset__is_possible(enum metric metric, double value)
{
	return !(value < 0) || metric == METRIC_UNACCOUNTED_TX || metric == METRIC_UNACCOUNTED_RX;
}

int dataset__parse_mode(const char *text, enum mode *mode)
{
	for (enum mode m = 0; m < MODE_NR; m++) {
		char digit = (char)('0' + m);

		if (same_but_for("-_ ", text, mode__name(m)) || (text[0] == digit && !text[1]) ||
		    /* Parts of the exercise this experiment is set as. */
		    ((text[0] == 'A' || text[0] == 'a') && text[1] == digit + 1 && !text[2])) {
			*mode = m;
			return 0;
		}
	}
	return -EINVAL;
}

void dataset__keep_environment(struct dataset *d, json_t *environment)
{
	json_t *before, *now;

	if (!d->environment) {
		d->environment = environment;
		return;
	}
	before = json_environment__steady(d->environment);
	now = json_environment__steady(environment);
	d->environment_varies |= !json_equal(before, now);
	json_decref(before);
	json_decref(now);
	json_decref(environment);
}

int dataset__keep_settings(struct dataset *d, const char *name, json_t *conditions,
			   char message[DATASET_MESSAGE_MAX])
{
	const char *differs = run_conditions__difference(d->conditions, conditions, NULL, false);
	int err = 0;

	if (differs) {
		snprintf(message, DATASET_MESSAGE_MAX,
			 "%.200s: made with %.40s %.60s, other runs here with %.60s: runs of "
			 "different settings are not pooled; give each a directory or file of its "
			 "own.",
			 name, differs, json_string_value(json_object_get(conditions, differs)),
			 json_string_value(json_object_get(d->conditions, differs)));
		err = -EINVAL;
	}
	/* Adds values that only later runs have. */
	if (!d->conditions)
		d->conditions = json_incref(conditions);
	else if (!err)
		json_object_update_missing(d->conditions, conditions);
	json_decref(conditions);
	return err;
}

static void keep_other(struct dataset *d, const char *name)
{
	for (size_t i = 0; i < d->others_nr; i++)
		if (strcmp(d->others[i], name) == 0)
			return;
	d->others = xgrow(d->others, d->others_nr, sizeof(*d->others));
	d->others[d->others_nr++] = xstrdup(name);
}

bool dataset__admits(struct dataset *d, const char *congestion)
{
	const char *wanted = d->names.congestion ? d->names.congestion : d->congestion;

	if (!congestion)
		return !d->names.congestion;
	if (wanted && strcmp(congestion, wanted)) {
		keep_other(d, congestion);
		return false;
	}
	if (!d->congestion)
		d->congestion = xstrdup(congestion);
	return true;
}

int dataset__compare_cells(const struct dataset_row *a, const struct dataset_row *b)
{
	int order = ORDER(a->mode, b->mode);

	order = order ? order : ORDER(a->size, b->size);
	return order ? order : ORDER(a->threads, b->threads);
}

/* Sorts runs of one round by their figures, so that copies are adjacent. */
static int compare_figures(const void *pa, const void *pb)
{
	const struct dataset_row *a = pa, *b = pb;
	int order = dataset__compare_cells(a, b);

	order = order ? order : ORDER(a->round, b->round);
	return order ? order : memcmp(a->value, b->value, sizeof(a->value));
}

void dataset__finish(struct dataset *d, double default_duration_s)
{
	struct dataset_row *row;

	for (row = d->rows; row < d->rows + d->rows_nr; row++) {
		if (isnan(row->value[METRIC_DURATION]))
			row->value[METRIC_DURATION] = default_duration_s;
		metric__derive(row->value, row->threads);
	}
	if (d->rows_nr)
		qsort(d->rows, d->rows_nr, sizeof(*d->rows), compare_figures);
}

const struct dataset_row *dataset__copy(const struct dataset *d)
{
	const struct dataset_row *row = d->rows, *end = row + d->rows_nr;

	for (; row + 1 < end; row++)
		if (!row->imported && !row[1].imported && !isnan(row->value[METRIC_PAYLOAD]) &&
		    !compare_figures(row, row + 1))
			return row;
	return NULL;
}

static void free_texts(char **texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(texts[i]);
	free(texts);
}

void dataset__clear(struct dataset *d)
{
	size_t i;

	for (i = 0; i < d->rows_nr; i++)
		free(d->rows[i].verdict);
	free(d->rows);
	for (i = 0; i < d->failures_nr; i++) {
		free(d->failures[i].mode);
		free(d->failures[i].reason);
	}
	free(d->failures);
	for (i = 0; i < d->hists_nr; i++)
		free(d->hists[i].buckets);
	free(d->hists);
	for (i = 0; i < d->profiles_nr; i++)
		profile__clear(&d->profiles[i].profile);
	free(d->profiles);
	for (i = 0; i < METRIC_NR; i++)
		free(d->reason[i]);
	free_texts(d->others, d->others_nr);
	free_texts(d->notes, d->notes_nr);
	free(d->unread);
	free(d->congestion);
	free(d->lacking);
	free(d->version);
	free(d->backend);
	free(d->seed);
	json_decref(d->environment);
	json_decref(d->conditions);
	*d = (struct dataset){0};
}
