/* SPDX-License-Identifier: GPL-2.0-only */
/* Each option of the workload reaches the netio-loadgen of its side, which parses it. */
#include <stdio.h>
#include <string.h>

#include "load/loadgen_args.h"
#include "loadgen/lg_options.h"
#include "loadgen/send_mode.h"
#include "support/refusal.h"
#include "support/test.h"

/* A value that no default has. */
static const char *sample(const struct option_row *row)
{
	switch (row->kind) {
	case OPTION_CPUS:
		return "0";
	case OPTION_CHOICE:
		return strcmp(row->name, "tls") ? "splice" : "1.2";
	case OPTION_NAME:
		return "reno";
	case OPTION_TIME:
		return "37ms";
	case OPTION_SIZE:
		return "5000";
	default:
		return "3";
	}
}

static struct workload workload_with(const struct option_row *row)
{
	struct workload w = {.size = 1024, .fields = 2, .threads = 1, .rounds = 1};
	char why[256];

	assert_int_equal(
		option__store(row, (char *)&w + row->offset, sample(row), why, sizeof(why)), 0);
	if (!strcmp(row->name, "threads"))
		w.connections = 3;
	if (w.fixed_buffers)
		w.fields = 1;
	if (!w.messages && !w.duration_ns)
		w.messages = 1;
	return w;
}

static void parse(const struct arglist *args, struct lg_options *s)
{
	const char *why = refused(s, (int)args->argc, args->argv);

	if (why)
		fail_msg("%s", why);
}

/* Is the value what netiotrace was given? */
static void check(const struct option_row *row, const struct workload *given,
		  const struct lg_options *s)
{
	char before[OPTION_TEXT_MAX], after[OPTION_TEXT_MAX];
	const char *b = option__text(row, given, before);
	const char *a = option__text(row, &s->workload, after);

	if (row->kind == OPTION_CPUS)
		assert_int_equal(s->cpus.nr, 1);
	else if (!a || strcmp(a, b) != 0)
		fail_msg("--%s is %s, not %s", row->name, a ? a : "not passed", b);
}

TEST(each_workload_option_reaches_its_side)
{
	for (size_t i = 0; i < WORKLOAD_OPTIONS_NR; i++) {
		const struct option_row *row = &workload_options[i];
		const struct workload w = workload_with(row);
		const struct address on = {.host = "127.0.0.1", .port = 1};
		struct arglist sender = {0}, receiver = {0};
		struct lg_options s;

		loadgen_args__sender(&sender, "p", &w,
				     w.tls             ? MODE_KTLS
				     : w.fixed_buffers ? MODE_URINGZC
				     : w.uring_depth   ? MODE_URING
						       : MODE_TWOCOPY,
				     "127.0.0.1", 1);
		parse(&sender, &s);
		if (row->commands & ON_SENDER)
			check(row, &w, &s);
		loadgen_args__server(&receiver, "p", &w, &on);
		parse(&receiver, &s);
		if (row->commands & ON_RECEIVER)
			check(row, &w, &s);
		arglist__clear(&sender);
		arglist__clear(&receiver);
	}
}

TEST(modes_with_a_trial_are_those_that_the_load_generator_can_try)
{
	for (int mode = 0; mode < MODE_NR; mode++) {
		const struct workload w = {.fields = 1,
					   .file_dir = "/d",
					   .receive = RECEIVE_MMAP,
					   .fixed_buffers = true};
		struct arglist args = {0};
		struct lg_options s;

		loadgen_args__trial(&args, "p", &w, mode, mode == MODE_ONECOPY);
		parse(&args, &s);
		assert_int_equal(s.workload.receive, mode == MODE_ONECOPY ? RECEIVE_MMAP : 0);
		assert_true(s.only_try && s.control && s.mode == (enum mode)mode);
		assert_string_equal(s.workload.file_dir, "/d");
		assert_int_equal(s.workload.fixed_buffers, mode == MODE_URINGZC);
		assert_int_equal(send_mode__get(mode)->try != NULL, mode__has(mode, MODE_TRIED));
		arglist__clear(&args);
	}
}

TEST(receiver_of_one_run_has_the_congestion_control_of_its_replies_only)
{
	struct workload w = {.size = 1024, .rounds = 1, .messages = 1, .congestion = "reno"};

	for (int replies = 0; replies < 2; replies++) {
		struct arglist args = {0};
		struct lg_options s;

		w.request_response = replies;
		loadgen_args__receiver(&args, "p", &w, "127.0.0.1");
		parse(&args, &s);
		assert_int_equal(s.workload.congestion != NULL, replies);
		arglist__clear(&args);
	}
}
