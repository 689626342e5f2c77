/* SPDX-License-Identifier: GPL-2.0-only */
/* Estimates, text and document of follow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "follow/follow_limits.h"
#include "follow/follow_result.h"
#include "support/described.h"
#include "support/test.h"

static struct follow_options options = {.top = 10};
static struct follow_place places[CHAIN_LINKS_MAX];

static void add(struct follow_result *r, unsigned int nr, unsigned int links, enum chain_end end)
{
	static struct sample s;

	memset(&s, 0, sizeof(s));
	s.complete = true;
	s.stops = 2;
	s.stopped_ns = 3000;
	s.longest_ns = 2000;
	s.chain.end = end;
	s.chain.links_nr = links;
	for (unsigned int i = 0; i < links; i++)
		snprintf(s.chain.links[i].insn, sizeof(s.chain.links[i].insn), "mov");
	for (unsigned int i = 0; i < nr; i++)
		follow_result__add(r, &s, places);
}

static void assert_near(double a, double b)
{
	if (a - b > 0.005 || b - a > 0.005)
		fail_msg("%f is not %f", a, b);
}

/* 1 - 0.025^(1/n) of the bytes may have 0 or 16 copies, unseen. */
TEST(equal_samples_have_the_exact_interval)
{
	struct follow_result r = {.o = &options};
	struct follow_estimate e;

	add(&r, 60, 2, CHAIN_SENT);
	e = follow_result__estimate(&r, NIO_FOLLOW_RECEIVED);
	assert_true(e.per_byte.known);
	assert_near(e.per_byte.value, 2);
	assert_near(e.mean.low, 2 * 0.94038);
	assert_near(e.mean.high, 2 + 14 * (1 - 0.94038));
	assert_near(e.copied.low, 0.94038);
	assert_near(e.copied.high, 1);
	follow_result__clear(&r);
}

TEST(share_of_copied_bytes_has_the_interval_of_clopper_and_pearson)
{
	struct follow_result r = {.o = &options};
	struct follow_estimate e;

	add(&r, 5, 1, CHAIN_SENT);
	add(&r, 15, 0, CHAIN_SENT);
	e = follow_result__estimate(&r, NIO_FOLLOW_RECEIVED);
	assert_near(e.copied.low, 0.0866);
	assert_near(e.copied.high, 0.4910);
	assert_near(e.mean.low, 0.0866);
	follow_result__clear(&r);
}

TEST(fewer_bytes_than_needed_are_no_estimate)
{
	struct follow_result r = {.o = &options};

	add(&r, FOLLOW_NEEDED - 1, 2, CHAIN_SENT);
	add(&r, 100, 0, CHAIN_LATE);
	assert_false(follow_result__estimate(&r, NIO_FOLLOW_RECEIVED).per_byte.known);
	assert_int_equal(follow_copies__unknown(&r.of[NIO_FOLLOW_RECEIVED]), 100);
	follow_result__clear(&r);
}

TEST(unknown_bytes_may_have_no_copy_or_16)
{
	struct follow_result r = {.o = &options};
	struct follow_estimate e;

	add(&r, 30, 3, CHAIN_SENT);
	add(&r, 10, 1, CHAIN_UNDECODED);
	e = follow_result__estimate(&r, NIO_FOLLOW_RECEIVED);
	assert_near(e.per_byte.value, 3);
	assert_true(e.mean.low < 3 * 0.75);
	assert_true(e.mean.high > (30 * 3 + 10 * 16) / 40.0);
	assert_true(e.copied.low < 0.75 && e.copied.low > 0.5);
	follow_result__clear(&r);
}

TEST(kept_bytes_may_be_copied_later)
{
	struct follow_result r = {.o = &options};
	struct follow_estimate e;

	add(&r, 20, 1, CHAIN_SENT);
	add(&r, 20, 0, CHAIN_KEPT);
	e = follow_result__estimate(&r, NIO_FOLLOW_RECEIVED);
	assert_near(e.per_byte.value, 0.5);
	assert_true(e.mean.high >= 0.5 + 0.5 * 16);
	assert_near(e.copied.high, 1);
	follow_result__clear(&r);
}

