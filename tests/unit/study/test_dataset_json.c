/* SPDX-License-Identifier: GPL-2.0-only */
/* Result documents read back: runs, histograms and stacks; damage is refused. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/dataset.h"
#include "support/golden.c"
#include "support/record.h"
#include "support/test.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9 * (1 + fabs(b)))

static char message[DATASET_MESSAGE_MAX];

/* The data set of a DATASET_TEST, empty at first. */
static struct dataset set;

static int begin(void **state)
{
	(void)state;
	set = (struct dataset){0};
	return 0;
}

static int end(void **state)
{
	(void)state;
	dataset__clear(&set);
	return 0;
}

#define DATASET_TEST(name) TEST_WITH(name, begin, end)

static json_t *parsed(const char *text)
{
	json_t *o = json_loads(text, 0, NULL);

	assert_non_null(o);
	return o;
}

#define RUN_BUCKETS                                                                          \
	"{\"schema\":\"netiotrace.result/1\",\"runs\":[{\"mode\":\"onecopy\",\"size\":4096," \
	"\"threads\":1,\"round\":%d,\"ledger\":{\"tx_copy\":{\"ns_buckets\":[[8,8,%d],"      \
	"[100,109,5]],\"bytes\":null,\"reason\":\"no hook\"}},\"perf\":{\"sender\":"         \
	"{\"cycles\":{\"value\":null,\"scaled\":null,\"reason\":\"no PMU\"}}}}]}"

DATASET_TEST(histograms_of_rounds_are_added)
{
	char text[1024];
	json_t *o;
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), RUN_BUCKETS, i, 10 + i);
		o = parsed(text);
		assert_int_equal(dataset__add_document(&set, "x", o, message), 0);
		json_decref(o);
	}
	assert_int_equal(set.hists_nr, 1);
	assert_int_equal(set.hists[0].kind, DATASET_HIST_STAGE + NIO_STAGE_TX_COPY);
	assert_int_equal(set.hists[0].buckets_nr, 2);
	NEAR(set.hists[0].buckets[0].count, 21.0);
	NEAR(set.hists[0].buckets[1].count, 10.0);
	assert_string_equal(set.reason[METRIC_BYTES_TX_COPY], "no hook");
	assert_string_equal(set.reason[METRIC_S_CYCLES], "no PMU");
}

/* A run of an earlier version, then one whose receiver did not report it, then one with it. */
DATASET_TEST(documents_with_and_without_recv_call_are_read_together)
{
	static const char *const recv_calls[] = {
		"",
		",\"recv_call\":{\"p50\":null,\"buckets\":[],\"reason\":\"another machine\"}",
		",\"recv_call\":{\"p50\":700,\"p99\":900,\"buckets\":[[700,700,2]]}",
	};
	char text[512];
	json_t *o;

	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof(text),
			 "{\"schema\":\"netiotrace.result/1\",\"runs\":[{\"mode\":\"onecopy\","
			 "\"size\":4096,\"threads\":1,\"round\":%d,\"app\":{\"latency_ns\":"
			 "{\"delivery\":{\"p50\":50}%s}}}]}",
			 i, recv_calls[i]);
		o = parsed(text);
		assert_int_equal(dataset__add_document(&set, "x", o, message), 0);
		json_decref(o);
		NEAR(set.rows[i].value[METRIC_DELIVERY_P50], 50.0);
	}
	assert_true(isnan(set.rows[0].value[METRIC_RECV_P50]));
	assert_true(isnan(set.rows[1].value[METRIC_RECV_P50]));
	NEAR(set.rows[2].value[METRIC_RECV_P50], 700.0);
	NEAR(set.rows[2].value[METRIC_RECV_P99], 900.0);
	assert_string_equal(set.reason[METRIC_RECV_P50], "another machine");
	assert_int_equal(set.hists_nr, 1);
	assert_int_equal(set.hists[0].kind, DATASET_HIST_LATENCY + LATENCY_RECV_CALL);
}

DATASET_TEST(foreign_documents_are_refused)
{
	static const char *const documents[] = {
		"{}",
		"[]",
		"{\"schema\":\"other/1\",\"runs\":[]}",
		"{\"schema\":\"netiotrace.result/2\",\"runs\":[]}",
		"{\"schema\":\"netiotrace.result/1\"}",
		"{\"schema\":\"netiotrace.result/1\",\"runs\":[{}]}",
		"{\"schema\":\"netiotrace.result/1\",\"runs\":[{\"mode\":\"x\",\"size\":1}]}",
		"{\"schema\":\"netiotrace.result/1\",\"runs\":[{\"mode\":\"onecopy\"}]}",
		"{\"schema\":\"netiotrace.result/1\",\"runs\":[7]}",
	};
	json_t *o;
	size_t i;

	for (i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		o = parsed(documents[i]);
		message[0] = '\0';
		assert_int_equal(dataset__add_document(&set, "x", o, message), -EINVAL);
		assert_true(*message);
		record("%s\n", message);
		json_decref(o);
	}
	assert_int_equal(set.rows_nr, 0);
}

