/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A result document (docs/reference/run.md) as rows and histograms of a data set. Unknown keys are
 * ignored, missing ones are missing numbers. No I/O.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "dataset.h"
#include "model/congestion.h"
#include "run_conditions.h"
#include "write/json_value.h"

#define FAILURE_SCHEMA "netiotrace.failure/1"

static const char *text_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static void keep_text(char **to, const char *text)
{
	if (text && !*to)
		*to = xstrdup(text);
}

/* Refuses other values than numbers, and non-objects: only null or nothing is unmeasured. */
static bool is_damaged(const json_t *value, const json_t *parent)
{
	return value ? !json_is_null(value)
		     : parent && !json_is_object(parent) && !json_is_null(parent);
}

/* 0, -ERANGE: a figure is below 0; -EDOM: not a number. */
static int read_metrics(struct dataset *d, struct dataset_row *row, const json_t *run)
{
	const json_t *value, *parent;
	const char *last;

	for (int m = 0; m < METRIC_READ_NR; m++) {
		value = json_value__at(run, metric__path((enum metric)m), &parent, &last);
		if (json_is_number(value))
			row->value[m] = json_number_value(value);
		else if (is_damaged(value, parent))
			return -EDOM;
		else if (parent)
			keep_text(&d->reason[m], json_value__reason(parent, last));
		if (!dataset__is_possible((enum metric)m, row->value[m]))
			return -ERANGE;
	}
	return 0;
}

static int compare_buckets(const void *pa, const void *pb)
{
	const struct dataset_bucket *a = pa, *b = pb;

	return (a->low > b->low) - (a->low < b->low);
}

static struct dataset_hist *find_hist(struct dataset *d, const struct dataset_row *row, int kind)
{
	struct dataset_hist *h;

	for (h = d->hists; h < d->hists + d->hists_nr; h++)
		if (h->kind == kind && h->mode == row->mode && h->size == row->size &&
		    h->threads == row->threads)
			return h;
	d->hists = xgrow(d->hists, d->hists_nr, sizeof(*h));
	h = &d->hists[d->hists_nr++];
	*h = (struct dataset_hist){
		.mode = row->mode, .size = row->size, .threads = row->threads, .kind = kind};
	return h;
}

/* [low, high, count], high is null for the open bucket. False: damaged. */
static bool read_bucket(const json_t *item, struct dataset_bucket *b)
{
	const json_t *low = json_array_get(item, 0), *high = json_array_get(item, 1);
	const json_t *count = json_array_get(item, 2);

	if (!json_is_number(low) || !json_is_number(count) ||
	    !(json_is_number(high) || json_is_null(high)))
		return false;
	b->low = json_number_value(low);
	b->high = json_is_number(high) ? json_number_value(high) : b->low;
	b->count = json_number_value(count);
	return b->count >= 0 && b->low >= 0 && b->high >= b->low;
}

/* Buckets of one layout have one lower bound each: the counts of equal ones are added. */
static void merge_buckets(struct dataset_hist *h)
{
	size_t i, nr = 0;

	qsort(h->buckets, h->buckets_nr, sizeof(*h->buckets), compare_buckets);
	for (i = 0; i < h->buckets_nr; i++) {
		if (nr && h->buckets[nr - 1].low == h->buckets[i].low)
			h->buckets[nr - 1].count += h->buckets[i].count;
		else
			h->buckets[nr++] = h->buckets[i];
	}
	h->buckets_nr = nr;
}

/* 0 or -EDOM: an item is not a bucket. */
static int read_hist(struct dataset *d, const struct dataset_row *row, int kind,
		     const json_t *buckets)
{
	struct dataset_hist *h;
	const json_t *item;
	size_t i;

	if (buckets && !json_is_array(buckets) && !json_is_null(buckets))
		return -EDOM;
	if (!json_array_size(buckets))
		return 0;
	h = find_hist(d, row, kind);
	h->buckets = xreallocarray(h->buckets, h->buckets_nr + json_array_size(buckets),
				   sizeof(*h->buckets));
	json_array_foreach(buckets, i, item) {
		struct dataset_bucket *b = &h->buckets[h->buckets_nr];

		if (!read_bucket(item, b))
			return -EDOM;
		h->buckets_nr += b->count > 0;
	}
	merge_buckets(h);
	return 0;
}

static int read_hists(struct dataset *d, const struct dataset_row *row, const json_t *run)
{
	const json_t *ledger = json_object_get(run, "ledger");
	const json_t *latency = json_object_get(json_object_get(run, "app"), "latency_ns");
	const json_t *o;
	int i, err = 0;

	for (i = 0; i < NIO_STAGE_NR && !err; i++) {
		o = json_object_get(ledger, stage__key((enum nio_stage)i));
		err = read_hist(d, row, DATASET_HIST_STAGE + i, json_object_get(o, "ns_buckets"));
	}
	for (i = 0; i < LATENCY_NR && !err; i++) {
		o = json_object_get(latency, latency__key((enum latency_kind)i));
		err = read_hist(d, row, DATASET_HIST_LATENCY + i, json_object_get(o, "buckets"));
	}
	return err;
}

/* The identity of a cell is a whole number or missing (0): otherwise runs are pooled wrongly. */
static bool read_count(const json_t *o, const char *key, double max, double *count)
{
	const json_t *value = json_object_get(o, key);

	*count = json_number_value(value);
	if (!value || json_is_null(value))
		return true;
	return json_is_number(value) && *count >= 0 && *count <= max && *count == floor(*count);
}

