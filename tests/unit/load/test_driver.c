/* SPDX-License-Identifier: GPL-2.0-only */
/* Decoding: good lines of every event; bad lines, refused with a reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/driver_case.h"

static const struct {
	const char *line;
	enum nio_side side;
	enum driver_event event;
} good[] = {
	{"{\"event\":\"listening\",\"address\":\"127.0.0.1\",\"port\":40123}", RECEIVER,
	 DRIVER_LISTENING},
	{"{\"event\":\"usable\"}", SENDER, DRIVER_USABLE},
	{READY_2, SENDER, DRIVER_READY},
	{READY_2, RECEIVER, DRIVER_READY},
	{"{\"event\":\"quiesced\"}", SENDER, DRIVER_QUIESCED},
	{SENDER_STATS("stats", HIST_3), SENDER, DRIVER_STATS},
	{SENDER_STATS("done", HIST_3), SENDER, DRIVER_DONE},
	{RECEIVER_STATS, RECEIVER, DRIVER_DONE},
	{"{\"event\":\"error\",\"message\":\"no route to host\"}", SENDER, DRIVER_ERROR},
	{"{\"event\":\"refused\",\"message\":\"no io_uring there\",\"errno\":1}", SENDER,
	 DRIVER_REFUSED},
	{"{\"event\":\"error\",\"message\":\"\"}", RECEIVER, DRIVER_ERROR},
};

DRIVER_TEST(every_good_line_gives_its_event)
{
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		accept_line(good[i].line, good[i].side, good[i].event);
}

DRIVER_TEST(truncated_lines_are_refused)
{
	size_t i, len;
	char *copy;

	for (i = 0; i < ARRAY_LEN(good); i++) {
		for (len = 0; len < strlen(good[i].line); len++) {
			/* A buffer of the exact size: a sanitizer detects a read beyond it. */
			copy = malloc(len ? len : 1);
			assert_non_null(copy);
			memcpy(copy, good[i].line, len);
			refuse_bytes(copy, len, good[i].side);
			free(copy);
		}
	}
}