#define RUN_FIGURES                                                                          \
	"{\"schema\":\"netiotrace.result/1\",\"runs\":[{\"mode\":\"onecopy\",\"size\":4096," \
	"\"threads\":1,\"round\":%d,\"app\":{\"rx_bytes\":%s,\"throughput_gbps\":%s}}]}"

/* Adds a document with these runs. Returns the result of dataset__add_document(). */
static int add_figures(struct dataset *d, int round, const char *rx_bytes, const char *gbps)
{
	char text[512];
	json_t *o;
	int err;

	snprintf(text, sizeof(text), RUN_FIGURES, round, rx_bytes, gbps);
	o = parsed(text);
	err = dataset__add_document(d, "x", o, message);
	json_decref(o);
	return err;
}

DATASET_TEST(copied_run_is_found)
{
	/* A repeated round number alone is no copy: two programs may each have counted from 1. */
	assert_int_equal(add_figures(&set, 1, "4096", "1"), 0);
	assert_int_equal(add_figures(&set, 1, "4096", "2"), 0);
	assert_int_equal(add_figures(&set, 2, "4096", "1"), 0);
	assert_int_equal(add_figures(&set, 3, "null", "null"), 0);
	assert_int_equal(add_figures(&set, 3, "null", "null"), 0);
	dataset__finish(&set, 1);
	assert_null(dataset__copy(&set));
	/* Other runs of the same round in between do not matter. */
	assert_int_equal(add_figures(&set, 2, "4095", "1"), 0);
	assert_int_equal(add_figures(&set, 2, "4096", "3"), 0);
	assert_int_equal(add_figures(&set, 2, "4096", "1"), 0);
	dataset__finish(&set, 1);
	assert_non_null(dataset__copy(&set));
	assert_int_equal(dataset__copy(&set)->round, 2);
	/* Another format may have rounded numbers. */
	for (size_t i = 0; i < set.rows_nr; i++)
		set.rows[i].ours = false;
	assert_null(dataset__copy(&set));
}

DATASET_TEST(figures_must_be_numbers_or_null)
{
	static const char *const none[] = {"\"4096\"", "true", "[4096]", "{}"};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_int_equal(add_figures(&set, 1, none[i], "1"), -EINVAL);
		assert_non_null(strstr(message, "not a number"));
		dataset__clear(&set);
	}
	assert_int_equal(add_figures(&set, 1, "null", "1"), 0);
}

TEST(figures_must_be_an_object_or_null)
{
	static const char *const apps[] = {"\"4096\"", "4096", "[]", "null", "{}"};
	struct dataset d = {0};
	char text[256];
	json_t *o;

	for (size_t i = 0; i < sizeof(apps) / sizeof(apps[0]); i++) {
		snprintf(text, sizeof(text),
			 "{\"schema\":\"netiotrace.result/1\",\"runs\":[{\"mode\":\"onecopy\","
			 "\"size\":4096,\"app\":%s}]}",
			 apps[i]);
		o = parsed(text);
		assert_int_equal(dataset__add_document(&d, "x", o, message), i < 3 ? -EINVAL : 0);
		json_decref(o);
		dataset__clear(&d);
	}
}

DATASET_TEST(failed_runs_are_kept)
{
	json_t *o = parsed("{\"schema\":\"netiotrace.failure/1\",\"mode\":\"zerocopy\","
			   "\"size\":1024,\"threads\":2,\"round\":1,\"exit_code\":1,"
			   "\"reason\":\"the sender died\"}");

	assert_int_equal(dataset__add_failure(&set, o), 0);
	assert_int_equal(set.failures_nr, 1);
	assert_string_equal(set.failures[0].reason, "the sender died");
	assert_int_equal(set.failures[0].size, 1024);
	json_decref(o);
	o = parsed("{}");
	assert_int_equal(dataset__add_failure(&set, o), -EINVAL);
	json_decref(o);
}

