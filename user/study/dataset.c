/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a data set and their life; see dataset.h. Knows no file formats. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "dataset.h"
#include "settings.h"
#include "write/json.h"

#define ROWS_MIN 64

struct dataset_row *dataset__new_row(struct dataset *d)
{
	size_t room = d->rows_room ? d->rows_room * 2 : ROWS_MIN;
	struct dataset_row *row;
	int m;

	if (d->rows_nr == d->rows_room) {
		row = reallocarray(d->rows, room, sizeof(*row));
		if (!row)
			return NULL;
		d->rows = row;
		d->rows_room = room;
	}
	row = &d->rows[d->rows_nr++];
	memset(row, 0, sizeof(*row));
	for (m = 0; m < METRIC_NR; m++)
		row->value[m] = (double)NAN;
	return row;
}

bool dataset__is_possible(enum metric metric, double value)
{
	return !(value < 0) || metric == METRIC_UNACCOUNTED_TX || metric == METRIC_UNACCOUNTED_RX;
}

int dataset__parse_mode(const char *text, enum mode *mode)
{
	int m;

	for (m = 0; m < MODE_NR; m++) {
		if (metric__same_name(text, mode__name((enum mode)m)) ||
		    (text[0] == '0' + m && !text[1]) ||
		    /* Parts of the exercise this experiment is set as. */
		    ((text[0] == 'A' || text[0] == 'a') && text[1] == '1' + m && !text[2])) {
			*mode = (enum mode)m;
			return 0;
		}
	}
	return -EINVAL;
}

int dataset__keep_environment(struct dataset *d, json_t *environment)
{
	json_t *before, *now;
	int err;

	if (!environment)
		return -ENOMEM;
	if (!d->environment) {
		d->environment = environment;
		return 0;
	}
	before = json_environment__steady(d->environment);
	now = json_environment__steady(environment);
	err = before && now ? 0 : -ENOMEM;
	if (!err && !json_equal(before, now))
		d->environment_varies = true;
	json_decref(before);
	json_decref(now);
	json_decref(environment);
	return err;
}

/* As json_object_update_missing(), which does not say that memory was short. */
static int add_missing(json_t *to, json_t *from)
{
	const char *key;
	json_t *value;
	int err = 0;

	json_object_foreach(from, key, value)
		if (!json_object_get(to, key))
			err |= json_object_set(to, key, value);
	return err;
}

int dataset__keep_settings(struct dataset *d, const char *name, json_t *settings,
			   char message[DATASET_MESSAGE_MAX])
{
	const char *differs;
	int err = 0;

	if (!settings)
		return -ENOMEM;
	differs = settings__difference(d->settings, settings, NULL);
	if (differs) {
		snprintf(message, DATASET_MESSAGE_MAX,
			 "%.200s: made with %.40s %.60s, other runs here with %.60s: runs of "
			 "different "
			 "settings are not pooled; give each a directory or file of its own.",
			 name, differs, json_string_value(json_object_get(settings, differs)),
			 json_string_value(json_object_get(d->settings, differs)));
		err = -EINVAL;
	}
	/* What only later runs say is known from then on. */
	if (!d->settings)
		d->settings = json_incref(settings);
	else if (!err && add_missing(d->settings, settings))
		err = -ENOMEM;
	json_decref(settings);
	return err;
}

static int keep_other(struct dataset *d, const char *name)
{
	char **others;

	for (size_t i = 0; i < d->others_nr; i++)
		if (strcmp(d->others[i], name) == 0)
			return 0;
	others = reallocarray(d->others, d->others_nr + 1, sizeof(*others));
	if (!others)
		return -ENOMEM;
	d->others = others;
	d->others[d->others_nr] = strdup(name);
	return d->others[d->others_nr++] ? 0 : -ENOMEM;
}

int dataset__admits(struct dataset *d, const char *congestion)
{
	const char *wanted = d->names.congestion ? d->names.congestion : d->congestion;

	if (!congestion)
		return !d->names.congestion;
	if (wanted && strcmp(congestion, wanted))
		return keep_other(d, congestion);
	if (!d->congestion)
		d->congestion = strdup(congestion);
	return d->congestion ? 1 : -ENOMEM;
}

/* Of one round by their figures, so that what is there twice stands side by side. */
static int compare_rows(const void *pa, const void *pb)
{
	const struct dataset_row *a = pa, *b = pb;
	int order = ORDER(a->mode, b->mode);

	order = order ? order : ORDER(a->size, b->size);
	order = order ? order : ORDER(a->threads, b->threads);
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
		qsort(d->rows, d->rows_nr, sizeof(*d->rows), compare_rows);
}

const struct dataset_row *dataset__copy(const struct dataset *d)
{
	const struct dataset_row *row = d->rows, *end = row + d->rows_nr;

	for (; row + 1 < end; row++)
		if (row->ours && row[1].ours && !isnan(row->value[METRIC_PAYLOAD]) &&
		    !compare_rows(row, row + 1))
			return row;
	return NULL;
}

void dataset__clear(struct dataset *d)
{
	size_t i;

	for (i = 0; i < d->rows_nr; i++) {
		free(d->rows[i].cause);
		free(d->rows[i].verdict);
	}
	for (i = 0; i < d->failures_nr; i++) {
		free(d->failures[i].mode);
		free(d->failures[i].reason);
	}
	for (i = 0; i < d->hists_nr; i++)
		free(d->hists[i].buckets);
	for (i = 0; i < METRIC_NR; i++)
		free(d->reason[i]);
	for (i = 0; i < d->others_nr; i++)
		free(d->others[i]);
	free(d->others);
	free(d->congestion);
	free(d->rows);
	free(d->failures);
	free(d->hists);
	dataset__clear_profiles(d);
	dataset__clear_notes(d);
	free(d->version);
	free(d->backend);
	json_decref(d->environment);
	json_decref(d->settings);
	*d = (struct dataset){0};
}
