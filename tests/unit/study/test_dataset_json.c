/* SPDX-License-Identifier: GPL-2.0-only */
/* Result documents read back: runs, histograms and stacks; damage is refused. */
#include "support/golden.c"
#include "support/read_dataset.h"
#include "support/record.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9 * (1 + fabs(b)))

DATASET_TEST(histograms_of_rounds_are_added)
{
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			add_document(
				RUN("'mode': 'onecopy', 'size': 4096, 'threads': 1, "
				    "'round': %d, 'ledger': {'tx_copy': {'ns_buckets': [[8, 8, "
				    "%d], [100, 109, 5]], 'bytes': null, 'reason': 'no hook'}},"
				    " 'perf': {'sender': {'cycles': {'value': null, 'scaled': "
				    "null, 'reason': 'no PMU'}}}"),
				i, 10 + i),
			0);
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
		", 'recv_call': {'p50': null, 'buckets': [], 'reason': 'another machine'}",
		", 'recv_call': {'p50': 700, 'p99': 900, 'buckets': [[700, 700, 2]]}",
	};

	for (int i = 0; i < 3; i++) {
		assert_int_equal(add_document(RUN("'mode': 'onecopy', 'size': 4096, 'round': %d, "
						  "'app': {'latency_ns': {'delivery': {'p50': "
						  "50}%s}}"),
					      i, recv_calls[i]),
				 0);
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

/* Refused as damaged, or with these words. */
static void refuse_document(const char *text, const char *words)
{
	message[0] = '\0';
	if (add_document("%s", text) != -EINVAL)
		fail_msg("not refused: %s", text);
	assert_non_null(strstr(message, words));
	record("%s\n", message);
	dataset__clear(&set);
}

DATASET_TEST(foreign_documents_are_refused)
{
	static const char *const documents[] = {
		"{}",
		"[]",
		"{'schema': 'other/1', 'runs': []}",
		"{'schema': 'netiotrace.result/2', 'runs': []}",
		"{'schema': 'netiotrace.result/1'}",
		RUN(""),
		RUN("'mode': 'x', 'size': 1"),
		RUN("'mode': 'onecopy'"),
		"{'schema': 'netiotrace.result/1', 'runs': [7]}",
	};

	for_each_case(text, documents)
		refuse_document(*text, "");
}

/* Adds a document with this run. */
static int add_figures(int round, const char *rx_bytes, const char *gbps)
{
	return add_document(RUN("'mode': 'onecopy', 'size': 4096, 'threads': 1, 'round': %d, "
				"'app': {'rx_bytes': %s, 'throughput_gbps': %s}"),
			    round, rx_bytes, gbps);
}

DATASET_TEST(copied_run_is_found)
{
	/* A repeated round number alone is no copy: two programs may each have counted from 1. */
	assert_int_equal(add_figures(1, "4096", "1"), 0);
	assert_int_equal(add_figures(1, "4096", "2"), 0);
	assert_int_equal(add_figures(2, "4096", "1"), 0);
	assert_int_equal(add_figures(3, "null", "null"), 0);
	assert_int_equal(add_figures(3, "null", "null"), 0);
	dataset__finish(&set, 1);
	assert_null(dataset__copy(&set));
	/* Other runs of the same round in between do not matter. */
	assert_int_equal(add_figures(2, "4095", "1"), 0);
	assert_int_equal(add_figures(2, "4096", "3"), 0);
	assert_int_equal(add_figures(2, "4096", "1"), 0);
	dataset__finish(&set, 1);
	assert_non_null(dataset__copy(&set));
	assert_int_equal(dataset__copy(&set)->round, 2);
	/* Another format may have rounded numbers. */
	for (size_t i = 0; i < set.rows_nr; i++)
		set.rows[i].imported = true;
	assert_null(dataset__copy(&set));
}

DATASET_TEST(figures_must_be_numbers_or_null)
{
	static const char *const none[] = {"'4096'", "true", "[4096]", "{}"};

	for_each_case(value, none) {
		assert_int_equal(add_figures(1, *value, "1"), -EINVAL);
		assert_non_null(strstr(message, "not a number"));
		dataset__clear(&set);
	}
	assert_int_equal(add_figures(1, "null", "1"), 0);
}

DATASET_TEST(figures_must_be_an_object_or_null)
{
	static const char *const apps[] = {"'4096'", "4096", "[]", "null", "{}"};

	for (size_t i = 0; i < ARRAY_LEN(apps); i++)
		assert_int_equal(
			add_document(RUN("'mode': 'onecopy', 'size': 4096, 'app': %s"), apps[i]),
			i < 3 ? -EINVAL : 0);
}

DATASET_TEST(failed_runs_are_kept)
{
	json_t *o = json_of("{'schema': 'netiotrace.failure/1', 'mode': 'zerocopy', 'size': 1024, "
			    "'threads': 2, 'round': 1, 'reason': 'the sender died'}");

	assert_int_equal(dataset__add_failure(&set, o), 0);
	assert_int_equal(set.failures_nr, 1);
	assert_string_equal(set.failures[0].reason, "the sender died");
	assert_int_equal(set.failures[0].size, 1024);
	json_object_clear(o);
	assert_int_equal(dataset__add_failure(&set, o), -EINVAL);
	json_decref(o);
}

static void must_add(const char *text)
{
	dataset__clear(&set);
	if (add_document("%s", text))
		fail_msg("refused: %s: %s", text, message);
}

/* The identity of a run: at the limits of each value, and beyond them. */
DATASET_TEST(run_settings_are_accepted_up_to_their_limits)
{
	static const char *const impossible[] = {
		RUN("'mode': 'onecopy'"),
		RUN("'size': 64"),
		RUN("'mode': 'fourcopy', 'size': 64"),
		RUN("'mode': 'onecopy', 'size': 0"),
		RUN("'mode': 'onecopy', 'size': 1e15"),
		RUN("'mode': 'onecopy', 'size': 64, 'threads': -1"),
		RUN("'mode': 'onecopy', 'size': 64, 'threads': 1000001"),
		RUN("'mode': 'onecopy', 'size': 64, 'duration_s': -1"),
		RUN("'mode': 'onecopy', 'size': 64.5"),
		RUN("'mode': 'onecopy', 'size': 64, 'threads': 1.5"),
		RUN("'mode': 'onecopy', 'size': 64, 'threads': '2'"),
		RUN("'mode': 'onecopy', 'size': 64, 'round': -5"),
		RUN("'mode': 'onecopy', 'size': 64, 'round': '2'"),
	};

	for_each_case(text, impossible)
		refuse_document(*text, "damaged");
	must_add(RUN("'mode': 'onecopy', 'size': 1, 'threads': 0"));
	assert_int_equal(set.rows[0].size, 1);
	assert_int_equal(set.rows[0].threads, 0);
	/* Whole numbers as other tools write them, and missing values. */
	must_add(RUN("'mode': 'onecopy', 'size': 64, 'threads': null, 'round': 2.0"));
	assert_int_equal(set.rows[0].round, 2);
	assert_int_equal(set.rows[0].threads, 0);
	must_add(RUN("'mode': 'onecopy', 'size': 64, 'threads': 1000000"));
	assert_int_equal(set.rows[0].threads, 1000000);
	/* Unaccounted bytes may be negative. */
	must_add(RUN("'mode': 'onecopy', 'size': 64, 'ledger': {'unaccounted_tx': -1}"));
}

/* A bucket has bounds and a count; one with count 0 is left out. The last has no upper bound. */
DATASET_TEST(buckets_are_read_with_bounds_and_count)
{
	static const struct dataset_bucket expected[] = {{0, 1, 5}, {8, 15, 3}, {16, 16, 2}};
	const struct dataset_hist *h;

	must_add(RUN("'mode': 'onecopy', 'size': 64, 'threads': 2, 'ledger': {'tx_copy': "
		     "{'ns_buckets': [[8, 15, 3], [0, 1, 5], [16, null, 2], [32, 63, 0]]}}"));
	assert_int_equal(set.hists_nr, 1);
	h = &set.hists[0];
	assert_int_equal(h->mode, MODE_ONECOPY);
	assert_int_equal(h->size, 64);
	assert_int_equal(h->threads, 2);
	assert_int_equal(h->kind, DATASET_HIST_STAGE + NIO_STAGE_TX_COPY);
	assert_int_equal(h->buckets_nr, 3);
	for (size_t i = 0; i < 3; i++) {
		NEAR(h->buckets[i].low, expected[i].low);
		NEAR(h->buckets[i].high, expected[i].high);
		NEAR(h->buckets[i].count, expected[i].count);
	}
}

/* A damaged bucket makes the histogram invalid. */
DATASET_TEST(malformed_bucket_is_refused)
{
	static const char *const none[] = {
		"[[64, 63, 1]]",  "[[-1, 2, 1]]",  "[[1, 2, -1]]",  "[[1]]", "[[1, 2]]", "[7]",
		"[[null, 3, 4]]", "[['5', 9, 2]]", "[[6, 7, '1']]", "7",     "'x'",      "{}",
		"[[6, '7', 1]]",
	};
	static const char run[] = RUN("'mode': 'onecopy', 'size': 64, 'ledger': {'tx_copy': "
				      "{'ns_buckets': %s}}");

	for_each_case(buckets, none) {
		if (add_document(run, *buckets) != -EINVAL)
			fail_msg("not refused: %s", *buckets);
		assert_non_null(strstr(message, "damaged"));
		dataset__clear(&set);
	}
	assert_int_equal(add_document(run, "null"), 0);
	assert_int_equal(set.hists_nr, 0);
}

/* "whose;frames count": malformed stacks are left out, and repeated ones added. */
DATASET_TEST(stacks_are_read_and_malformed_ones_left_out)
{
	static const struct {
		const char *frames;
		int owner;
		uint64_t count;
	} expected[] = {{"a;b", NIO_SAMPLE_SENDER, 5},
			{"c d", NIO_SAMPLE_RECEIVER, 4},
			{"e", NIO_SAMPLE_ELSEWHERE, 1}};
	const struct profile *p;

	must_add(RUN(
		"'mode': 'onecopy', 'size': 64, 'threads': 2, 'cpu': {'stacks': "
		"['sender;a;b 3', 'receiver;c d 4', 'sender;a;b 2', 'elsewhere;e 1', "
		"'nobody;a 3', 'sender;a', 'sender a 3', 'sender;a 0', 'sender;a 3x', '', 7]}"));
	assert_null(dataset__profile(&set, MODE_ONECOPY, 64, 1));
	assert_null(dataset__profile(&set, MODE_ONECOPY, 128, 2));
	assert_null(dataset__profile(&set, MODE_TWOCOPY, 64, 2));
	p = dataset__profile(&set, MODE_ONECOPY, 64, 2);
	assert_non_null(p);
	assert_int_equal(p->nr, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(p->stacks[i].frames, expected[i].frames);
		assert_int_equal(p->stacks[i].owner, expected[i].owner);
		assert_int_equal(p->stacks[i].count, expected[i].count);
	}
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