static int add_run(struct dataset *d, const char *run)
{
	char text[512];
	json_t *o;
	int err;

	snprintf(text, sizeof(text), "{\"schema\": \"netiotrace.result/1\", \"runs\": [%s]}", run);
	*d = (struct dataset){0};
	o = parsed(text);
	err = dataset__add_document(d, "x", o, message);
	json_decref(o);
	return err;
}

/* The identity of a run: at the limits of each value, and beyond them. */
DATASET_TEST(run_settings_are_accepted_up_to_their_limits)
{
	static const char *const impossible[] = {
		"{\"mode\": \"onecopy\"}",
		"{\"size\": 64}",
		"{\"mode\": \"fourcopy\", \"size\": 64}",
		"{\"mode\": \"onecopy\", \"size\": 0}",
		"{\"mode\": \"onecopy\", \"size\": 1e15}",
		"{\"mode\": \"onecopy\", \"size\": 64, \"threads\": -1}",
		"{\"mode\": \"onecopy\", \"size\": 64, \"threads\": 1000001}",
		"{\"mode\": \"onecopy\", \"size\": 64, \"duration_s\": -1}",
		"{\"mode\": \"onecopy\", \"size\": 64.5}",
		"{\"mode\": \"onecopy\", \"size\": 64, \"threads\": 1.5}",
		"{\"mode\": \"onecopy\", \"size\": 64, \"threads\": \"2\"}",
		"{\"mode\": \"onecopy\", \"size\": 64, \"round\": -5}",
		"{\"mode\": \"onecopy\", \"size\": 64, \"round\": \"2\"}",
	};

	for (size_t i = 0; i < sizeof(impossible) / sizeof(impossible[0]); i++) {
		if (add_run(&set, impossible[i]) != -EINVAL)
			fail_msg("not refused: %s", impossible[i]);
		assert_non_null(strstr(message, "damaged"));
		record("%s\n", message);
		dataset__clear(&set);
	}
	assert_int_equal(add_run(&set, "{\"mode\": \"onecopy\", \"size\": 1, \"threads\": 0}"), 0);
	assert_int_equal(set.rows[0].size, 1);
	assert_int_equal(set.rows[0].threads, 0);
	dataset__clear(&set);
	/* Whole numbers as other tools write them, and missing values. */
	assert_int_equal(add_run(&set, "{\"mode\": \"onecopy\", \"size\": 64, \"threads\": null, "
				       "\"round\": 2.0}"),
			 0);
	assert_int_equal(set.rows[0].round, 2);
	assert_int_equal(set.rows[0].threads, 0);
	dataset__clear(&set);
	assert_int_equal(
		add_run(&set, "{\"mode\": \"onecopy\", \"size\": 64, \"threads\": 1000000}"), 0);
	assert_int_equal(set.rows[0].threads, 1000000);
	dataset__clear(&set);
	/* Unaccounted bytes may be negative. */
	assert_int_equal(add_run(&set, "{\"mode\": \"onecopy\", \"size\": 64, "
				       "\"ledger\": {\"unaccounted_tx\": -1}}"),
			 0);
}

/* A bucket has bounds and a count; one with count 0 is left out. */
DATASET_TEST(buckets_are_read_with_bounds_and_count)
{
	assert_int_equal(
		add_run(&set, "{\"mode\": \"onecopy\", \"size\": 64, \"threads\": 2, \"ledger\": "
			      "{\"tx_copy\": {\"ns_buckets\": [[8, 15, 3], [0, 1, 5], [16, "
			      "null, 2], [32, 63, 0]]}}}"),
		0);
	assert_int_equal(set.hists_nr, 1);
	assert_int_equal(set.hists[0].mode, MODE_ONECOPY);
	assert_int_equal(set.hists[0].size, 64);
	assert_int_equal(set.hists[0].threads, 2);
	assert_int_equal(set.hists[0].kind, DATASET_HIST_STAGE + NIO_STAGE_TX_COPY);
	assert_int_equal(set.hists[0].buckets_nr, 3);
	NEAR(set.hists[0].buckets[0].low, 0.0);
	NEAR(set.hists[0].buckets[0].high, 1.0);
	NEAR(set.hists[0].buckets[0].count, 5.0);
	NEAR(set.hists[0].buckets[1].low, 8.0);
	NEAR(set.hists[0].buckets[1].high, 15.0);
	NEAR(set.hists[0].buckets[1].count, 3.0);
	/* The last bucket has no upper bound. */
	NEAR(set.hists[0].buckets[2].low, 16.0);
	NEAR(set.hists[0].buckets[2].high, 16.0);
	NEAR(set.hists[0].buckets[2].count, 2.0);
}

