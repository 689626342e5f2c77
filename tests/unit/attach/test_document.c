// SPDX-License-Identifier: GPL-2.0-only
/* The document of attach, compared with its golden files and with docs/reference/attach.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach_result.h"
#include "probes/plan.h"
#include "support/csv_text.h"
#include "support/golden.c"
#include "support/golden_document.h"
#include "support/described.h"
#include "support/test.h"
#include "write/json.h"

static const struct plan_row rows[] = {
	{.probe = "message", .stage = "tx_splice", .backend = "tracepoint", .hook = "tp_btf/x"},
	{.probe = "send_return",
	 .backend = "tracepoint",
	 .hook = "tp_btf/y",
	 .quality = QUALITY_EXACT},
	{.probe = "rx_copy", .quality = QUALITY_EXACT},
};

static size_t rows_nr = 2;

static const struct sock_state stream = {
	.key = 1,
	.born_window = 1,
	.window = 1,
	.tgid = 42,
	.started = 12345,
	.last_ns = 2000000000,
	.first_ns = 1500000000,
	.family = 2,
	.local = {10, 0, 0, 1},
	.remote = {10, 0, 0, 2},
	.local_port = 80,
	.remote_port = 4711,
	.comm = "a\x1b[31mb\n",
	.flags = SOCK_STATE_PLACED,
	.now = {.sent = 23, .received = 50, .read = 42},
	.read_seen = 42,
	.looks = 9,
	.tail_waits = 3,
	.stages = {[NIO_STAGE_TX_COPY] = {23, 1}, [NIO_STAGE_RX_COPY] = {50, 2}},
	.calls = {[NIO_CALL_PLAIN] = {23, 1}},
	.uncovered_bytes = {[NIO_SIDE_RECEIVER] = {[NIO_UNCOVERED_PEEKED] = 8}},
	.tx_sizes = {[4] = 1},
	.rx_sizes = {[4] = 2},
};

static bool without_report;

static json_t *document_about(const struct sock_state *s, bool known)
{
	static char name[] = "netiotrace", command[] = "attach", *argv[] = {name, command, NULL};
	static struct attach_options o;
	struct attach_result r = {
		.o = &o,
		.plan = rows,
		.plan_nr = rows_nr,
		.begun_ns = 1000000000,
		.ended_ns = 3000000000,
		.missed = {.known = known, .reason = "not seen"},
		.sees_kinds = known,
		.sees_completions = known,
		.sees_requests = known,
		.reports_requests = known && !without_report,
		.cpu = {.known = known, .reason = "not sampled", .source = "cpu-clock", .hz = 49},
	};
	json_t *document;

	o = (struct attach_options){.target = {.pids = {42},
					       .pids_nr = 1,
					       .ports = {80},
					       .ports_nr = 1,
					       .comms_nr = 1,
					       .comms = {"nginx"},
					       .command = argv},
				    .argc = 2,
				    .argv = argv,
				    .top = 10,
				    .interval_ns = 1000000000};
	table__begin(&r.table);
	if (s)
		table__add(&r.table, s);
	table__end(&r.table);
	table__sort(&r.table, SORT_COPIED, 0);
	document = attach_result__document(&r);
	assert_non_null(document);
	table__clear(&r.table);
	return document;
}

static void check_csv(json_t *document, const char *first)
{
	static struct attach_options by_connection = {.by = BY_CONNECTION};
	struct attach_result r = {.o = &by_connection};
	json_t *connections = json_object_get(document, "connections");
	struct csv_text_row header, row;
	char *text = NULL, *rest;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(attach_result__write_csv(f, &r, document), 0);
	fclose(f);
	assert_non_null(strstr(text, first));
	rest = text;
	csv_text__row(&header, &rest);
	csv_text__row(&row, &rest);
	assert_int_equal(row.nr, header.nr);
	csv_text__compare(&header, &row, json_array_get(connections, 0), "", ".");
	assert_int_equal(row.compared, row.nr);
	assert_string_equal(rest, "");
	free(text);
}

TEST(a_process_without_a_name_is_known)
{
	char buf[OWNER_LEN];

	assert_string_equal(attach_result__owner(buf, (const char[16]){"nginx"}, 7), "nginx 7");
	assert_string_equal(attach_result__owner(buf, (const char[16]){0}, 7), "(no name) 7");
	assert_string_equal(attach_result__owner(buf, (const char[16]){0}, 0), "(unknown)");
}

TEST(documents_match_their_golden_files_and_csv_has_their_values)
{
	json_t *known = document_about(&stream, true), *unknown = document_about(&stream, false);

	check_csv(known, "pid,started_s,comm,local,remote,port,netns,cgroup,open,shared,");
	check_csv(known, "\n42,123.45,a?[31mb?,10.0.0.1:80,10.0.0.2:4711,80,0,,true,false,,1.0,0.5,"
			 "1.0,23,42,50,0,0,9,3,1,23,1,1,23,23,0,");
	check_csv(unknown,
		  "\n42,123.45,a?[31mb?,10.0.0.1:80,10.0.0.2:4711,80,0,,true,false,,1.0,0.5,"
		  "1.0,23,42,50,0,0,9,3,1,23,1,1,23,23,0,");
	json_object_del(json_object_get(known, "tool"), "version");
	json_object_del(json_object_get(unknown, "tool"), "version");
	golden_document__check("attach-known", known, NULL);
	golden_document__check("attach-unknown", unknown, known);
	json_decref(known);
	json_decref(unknown);
}

/* Call types that were seen in part are sampled and add up to the bytes of the socket. */
TEST(bytes_divided_by_sampled_calls_have_quality_sampled)
{
	struct sock_state s = stream;
	json_t *document, *total;
	const char *quality = NULL;
	json_int_t copied = 0, sent = 0, plain = 0;

	s.now.sent = 2300;
	document = document_about(&s, true);
	total = json_object_get(document, "total");
	assert_int_equal(json_unpack(total, "{s:{s:{s:s,s:I}}, s:{s:I}, s:{s:{s:I}}}", "ledger",
				     "tx_copy", "quality", &quality, "bytes", &copied, "socket",
				     "tx_bytes", &sent, "sends", "plain", "bytes", &plain),
			 0);
	assert_string_equal(quality, "sampled");
	assert_int_equal(copied, 2300);
	assert_int_equal(sent, 2300);
	assert_int_equal(plain, 2300);
	json_decref(document);
}