static void keep_side(struct dataset *d, const char *side)
{
	d->copies_of_sender |= side && !strcmp(side, "sender");
	d->copies_of_both |= side && !strcmp(side, "both");
}

static void keep_excluded(struct dataset *d, const json_t *stages)
{
	const json_t *name;
	size_t i;

	json_array_foreach(stages, i, name)
		for (int s = 0; s < NIO_STAGE_NR; s++)
			if (json_is_string(name) && !strcmp(json_string_value(name), stage__key(s)))
				d->copies_exclude |= 1u << s;
}

static int read_run(struct dataset *d, const json_t *run, bool imported)
{
	const char *name = text_of(run, "mode");
	double size, threads, round;
	struct dataset_row *row;
	enum mode mode;
	int err;

	if (!name || dataset__parse_mode(name, &mode) ||
	    !read_count(run, "size", 1e15 - 1, &size) || size == 0 ||
	    !read_count(run, "threads", 1e6, &threads) || !read_count(run, "round", 1e9, &round))
		return -EINVAL;
	row = dataset__new_row(d);
	row->mode = mode;
	row->size = (uint64_t)size;
	row->threads = (unsigned int)threads;
	row->round = (unsigned int)round;
	row->imported = imported;
	d->interrupted += json_is_true(json_object_get(run, "interrupted"));
	err = read_metrics(d, row, run);
	if (err)
		return err;
	keep_text(&row->verdict, text_of(json_object_get(run, "verdict"), "text"));
	keep_side(d, text_of(json_object_get(run, "ledger"), "copies_per_byte_side"));
	keep_excluded(d,
		      json_object_get(json_object_get(run, "ledger"), "copies_per_byte_excludes"));
	dataset__add_stacks(d, row, json_object_get(json_object_get(run, "cpu"), "stacks"));
	return read_hists(d, row, run);
}

static void keep_notes(struct dataset *d, const json_t *imported)
{
	const json_t *note;
	size_t i;

	/* Documents of one import have the same. */
	if (d->notes_nr)
		return;
	json_array_foreach(json_object_get(imported, "assumptions"), i, note) {
		if (!json_is_string(note))
			continue;
		d->notes = xgrow(d->notes, d->notes_nr, sizeof(*d->notes));
		d->notes[d->notes_nr++] = printable__in_place(xstrdup(json_string_value(note)));
	}
	keep_text(&d->unread, text_of(imported, "unread"));
	keep_text(&d->lacking, text_of(imported, "missing_reason"));
}

static int reject(char *message, const char *name, const char *what)
{
	snprintf(message, DATASET_MESSAGE_MAX, "%s: %s", name, what);
	return -EINVAL;
}

/* The message on a run, by the error of read_run(). */
static const char *damage(int err)
{
	if (err == -ERANGE)
		return "a run with a figure below 0: it is damaged.";
	if (err == -EDOM)
		return "a run with a figure that is not a number: it is damaged.";
	return "a run without a possible mode, size, thread count or round: it is damaged.";
}

int dataset__add_document(struct dataset *d, const char *name, const json_t *document,
			  char message[DATASET_MESSAGE_MAX])
{
	const json_t *runs = json_object_get(document, "runs"), *run;
	const json_t *tool = json_object_get(document, "tool");
	json_t *environment = json_object_get(document, "environment");
	const json_t *imported = json_object_get(document, "imported");
	const char *schema = text_of(document, "schema");
	size_t i;
	int err;

	if (!schema || strcmp(schema, RESULT_SCHEMA))
		return reject(message, name,
			      "not a result document of netiotrace (schema " RESULT_SCHEMA ").");
	if (!json_is_array(runs))
		return reject(message, name, "the result document has no list of runs.");
	if (!dataset__admits(d, text_of(environment, "congestion_control")))
		return 0;
	json_array_foreach(runs, i, run) {
		err = read_run(d, run, imported);
		if (err)
			return reject(message, name, damage(err));
		err = dataset__keep_settings(
			d, name,
			run_conditions__of(json_object_get(document, "settings"), environment,
					   json_object_get(run, "fields")),
			message);
		if (err)
			return err;
	}
	keep_notes(d, imported);
	keep_text(&d->version, text_of(tool, "version"));
	keep_text(&d->backend, text_of(tool, "backend"));
	if (json_is_object(environment))
		dataset__keep_environment(d, json_incref(environment));
	return 0;
}

int dataset__add_failure(struct dataset *d, const json_t *document)
{
	const char *schema = text_of(document, "schema"), *mode = text_of(document, "mode");
	const char *reason = text_of(document, "reason");
	const char *congestion = text_of(document, "congestion");

	if (!schema || strcmp(schema, FAILURE_SCHEMA))
		return -EINVAL;
	if (congestion && d->names.congestion && strcmp(congestion, d->names.congestion) &&
	    strcmp(congestion, CONGESTION_OF_SYSTEM))
		return 0;
	d->failures = xgrow(d->failures, d->failures_nr, sizeof(*d->failures));
	d->failures[d->failures_nr++] = (struct dataset_failure){
		.size = (uint64_t)json_integer_value(json_object_get(document, "size")),
		.threads = (unsigned int)json_integer_value(json_object_get(document, "threads")),
		.round = (unsigned int)json_integer_value(json_object_get(document, "round")),
		.mode = xstrdup(mode ? mode : "?"),
		.reason = xstrdup(reason ? reason : "no reason is recorded"),
	};
	return 0;
}