/* A damaged bucket makes the histogram invalid. */
DATASET_TEST(malformed_bucket_is_refused)
{
	static const char *const none[] = {
		"[[64, 63, 1]]",   "[[-1, 2, 1]]",    "[[1, 2, -1]]",    "[[1]]", "[[1, 2]]", "[7]",
		"[[null, 3, 4]]",  "[[\"5\", 9, 2]]", "[[6, 7, \"1\"]]", "7",     "\"x\"",    "{}",
		"[[6, \"7\", 1]]",
	};
	char run[256];

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		snprintf(run, sizeof(run),
			 "{\"mode\": \"onecopy\", \"size\": 64, \"ledger\": "
			 "{\"tx_copy\": {\"ns_buckets\": %s}}}",
			 none[i]);
		if (add_run(&set, run) != -EINVAL)
			fail_msg("not refused: %s", none[i]);
		assert_non_null(strstr(message, "damaged"));
		dataset__clear(&set);
	}
	assert_int_equal(add_run(&set, "{\"mode\": \"onecopy\", \"size\": 64, \"ledger\": "
				       "{\"tx_copy\": {\"ns_buckets\": null}}}"),
			 0);
	assert_int_equal(set.hists_nr, 0);
}

/* "whose;frames count": malformed stacks are left out, and repeated ones added. */
DATASET_TEST(stacks_are_read_and_malformed_ones_left_out)
{
	const struct profile *p;

	assert_int_equal(add_run(&set,
				 "{\"mode\": \"onecopy\", \"size\": 64, \"threads\": 2, \"cpu\": "
				 "{\"stacks\": [\"sender;a;b 3\", \"receiver;c d 4\", \"sender;a;b "
				 "2\", \"elsewhere;e 1\", \"nobody;a 3\", \"sender;a\", \"sender a "
				 "3\", \"sender;a 0\", \"sender;a 3x\", \"\", 7]}}"),
			 0);
	assert_null(dataset__profile(&set, MODE_ONECOPY, 64, 1));
	assert_null(dataset__profile(&set, MODE_ONECOPY, 128, 2));
	assert_null(dataset__profile(&set, MODE_TWOCOPY, 64, 2));
	p = dataset__profile(&set, MODE_ONECOPY, 64, 2);
	assert_non_null(p);
	assert_int_equal(p->nr, 3);
	assert_string_equal(p->stacks[0].frames, "a;b");
	assert_int_equal(p->stacks[0].whose, NIO_SAMPLE_SENDER);
	assert_int_equal(p->stacks[0].count, 5);
	assert_string_equal(p->stacks[1].frames, "c d");
	assert_int_equal(p->stacks[1].whose, NIO_SAMPLE_RECEIVER);
	assert_int_equal(p->stacks[1].count, 4);
	assert_string_equal(p->stacks[2].frames, "e");
	assert_int_equal(p->stacks[2].whose, NIO_SAMPLE_ELSEWHERE);
	assert_int_equal(p->stacks[2].count, 1);
}

/* Each cell has its own stacks, summed over its rounds. */
DATASET_TEST(stacks_belong_to_their_cells)
{
	static const char *const lines[] = {"sender;a 1", "sender;b 2", "sender;c 4", "sender;a 8"};
	static const struct dataset_row rows[] = {{.mode = MODE_TWOCOPY, .size = 64, .threads = 1},
						  {.mode = MODE_TWOCOPY, .size = 64, .threads = 2},
						  {.mode = MODE_ZEROCOPY, .size = 64, .threads = 1},
						  {.mode = MODE_TWOCOPY, .size = 64, .threads = 1}};
	static const char *const frames[] = {"a", "b", "c"};
	static const uint64_t counts[] = {9, 2, 4};

	dataset__add_stacks(&set, &rows[0], NULL);
	assert_null(dataset__profile(&set, MODE_TWOCOPY, 64, 1));
	for (size_t i = 0; i < 4; i++) {
		json_t *stacks = json_pack("[s]", lines[i]);

		dataset__add_stacks(&set, &rows[i], stacks);
		json_decref(stacks);
	}
	assert_int_equal(set.profiles_nr, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct profile *p =
			dataset__profile(&set, rows[i].mode, rows[i].size, rows[i].threads);

		assert_non_null(p);
		assert_int_equal(p->nr, 1);
		assert_string_equal(p->stacks[0].frames, frames[i]);
		assert_int_equal(p->stacks[0].count, counts[i]);
	}
}

TEST(refusals_match_the_golden_file)
{
	record__check("refusals-json");
}