TEST(calls_that_were_all_seen_are_counted_exactly)
{
	for (uint64_t bytes = 1; bytes < 3000; bytes++) {
		struct socket_ledger b = {.socket_tx = bytes};
		struct amount calls;

		b.calls[NIO_CALL_PLAIN] = (struct nio_amount){bytes, bytes / 49 + 1};
		calls = attach_result__call_count(&b, NIO_CALL_PLAIN);
		assert_int_equal(calls.least, bytes / 49 + 1);
		assert_int_equal(calls.most, bytes / 49 + 1);
	}
}

/* The windows stand for five times the bytes that were sent: a call of many bytes counted often. */
TEST(calls_and_copies_of_an_estimate_have_two_ends)
{
	struct attach_result r = {.sees_kinds = true};
	struct socket_ledger b = {.socket_tx = 1000, .tx_sizes_sum = 5000};
	struct amount calls;

	b.divided[NIO_SIDE_SENDER] = 1000;
	b.calls[NIO_CALL_PLAIN] = b.stages[NIO_STAGE_TX_COPY] = (struct nio_amount){400, 40};
	b.stages[NIO_STAGE_TX_SPLICE] = (struct nio_amount){600, 6};
	b.call_margin[NIO_CALL_PLAIN] = (struct byte_margin){300, 500};
	b.stage_margin[NIO_STAGE_TX_COPY] = (struct byte_margin){300, 500};
	calls = attach_result__call_count(&b, NIO_CALL_PLAIN);
	assert_int_equal(calls.value, 40);
	assert_int_equal(calls.least, 10);
	assert_int_equal(calls.most, 1000); /* each unseen byte may be a call */
	assert_true(attach_result__copies_at_least(&r, &b).value == 0.1);
	assert_true(socket_ledger__copies_per_byte(&b).value == 0.4);
	assert_true(attach_result__copies_at_most(&r, &b).value == 0.9);
}

/* No call and no copy was seen, and some were made: unknown, with the reason, never 0. */
TEST(what_no_window_showed_is_null_with_a_reason)
{
	static const char *const keys[][2] = {
		{"would_block", "calls"}, {"would_block", "inner_tries"}, {"refused", "enobufs"},
		{"receives", "peeked"},   {"receives", "uncopied"},       {"receives", "copies"},
		{"sends", "plain"},       {NULL, "empty_sends"},          {NULL, "tx_sizes"},
		{NULL, "rx_sizes"},
	};
	struct sock_state s = stream;
	json_t *document, *total;

	s.window = 2;
	s.now.sent = 2300;
	s.read_seen = 0;
	memset(s.calls, 0, sizeof(s.calls));
	memset(s.stages, 0, sizeof(s.stages));
	memset(s.uncovered_bytes, 0, sizeof(s.uncovered_bytes));
	memset(s.tx_sizes, 0, sizeof(s.tx_sizes));
	memset(s.rx_sizes, 0, sizeof(s.rx_sizes));
	document = document_about(&s, true);
	total = json_object_get(document, "total");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const json_t *o = keys[i][0] ? json_object_get(total, keys[i][0]) : total;
		const json_t *value = json_object_get(o, keys[i][1]);

		if (json_is_object(value))
			value = json_object_get(value, "calls");
		if (!json_is_null(value))
			fail_msg("%s is not null", keys[i][1]);
	}
	assert_non_null(json_object_get(total, "tx_sizes_reason"));
	assert_non_null(json_object_get(total, "empty_sends_reason"));
	total = json_object_get(total, "would_block");
	assert_non_null(json_object_get(total, "inner_tries_reason"));
	assert_string_equal(json_string_value(json_object_get(total, "quality")), "sampled");
	json_decref(document);
}

