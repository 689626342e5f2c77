/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A document and a CSV file of a result with unique numbers, read back as the data set of reports
 * and comparisons. Golden files; UPDATE_GOLDEN=1 rewrites them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/dataset.h"
#include "support/import_csv.h"
#include "support/test.h"
#include "write/json.h"
#include "write/output.h"
#include "support/full_result.h"
#include "support/golden.c"

static void add_stack(struct run_result *run, const char *frames, uint64_t count)
{
	char text[64];
	const struct profile_stack stack = {
		.frames = text, .owner = NIO_SAMPLE_RECEIVER, .count = count};

	snprintf(text, sizeof(text), "%s", frames);
	profile__add(&run->cpu.profile, &stack);
}

static void put_row(FILE *f, const struct dataset_row *row)
{
	fprintf(f, "%s %llu %u %u, %s\n", mode__name(row->mode), (unsigned long long)row->size,
		row->threads, row->round, row->verdict ? row->verdict : "no verdict");
	for (int m = 0; m < METRIC_NR; m++)
		if (!isnan(row->value[m]))
			fprintf(f, "%s: %.9g\n", metric__words((enum metric)m), row->value[m]);
}

static void put_hist(FILE *f, const struct dataset_hist *h)
{
	fprintf(f, "hist %d of %s %llu %u:", h->kind, mode__name(h->mode),
		(unsigned long long)h->size, h->threads);
	for (size_t i = 0; i < h->buckets_nr; i++)
		fprintf(f, " %g-%g:%g", h->buckets[i].low, h->buckets[i].high, h->buckets[i].count);
	fputc('\n', f);
}

static void put_profile(FILE *f, const struct dataset_profile *p)
{
	fprintf(f, "profile of %s %llu %u:", mode__name(p->mode), (unsigned long long)p->size,
		p->threads);
	for (size_t i = 0; i < p->profile.nr; i++)
		fprintf(f, " %s=%llu", p->profile.stacks[i].frames,
			(unsigned long long)p->profile.stacks[i].count);
	fputc('\n', f);
}

static void put_json(FILE *f, const char *name, const json_t *o)
{
	fprintf(f, "%s: ", name);
	json_dumpf(o, f, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY);
	fputc('\n', f);
}

static char *dataset_text(const struct dataset *d)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	fprintf(f, "%zu runs\n", d->rows_nr);
	put_row(f, &d->rows[0]);
	for (size_t i = 0; i < d->hists_nr; i++)
		put_hist(f, &d->hists[i]);
	for (size_t i = 0; i < d->profiles_nr; i++)
		put_profile(f, &d->profiles[i]);
	for (int m = 0; m < METRIC_NR; m++)
		if (d->reason[m])
			fprintf(f, "no %s: %s\n", metric__words((enum metric)m), d->reason[m]);
	put_json(f, "environment", d->environment);
	put_json(f, "settings", d->conditions);
	fprintf(f, "by %s, %s; interrupted %u; varies %d\n", d->version ? d->version : "?",
		d->backend ? d->backend : "?", d->interrupted, d->environment_varies);
	fclose(f);
	return text;
}

/* Adds the document of a result, without the builder's version. */
static void add_document(struct dataset *d, const struct result *r, const char *name)
{
	char message[DATASET_MESSAGE_MAX] = "";
	json_t *document = json_document__result(r);

	json_object_set_new(json_object_get(document, "tool"), "version", json_string("0.1"));
	if (dataset__add_document(d, name, document, message))
		fail_msg("%s", message);
	json_decref(document);
}

static char *read_documents(void)
{
	struct dataset d = {0};
	struct full_result f;
	char *text;

	full_result__init(&f);
	f.runs[0].interrupted = true;
	f.runs[1].copies_per_byte = (struct real){.reason = "not known here"};
	add_stack(&f.runs[1], "entry;recvmsg", 5);
	add_stack(&f.runs[1], "entry", 6);
	add_document(&d, &f.result, "made-up.json");
	f.runs[0].round = f.runs[1].round = 2;
	add_document(&d, &f.result, "again.json");
	dataset__finish(&d, 7);
	text = dataset_text(&d);
	dataset__clear(&d);
	full_result__clear(&f);
	return text;
}

static char *read_csv(void)
{
	char message[DATASET_MESSAGE_MAX] = "", *text = NULL;
	struct dataset d = {0};
	struct full_result f;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	assert_non_null(stream);
	full_result__init(&f);
	f.runs[1].duration_ns = 0; /* then the default is used */
	assert_int_equal(output__csv(&f.result, stream), 0);
	fclose(stream);
	if (import_csv(&d, "made-up.csv", text, len, message))
		fail_msg("%s", message);
	free(text);
	dataset__finish(&d, 7);
	text = dataset_text(&d);
	dataset__clear(&d);
	full_result__clear(&f);
	return text;
}

/* The golden file of the CSV has the differences from the document. */
TEST(document_and_csv_are_read_back_as_in_their_golden_files)
{
	char *document = read_documents(), *csv = read_csv();

	golden__check("read-back", document);
	golden__check_changes("read-back-csv", csv, document);
	free(document);
	free(csv);
}
