/* SPDX-License-Identifier: GPL-2.0-only */
/* How a document writes single values: numbers, text, histograms, latencies, times. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "write/json.h"

/* Takes ownership of value; NULL means no value. */
static void check(json_t *value, const char *expected)
{
	char *text;

	assert_non_null(value);
	text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
	assert_string_equal(text, expected);
	free(text);
	json_decref(value);
}

static struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

static struct num unknown(const char *reason)
{
	return (struct num){.value = 99, .reason = reason};
}

TEST(integers_above_JSON_become_reals_and_NAN_null)
{
	json_t *most = json_value__u64(INT64_MAX), *more = json_value__u64((uint64_t)1 << 63);

	check(json_value__u64(0), "0");
	assert_true(json_is_integer(most));
	assert_true(json_integer_value(most) == INT64_MAX);
	assert_true(json_is_real(more));
	assert_true(json_real_value(more) == 0x1p63);
	json_decref(most);
	json_decref(more);
	check(json_value__real(-1.5), "-1.5");
	check(json_value__real((double)NAN), "null");
	check(json_value__real((double)INFINITY), "null");
}

TEST(invalid_UTF8_keeps_its_ascii)
{
	check(json_value__text(NULL), "null");
	check(json_value__text(""), "\"\"");
	check(json_value__text("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
	check(json_value__text("a\x7f\x80z\xff"), "\"a\x7f?z?\"");
	check(json_value__text("\xc3\xbc\xff"), "\"???\"");
	check(json_value__modes(0), "null");
	check(json_value__modes(1U << MODE_ZEROCOPY | 1U << MODE_TWOCOPY), "\"twocopy zerocopy\"");
	check(json_value__modes(1U << MODE_ONECOPY), "\"onecopy\"");
}

TEST(reasons_are_recognized_by_their_keys)
{
	assert_true(json_key__is_reason("reason"));
	assert_true(json_key__is_reason("bytes_reason"));
	assert_false(json_key__is_reason("reasons"));
	assert_false(json_key__is_reason("season"));
	assert_false(json_key__is_reason("xreason"));
	assert_false(json_key__is_reason("reason_of"));
	assert_false(json_key__is_reason(""));
}

/* A reason stands beside null only. */
TEST(unknown_number_has_its_reason_beside_it)
{
	json_t *o = json_object();

	json_put_num(o, "a", known(7));
	json_put_num(o, "b", (struct num){.value = 8, .known = true, .reason = "scaled"});
	json_put_num(o, "c", unknown("lost"));
	json_put_num(o, "d", unknown(NULL));
	check(o, "{\"a\":7,\"b\":8,\"c\":null,\"c_reason\":\"lost\","
		 "\"d\":null,\"d_reason\":\"not measured\"}");
	o = json_object();
	json_put_real(o, "a", (struct real){.value = 0.5, .known = true});
	json_put_real(o, "b", (struct real){.value = 0.5, .reason = "lost"});
	json_put_real(o, "c", (struct real){.value = (double)NAN, .known = true});
	json_put_whole(o, "d", (struct real){.value = -3, .known = true});
	json_put_whole(o, "e", (struct real){.reason = "lost"});
	check(o, "{\"a\":0.5,\"b\":null,\"b_reason\":\"lost\",\"c\":null,"
		 "\"c_reason\":\"the result is not a number\",\"d\":-3,\"e\":null,"
		 "\"e_reason\":\"lost\"}");
	o = json_object();
	json_put_flag(o, "a", (struct flag){.value = true, .known = true});
	json_put_flag(o, "b", (struct flag){.reason = "lost"});
	json_put_text_or(o, "c", "x", "lost");
	json_put_text_or(o, "d", "", "lost");
	check(o, "{\"a\":true,\"b\":null,\"b_reason\":\"lost\",\"c\":\"x\",\"d\":null,"
		 "\"d_reason\":\"lost\"}");
}

TEST(bare_number_has_no_reason_of_its_own)
{
	json_t *o = json_object();

	json_put_bare(o, "a", known(3));
	json_put_bare(o, "b", unknown("lost"));
	json_put_bare_real(o, "c", (struct real){.value = 0.5, .known = true});
	json_put_bare_real(o, "d", (struct real){.reason = "lost"});
	json_put_or_null(o, "e", 0);
	json_put_or_null(o, "f", 4);
	json_put_reason_if(o, "g", NULL);
	json_put_reason_if(o, "h", "why");
	check(o, "{\"a\":3,\"b\":null,\"c\":0.5,\"d\":null,\"e\":null,\"f\":4,\"h\":\"why\"}");
}

/* The member of a run's object at a dotted path. */
static void check_in_run(const struct run_result *run, const char *path, const char *expected)
{
	json_t *document = json_document__run(run), *value = document;
	char copy[64], *key, *save = NULL;

	snprintf(copy, sizeof(copy), "%s", path);
	for (key = strtok_r(copy, ".", &save); key; key = strtok_r(NULL, ".", &save))
		value = json_object_get(value, key);
	check(json_incref(value), expected);
	json_decref(document);
}

static void record_times(struct hist *h, uint64_t value, unsigned int n)
{
	while (n--)
		hist__record(h, value);
}

/*
 * A thousand events with a different value for each quantile. Empty buckets are left out, and the
 * last one has no upper bound.
 */
TEST(latency_has_quantiles_count_and_buckets)
{
	struct run_result run = {0};
	struct latency_result *l = &run.app.latency[LATENCY_SEND_CALL];

	run_result__init(&run);
	*l = (struct latency_result){.hist = hist__new(3, 256), .reason = "not said"};
	record_times(l->hist, 1, 500);
	record_times(l->hist, 2, 400);
	record_times(l->hist, 3, 90);
	record_times(l->hist, 100, 9);
	record_times(l->hist, (uint64_t)1 << 40, 1);
	check_in_run(&run, "app.latency_ns.send_call.p50", "1");
	check_in_run(&run, "app.latency_ns.send_call.p90", "2");
	check_in_run(&run, "app.latency_ns.send_call.p99", "3");
	check_in_run(&run, "app.latency_ns.send_call.p999", "99");
	check_in_run(&run, "app.latency_ns.send_call.max", "1099511627776");
	check_in_run(&run, "app.latency_ns.send_call.count", "1000");
	check_in_run(&run, "app.latency_ns.send_call.buckets",
		     "[[1,1,500],[2,2,400],[3,3,90],[96,103,9],[16106127360,null,1]]");
	run_result__clear(&run);
}

#define NO_QUANTILES \
	"{\"p50\":null,\"p90\":null,\"p99\":null,\"p999\":null,\"max\":null,\"mean\":null,"

/* Not timed, and timed without an event: different counts and reasons. */
TEST(latency_without_events_has_a_reason)
{
	struct run_result run = {0};
	struct latency_result *l = &run.app.latency[LATENCY_SEND_CALL];

	run_result__init(&run);
	*l = (struct latency_result){.reason = "no clock"};
	check_in_run(&run, "app.latency_ns.send_call",
		     NO_QUANTILES "\"count\":null,\"buckets\":[],\"reason\":\"no clock\"}");
	l->reason = NULL;
	check_in_run(&run, "app.latency_ns.send_call",
		     NO_QUANTILES "\"count\":null,\"buckets\":[],\"reason\":\"not measured\"}");
	*l = (struct latency_result){.hist = hist__new_latency(), .reason = "no clock"};
	check_in_run(&run, "app.latency_ns.send_call",
		     NO_QUANTILES "\"count\":0,\"buckets\":[],\"reason\":\"no event was timed\"}");
	run_result__clear(&run);
}

#define NO_TIMES                                                                       \
	"\"duration_s\":null,\"messages\":null,\"send_calls\":null,\"payload_bytes\":" \
	"null,\"missed\":null,\"map_full\":null,\"unmatched\":null}"

static struct run_result new_run(void)
{
	struct run_result run;
	struct hist *calls = hist__new_latency();

	run_result__init(&run);
	record_times(calls, 10, 21);
	run.app.latency[LATENCY_SEND_CALL].hist = calls;
	run.duration_ns = 2500000000;
	run.app.tx_messages = 20;
	run.app.rx_bytes = 2000;
	run.app.tx_bytes = 2100;
	run.health.missed = known(1);
	run.health.map_full = known(2);
	run.health.unmatched = unknown("not counted");
	return run;
}

TEST(times_of_the_round_itself_have_its_counts)
{
	struct run_result run = new_run();

	run.path_calls = unknown("no trampoline");
	check_in_run(&run, "times", "{\"source\":null,\"reason\":\"no trampoline\"," NO_TIMES);
	run.path_calls.reason = NULL;
	check_in_run(&run, "times", "{\"source\":null,\"reason\":\"not measured\"," NO_TIMES);
	run.path_calls = known(5);
	check_in_run(&run, "times",
		     "{\"source\":\"round\",\"duration_s\":2.5,\"messages\":20,\"send_calls\":21,"
		     "\"payload_bytes\":2000,\"missed\":1,\"map_full\":2,\"unmatched\":null,"
		     "\"unmatched_reason\":\"not counted\"}");
	run_result__clear(&run);
}

/* A share of bytes is rounded to the nearest byte. */
TEST(timed_bytes_are_whole)
{
	static const char path[] = "ledger.deferred_copy.timed_bytes";
	struct run_result run = new_run();
	struct stage_result *s = &run.stages[NIO_STAGE_DEFERRED_COPY];

	check_in_run(&run, path, "null");
	check_in_run(&run, "ledger.deferred_copy.timed_bytes_reason", "\"not measured\"");
	s->quality = QUALITY_EXACT;
	s->events = 3;
	s->bytes = 4;
	s->ns = known(500);
	s->timed = known(1);
	check_in_run(&run, path, "1");
	s->bytes = 5;
	check_in_run(&run, path, "2");
	s->timed_bytes = known(77);
	check_in_run(&run, path, "77");
	run_result__clear(&run);
}

/* The shortest name of a process is a name. */
TEST(taps_have_process_device_and_side)
{
	static struct environment env;
	json_t *o, *tap;

	env.taps.known = true;
	env.taps.nr = 2;
	strcpy(env.taps.list[0].process, "p");
	strcpy(env.taps.list[0].device, "l");
	env.taps.list[0].receiver = true;
	strcpy(env.taps.list[1].function, "f");
	env.taps.list[1].sender = true;
	env.taps.list[1].at_start = true;
	o = json_document__environment(&env);
	tap = json_array_get(json_object_get(o, "taps"), 0);
	check(json_incref(tap), "{\"device\":\"l\",\"side\":\"receiver\",\"process\":\"p\",\"pid\":"
				"null,\"pid_reason\":\"not measured\",\"function\":null,"
				"\"at_start\":false,\"at_end\":false}");
	tap = json_array_get(json_object_get(o, "taps"), 1);
	check(json_incref(tap), "{\"device\":\"*\",\"side\":\"sender\",\"process\":null,\"pid\":"
				"null,\"pid_reason\":\"not measured\",\"function\":\"f\","
				"\"at_start\":true,\"at_end\":false}");
	json_decref(o);
}

/* A file with room for this number of bytes. */
struct full {
	size_t room;
};

static ssize_t write_some(void *cookie, const char *text, size_t len)
{
	struct full *full = cookie;

	(void)text;
	if (len > full->room) {
		errno = ENOSPC;
		len = full->room;
	}
	full->room -= len;
	return (ssize_t)len;
}

static int write_into(size_t room, const json_t *document)
{
	struct full full = {room};
	FILE *f = fopencookie(&full, "w", (cookie_io_functions_t){.write = write_some});
	int err;

	assert_non_null(f);
	assert_int_equal(setvbuf(f, NULL, _IONBF, 0), 0);
	err = json_document__write(f, document);
	fclose(f);
	return err;
}

/* A full disk at any byte, in a key or after the last bracket, is an error. */
TEST(document_is_complete_or_an_error)
{
	json_t *o = json_pack("{s:[{s:i},{}],s:[i,i],s:{s:n},s:f}", "a", "b", 1, "c", 2, 3, "d",
			      "e", "f", 0.5);
	static const char expected[] = "{\n"
				       "  \"a\": [\n"
				       "    {\n"
				       "      \"b\": 1\n"
				       "    },\n"
				       "    {\n"
				       "    }\n"
				       "  ],\n"
				       "  \"c\": [2, 3],\n"
				       "  \"d\": {\n"
				       "    \"e\": null\n"
				       "  },\n"
				       "  \"f\": 0.5\n"
				       "}\n";
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(json_document__write(f, o), 0);
	fclose(f);
	assert_string_equal(text, expected);
	for (size_t room = 0; room < len; room++)
		assert_int_equal(write_into(room, o), -ENOSPC);
	assert_int_equal(write_into(len, o), 0);
	free(text);
	json_decref(o);
}

/* Any user can name a process: terminal escape sequences must not appear in a document. */
TEST(document_is_ascii)
{
	json_t *o = json_pack("{s:s}", "k\xc2\x9b", "\x1b[2J\xc2\x9b 2J\xe2\x80\xae\xc3\xbc");
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(o);
	assert_int_equal(json_document__write(f, o), 0);
	fclose(f);
	for (size_t i = 0; i < len; i++)
		assert_true(text[i] == '\n' || (text[i] >= ' ' && text[i] < 0x7f));
	free(text);
	json_decref(o);
}

/*
 * Numbers of a kernel that preempts BPF programs. The document has one number of completions, and
 * how many of them only the application counted.
 */
TEST(completions_that_events_missed_are_filled_in)
{
	struct run_result run;

	run_result__init(&run);
	run.ledger_known = run.kernel_zc_known = true;
	run.app.zc = (struct zc_counts){.sends = 1303, .completed = 1303, .copied = 1300};
	run.kernel_zc = (struct zc_counts){.completed = 1298, .copied = 1296, .not_copied = 2};
	run.notifications = known(100);
	check_in_run(&run, "kernel_zerocopy.completed", "1303");
	check_in_run(&run, "kernel_zerocopy.missed", "5");
	check_in_run(&run, "kernel_zerocopy.copied", "1296");
	check_in_run(&run, "kernel_zerocopy.copied_at_most", "1301");
	check_in_run(&run, "kernel_zerocopy.not_copied", "2");
	check_in_run(&run, "kernel_zerocopy.sends_per_notification", "12.98");
	/* A sample: the first notification of a window completes all sends since the last one. */
	run.mode = MODE_ZEROCOPY;
	run.health.attached_ns = 50;
	run.health.phase_ns = 500;
	check_in_run(&run, "kernel_zerocopy.sends_per_notification_reason",
		     "\"completions were sampled\"");
	run.health.attached_ns = 500;
	/* Each request of io_uring has one, with a report or not. */
	run.mode = MODE_URINGZC;
	run.kernel_zc.sends = 100;
	check_in_run(&run, "kernel_zerocopy.sends_per_notification", "1.0");
	/* Counts of different moments: nothing is filled in. */
	run.not_final = "interrupted";
	check_in_run(&run, "kernel_zerocopy.completed", "1298");
	check_in_run(&run, "kernel_zerocopy.missed", "0");
	run_result__clear(&run);
}