TEST(bytes_with_more_places_than_watchpoints_may_have_had_more_copies)
{
	static struct follow_place none[CHAIN_LINKS_MAX];
	static struct sample s = {.complete = true};
	struct follow_result r = {.o = &options};

	add(&r, 20, 3, CHAIN_SENT);
	s.chain.end = CHAIN_SENT;
	s.chain.at_least = true;
	for (int i = 0; i < 20; i++)
		follow_result__add(&r, &s, none);
	assert_int_equal(follow_copies__at_least(&r.of[NIO_FOLLOW_RECEIVED]), 20);
	assert_true(follow_result__estimate(&r, NIO_FOLLOW_RECEIVED).mean.high >= 9.5);
	follow_result__clear(&r);
}

static void add_sent(struct follow_result *r, unsigned int nr, unsigned int links)
{
	static struct sample s = {.complete = true, .chain.backward = true};

	s.chain.end = CHAIN_FILLED;
	s.chain.links_nr = links;
	for (unsigned int i = 0; i < nr; i++)
		follow_result__add(r, &s, places);
}

TEST(sent_bytes_have_an_estimate_of_their_own)
{
	struct follow_result r = {.o = &options};

	add(&r, 20, 1, CHAIN_WRITTEN_OVER);
	add_sent(&r, 30, 2);
	assert_near(follow_result__estimate(&r, NIO_FOLLOW_RECEIVED).per_byte.value, 1);
	assert_near(follow_result__estimate(&r, NIO_FOLLOW_SENT).per_byte.value, 2);
	follow_result__clear(&r);
}

TEST(a_relay_whose_directions_disagree_has_no_estimate)
{
	struct follow_result r = {.o = &options};

	add(&r, 20, 2, CHAIN_SENT);
	add_sent(&r, 30, 2);
	assert_true(follow_result__estimate(&r, NIO_FOLLOW_RECEIVED).per_byte.known);
	add_sent(&r, 300, 1);
	assert_false(follow_result__estimate(&r, NIO_FOLLOW_RECEIVED).per_byte.known);
	assert_false(follow_result__estimate(&r, NIO_FOLLOW_SENT).per_byte.known);
	follow_result__clear(&r);
}

TEST(samples_without_a_byte_do_not_count)
{
	struct follow_result r = {.o = &options};

	add(&r, 100, 0, CHAIN_NONE);
	assert_int_equal(follow_copies__followed(&r.of[NIO_FOLLOW_RECEIVED]), 0);
	assert_int_equal(follow_copies__unknown(&r.of[NIO_FOLLOW_RECEIVED]), 0);
}

static void put_place(unsigned int i, const char *function, const char *file, uint32_t line)
{
	struct frames *f = &places[i].frames;

	memset(&places[i], 0, sizeof(places[i]));
	snprintf(places[i].from, sizeof(places[i].from), "heap");
	snprintf(places[i].to, sizeof(places[i].to), "stack");
	f->nr = 2;
	snprintf(f->frame[0].object, sizeof(f->frame[0].object), "libc.so.6");
	f->frame[0].offset = 0x1234;
	snprintf(f->frame[1].object, sizeof(f->frame[1].object), "relay");
	snprintf(f->frame[1].function, sizeof(f->frame[1].function), "%s", function);
	snprintf(f->frame[1].file, sizeof(f->frame[1].file), "%s", file);
	f->frame[1].line = line;
	f->frame[1].offset = line;
}

static char *text_of(const struct follow_result *r)
{
	static char text[8192];
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_non_null(f);
	follow_result__print(f, 100, r);
	fclose(f);
	return text;
}

