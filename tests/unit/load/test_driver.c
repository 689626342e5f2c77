/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user/driver_decode.c and driver.c: good lines of every event, and lines that are not the
 * protocol, each of which must be refused with a reason. No root, no process.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "load/driver.h"
#include "support/driver_lines.h"

static const struct {
	const char *line;
	enum nio_side side;
	enum driver_event event;
} good[] = {
	{"{\"event\":\"listening\",\"address\":\"127.0.0.1\",\"port\":40123}", RECEIVER,
	 DRIVER_LISTENING},
	{READY_2, SENDER, DRIVER_READY},
	{READY_2, RECEIVER, DRIVER_READY},
	{"{\"event\":\"quiesced\"}", SENDER, DRIVER_QUIESCED},
	{SENDER_STATS("stats", HIST_3), SENDER, DRIVER_STATS},
	{SENDER_STATS("done", HIST_3), SENDER, DRIVER_DONE},
	{RECEIVER_STATS, RECEIVER, DRIVER_DONE},
	{"{\"event\":\"error\",\"message\":\"no route to host\"}", SENDER, DRIVER_ERROR},
	{"{\"event\":\"error\",\"message\":\"\"}", RECEIVER, DRIVER_ERROR},
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))

static struct load_report report;

static int teardown(void **state)
{
	(void)state;
	load_report__clear(&report);
	return 0;
}

static int decode(const char *line, enum nio_side side, enum driver_event *event)
{
	return driver__decode(line, strlen(line), side, &report, event);
}

static void accept_line(const char *line, enum nio_side side, enum driver_event expected)
{
	enum driver_event event = DRIVER_EOF;
	int err = decode(line, side, &event);

	if (err)
		fail_msg("refused: %s\n%s", report.message, line);
	assert_int_equal(event, expected);
}

/* Refused, with a reason, and with nothing left in the report but that. */
static void refuse_bytes(const char *line, size_t len, enum nio_side side)
{
	enum driver_event event = DRIVER_EOF;
	size_t i;

	if (driver__decode(line, len, side, &report, &event) != -EPROTO)
		fail_msg("not refused: %.*s", (int)len, line);
	assert_int_equal(event, DRIVER_NOTHING);
	assert_true(report.message[0] != '\0');
	assert_int_equal(report.cookies_nr, 0);
	assert_int_equal(report.app.tx_bytes, 0);
	assert_int_equal(report.elapsed_ns, 0);
	for (i = 0; i < LATENCY_NR; i++)
		assert_null(report.app.latency[i].hist);
}

static void refuse(const char *line, enum nio_side side)
{
	refuse_bytes(line, strlen(line), side);
}

/* A good line with its first occurrence of `from` replaced. */
static char *replace(const char *line, const char *from, const char *to)
{
	const char *at = strstr(line, from);
	char *out = malloc(strlen(line) + strlen(to) + 1);

	assert_non_null(at);
	assert_non_null(out);
	sprintf(out, "%.*s%s%s", (int)(at - line), line, to, at + strlen(from));
	return out;
}

static void refuse_replaced(const char *line, enum nio_side side, const char *from, const char *to)
{
	char *bad = replace(line, from, to);

	refuse(bad, side);
	free(bad);
}

static void test_good_lines(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++)
		accept_line(good[i].line, good[i].side, good[i].event);
}

static void test_every_truncation_is_refused(void **state)
{
	size_t i, len;
	char *copy;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		for (len = 0; len < strlen(good[i].line); len++) {
			/* A buffer of its own size: reading past the end is then seen. */
			copy = malloc(len ? len : 1);
			assert_non_null(copy);
			memcpy(copy, good[i].line, len);
			refuse_bytes(copy, len, good[i].side);
			free(copy);
		}
	}
}

/* Whatever one changed byte makes of a line: decoded or refused, never a crash or another error. */
static void test_every_changed_byte_is_survived(void **state)
{
	static const char bytes[] = {'\0', '"', '{', ']', '9', '-', '\x80', '\xff', '\n', 'e'};
	enum driver_event event;
	size_t i, at, b;
	char *copy;
	int err;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		for (at = 0; at < strlen(good[i].line); at++) {
			for (b = 0; b < sizeof(bytes); b++) {
				copy = strdup(good[i].line);
				assert_non_null(copy);
				copy[at] = bytes[b];
				err = driver__decode(copy, strlen(good[i].line), good[i].side,
						     &report, &event);
				assert_true(err == 0 || err == -EPROTO);
				free(copy);
			}
		}
	}
}

