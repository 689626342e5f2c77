/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result document (--json): the session, its probes, its runs and their summary.
 * docs/reference/run.md describes every field. json_run.c has the fields of a run.
 */
#include <errno.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "field.h"
#include "json.h"
#include "output.h"

/* clang-format off */
#define TOOL_FIELDS(X)                                                               \
	X(text, "version", "text",         r->version)                               \
	X(json, "argv",    "list of text", json_value__texts((size_t)r->argc, r->argv)) \
	X(text, "backend", "text",         r->backend)                               \
	X(u64,  "probes",  "count",        r->probes)
FIELDS(tool, (const struct result *r), TOOL_FIELDS)

#define ASKED_FIELDS(X)                                                              \
	X(u64,  "rounds",           "count", r->rounds)                              \
	X(real, "round_duration_s", "s",                                             \
	  real_or(r->round_duration_ns, (double)r->round_duration_ns / 1e9,          \
		  "the limit is a number of messages"))                              \
	X(num,  "messages",         "count", num_or(r->messages, r->messages, "the limit is a duration"))
FIELDS(asked, (const struct result *r), ASKED_FIELDS)

#define PLAN_ROW_FIELDS(X)                                                           \
	X(text, "probe",       "text",       row->probe)                             \
	X(text, "stage",       "text",       row->stage)                             \
	X(text, "backend",     "text",       row->backend)                           \
	X(text, "hook",        "text",       row->hook)                              \
	X(text, "programs",    "text",       *row->programs ? row->programs : NULL)                          \
	X(text, "quality",     "text",       quality__name(row->quality))            \
	X(text, "reason",      "text",       row->reason)                            \
	X(text, "remedy",      "text",       row->remedy)                            \
	X(json, "modes",       "text",       json_value__modes(row->modes))          \
	X(bool, "timed_round", "true/false", row->apart)
DOCUMENT_FIELDS(plan_row, (const struct plan_row *row), PLAN_ROW_FIELDS)

#define FOLLOWED_FIELDS(X)                                                           \
	X(text,      "mode",         "text",  mode__name(m->mode))                   \
	X(bare_real, "own_per_byte", "real",  m->own)                                \
	X(bare_real, "per_byte",     "real",  m->sent.per_byte)                      \
	X(bare_real, "low",          "real",  real_if(m->sent.per_byte.known, m->sent.low)) \
	X(bare_real, "high",         "real",  real_if(m->sent.per_byte.known, m->sent.high)) \
	X(u64,       "followed",     "count", m->sent.bytes)                         \
	X(u64,       "unknown",      "count", m->sent.unknown)                       \
	X(text,      "function",     "text",  m->sent.function[0] ? m->sent.function : NULL) \
	X(reason,    "reason",       m->sent.per_byte.known ? NULL : m->sent.why)
FIELDS(followed, (const struct followed_mode *m), FOLLOWED_FIELDS)

#define RESULT_FIELDS(X)                                                             \
	X(text,      "schema",      "text",       RESULT_SCHEMA)                     \
	X(bool,      "interrupted", "true/false", r->interrupted)                    \
	X(text,      "failure",     "text",       r->failure[0] ? r->failure : NULL) \
	X(object,    "tool",        tool, r)                                         \
	X(object,    "asked",       asked, r)                                        \
	X(document,  "environment", environment, &r->env)                            \
	X(document,  "settings",    settings, r, &r->workload)                        \
	X(documents, "plan",        plan_row, r->plan_nr, &r->plan[i])               \
	X(documents, "runs",        run, r->runs_nr, &r->runs[i])                    \
	X(list,      "followed",    followed, r->followed_nr, &r->followed[i])       \
	X(documents, "summary",     summary, r->summary_nr < MODE_NR ? r->summary_nr : MODE_NR, &r->summary[i])
DOCUMENT_FIELDS(result, (const struct result *r), RESULT_FIELDS)
/* clang-format on */

/* ASCII only, because documents are also printed on terminals (C1 controls, direction marks). */
#define DUMP_FLAGS (JSON_ENCODE_ANY | JSON_ENSURE_ASCII)

static void begin_line(FILE *f, bool first, int depth)
{
	fprintf(f, "%s\n%*s", first ? "" : ",", 2 * depth, "");
}

/* Indented, but for lists of anything but objects: a histogram is a line, not a thousand. */
static void dump(FILE *f, const json_t *value, int depth)
{
	bool is_object = json_is_object(value), first = true;
	const char *key;
	json_t *member, *text;

	if (!is_object && !json_is_object(json_array_get(value, 0))) {
		json_dumpf(value, f, DUMP_FLAGS | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
		return;
	}
	fputc(is_object ? '{' : '[', f);
	/* jansson's iterators take a mutable object and do not change it. */
	json_object_foreach((json_t *)value, key, member) {
		begin_line(f, first, depth + 1);
		text = json_string(key);
		json_dumpf(text, f, DUMP_FLAGS);
		json_decref(text);
		fputs(": ", f);
		dump(f, member, depth + 1);
		first = false;
	}
	for (size_t i = 0; i < json_array_size(value); i++) {
		begin_line(f, i == 0, depth + 1);
		dump(f, json_array_get(value, i), depth + 1);
	}
	begin_line(f, true, depth);
	fputc(is_object ? '}' : ']', f);
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

/* Bounds what a file can cost; 2048 places of follow with deep stacks have less. */
#define DOCUMENT_BYTES_MAX (16 << 20)

struct source {
	int fd;
	size_t left;
};

static size_t next_bytes(void *buf, size_t len, void *arg)
{
	struct source *s = arg;
	ssize_t n;

	do
		n = read(s->fd, buf, len);
	while (n < 0 && errno == EINTR);
	if (n < 0 || (size_t)n > s->left)
		return (size_t)-1;
	s->left -= (size_t)n;
	return (size_t)n;
}

json_t *json_document__read(int fd)
{
	struct source source = {fd, DOCUMENT_BYTES_MAX};

	return json_load_callback(next_bytes, &source, JSON_REJECT_DUPLICATES, NULL);
}

char *json_document__line(const json_t *document)
{
	size_t len;
	char *text;
	FILE *f = xopen_memstream(&text, &len);

	json_dumpf(document, f, DUMP_FLAGS | JSON_COMPACT | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
	fputc('\n', f);
	xclose_memstream(f);
	return text;
}

int output__json(const struct result *r, FILE *f)
{
	json_t *document = json_document__result(r);
	int err = json_document__write(f, document);

	json_decref(document);
	return err;
}
