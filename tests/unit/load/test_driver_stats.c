/* SPDX-License-Identifier: GPL-2.0-only */
/* The load generator's totals and histograms: good ones, and those spoiled in every way. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/driver_case.h"

static void test_sender_stats(void **state)
{
	const struct app_result *app = &report.app;
	const struct hist *h;

	(void)state;
	accept_line(SENDER_STATS("done", HIST_3), SENDER, DRIVER_DONE);
	assert_int_equal(report.elapsed_ns, 1000000000);
	assert_false(report.interrupted);
	assert_int_equal(app->tx_bytes, 23);
	assert_int_equal(app->tx_messages, 24);
	assert_int_equal(app->partial_sends, 25);
	assert_int_equal(app->eagain, 26);
	assert_int_equal(app->eintr, 27);
	assert_true(app->sender_cpu_ns.known);
	assert_int_equal(app->sender_cpu_ns.value, 28);
	assert_false(app->receiver_cpu_ns.known);
	assert_int_equal(report.gather_bytes, 31);
	assert_int_equal(report.gather_events, 32);
	assert_int_equal(report.gather_ns, 33);
	assert_int_equal(report.gather_sampled, 34);
	assert_int_equal(app->zc.sends, 41);
	assert_int_equal(app->zc.completed, 42);
	assert_int_equal(app->zc.copied, 43);
	assert_int_equal(app->zc.not_copied, 44);
	assert_int_equal(app->zc.enobufs, 45);
	assert_int_equal(app->zc.fallback_bytes, 49);
	assert_int_equal(app->tcp_bytes_acked, 51);
	assert_int_equal(app->tcp_bytes_retrans, 52);
	h = app->latency[LATENCY_SEND_CALL].hist;
	assert_int_equal(h->count, 3);
	assert_int_equal(h->sum, 70);
	assert_int_equal(h->min, 7);
	assert_int_equal(h->max, 40);
	assert_int_equal(h->buckets[7], 1);
	assert_int_equal(h->buckets[36], 1);
	assert_int_equal(app->latency[LATENCY_COMPLETION].hist->count, 0);
	assert_null(app->latency[LATENCY_DELIVERY].hist);
}

static void test_receiver_stats(void **state)
{
	const struct app_result *app = &report.app;

	(void)state;
	accept_line(RECEIVER_STATS, RECEIVER, DRIVER_DONE);
	assert_int_equal(report.elapsed_ns, 9);
	assert_int_equal(app->rx_bytes, 61);
	assert_int_equal(app->rx_messages, 62);
	assert_int_equal(app->verify_errors.value, 63);
	assert_int_equal(app->receiver_cpu_ns.value, 64);
	assert_int_equal(app->tcp_bytes_received, 66);
	assert_int_equal(app->latency[LATENCY_DELIVERY].hist->count, 3);
	assert_null(app->latency[LATENCY_SEND_CALL].hist);
}

/* What a sender of a done event was told by its receiver, or not yet. */
static void test_confirmed(void **state)
{
	static const char line[] = SENDER_STATS("done", HIST_3);
	char told[2048];

	(void)state;
	accept_line(line, SENDER, DRIVER_DONE);
	assert_false(report.confirmed.known);
	snprintf(told, sizeof(told), "%.*s,\"confirmed\":%s}", (int)strlen(line) - 1, line,
		 "{\"rx_bytes\":null,\"rx_messages\":null,\"verify_errors\":null}");
	accept_line(told, SENDER, DRIVER_DONE);
	assert_false(report.confirmed.known);
	snprintf(told, sizeof(told), "%.*s,\"confirmed\":%s}", (int)strlen(line) - 1, line,
		 "{\"rx_bytes\":71,\"rx_messages\":72,\"verify_errors\":73,\"elapsed_ns\":74}");
	accept_line(told, SENDER, DRIVER_DONE);
	assert_true(report.confirmed.known);
	assert_int_equal(report.confirmed.rx_bytes, 71);
	assert_int_equal(report.confirmed.elapsed_ns, 74);
	assert_int_equal(report.confirmed.rx_messages, 72);
	assert_int_equal(report.confirmed.verify_errors, 73);
}

/* Every number of a sender, spoiled in every way. */
static void test_stats_refuse_what_is_no_count(void **state)
{
	static const char *const fields[] = {
		"\"elapsed_ns\":1000000000",
		"\"tx_bytes\":23",
		"\"tx_messages\":24",
		"\"partial_sends\":25",
		"\"eagain\":26",
		"\"eintr\":27",
		"\"cpu_ns\":28",
		"\"bytes\":31",
		"\"events\":32",
		"\"ns\":33",
		"\"sampled\":34",
		"\"sends\":41",
		"\"completed\":42",
		"\"copied\":43",
		"\"not_copied\":44",
		"\"enobufs\":45",
		"\"fallback_bytes\":49",
		"\"bytes_acked\":51",
		"\"bytes_retrans\":52",
	};
	static const char *const values[] = {
		"-1",
		"1.5",
		"1e3",
		"\"1\"",
		"null",
		"true",
		"[1]",
		"{}",
		"9223372036854775808",
		"99999999999999999999999999",
	};
	static const char line[] = SENDER_STATS("done", HIST_0);
	char bad[64];
	size_t i, v;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		int key = strchr(fields[i], ':') + 1 - fields[i];

		for (v = 0; v < ARRAY_SIZE(values); v++) {
			snprintf(bad, sizeof(bad), "%.*s%s", key, fields[i], values[v]);
			refuse_replaced(line, SENDER, fields[i], bad);
		}
		refuse_replaced(line, SENDER, fields[i], "\"other\":1"); /* missing */
		snprintf(bad, sizeof(bad), "%s,%s", fields[i], fields[i]);
		refuse_replaced(line, SENDER, fields[i], bad); /* twice */
	}
}

