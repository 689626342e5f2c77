/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result document (--json): what a session was, what it could watch, its runs and their
 * summary. docs/OUTPUT.md describes every field. A run's own object is made in json_run.c.
 */
#include <errno.h>

#include "json.h"
#include "output.h"

static json_t *strings_json(int n, char *const *strings)
{
	json_t *array = json_array();
	int i, err = 0;

	for (i = 0; i < n; i++)
		err |= json_array_append_new(array, json_value__text(strings[i]));
	return json_finish(array, err);
}

static json_t *tool_json(const struct result *r)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "version", json_value__text(r->version));
	err |= json_put(o, "argv", strings_json(r->argc, r->argv));
	err |= json_put(o, "backend", json_value__text(r->backend));
	err |= json_put_u64(o, "probes", r->probes);
	return json_finish(o, err);
}

static struct num limit_by_messages(const struct result *r)
{
	return (struct num){
		.value = r->messages, .known = r->messages, .reason = "the limit is a duration"};
}

static struct real limit_by_duration(const struct result *r)
{
	return (struct real){
		.value = (double)r->round_duration_ns / 1e9,
		.known = r->round_duration_ns,
		.reason = "the limit is a number of messages",
	};
}

static json_t *asked_json(const struct result *r)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put_u64(o, "rounds", r->rounds);
	err |= json_put_real(o, "round_duration_s", limit_by_duration(r));
	err |= json_put_num(o, "messages", limit_by_messages(r));
	return json_finish(o, err);
}

json_t *json_document__plan_row(const struct plan_row *row)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "probe", json_value__text(row->probe));
	err |= json_put(o, "stage", json_value__text(row->stage));
	err |= json_put(o, "backend", json_value__text(row->backend));
	err |= json_put(o, "hook", json_value__text(row->hook));
	err |= json_put(o, "programs", json_value__text(row->programs));
	err |= json_put(o, "quality", json_value__text(quality__name(row->quality)));
	err |= json_put(o, "reason", json_value__text(row->reason));
	err |= json_put(o, "remedy", json_value__text(row->remedy));
	err |= json_put(o, "modes", json_value__modes(row->modes));
	err |= json_put(o, "timed_round", json_boolean(row->apart));
	return json_finish(o, err);
}

static json_t *plan_json(const struct result *r)
{
	json_t *array = json_array();
	size_t i;
	int err = 0;

	for (i = 0; i < r->plan_nr; i++)
		err |= json_array_append_new(array, json_document__plan_row(&r->plan[i]));
	return json_finish(array, err);
}

static json_t *runs_json(const struct result *r)
{
	json_t *array = json_array();
	size_t i;
	int err = 0;

	for (i = 0; i < r->runs_nr; i++)
		err |= json_array_append_new(array, json_document__run(&r->runs[i]));
	return json_finish(array, err);
}

static json_t *spread_json(const struct spread *s)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "median", s->n ? json_value__real(s->median) : json_null());
	err |= json_put(o, "low", s->n ? json_value__real(s->low) : json_null());
	err |= json_put(o, "high", s->n ? json_value__real(s->high) : json_null());
	err |= json_put_u64(o, "n", s->n);
	if (!s->n)
		err |= json_put(o, "reason", json_value__text("no round has a value"));
	return json_finish(o, err);
}

/* Lifts members of the total to the row itself, with the reason they may carry. */
static int put_from(json_t *row, json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);
	char reason[64];

	if (!value)
		return -1;
	snprintf(reason, sizeof(reason), "%s_reason", key);
	object = json_object_get(object, reason);
	return json_object_set(row, key, value) |
	       (object ? json_object_set(row, reason, object) : 0);
}

