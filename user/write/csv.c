/* SPDX-License-Identifier: GPL-2.0-only */
/* CSV from JSON objects, and of a result a row per run; see csv.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/receive_way.h"
#include "csv.h"
#include "json.h"
#include "model/perf_figures.h"
#include "output.h"

#define COLUMN_MAX 128

void csv__put_text(FILE *f, const char *text)
{
	bool quoted = strpbrk(text, ",\"\n") != NULL;
	size_t n;

	if (quoted)
		fputc('"', f);
	if (*text && strchr("=+-@", *text))
		fputc('\'', f);
	for (; *text; text += n ? n : 1) {
		n = *text == '\n' ? 1 : printable__length(text);
		if (*text == '"')
			fputc('"', f);
		if (n)
			fwrite(text, 1, n, f);
		else
			fputc('?', f);
	}
	if (quoted)
		fputc('"', f);
}

/* Numbers as in the JSON document, independent of the locale's decimal point. */
static void put_value(FILE *f, const json_t *value)
{
	char *text;

	if (json_is_string(value)) {
		csv__put_text(f, json_string_value(value));
	} else if (value && !json_is_null(value)) {
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
		fputs(text, f);
		free(text);
	}
}

void csv__put_object(struct csv *csv, const json_t *shape, const json_t *object, const char *prefix)
{
	const struct field *fields = csv->fields, *field;
	struct field family[2];
	char name[COLUMN_MAX];
	const char *key;
	json_t *member, *value;

	/* jansson's iterators take a mutable object and do not change it. */
	json_object_foreach((json_t *)shape, key, member) {
		if (json_is_array(member) || json_key__is_reason(key))
			continue;
		field = field__of(fields, key);
		value = json_object_get(object, key);
		snprintf(name, sizeof(name), "%s%s%s", prefix, prefix[0] ? csv->between : "", key);
		if (json_is_object(member)) {
			csv->fields = field__below(field, family);
			csv__put_object(csv, member, value, name);
			csv->fields = fields;
			continue;
		}
		if (csv->table) {
			fprintf(csv->f, "column\t%s\t%s\n", name,
				field && field->unit ? field->unit : "");
			continue;
		}
		if (csv->continues)
			fputc(',', csv->f);
		csv->continues = true;
		if (csv->header)
			csv__put_text(csv->f, name);
		else
			put_value(csv->f, value);
	}
}

void csv__end_row(struct csv *csv)
{
	fputc('\n', csv->f);
	csv->continues = false;
}

/*
 * The columns of an empty run, so that the shape never changes. Without a run, writes
 * their names, or lines of output__tables().
 */
static int write_row(FILE *f, const json_t *run, const json_t *environment, bool table)
{
	static const struct environment nowhere;
	struct csv csv = {.f = f, .between = "_", .header = !run, .table = table};
	struct run_result empty;
	json_t *run_shape, *environment_shape = json_document__environment(&nowhere);

	errno = 0;
	run_result__init(&empty);
	run_shape = json_document__run(&empty);
	csv.fields = table ? run_fields : NULL;
	csv__put_object(&csv, run_shape, run, "");
	csv.fields = table ? environment_fields : NULL;
	csv__put_object(&csv, environment_shape, environment, "environment");
	if (!table)
		csv__end_row(&csv);
	json_decref(run_shape);
	json_decref(environment_shape);
	return output__flush(f);
}

int output__csv(const struct result *r, FILE *f)
{
	json_t *environment = json_document__environment(&r->env);
	int err = write_row(f, NULL, NULL, false);

	for (size_t i = 0; i < r->runs_nr && !err; i++) {
		json_t *run = json_document__run(&r->runs[i]);

		err = write_row(f, run, environment, false);
		json_decref(run);
	}
	json_decref(environment);
	return err;
}

#define PUT(table, nr, key, words)              \
	for (unsigned int i = 0; i < (nr); i++) \
	fprintf(f, table "\t%s\t%s\n", key(i), words)

int output__tables(FILE *f)
{
	PUT("mode", MODE_NR, mode__name, mode__words(i));
	PUT("receive", RECEIVE_NR, receive__name, receive__words(i));
	PUT("stage", NIO_STAGE_NR, stage__key, stage__help(i));
	PUT("latency", LATENCY_NR, latency__key, latency__help(i));
	PUT("part", PATH_NR, path_part__key, "");
	PUT("counter", PERF_NR, perf_counter__key, perf_counter__words(i));
	PUT("derived", DERIVED_NR, perf_derived__key, perf_derived__unit(i));
	PUT("class", CPU_CLASS_NR, cpu_class__key, cpu_class__help(i));
	return write_row(f, NULL, NULL, true);
}

/* As every flame-graph tool reads stacks: frames apart by ';' from the outermost, a space, how
 * often. */
void folded__write(FILE *f, const struct profile_stack *stack)
{
	fprintf(f, "%s %" PRIu64 "\n", stack->frames, stack->count);
}

/* The first two frames are the mode and whose CPU time it is. */
static void write_mode(const struct mode_summary *s, FILE *f)
{
	const struct profile *p = &s->total.cpu.profile;

	for (size_t i = 0; i < p->nr; i++) {
		fprintf(f, "%s;%s;", mode__name(s->mode), cpu_time__whose(p->stacks[i].owner));
		folded__write(f, &p->stacks[i]);
	}
}

int output__folded(const struct result *r, FILE *f)
{
	errno = 0;
	for (size_t i = 0; i < r->summary_nr; i++)
		write_mode(&r->summary[i], f);
	return output__flush(f);
}