static void test_listening(void **state)
{
	(void)state;
	accept_line(good[0].line, RECEIVER, DRIVER_LISTENING);
	assert_int_equal(report.port, 40123);
	refuse_replaced(good[0].line, RECEIVER, "40123", "0");
	refuse_replaced(good[0].line, RECEIVER, "40123", "65536");
	refuse_replaced(good[0].line, RECEIVER, "40123", "4295007419"); /* 40123 modulo 2^32 */
	refuse_replaced(good[0].line, RECEIVER, "40123", "-1");
	refuse_replaced(good[0].line, RECEIVER, "40123", "\"40123\"");
	refuse_replaced(good[0].line, RECEIVER, "40123", "40123.0");
	refuse_replaced(good[0].line, RECEIVER, "port", "prot");
}

static void test_ready(void **state)
{
	(void)state;
	accept_line(READY_2, SENDER, DRIVER_READY);
	assert_int_equal(report.cookies_nr, 2);
	assert_true(report.cookies[0] == 5);
	assert_true(report.cookies[1] == UINT64_MAX);
}

static void test_ready_refuses(void **state)
{
	static const char *const cookies[] = {
		"\"0\"",
		"\"\"",
		"\"-5\"",
		"\"+5\"",
		"\" 5\"",
		"\"5 \"",
		"\"5x\"",
		"\"0x5\"",
		"\"18446744073709551615\"", /* that of the other connection */
		"\"18446744073709551616\"",
		"5",
		"null",
		"[]",
		"true",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cookies); i++)
		refuse_replaced(READY_2, SENDER, "\"5\"", cookies[i]);
	refuse_replaced(READY_2, SENDER, "\"index\":0", "\"index\":1");
	refuse_replaced(READY_2, SENDER, "\"index\":0", "\"index\":2");
	refuse_replaced(READY_2, SENDER, "\"index\":0", "\"index\":-1");
	refuse_replaced(READY_2, SENDER, "\"index\":0", "\"index\":18446744073709551616");
	refuse_replaced(READY_2, SENDER, "\"index\":0", "\"index\":\"0\"");
	refuse_replaced(READY_2, SENDER, "\"index\":0,", "");
	refuse("{\"event\":\"ready\"}", SENDER);
	refuse("{\"event\":\"ready\",\"connections\":[]}", SENDER);
	refuse("{\"event\":\"ready\",\"connections\":{}}", SENDER);
	refuse("{\"event\":\"ready\",\"connections\":[5]}", SENDER);
	refuse("{\"event\":\"ready\",\"connections\":[null]}", SENDER);
}

/* A ready line of n connections, cookies 1 to n. */
static char *ready_line(int n)
{
	char *line = malloc(64 + 48 * n), *p = line;
	int i;

	assert_non_null(line);
	p += sprintf(p, "{\"event\":\"ready\",\"connections\":[");
	for (i = 0; i < n; i++)
		p += sprintf(p, "%s{\"index\":%d,\"cookie\":\"%d\"}", i ? "," : "", i, i + 1);
	sprintf(p, "]}");
	return line;
}

static void test_ready_most_connections(void **state)
{
	char *line = ready_line(LOAD_CONNECTIONS_MAX);

	(void)state;
	accept_line(line, SENDER, DRIVER_READY);
	assert_int_equal(report.cookies_nr, LOAD_CONNECTIONS_MAX);
	assert_true(report.cookies[LOAD_CONNECTIONS_MAX - 1] == LOAD_CONNECTIONS_MAX);
	free(line);
	line = ready_line(LOAD_CONNECTIONS_MAX + 1);
	refuse(line, SENDER);
	free(line);
}

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

static void test_events_refused(void **state)
{
	(void)state;
	refuse("", SENDER);
	refuse("null", SENDER);
	refuse("[]", SENDER);
	refuse("\"ready\"", SENDER);
	refuse("{}", SENDER);
	refuse("{\"event\":null}", SENDER);
	refuse("{\"event\":5}", SENDER);
	refuse("{\"event\":\"\"}", SENDER);
	refuse("{\"event\":\"Quiesced\"}", SENDER);
	refuse("{\"event\":\"quiesced \"}", SENDER);
	refuse("{\"event\":\"quiesced\"} {}", SENDER);
	refuse("{\"event\":\"quiesced\",\"event\":\"done\"}", SENDER);
	refuse("usage: netio-loadgen", SENDER);
	/* Right, but from the wrong side. */
	refuse("{\"event\":\"quiesced\"}", RECEIVER);
	refuse(good[0].line, SENDER);
	refuse_bytes("{\"event\":\"quiesced\"}\0", 21, SENDER);
}

