/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whole documents of results with unique numbers, as golden files: a wrong place or value changes a
 * file. UPDATE_GOLDEN=1 rewrites them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "write/json.h"
#include "write/output.h"
#include "support/csv_text.h"
#include "support/full_result.h"
#include "support/golden.c"
#include "support/golden_document.h"

/* Of the last run and summary; the builder's version is left out. */
static json_t *document_of(const struct result *r)
{
	json_t *document = json_document__result(r);
	json_t *runs = json_object_get(document, "runs");
	json_t *summary = json_object_get(document, "summary");

	json_object_del(json_object_get(document, "tool"), "version");
	while (json_array_size(runs) > 1)
		json_array_remove(runs, 0);
	while (json_array_size(summary) > 1)
		json_array_remove(summary, 0);
	return document;
}

/* Removes the total of the summary from a document. */
static json_t *remove_total(json_t *document)
{
	json_t *summary = json_array_get(json_object_get(document, "summary"), 0);
	json_t *total = json_incref(json_object_get(summary, "total"));

	json_object_del(summary, "total");
	return total;
}

/* base NULL: all. Else the differences from base. A total as its differences from the run. */
static void check(const char *name, const struct result *r, const struct result *base)
{
	json_t *document = document_of(r), *other = base ? document_of(base) : NULL;
	json_t *run = json_array_get(json_object_get(document, "runs"), 0);
	json_t *total = remove_total(document);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	if (other)
		json_decref(remove_total(other));
	golden_document__put(f, "", document, other);
	golden_document__put(f, "summary[0].total", total, run);
	fclose(f);
	golden__check(name, text);
	free(text);
	json_decref(total);
	json_decref(document);
	json_decref(other);
}

TEST(full_result_matches_its_golden_file)
{
	struct full_result f;

	full_result__init(&f);
	check("document-full", &f.result, NULL);
	full_result__clear(&f);
}

static void check_differences(const char *name, const struct result *r)
{
	struct full_result f;

	full_result__init(&f);
	check(name, r, &f.result);
	full_result__clear(&f);
}

/* Every other stage and counter is known less well, in different ways. */
static void mix_numbers(struct run_result *run)
{
	static const char *const reasons[] = {"the first reason", "the second", "a third"};

	for (int i = 0; i < NIO_STAGE_NR; i++) {
		struct stage_result *s = &run->stages[i];

		s->quality = (enum quality)(i % (QUALITY_SAMPLED + 1));
		s->reason = s->quality == QUALITY_EXACT ? NULL : reasons[i % 3];
		s->no_events = i % 3 == 1 ? "no event is attached" : NULL;
		s->timed_bytes = i % 2 ? known(700 + (uint64_t)i) : (struct num){0};
		if (i % 5 == 4)
			s->ns = s->timed = (struct num){.reason = "no clock"};
	}
	for (int i = 0; i < PERF_NR; i++) {
		if (i % 2)
			run->perf[NIO_SIDE_SENDER][i] = (struct num){.reason = reasons[i % 3]};
		else
			run->perf[NIO_SIDE_SENDER][i].reason = "scaled up";
		run->perf_detail[NIO_SIDE_RECEIVER][i].running =
			(struct real){.reason = "the share is not told"};
		run->perf_detail[NIO_SIDE_RECEIVER][i].user = (struct num){.reason = "no user"};
	}
	run->perf_asked[0].count[NIO_SIDE_SENDER] = (struct num){.reason = "no such event"};
	for (int i = 1; i < PATH_NR; i += 2)
		run->path_ns[i] = (struct num){.reason = reasons[i % 3]};
}

/* Numbers of timed rounds, and those that a run of the sender alone lacks. */
static void mix_sources(struct run_result *run)
{
	run->interrupted = run->request_response = run->sender_side = true;
	run->connections = 12;
	run->times = (struct times_result){.source = TIMES_FROM_TIMED_ROUND,
					   .duration_ns = 250000000,
					   .messages = 61,
					   .payload = 62,
					   .calls = 64,
					   .missed = known(63),
					   .map_full = {.reason = "no map"},
					   .unmatched = known(65)};
	run->app.rx_reason = "the receiver is not ours";
	run->app.tcp_received_reason = "not asked";
	run->app.replies.tx_bytes = (struct num){.reason = "the receiver is not ours"};
	run->app.verify_errors = known(9);
	run->app.receiver_cpu_ns = (struct num){.reason = "it runs elsewhere"};
	run->sequence.source = NULL;
	run->sequence.tx_retrans = (struct num){.reason = "not told"};
	run->sequence.rx_bytes = (struct num){.reason = "on another machine"};
	run->health.coverage = (struct real){.reason = "nothing was sent"};
	run->health.attached_ns = 100;
	run->health.phase_ns = 400;
	run->copies_per_byte = run->copies_per_byte_at_most = (struct real){.reason = "unbounded"};
	run->verdict.copied_fraction = (struct real){.reason = "no completion"};
	run->places_reason = "no hook tells";
	run->places_nr = 0;
	hist__free(run->app.latency[1].hist);
	run->app.latency[1] = (struct latency_result){.reason = "no stamps"};
}

static void add_stack(struct run_result *run, const char *frames, enum nio_sample_owner owner,
		      uint64_t count)
{
	char text[64];

	snprintf(text, sizeof(text), "%s", frames);
	profile__add(&run->cpu.profile,
		     &(struct profile_stack){.frames = text, .owner = owner, .count = count});
}

