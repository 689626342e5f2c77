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

#include "support/driver_case.h"

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

static void test_copy_app_of_nothing_says_why(void **state)
{
	struct app_result app = {0};

	(void)state;
	accept_line("{\"event\":\"quiesced\"}", SENDER, DRIVER_QUIESCED);
	load_report__copy_app(&app, &report, SENDER);
	assert_null(app.latency[LATENCY_SEND_CALL].hist);
	assert_non_null(app.latency[LATENCY_SEND_CALL].reason);
	assert_false(app.sender_cpu_ns.known);
}

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
		T(test_events_refused),
		T(test_error_message),
		T(test_error_message_is_made_harmless),
		T(test_copy_app),
		T(test_copy_app_of_nothing_says_why),
	};

	return cmocka_run_group_tests_name("driver", tests, NULL, NULL);
}
