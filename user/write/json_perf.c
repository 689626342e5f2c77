/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The performance counters of a run as a JSON object: docs/OUTPUT.md, "Performance counters". Knows
 * nothing of how they were counted.
 */
#include "json.h"
#include "model/perf_figures.h"

/* In an object whose own "reason" covers all its nulls. */
static int put_or_null(json_t *o, const char *key, struct num n)
{
	return json_put(o, key, n.known ? json_value__u64(n.value) : json_null());
}

/* A part of a number that is known has a reason of its own for being unknown. */
static int put_part(json_t *o, const char *key, struct num whole, struct num part)
{
	return whole.known ? json_put_num(o, key, part) : put_or_null(o, key, part);
}

/* A value with a reason was extrapolated: the counter was on the CPU only part of the time. */
static int put_count(json_t *o, struct num n, struct real running)
{
	const char *reason = n.known || n.reason ? n.reason : "not measured";
	bool share = n.known && running.known;
	int err = 0;

	err |= json_put(o, "value", n.known ? json_value__u64(n.value) : json_null());
	err |= json_put(o, "scaled", n.known ? json_boolean(n.reason) : json_null());
	err |= json_put(o, "running", share ? json_value__real(running.value) : json_null());
	if (n.known && !running.known)
		err |= json_put_reason(o, "running", running.reason);
	if (reason)
		err |= json_put(o, "reason", json_value__text(reason));
	return err;
}

static json_t *counter_json(struct num n, const struct perf_detail *d)
{
	json_t *o = json_object();
	int err = put_count(o, n, d->running);

	err |= put_part(o, "user", n, d->user);
	err |= put_part(o, "kernel", n, d->kernel);
	return json_finish(o, err);
}

static json_t *side_json(const struct run_result *run, enum nio_side side)
{
	json_t *o = json_object();
	int c, err = 0;

	for (c = 0; c < PERF_NR; c++)
		err |= json_put(o, perf_counter__key((enum perf_counter)c),
				counter_json(run->perf[side][c], &run->perf_detail[side][c]));
	return json_finish(o, err);
}

static json_t *derived_json(const struct run_result *run, enum perf_whose whose)
{
	json_t *o = json_object();
	int d, err = 0;

	for (d = 0; d < DERIVED_NR; d++)
		err |= json_put_real(o, perf_derived__key((enum perf_derived)d),
				     perf_derive(run, (enum perf_derived)d, whose));
	return json_finish(o, err);
}

static json_t *all_derived_json(const struct run_result *run)
{
	json_t *o = json_object();
	int w, err = 0;

	for (w = 0; w < PERF_WHOSE_NR; w++)
		err |= json_put(o, perf_whose__key((enum perf_whose)w),
				derived_json(run, (enum perf_whose)w));
	return json_finish(o, err);
}

static json_t *asked_side_json(const struct perf_asked *a, enum nio_side side)
{
	json_t *o = json_object();
	int err = put_count(o, a->count[side], a->running[side]);

	return json_finish(o, err);
}

static json_t *asked_json(const struct perf_asked *a)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "name", json_value__text(a->name));
	err |= json_put(o, "sender", asked_side_json(a, NIO_SIDE_SENDER));
	err |= json_put(o, "receiver", asked_side_json(a, NIO_SIDE_RECEIVER));
	return json_finish(o, err);
}

static json_t *events_json(const struct run_result *run)
{
	json_t *list = json_array();
	size_t i;
	int err = 0;

	for (i = 0; i < run->perf_asked_nr; i++)
		err |= json_array_append_new(list, asked_json(&run->perf_asked[i]));
	return json_finish(list, err);
}

/* factor * of / by; null when there is no sample to divide by. */
static int put_ratio(json_t *o, const char *key, struct num of, struct num by, double factor)
{
	bool known = of.known && by.known && by.value;

	return json_put(o, key,
			known ? json_value__real(factor * (double)of.value / (double)by.value)
			      : json_null());
}

static json_t *window_json(const struct perf_window *w)
{
	const char *reason = w->reason ? w->reason : w->llc_misses.reason;
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "quality", json_value__text(quality__name(w->quality)));
	if (w->quality == QUALITY_UNAVAILABLE || reason)
		err |= json_put(o, "reason", json_value__text(reason ? reason : "not measured"));
	err |= put_or_null(o, "windows", w->windows);
	err |= put_or_null(o, "samples", w->samples);
	err |= put_or_null(o, "discarded", w->discarded);
	err |= put_ratio(o, "cycles_per_window", w->cycles, w->samples, 1);
	err |= put_ratio(o, "llc_misses_per_window", w->llc_misses, w->samples, 1);
	err |= put_ratio(o, "cycles_per_byte", w->cycles, w->bytes, 1);
	err |= put_ratio(o, "llc_misses_per_kib", w->llc_misses, w->bytes, 1024);
	return json_finish(o, err);
}

static json_t *windows_json(const struct run_result *run)
{
	json_t *o = json_object();
	int i, err = 0;

	for (i = 0; i < NIO_PERF_WINDOW_NR; i++)
		err |= json_put(o, perf_window__key((enum nio_perf_window)i),
				window_json(&run->perf_window[i]));
	return json_finish(o, err);
}

json_t *json_document__perf(const struct run_result *run)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "sender", side_json(run, NIO_SIDE_SENDER));
	err |= json_put(o, "receiver", side_json(run, NIO_SIDE_RECEIVER));
	err |= json_put(o, "derived", all_derived_json(run));
	err |= json_put(o, "stages", windows_json(run));
	err |= json_put(o, "events", events_json(run));
	return json_finish(o, err);
}