/* The text of known bytes with copies, and of unknown ones, has these words. */
static void assert_says(unsigned int copied, unsigned int copies, unsigned int not_copied,
			unsigned int unknown, const char *words)
{
	struct follow_result r = {.o = &options, .comm = "python3", .duration_ns = 1};
	char *text;

	memset(places, 0, sizeof(places));
	add(&r, copied, copies, CHAIN_SENT);
	add(&r, not_copied, 0, CHAIN_SENT);
	add(&r, unknown, 0, CHAIN_SLOW);
	text = text_of(&r);
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in: %s", words, text);
	follow_result__clear(&r);
}

TEST(words_follow_from_the_interval)
{
	assert_says(0, 0, 60, 0, "python3 does not copy what it receives in user space: 0 to 6");
	assert_says(0, 0, 15, 0,
		    "Whether python3 copies what it receives cannot be told from 15 bytes in user "
		    "space: 0 to");
	assert_says(0, 0, 15, 100, "cannot be told from 15 bytes in user space: 0 to");
	assert_says(15, 2, 0, 60, "python3 copies some of what it receives in user space: ");
	assert_says(60, 2, 0, 0, "python3 copies what it receives twice in user space: 94 to 100");
	assert_says(20, 1, 0, 0, "python3 copies most of what it receives once in user space: 83");
	assert_says(60, 7, 0, 0, "python3 copies what it receives 7 times in user space: ");
	assert_says(2, 1, 198, 0, "python3 copies some of what it receives in user space: 0.1 to");
}

TEST(bytes_with_different_numbers_of_copies_have_no_number_in_words)
{
	struct follow_result r = {.o = &options};
	struct follow_estimate e;

	add(&r, 40, 1, CHAIN_SENT);
	add(&r, 40, 2, CHAIN_SENT);
	e = follow_result__estimate(&r, NIO_FOLLOW_RECEIVED);
	assert_int_equal(e.answer, FOLLOW_COPIES);
	assert_int_equal(e.times, 0);
	follow_result__clear(&r);
}

TEST(text_names_the_function_that_called_the_copy_and_the_cost)
{
	struct follow_result r = {.o = &options, .comm = "relay", .duration_ns = 20000000000};
	char *text;

	put_place(0, "pack", "pack.c", 12);
	add(&r, 40, 1, CHAIN_SENT);
	follow_result__sort(&r);
	text = text_of(&r);
	assert_non_null(strstr(text, "relay copies what it receives once in user space"));
	assert_non_null(strstr(text, ", most often in"));
	assert_non_null(strstr(text, "100 %"));
	assert_non_null(strstr(text, "libc.so.6+0x1234 < pack pack.c:12"));
	assert_non_null(strstr(text, "40 sent by TCP"));
	assert_non_null(strstr(text, "80 stops of a thread, 1.5 us each"));
	follow_result__clear(&r);
}

TEST(signals_and_the_end_of_the_following_process_are_told_apart)
{
	struct follow_result r = {.o = &options,
				  .duration_ns = 20000000000,
				  .killed = 1,
				  .killed_pid = 42,
				  .killed_by = 11};
	static struct sample s = {.cpu_ns = 500000000};
	char *text;

	follow_result__add(&r, &s, places);
	text = text_of(&r);
	assert_non_null(
		strstr(text, "1 followed process ended by a signal: process 42 by signal 11 ("));
	assert_non_null(strstr(text, "1 unknown: the process that followed it was ended"));
	assert_non_null(strstr(text, "polled a CPU for 2.5 % of the time"));
	follow_result__clear(&r);
}

TEST(text_of_nothing_says_what_is_missing)
{
	struct follow_result r = {.o = &options,
				  .of[NIO_FOLLOW_RECEIVED].unseen = "the program uses io_uring"};
	const char *text = text_of(&r);

	assert_non_null(strstr(text, "How often the program copies what it receives and sends is"));
	assert_non_null(strstr(text, "is unknown: no process"));
	assert_non_null(strstr(text, "the program uses io_uring"));
	assert_non_null(strstr(text, "no byte of it was chosen"));
	assert_non_null(strstr(text, "no thread was stopped"));
}