json_t *json_document__summary(const struct mode_summary *s)
{
	json_t *o = json_object(), *total = json_document__run(&s->total);
	json_t *app = json_object_get(total, "app"), *ledger = json_object_get(total, "ledger");
	int err = 0;

	err |= json_put(o, "mode", json_value__text(mode__name(s->mode)));
	err |= json_put_u64(o, "size", s->size);
	err |= json_put_u64(o, "threads", s->threads);
	err |= json_put_u64(o, "rounds", s->rounds);
	err |= json_put(o, "throughput_gbps", spread_json(&s->throughput_gbps));
	err |= json_put(o, "copies_per_byte", spread_json(&s->copies_per_byte));
	err |= json_put(o, "cpu_ns_per_kib", spread_json(&s->cpu_ns_per_kib));
	err |= put_from(o, json_object_get(total, "verdict"), "copied_fraction");
	err |= put_from(o, app, "cpu_s_per_gb");
	err |= put_from(o, ledger, "unaccounted_tx");
	err |= put_from(o, ledger, "unaccounted_rx");
	/* Stacks are long, and those of the runs are there. */
	err |= json_object_del(json_object_get(total, "cpu"), "stacks");
	/* The total's mode and size are the row's, and it belongs to no round. */
	err |= json_object_del(total, "mode") | json_object_del(total, "size") |
	       json_object_del(total, "threads") | json_object_del(total, "connections") |
	       json_object_del(total, "round");
	err |= json_put(o, "total", total);
	return json_finish(o, err);
}

static json_t *summaries_json(const struct result *r)
{
	json_t *array = json_array();
	size_t i;
	int err = 0;

	for (i = 0; i < r->summary_nr && i < MODE_NR; i++)
		err |= json_array_append_new(array, json_document__summary(&r->summary[i]));
	return json_finish(array, err);
}

json_t *json_document__result(const struct result *r)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "schema", json_value__text(RESULT_SCHEMA));
	err |= json_put(o, "interrupted", json_boolean(r->interrupted));
	err |= json_put(o, "failure", r->failure[0] ? json_value__text(r->failure) : json_null());
	err |= json_put(o, "tool", tool_json(r));
	err |= json_put(o, "asked", asked_json(r));
	err |= json_put(o, "environment", json_document__environment(&r->env));
	err |= json_put(o, "settings", json_document__settings(r));
	err |= json_put(o, "plan", plan_json(r));
	err |= json_put(o, "runs", runs_json(r));
	err |= json_put(o, "summary", summaries_json(r));
	return json_finish(o, err);
}

static int dump(FILE *f, const json_t *value, int depth);

static int dump_separator(FILE *f, bool first, int depth)
{
	return fprintf(f, "%s\n%*s", first ? "" : ",", 2 * depth, "") < 0 ? -1 : 0;
}

static int dump_key(FILE *f, const char *key)
{
	json_t *text = json_string(key);
	int err;

	err = json_dumpf(text, f, JSON_ENCODE_ANY);
	json_decref(text);
	return err || fputs(": ", f) < 0 ? -1 : 0;
}

static int dump_object(FILE *f, const json_t *object, int depth)
{
	/* jansson's iterators take a mutable object and do not change it. */
	json_t *o = (json_t *)object, *value;
	bool first = true;
	const char *key;

	if (fputc('{', f) == EOF)
		return -1;
	json_object_foreach(o, key, value) {
		if (dump_separator(f, first, depth + 1) || dump_key(f, key) ||
		    dump(f, value, depth + 1))
			return -1;
		first = false;
	}
	return dump_separator(f, true, depth) || fputc('}', f) == EOF ? -1 : 0;
}

static int dump_array(FILE *f, const json_t *array, int depth)
{
	size_t i;

	if (fputc('[', f) == EOF)
		return -1;
	for (i = 0; i < json_array_size(array); i++)
		if (dump_separator(f, i == 0, depth + 1) ||
		    dump(f, json_array_get(array, i), depth + 1))
			return -1;
	return dump_separator(f, true, depth) || fputc(']', f) == EOF ? -1 : 0;
}

/* Indented, but for lists of anything but objects: a histogram is a line, not a thousand. */
static int dump(FILE *f, const json_t *value, int depth)
{
	if (json_is_object(value))
		return dump_object(f, value, depth);
	if (json_is_object(json_array_get(value, 0)))
		return dump_array(f, value, depth);
	return json_dumpf(value, f, JSON_ENCODE_ANY | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
}

int json_document__write(FILE *f, const json_t *document)
{
	errno = 0;
	if (dump(f, document, 0) || fputc('\n', f) == EOF || fflush(f))
		return errno ? -errno : -EIO;
	return 0;
}

int output__json(const struct result *r, FILE *f)
{
	json_t *document = json_document__result(r);
	int err;

	if (!document)
		return -ENOMEM;
	err = json_document__write(f, document);
	json_decref(document);
	return err;
}