/* A peek that no window showed is in no counter. */
TEST(receive_copies_have_no_upper_end_where_peeks_may_be_unseen)
{
	rows_nr = 3;
	for (unsigned int window = 1; window <= 2; window++) {
		struct sock_state s = stream;
		json_t *document, *ledger, *rx_copy;

		s.window = window;
		document = document_about(&s, true);
		ledger = json_object_get(json_object_get(document, "total"), "ledger");
		rx_copy = json_object_get(ledger, "rx_copy");
		assert_false(json_is_null(json_object_get(rx_copy, "bytes_at_least")));
		assert_true(json_is_null(json_object_get(rx_copy, "bytes_at_most")) ==
			    (window == 2));
		assert_true(json_is_null(json_object_get(ledger, "copies_per_byte_at_most")) ==
			    (window == 2));
		if (window == 2) {
			assert_non_null(json_object_get(rx_copy, "reason"));
			assert_non_null(json_object_get(ledger, "copies_per_byte_at_most_reason"));
		}
		json_decref(document);
	}
	rows_nr = 2;
}

/* Only the upper end of copies per byte differs: a reason stands beside it. */
TEST(copies_that_may_have_been_made_unseen_have_a_reason)
{
	struct attach_result r = {.sees_kinds = true};
	struct socket_ledger b = {.socket_tx = 1000};

	b.stages[NIO_STAGE_TX_COPY].bytes = 1000;
	assert_null(attach_result__copies_at_most(&r, &b).reason);
	b.may_copy[UNSEEN_GATHER] = 1000;
	assert_true(attach_result__copies_at_most(&r, &b).value == 2);
	assert_non_null(strstr(attach_result__copies_at_most(&r, &b).reason, "scatter-gather"));
}

/* Linux 6.0 and 6.1: a program cannot ask. */
TEST(requests_of_kernels_without_a_report_have_no_reported_numbers)
{
	struct sock_state s = stream;
	json_t *document, *zerocopy;

	s.requests[NIO_REQUEST_UNREPORTED] = 8;
	without_report = true;
	document = document_about(&s, true);
	without_report = false;
	zerocopy = json_object_get(json_object_get(document, "total"), "zerocopy");
	assert_int_equal(json_integer_value(json_object_get(zerocopy, "requests_unreported")), 8);
	assert_true(json_is_null(json_object_get(zerocopy, "requests_reported")));
	assert_true(json_is_null(json_object_get(zerocopy, "requests_copied")));
	assert_true(json_is_null(json_object_get(zerocopy, "requests_misreported")));
	assert_non_null(json_object_get(zerocopy, "requests_reported_reason"));
	json_decref(document);
}

/* Fields that several blocks have are documented once, under "<block>" or "<owner>". */
static void check_row(struct description *d, const char *path, const char *unit)
{
	static const char *const blocks[] = {"total.", "processes[].", "connections[].", "ports[].",
					     "cgroups[]."};
	char name[256];

	if (description__has_around(d, path) || description__has(d, path, unit))
		return;
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		const char *rest = path + strlen(blocks[i]);

		if (strncmp(path, blocks[i], strlen(blocks[i])) != 0)
			continue;
		snprintf(name, sizeof(name), "<%s>.%s",
			 strncmp(rest, "cpu.", 4) ? "block" : "owner", rest);
		if (description__has(d, name, unit))
			return;
	}
	fail_msg("attach.md does not describe %s", path);
}

TEST(documentation_describes_every_field_and_no_other)
{
	static struct description d;

	description__read(&d, "attach");
	fields__walk(attach_result__fields(), "", check_row, &d);
	description__check_all_written(&d);
}

TEST(control_characters_in_process_names_become_question_marks)
{
	json_t *document = document_about(&stream, true);
	const json_t *c = json_array_get(json_object_get(document, "connections"), 0);

	assert_string_equal(json_string_value(json_object_get(c, "comm")), "a?[31mb?");
	assert_string_equal(json_string_value(json_object_get(c, "local")), "10.0.0.1:80");
	json_decref(document);
}

TEST(unknown_fields_are_null_with_a_reason)
{
	json_t *document = document_about(&stream, false), *total, *ledger;

	total = json_object_get(document, "total");
	ledger = json_object_get(total, "ledger");
	assert_true(json_is_null(json_object_get(json_object_get(ledger, "user_gather"), "bytes")));
	assert_true(json_is_null(json_object_get(json_object_get(ledger, "other_copy"), "bytes")));
	assert_true(json_is_null(json_object_get(json_object_get(total, "zerocopy"), "completed")));
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(ledger, "tx_copy"), "quality")),
		"derived");
	json_decref(document);
}