TEST(instructions_of_one_line_are_one_place)
{
	struct follow_result r = {.o = &options};

	put_place(0, "pack", "pack.c", 12);
	add(&r, 1, 1, CHAIN_SENT);
	places[0].frames.frame[1].offset += 8;
	add(&r, 1, 1, CHAIN_SENT);
	assert_int_equal(r.of[NIO_FOLLOW_RECEIVED].sites_nr, 1);
	places[0].frames.frame[0].offset += 8;
	add(&r, 1, 1, CHAIN_SENT);
	assert_int_equal(r.of[NIO_FOLLOW_RECEIVED].sites_nr, 2);
	follow_result__clear(&r);
}

TEST(folded_stacks_are_outermost_first_with_their_number)
{
	struct follow_result r = {.o = &options};
	char text[1024] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	put_place(0, "std::pack<a, b>", "pack.c", 12);
	add(&r, 3, 1, CHAIN_SENT);
	follow_result__write_folded(f, &r);
	fclose(f);
	assert_string_equal(text, "received;std::pack<a,_b>;libc.so.6+0x1234 3\n");
	follow_result__clear(&r);
}

TEST(document_has_the_estimate_and_nulls_with_reasons)
{
	struct follow_result r = {.o = &options};
	json_t *document = follow_result__document(&r);
	const json_t *received = json_object_get(document, "received");

	assert_true(json_is_null(json_object_get(received, "per_byte")));
	assert_string_equal(json_string_value(json_object_get(received, "quality")), "unavailable");
	assert_true(json_is_string(json_object_get(received, "reason")));
	json_decref(document);
	put_place(0, "pack", "pack.c", 12);
	add(&r, 40, 1, CHAIN_SENT);
	add(&r, 2, 0, CHAIN_LATE);
	document = follow_result__document(&r);
	received = json_object_get(document, "received");
	assert_int_equal(json_integer_value(json_object_get(received, "followed")), 40);
	assert_string_equal(json_string_value(json_object_get(received, "answer")), "copies_most");
	assert_int_equal(json_integer_value(json_object_get(received, "times")), 1);
	assert_int_equal(json_integer_value(json_object_get(received, "unknown")), 2);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(received, "ends"), "sent")), 40);
	json_decref(document);
	follow_result__clear(&r);
}

/* <end> stands for each of them. */
static void check_row(struct description *d, const char *path, const char *unit)
{
	if (!description__has_around(d, path) && !description__has(d, path, unit))
		fail_msg("follow.md does not describe %s (%s)", path, unit);
}

TEST(documentation_describes_every_field_and_no_other)
{
	static struct description d;

	description__read(&d, "follow");
	fields__walk(follow_result__fields(), "", check_row, &d);
	description__check_all_written(&d);
}

TEST(machines_that_follow_would_harm_are_refused_with_the_reason)
{
	const struct follow_machine good = {.cpus = 2, .may_trace = true};
	struct follow_machine m = good;

	assert_null(follow_machine__refusal(&m));
	m.cpus = 1;
	assert_non_null(strstr(follow_machine__refusal(&m), "two CPUs"));
	m = good;
	m.realtime = true;
	assert_non_null(strstr(follow_machine__refusal(&m), "PREEMPT_RT"));
	m = good;
	m.yama = 3;
	assert_non_null(strstr(follow_machine__refusal(&m), "ptrace_scope=3"));
	m.yama = 2;
	assert_null(follow_machine__refusal(&m));
	m = good;
	m.confidentiality = true;
	assert_non_null(strstr(follow_machine__refusal(&m), "lockdown"));
	m = good;
	m.own_pids = true;
	assert_non_null(strstr(follow_machine__refusal(&m), "PID namespace"));
	m = good;
	m.may_trace = false;
	assert_non_null(strstr(follow_machine__refusal(&m), "CAP_SYS_PTRACE"));
}