static void test_stats_largest_count(void **state)
{
	char *line = replace(SENDER_STATS("stats", HIST_0), "23", "9223372036854775807");

	(void)state;
	accept_line(line, SENDER, DRIVER_STATS);
	assert_true(report.app.tx_bytes == INT64_MAX);
	free(line);
}

static void test_stats_refuse_wrong_shapes(void **state)
{
	static const char line[] = SENDER_STATS("done", HIST_0);

	(void)state;
	refuse_replaced(line, SENDER, "\"interrupted\":false", "\"interrupted\":0");
	refuse_replaced(line, SENDER, "\"interrupted\":false,", "");
	refuse_replaced(line, SENDER, "\"latency\":{", "\"latency\":5,\"x\":{");
	refuse_replaced(line, SENDER, "\"latency\":{", "\"latenzy\":{");
	refuse_replaced(line, SENDER, "\"send_call\":", "\"sent_call\":");
	refuse_replaced(line, SENDER, "\"completion\":", "\"delivery\":");
	refuse_replaced(line, SENDER, "\"tcp\":{", "\"tcp\":[],\"x\":{");
	refuse_replaced(line, SENDER, "\"gather\":{", "\"gather\":null,\"x\":{");
	refuse_replaced(line, SENDER, "\"zerocopy\":{", "\"x\":{");
	refuse(RECEIVER_STATS, SENDER);
	refuse(line, RECEIVER);
}

static void test_interrupted(void **state)
{
	char *line = replace(SENDER_STATS("done", HIST_0), "false", "true");

	(void)state;
	accept_line(line, SENDER, DRIVER_DONE);
	assert_true(report.interrupted);
	free(line);
}

static void test_histogram_refuses(void **state)
{
	static const char line[] = SENDER_STATS("done", HIST_3);
	static const char *const buckets[] = {
		"[1184,1]",   "[4294967296,1]", "[-1,1]",
		"[36,-1]",    "[36,2]",         "[36,0]",
		"[36]",       "[36,1,1]",       "[]",
		"36",         "null",           "{}",
		"[\"36\",1]", "[36,\"1\"]",     "[36,1.0]",
		"[23,1]",     "[7,1]",          "[36,9223372036854775807]",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(buckets); i++)
		refuse_replaced(line, SENDER, "[36,1]", buckets[i]);
	refuse_replaced(line, SENDER, "\"count\":3", "\"count\":2");
	refuse_replaced(line, SENDER, "\"count\":3", "\"count\":0");
	refuse_replaced(line, SENDER, "\"sub_bits\":5", "\"sub_bits\":3");
	refuse_replaced(line, SENDER, "\"sub_bits\":5", "\"sub_bits\":4294967301");
	refuse_replaced(line, SENDER, "\"min\":7", "\"min\":41");
	refuse_replaced(line, SENDER, "\"min\":7", "\"min\":null");
	refuse_replaced(line, SENDER, "\"max\":40", "\"max\":-40");
	/* Three values from 7 to 40 have a sum from 21 to 120. */
	refuse_replaced(line, SENDER, "\"sum\":70", "\"sum\":20");
	refuse_replaced(line, SENDER, "\"sum\":70", "\"sum\":121");
	refuse_replaced(line, SENDER, "\"buckets\":", "\"pails\":");
	refuse_replaced(line, SENDER, "[[7,1],[23,1],[36,1]]", "{}");
}

static void test_histogram_counts_that_overflow(void **state)
{
	static const char buckets[] = "[[1,9223372036854775807],[2,9223372036854775807],[3,5]]";
	char *line = replace(SENDER_STATS("done", HIST_3), "[[7,1],[23,1],[36,1]]", buckets);

	(void)state;
	/* The sum wraps to 3, which is what "count" says. */
	refuse(line, SENDER);
	free(line);
}

static void test_histogram_last_bucket(void **state)
{
	char *line = replace(SENDER_STATS("done", HIST_3), "[36,1]", "[1183,1]");

	(void)state;
	accept_line(line, SENDER, DRIVER_DONE);
	assert_int_equal(report.app.latency[LATENCY_SEND_CALL].hist->buckets[1183], 1);
	free(line);
}

/* An empty histogram has no extremes; what is written there does not matter. */
static void test_histogram_empty(void **state)
{
	char *line = replace(SENDER_STATS("done", HIST_0), "\"min\":0", "\"min\":null");

	(void)state;
	accept_line(line, SENDER, DRIVER_DONE);
	assert_int_equal(report.app.latency[LATENCY_SEND_CALL].hist->count, 0);
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_sender_stats),
		T(test_receiver_stats),
		T(test_confirmed),
		T(test_stats_refuse_what_is_no_count),
		T(test_stats_largest_count),
		T(test_stats_refuse_wrong_shapes),
		T(test_interrupted),
		T(test_histogram_refuses),
		T(test_histogram_counts_that_overflow),
		T(test_histogram_last_bucket),
		T(test_histogram_empty),
	};

	return cmocka_run_group_tests_name("driver stats", tests, NULL, NULL);
}