static void test_error_message(void **state)
{
	(void)state;
	accept_line("{\"event\":\"error\",\"message\":\"bind: in use\"}", SENDER, DRIVER_ERROR);
	assert_string_equal(report.message, "bind: in use");
	refuse("{\"event\":\"error\"}", SENDER);
	refuse("{\"event\":\"error\",\"message\":5}", SENDER);
}

/* The message goes to root's terminal: an escape sequence of the other process must not. */
static void test_error_message_is_made_harmless(void **state)
{
	char line[4096], long_text[1024] = "";
	size_t i, len;

	(void)state;
	accept_line("{\"event\":\"error\",\"message\":\"a\\u001b[2J\\n\\u007fb\\u009bc\"}", SENDER,
		    DRIVER_ERROR);
	assert_string_equal(report.message, "a?[2J??b??c");
	for (i = 0; i < 300; i++)
		strcat(long_text, "\xc3\xa4");
	snprintf(line, sizeof(line), "{\"event\":\"error\",\"message\":\"%s\"}", long_text);
	accept_line(line, SENDER, DRIVER_ERROR);
	len = strlen(report.message);
	assert_int_equal(len, 510); /* 511 would cut a character in half */
	assert_memory_equal(report.message, long_text, len);
	snprintf(line, sizeof(line), "{\"event\":\"%s\\u001b\"}", long_text);
	refuse(line, SENDER);
	assert_null(strchr(report.message, '\x1b'));
}

static void test_copy_app(void **state)
{
	struct app_result app = {.tx_bytes = 1, .rx_bytes = 2};
	size_t i;

	(void)state;
	accept_line(SENDER_STATS("done", HIST_3), SENDER, DRIVER_DONE);
	assert_int_equal(load_report__copy_app(&app, &report, SENDER), 0);
	accept_line(RECEIVER_STATS, RECEIVER, DRIVER_DONE);
	assert_int_equal(app.rx_bytes, 2);
	assert_int_equal(load_report__copy_app(&app, &report, RECEIVER), 0);
	assert_int_equal(load_report__copy_app(&app, &report, RECEIVER), 0); /* replaces */
	assert_int_equal(app.tx_bytes, 23);
	assert_int_equal(app.zc.copied, 43);
	assert_int_equal(app.tcp_bytes_retrans, 52);
	assert_int_equal(app.sender_cpu_ns.value, 28);
	assert_int_equal(app.rx_bytes, 61);
	assert_int_equal(app.receiver_cpu_ns.value, 64);
	assert_int_equal(app.verify_errors.value, 63);
	for (i = 0; i < LATENCY_NR; i++) {
		assert_non_null(app.latency[i].hist);
		assert_ptr_not_equal(app.latency[i].hist, report.app.latency[i].hist);
		hist__free(app.latency[i].hist);
	}
}

static void test_copy_app_of_nothing_says_why(void **state)
{
	struct app_result app = {0};

	(void)state;
	accept_line("{\"event\":\"quiesced\"}", SENDER, DRIVER_QUIESCED);
	assert_int_equal(load_report__copy_app(&app, &report, SENDER), 0);
	assert_null(app.latency[LATENCY_SEND_CALL].hist);
	assert_non_null(app.latency[LATENCY_SEND_CALL].reason);
	assert_false(app.sender_cpu_ns.known);
}

#define T(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_good_lines),
		T(test_every_truncation_is_refused),
		T(test_every_changed_byte_is_survived),
		T(test_listening),
		T(test_ready),
		T(test_ready_refuses),
		T(test_ready_most_connections),
		T(test_sender_stats),
		T(test_receiver_stats),
		T(test_stats_refuse_what_is_no_count),
		T(test_stats_largest_count),
		T(test_stats_refuse_wrong_shapes),
		T(test_interrupted),
		T(test_histogram_refuses),
		T(test_histogram_counts_that_overflow),
		T(test_histogram_last_bucket),
		T(test_histogram_empty),
		T(test_events_refused),
		T(test_error_message),
		T(test_error_message_is_made_harmless),
		T(test_copy_app),
		T(test_copy_app_of_nothing_says_why),
		T(test_confirmed),
	};

	return cmocka_run_group_tests_name("driver", tests, NULL, NULL);
}
