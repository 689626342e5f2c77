/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result document (--json): the session, its probes, its runs and their summary.
 * docs/reference/run.md describes every field. json_run.c has the fields of a run.
 */
#include <errno.h>

#include "field.h"
#include "output.h"

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

/* clang-format off */
#define TOOL_FIELDS(X)                                                               \
	X(text, "version", "text",         r->version)                               \
	X(json, "argv",    "list of text", json_value__texts((size_t)r->argc, r->argv)) \
	X(text, "backend", "text",         r->backend)                               \
	X(u64,  "probes",  "count",        r->probes)
FIELDS(tool, (const struct result *r), TOOL_FIELDS)

#define ASKED_FIELDS(X)                                                              \
	X(u64,  "rounds",           "count", r->rounds)                              \
	X(real, "round_duration_s", "s",     limit_by_duration(r))                   \
	X(num,  "messages",         "count", limit_by_messages(r))
FIELDS(asked, (const struct result *r), ASKED_FIELDS)

#define PLAN_ROW_FIELDS(X)                                                           \
	X(text, "probe",       "text",       row->probe)                             \
	X(text, "stage",       "text",       row->stage)                             \
	X(text, "backend",     "text",       row->backend)                           \
	X(text, "hook",        "text",       row->hook)                              \
	X(text, "programs",    "text",       row->programs)                          \
	X(text, "quality",     "text",       quality__name(row->quality))            \
	X(text, "reason",      "text",       row->reason)                            \
	X(text, "remedy",      "text",       row->remedy)                            \
	X(json, "modes",       "text",       json_value__modes(row->modes))          \
	X(bool, "timed_round", "true/false", row->apart)
DOCUMENT_FIELDS(plan_row, (const struct plan_row *row), PLAN_ROW_FIELDS)

#define RESULT_FIELDS(X)                                                             \
	X(text,      "schema",      "text",       RESULT_SCHEMA)                     \
	X(bool,      "interrupted", "true/false", r->interrupted)                    \
	X(text,      "failure",     "text",       r->failure[0] ? r->failure : NULL) \
	X(object,    "tool",        tool, r)                                         \
	X(object,    "asked",       asked, r)                                        \
	X(document,  "environment", environment, &r->env)                            \
	X(document,  "settings",    settings, r, &r->traffic)                        \
	X(documents, "plan",        plan_row, r->plan_nr, &r->plan[i])               \
	X(documents, "runs",        run, r->runs_nr, &r->runs[i])                    \
	X(documents, "summary",     summary, r->summary_nr < MODE_NR ? r->summary_nr : MODE_NR, &r->summary[i])
DOCUMENT_FIELDS(result, (const struct result *r), RESULT_FIELDS)
/* clang-format on */

/* ASCII only, because documents are also printed on terminals (C1 controls, direction marks). */
#define DUMP_FLAGS (JSON_ENCODE_ANY | JSON_ENSURE_ASCII)

static void dump(FILE *f, const json_t *value, int depth);

static void dump_separator(FILE *f, bool first, int depth)
{
	fprintf(f, "%s\n%*s", first ? "" : ",", 2 * depth, "");
}

static void dump_object(FILE *f, const json_t *object, int depth)
{
	json_t *value;
	bool first = true;
	const char *key;

	fputc('{', f);
	/* jansson's iterators take a mutable object and do not change it. */
	json_object_foreach((json_t *)object, key, value) {
		json_t *text = json_string(key);

		dump_separator(f, first, depth + 1);
		json_dumpf(text, f, DUMP_FLAGS);
		json_decref(text);
		fputs(": ", f);
		dump(f, value, depth + 1);
		first = false;
	}
	dump_separator(f, true, depth);
	fputc('}', f);
}

static void dump_array(FILE *f, const json_t *array, int depth)
{
	fputc('[', f);
	for (size_t i = 0; i < json_array_size(array); i++) {
		dump_separator(f, i == 0, depth + 1);
		dump(f, json_array_get(array, i), depth + 1);
	}
	dump_separator(f, true, depth);
	fputc(']', f);
}

/* Indented, but for lists of anything but objects: a histogram is a line, not a thousand. */
static void dump(FILE *f, const json_t *value, int depth)
{
	if (json_is_object(value))
		dump_object(f, value, depth);
	else if (json_is_object(json_array_get(value, 0)))
		dump_array(f, value, depth);
	else
		json_dumpf(value, f, DUMP_FLAGS | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
}

int output__flush(FILE *f)
{
	/* A failed write set errno; what followed it on the same stream fails for the same reason.
	 */
	if (fflush(f) || ferror(f))
		return errno ? -errno : -EIO;
	return 0;
}

int json_document__write(FILE *f, const json_t *document)
{
	errno = 0;
	dump(f, document, 0);
	fputc('\n', f);
	return output__flush(f);
}

int output__json(const struct result *r, FILE *f)
{
	json_t *document = json_document__result(r);
	int err = json_document__write(f, document);

	json_decref(document);
	return err;
}