static void mix(struct full_result *f)
{
	struct run_result *run = &f->runs[1], *total = &f->result.summary[1].total;

	mix_numbers(run);
	mix_sources(run);
	mix_numbers(total);
	add_stack(run, "entry;sendmsg", NIO_SAMPLE_SENDER, 7);
	add_stack(run, "entry;recvmsg", NIO_SAMPLE_RECEIVER, 8);
	add_stack(total, "entry;sendmsg", NIO_SAMPLE_SENDER, 9);
	add_stack(total, "entry;recvmsg", NIO_SAMPLE_RECEIVER, 10);
	add_stack(&f->result.summary[0].total, "idle", NIO_SAMPLE_SENDER, 11);
}

TEST(partly_known_result_matches_its_golden_file)
{
	struct full_result f;

	full_result__init(&f);
	mix(&f);
	snprintf(f.result.failure, sizeof(f.result.failure), "x");
	check_differences("document-mixed", &f.result);
	full_result__clear(&f);
}

/* Numbers of an unwatched stage are null, whatever the result holds. */
TEST(unwatched_completions_match_their_golden_file)
{
	struct full_result f;

	full_result__init(&f);
	f.runs[1].kernel_zc_known = f.runs[1].ledger_known = f.runs[1].balance_known = false;
	f.runs[1].ledger_reason = "backend none";
	f.runs[1].sequence.tx_ids = (struct num){.reason = "not told"};
	f.runs[1].times.source = TIMES_NOT_TAKEN;
	strcpy(f.runs[1].times.reason, "no rounds of their own");
	f.runs[1].stages[NIO_STAGE_TX_PIN].no_events = "no event of pinning";
	f.result.summary[1].total.sequence.tx_ids = (struct num){.reason = "not told"};
	f.result.summary[1].total.stages[NIO_STAGE_TX_PIN].no_events = "no event of pinning";
	check_differences("document-unwatched", &f.result);
	full_result__clear(&f);
}

static char *written(const struct result *r, int (*write)(const struct result *r, FILE *f))
{
	char *text = NULL;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	assert_non_null(stream);
	assert_int_equal(write(r, stream), 0);
	fclose(stream);
	return text;
}

/* The golden files above hold the values; the first ones are written out. */
static void check_csv(const struct result *r, const char *first_row)
{
	json_t *environment = json_document__environment(&r->env);
	char *text = written(r, output__csv), *rest = text;
	struct csv_text_row header, row;

	assert_non_null(strstr(text, first_row));
	csv_text__row(&header, &rest);
	for (size_t i = 0; i < r->runs_nr; i++) {
		json_t *run = json_document__run(&r->runs[i]);

		csv_text__row(&row, &rest);
		assert_int_equal(row.nr, header.nr);
		csv_text__compare(&header, &row, run, "", "_");
		csv_text__compare(&header, &row, environment, "environment_", "_");
		assert_int_equal(row.compared, row.nr);
		json_decref(run);
	}
	assert_string_equal(rest, "");
	json_decref(environment);
	free(text);
}

/* tests/analysis reads it, and the document's golden file, as the same data set. */
TEST(csv_of_a_full_result_matches_its_golden_file)
{
	struct full_result f;
	char *text;

	full_result__init(&f);
	text = written(&f.result, output__csv);
	golden__check("csv-full", text);
	free(text);
	full_result__clear(&f);
}

TEST(csv_has_the_values_of_the_document_in_its_order)
{
	struct full_result f;

	full_result__init(&f);
	check_csv(&f.result, "mode,size,fields,threads,connections,round,duration_s,interrupted,"
			     "app_tx_bytes,app_tx_messages,app_rx_bytes,app_rx_messages,"
			     "app_rx_uncopied_bytes,app_throughput_gbps,");
	check_csv(&f.result, "\ntwocopy,65536,8,1,0,1,1.0,false,1000000001,15258,1000000000,15257,"
			     ",8.0,4,5,6,,0.1,0.15,0.25,8001,8002,0,8004,8005,7001,7002,7003,101,"
			     "100,75,25,3,196608,");
	mix(&f);
	check_csv(&f.result, "\nzerocopy,65536,8,1,12,1,1.0,true,1000000001,15258,,,,");
	full_result__clear(&f);
}

TEST(folded_stacks_match_their_golden_file)
{
	struct full_result f;
	char *text;

	full_result__init(&f);
	mix(&f);
	text = written(&f.result, output__folded);
	golden__check("document-folded", text);
	free(text);
	full_result__clear(&f);
}

TEST(full_disk_gives_ENOSPC_in_every_output)
{
	FILE *full = fopen("/dev/full", "w");
	json_t *o = json_pack("{s:i}", "a", 1);
	struct full_result f;

	assert_non_null(full);
	full_result__init(&f);
	mix(&f);
	assert_int_equal(output__csv(&f.result, full), -ENOSPC);
	assert_int_equal(output__folded(&f.result, full), -ENOSPC);
	assert_int_equal(json_document__write(full, o), -ENOSPC);
	assert_int_equal(output__json(&f.result, full), -ENOSPC);
	full_result__clear(&f);
	json_decref(o);
	fclose(full);
}

/* The number of summaries is bounded. */
TEST(summary_has_at_most_every_mode_once)
{
	struct full_result f;
	json_t *document;

	full_result__init(&f);
	run_result__init(&f.result.summary[2].total);
	f.result.summary_nr = MODE_NR + 1;
	document = json_document__result(&f.result);
	assert_int_equal(json_array_size(json_object_get(document, "summary")), MODE_NR);
	json_decref(document);
	run_result__clear(&f.result.summary[2].total);
	full_result__clear(&f);
}