/* A line with one changed byte is decoded or refused, without a crash or another error. */
DRIVER_TEST(any_changed_byte_gives_an_event_or_a_refusal)
{
	static const char bytes[] = {'\0', '"', '{', ']', '9', '-', '\x80', '\xff', '\n', 'e'};
	enum driver_event event;
	size_t i, at, b;
	char *copy;
	int err;

	for (i = 0; i < ARRAY_LEN(good); i++) {
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

DRIVER_TEST(listening_gives_a_port_from_1_to_65535)
{
	/* 4295007419 is 40123 modulo 2^32. */
	static const char *const ports[] = {"0",  "65536",     "4295007419",
					    "-1", "\"40123\"", "40123.0"};

	accept_line(good[0].line, RECEIVER, DRIVER_LISTENING);
	assert_int_equal(report.port, 40123);
	for (size_t i = 0; i < ARRAY_LEN(ports); i++)
		refuse_replaced(good[0].line, RECEIVER, "40123", ports[i]);
	refuse_replaced(good[0].line, RECEIVER, "port", "prot");
}

DRIVER_TEST(ready_gives_cookies_by_index)
{
	accept_line(READY_2, SENDER, DRIVER_READY);
	assert_int_equal(report.cookies_nr, 2);
	assert_true(report.cookies[0] == 5);
	assert_true(report.cookies[1] == UINT64_MAX);
}

DRIVER_TEST(ready_with_a_bad_cookie_or_index_is_refused)
{
	/* 18446744073709551615 is the cookie of the other connection. */
	static const char *const cookies[] = {
		"\"0\"",
		"\"\"",
		"\"-5\"",
		"\"+5\"",
		"\" 5\"",
		"\"5 \"",
		"\"5x\"",
		"\"0x5\"",
		"\"18446744073709551615\"",
		"\"18446744073709551616\"",
		"5",
		"null",
		"[]",
		"true",
	};
	static const char *const indexes[] = {"1", "2", "-1", "18446744073709551616", "\"0\""};
	char bad[64];

	for (size_t i = 0; i < ARRAY_LEN(cookies); i++)
		refuse_replaced(READY_2, SENDER, "\"5\"", cookies[i]);
	for (size_t i = 0; i < ARRAY_LEN(indexes); i++) {
		snprintf(bad, sizeof(bad), "\"index\":%s", indexes[i]);
		refuse_replaced(READY_2, SENDER, "\"index\":0", bad);
	}
	refuse_replaced(READY_2, SENDER, "\"index\":0,", "");
	refuse_line("{\"event\":\"ready\"}", SENDER);
	refuse_line("{\"event\":\"ready\",\"connections\":[]}", SENDER);
	refuse_line("{\"event\":\"ready\",\"connections\":{}}", SENDER);
	refuse_line("{\"event\":\"ready\",\"connections\":[5]}", SENDER);
	refuse_line("{\"event\":\"ready\",\"connections\":[null]}", SENDER);
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

DRIVER_TEST(ready_takes_4096_connections_and_no_more)
{
	char *line = ready_line(LOAD_CONNECTIONS_MAX);

	accept_line(line, SENDER, DRIVER_READY);
	assert_int_equal(report.cookies_nr, LOAD_CONNECTIONS_MAX);
	assert_true(report.cookies[LOAD_CONNECTIONS_MAX - 1] == LOAD_CONNECTIONS_MAX);
	free(line);
	line = ready_line(LOAD_CONNECTIONS_MAX + 1);
	refuse_line(line, SENDER);
	free(line);
}

DRIVER_TEST(lines_that_are_no_event_of_the_side_are_refused)
{
	static const char *const lines[] = {
		"",
		"null",
		"[]",
		"\"ready\"",
		"{}",
		"{\"event\":null}",
		"{\"event\":5}",
		"{\"event\":\"\"}",
		"{\"event\":\"Quiesced\"}",
		"{\"event\":\"quiesced \"}",
		"{\"event\":\"quiesced\"} {}",
		"{\"event\":\"quiesced\",\"event\":\"done\"}",
		"usage: netio-loadgen",
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		refuse_line(lines[i], SENDER);
	/* A good line from the wrong side. */
	refuse_line("{\"event\":\"quiesced\"}", RECEIVER);
	refuse_line(good[0].line, SENDER);
	refuse_bytes("{\"event\":\"quiesced\"}\0", 21, SENDER);
}

DRIVER_TEST(error_gives_its_message)
{
	accept_line("{\"event\":\"error\",\"message\":\"bind: in use\"}", SENDER, DRIVER_ERROR);
	assert_string_equal(report.message, "bind: in use");
	assert_int_equal(report.error, 0);
	accept_line("{\"event\":\"error\",\"message\":\"\",\"errno\":12}", SENDER, DRIVER_ERROR);
	assert_int_equal(report.error, 12);
	refuse_line("{\"event\":\"error\"}", SENDER);
	refuse_line("{\"event\":\"error\",\"message\":5}", SENDER);
}

/* The message reaches root's terminal, so escape sequences of the other process must not. */
DRIVER_TEST(control_characters_of_a_message_become_question_marks)
{
	char line[4096], long_text[1024] = "";
	size_t i, len;

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
	refuse_line(line, SENDER);
	assert_null(strchr(report.message, '\x1b'));
}

DRIVER_TEST(copy_app_duplicates_what_both_sides_report)
{
	struct app_result app = {.tx_bytes = 1, .rx_bytes = 2};
	size_t i;

	accept_line(SENDER_STATS("done", HIST_3), SENDER, DRIVER_DONE);
	load_report__copy_app(&app, &report, SENDER);
	accept_line(RECEIVER_STATS, RECEIVER, DRIVER_DONE);
	assert_int_equal(app.rx_bytes, 2);
	load_report__copy_app(&app, &report, RECEIVER);
	load_report__copy_app(&app, &report, RECEIVER); /* replaces */
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

DRIVER_TEST(copy_app_of_an_event_without_totals_gives_reasons)
{
	struct app_result app = {0};

	accept_line("{\"event\":\"quiesced\"}", SENDER, DRIVER_QUIESCED);
	load_report__copy_app(&app, &report, SENDER);
	assert_null(app.latency[LATENCY_SEND_CALL].hist);
	assert_non_null(app.latency[LATENCY_SEND_CALL].reason);
	assert_false(app.sender_cpu_ns.known);
}

DRIVER_TEST(sender_totals_are_read)
{
	const struct app_result *app = &report.app;
	const struct hist *h;

	accept_line(SENDER_STATS("done", HIST_3), SENDER, DRIVER_DONE);
	assert_int_equal(report.elapsed_ns, 1000000000);
	assert_int_equal(report.paused_ns, 53);
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
	assert_int_equal(app->replies.errors, 46);
	assert_int_equal(app->replies.rx_bytes, 47);
	assert_int_equal(app->replies.rx_messages, 48);
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

DRIVER_TEST(receiver_totals_are_read)
{
	const struct app_result *app = &report.app;

	accept_line(RECEIVER_STATS, RECEIVER, DRIVER_DONE);
	assert_int_equal(report.elapsed_ns, 9);
	assert_int_equal(report.paused_ns, 54);
	assert_int_equal(app->rx_bytes, 61);
	assert_int_equal(app->rx_messages, 62);
	assert_true(app->rx_uncopied.known);
	assert_int_equal(app->rx_uncopied.value, 53);
	assert_int_equal(app->verify_errors.value, 63);
	assert_int_equal(app->receiver_cpu_ns.value, 64);
	assert_int_equal(app->tcp_bytes_received, 66);
	assert_true(app->replies.tx_bytes.known && app->replies.tx_messages.known);
	assert_int_equal(app->replies.tx_bytes.value, 67);
	assert_int_equal(app->replies.tx_messages.value, 68);
	assert_int_equal(app->latency[LATENCY_DELIVERY].hist->count, 3);
	assert_int_equal(app->latency[LATENCY_RECV_CALL].hist->sum, 70);
	assert_null(app->latency[LATENCY_SEND_CALL].hist);
}

/* What a sender of a done event was told by its receiver, or not yet. */
DRIVER_TEST(confirmed_totals_are_read_unless_null)
{
	static const char line[] = SENDER_STATS("done", HIST_3);
	char told[2048];

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

/* Every number of a sender, replaced by each bad value. */
DRIVER_TEST(total_that_is_no_count_is_refused)
{
	static const char *const fields[] = {
		"\"elapsed_ns\":1000000000",
		"\"paused_ns\":53",
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

	for (i = 0; i < ARRAY_LEN(fields); i++) {
		int key = strchr(fields[i], ':') + 1 - fields[i];

		for (v = 0; v < ARRAY_LEN(values); v++) {
			snprintf(bad, sizeof(bad), "%.*s%s", key, fields[i], values[v]);
			refuse_replaced(line, SENDER, fields[i], bad);
		}
		refuse_replaced(line, SENDER, fields[i], "\"other\":1"); /* missing */
		snprintf(bad, sizeof(bad), "%s,%s", fields[i], fields[i]);
		refuse_replaced(line, SENDER, fields[i], bad); /* twice */
	}
}

DRIVER_TEST(largest_accepted_count_is_2_63_minus_1)
{
	char *line = replace(SENDER_STATS("stats", HIST_0), "23", "9223372036854775807");

	accept_line(line, SENDER, DRIVER_STATS);
	assert_true(report.app.tx_bytes == INT64_MAX);
	free(line);
}

DRIVER_TEST(totals_of_wrong_types_or_of_the_other_side_are_refused)
{
	static const char line[] = SENDER_STATS("done", HIST_0);
	static const struct {
		const char *from, *to;
	} of_sender[] =
		{
			{"\"interrupted\":false", "\"interrupted\":0"},
			{"\"interrupted\":false,", ""},
			{"\"latency\":{", "\"latency\":5,\"x\":{"},
			{"\"latency\":{", "\"latenzy\":{"},
			{"\"send_call\":", "\"sent_call\":"},
			{"\"completion\":", "\"delivery\":"},
			{"\"tcp\":{", "\"tcp\":[],\"x\":{"},
			{"\"gather\":{", "\"gather\":null,\"x\":{"},
			{"\"zerocopy\":{", "\"x\":{"},
		},
	  of_receiver[] = {
		  {"\"interrupted\":false,", ""},
		  {"\"recv_call\":{", "\"recv_call\":5,\"x\":{"},
		  {"\"recv_call\":{\"count\":3", "\"recv_call\":{\"count\":2"},
		  {",\"recv_call\":" HIST_3, ""},
		  {"\"delivery\":", "\"recv\":"},
	  };

	for (size_t i = 0; i < ARRAY_LEN(of_sender); i++)
		refuse_replaced(line, SENDER, of_sender[i].from, of_sender[i].to);
	for (size_t i = 0; i < ARRAY_LEN(of_receiver); i++)
		refuse_replaced(RECEIVER_STATS, RECEIVER, of_receiver[i].from, of_receiver[i].to);
	refuse_line(RECEIVER_STATS, SENDER);
	refuse_line(line, RECEIVER);
}

DRIVER_TEST(interrupted_true_is_read)
{
	char *line = replace(SENDER_STATS("done", HIST_0), "false", "true");

	accept_line(line, SENDER, DRIVER_DONE);
	assert_true(report.interrupted);
	free(line);
}

DRIVER_TEST(impossible_histogram_is_refused)
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
	for (size_t i = 0; i < ARRAY_LEN(buckets); i++)
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

DRIVER_TEST(buckets_whose_sum_overflows_are_refused)
{
	static const char buckets[] = "[[1,9223372036854775807],[2,9223372036854775807],[3,5]]";
	char *line = replace(SENDER_STATS("done", HIST_3), "[[7,1],[23,1],[36,1]]", buckets);

	/* The sum wraps to 3, which is what "count" says. */
	refuse_line(line, SENDER);
	free(line);
}

DRIVER_TEST(the_last_bucket_is_read)
{
	char *line = replace(SENDER_STATS("done", HIST_3), "[36,1]", "[1183,1]");

	accept_line(line, SENDER, DRIVER_DONE);
	assert_int_equal(report.app.latency[LATENCY_SEND_CALL].hist->buckets[1183], 1);
	free(line);
}

/* An empty histogram has no extremes; its min and max are ignored. */
DRIVER_TEST(an_empty_histogram_may_have_null_extremes)
{
	char *line = replace(SENDER_STATS("done", HIST_0), "\"min\":0", "\"min\":null");

	accept_line(line, SENDER, DRIVER_DONE);
	assert_int_equal(report.app.latency[LATENCY_SEND_CALL].hist->count, 0);
	free(line);
}
