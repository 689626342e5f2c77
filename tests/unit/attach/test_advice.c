/* SPDX-License-Identifier: GPL-2.0-only */
/* Advice needs a cost and a program to which it applies. */
#include <string.h>

#include "attach/advice.h"
#include "support/test.h"

#define MB 1000000ULL

static const struct baseline measured = {
	.path = "results",
	.points = {{1024, 1, 0.85}, {8192, 1, 0.1}, {65536, 0, 0.01}, {262144, -1, -0.3}},
	.nr = 4,
};

static struct socket_ledger ledger;
static struct advice_program program;

static void add_sample(enum cpu_class c)
{
	program.cpu.samples++;
	program.cpu.classes[c]++;
}

/* A program with that many samples of a class in 1000; the rest is TCP/IP. */
static struct advice_row row_with(enum cpu_class c, int of_1000)
{
	memset(&ledger, 0, sizeof(ledger));
	memset(&program, 0, sizeof(program));
	for (int i = 0; i < 1000; i++)
		add_sample(i < of_1000 ? c : CPU_CLASS_TCP_IP);
	return (struct advice_row){.ledger = &ledger, .sees_kinds = true, .program = &program};
}

/* A server that reads a file and sends it by copy. */
static struct advice_row file_server(void)
{
	struct advice_row row = row_with(CPU_CLASS_TX_COPY, 200);

	program.read = num__known(100 * MB);
	program.copied = row.copied = ledger.stages[NIO_STAGE_TX_COPY].bytes = 100 * MB;
	return row;
}

static const char *advice(const struct advice_row *row)
{
	static char text[1024];

	text[0] = '\0';
	advice__describe(text, sizeof(text), row);
	return text;
}

static void assert_has(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("'%s' is not in '%s'", what, text);
}

/* 200 of 1000 in Wilson's interval (1927): 17.6 to 22.6 %. */
TEST(file_sent_by_copy_gives_advice_with_its_cost)
{
	struct advice_row row = file_server();

	row.name = "port 81";
	assert_string_equal(
		advice(&row),
		"Port 81: 100 MB were sent by copy, and as many were read from files or pipes: "
		"this copy costs 17 to 23 % of the CPU time. If the program sends these bytes "
		"unchanged, sendfile (of a file) or splice (of a pipe) spares that copy and the "
		"reading. ");
	row.name = NULL;
	assert_has(advice(&row), "100 MB were sent by copy");
}

/* rchar includes bytes from sockets by read() but not by recv(), so the file bytes are a range. */
TEST(received_bytes_widen_the_cost_range)
{
	struct advice_row row = file_server();

	program.received = 50 * MB;
	assert_has(advice(&row), "50 MB to 100 MB of them were read from files or pipes: this copy "
				 "costs 8 to 23 % of the CPU time");
	program.received = 99 * MB;
	assert_string_equal(advice(&row), "");
}

/* A process was read before its end: the row and the sentence have the same bytes. */
TEST(bytes_after_the_last_reading_may_come_from_files_or_not)
{
	struct advice_row row = file_server();

	ledger.stages[NIO_STAGE_TX_COPY].bytes = 110 * MB;
	assert_has(advice(&row), "110 MB were sent by copy, and 100 MB to 110 MB of them were read "
				 "from files or pipes: this copy costs 17 to 23 % of the CPU time");
	/* An estimate that has become smaller. */
	ledger.stages[NIO_STAGE_TX_COPY].bytes = 90 * MB;
	ledger.divided[NIO_SIDE_SENDER] = 1;
	assert_has(advice(&row), "About 90 MB were sent by copy, and as many were read from files");
}

/* With fewer bytes from files the cost shrinks. */
TEST(cost_follows_the_bytes_without_a_step)
{
	static const struct {
		uint64_t read;
		const char *says;
	} cases[] = {
		{200, "17 to 23 %"}, {95, "16 to 22 %"}, {89, "15 to 21 %"},
		{50, "8 to 12 %"},   {10, "1 to 3 %"},   {5, NULL},
	};

	for_each_case(c, cases) {
		struct advice_row row = file_server();

		program.read.value = c->read * MB;
		if (c->says)
			assert_has(advice(&row), c->says);
		else
			assert_string_equal(advice(&row), "");
	}
}

/* One process, a port with sendfile and one without: the advice is for the latter only. */
TEST(only_the_port_that_copies_gets_advice)
{
	struct advice_row row = file_server();

	program.read.value = 300 * MB;
	program.spliced = 200 * MB;
	program.copied = 102 * MB;
	assert_has(advice(&row), "98 MB to 100 MB of them were read from files");
	row.copied = ledger.stages[NIO_STAGE_TX_COPY].bytes = 2 * MB;
	assert_string_equal(advice(&row), "");
}

TEST(calls_are_asked_for_where_the_estimate_would_carry_advice)
{
	struct advice_row row = file_server();
	char text[1024] = "";

	row.name = "port 81";
	advice__ask_for_calls(text, sizeof(text), &row);
	assert_string_equal(text, "Port 81: too few calls were seen for advice on copies: "
				  "--count-calls watches every call. ");
	row = row_with(CPU_CLASS_TX_COPY, 0);
	text[0] = '\0';
	advice__ask_for_calls(text, sizeof(text), &row);
	assert_string_equal(text, "");
}

TEST(no_advice_without_a_significant_cost)
{
	struct advice_row row = file_server();

	memset(&program.cpu, 0, sizeof(program.cpu));
	assert_string_equal(advice(&row), "");
	/* 1 to 15 %: too few samples. */
	for (int i = 0; i < 30; i++)
		add_sample(i ? CPU_CLASS_TCP_IP : CPU_CLASS_TX_COPY);
	assert_string_equal(advice(&row), "");
	row = row_with(CPU_CLASS_TX_COPY, 12);
	program.read = num__known(100 * MB);
	program.copied = row.copied = 100 * MB;
	assert_string_equal(advice(&row), "");
}

TEST(no_advice_where_it_cannot_apply)
{
	struct advice_row row = file_server();

	row.encrypts = true;
	assert_string_equal(advice(&row), "");
	row = file_server();
	program.encrypted = 1;
	assert_string_equal(advice(&row), "");
	row = file_server();
	ledger.unmeasured = 1;
	assert_string_equal(advice(&row), "");
	row = file_server();
	ledger.tls[NIO_SIDE_SENDER].records = 1; /* kTLS */
	assert_string_equal(advice(&row), "");
	row = file_server();
	row.sees_kinds = false; /* copied bytes may come from sendfile */
	assert_string_equal(advice(&row), "");
	row = file_server();
	program.read = num__unknown("gone");
	assert_string_equal(advice(&row), "");
	row = file_server();
	ledger.left_out = 1;
	assert_string_equal(advice(&row), "");
	assert_true(advice__encrypts(22) && advice__encrypts(443));
	assert_false(advice__encrypts(80) || advice__encrypts(0));
}

static struct advice_row zerocopy(uint64_t sends, uint64_t copied)
{
	struct advice_row row = row_with(CPU_CLASS_TX_PIN, 200);

	ledger.calls[NIO_CALL_ZEROCOPY] = (struct nio_amount){sends * 65536, sends};
	ledger.stages[NIO_STAGE_TX_PIN] = ledger.calls[NIO_CALL_ZEROCOPY];
	ledger.completed = program.completed = sends;
	ledger.copied = copied;
	return row;
}

/* Pinning costs 20 %: with fewer copied sends, the copies saved exceed that cost. */
TEST(copied_zero_copy_gives_advice_only_if_it_costs_more_than_it_saves)
{
	static const struct {
		uint64_t copied;
		bool advised;
	} cases[] = {{75294, true}, {75075, true}, {60000, true}, {25000, false}, {0, false}};

	for_each_case(c, cases) {
		struct advice_row row = zerocopy(75294, c->copied);

		for (int i = 0; i < 150; i++)
			add_sample(CPU_CLASS_DEFERRED_COPY);
		assert_int_equal(advice(&row)[0] != '\0', c->advised);
	}
}

TEST(advice_on_copied_zero_copy_has_numbers_and_the_cost)
{
	struct advice_row row = zerocopy(1200, 1200);

	assert_string_equal(advice(&row),
			    "1 200 of 1 200 zero-copy sends were copied, so zero-copy spares too "
			    "little: pinning and notifications cost 17 to 23 % of the CPU time. "
			    "Without MSG_ZEROCOPY the send call copies these bytes. ");
	ledger.stages[NIO_STAGE_DEFERRED_COPY].bytes = 1200 * 65536 + 5 * MB;
	assert_has(advice(&row), "and the later copy of 5 MB that were not pinned goes.");
	ledger.deferred_again = 5 * MB;
	assert_null(strstr(advice(&row), "not pinned"));
	/* A tenth of the program's zero-copy sends: a tenth of the cost. */
	program.completed = 12000;
	assert_has(advice(&row), "cost 1 to 3 % of the CPU time");
	/* The receiver maps the later copy: without it, the receiver copies. */
	ledger.stages[NIO_STAGE_RX_MAP].bytes = 1;
	assert_string_equal(advice(&row), "");
}

TEST(average_zero_copy_size_is_compared_with_a_sweep)
{
	struct advice_row row = zerocopy(1000, 0);

	ledger.calls[NIO_CALL_ZEROCOPY].bytes = 900 * 1000;
	assert_string_equal(advice(&row), "");
	row.baseline = &measured;
	/* 900 bytes were not measured, so the sentence names the smallest measured size. */
	assert_has(advice(&row),
		   "Zero-copy sends of 900 B on average (1 000): pinning and notifications cost 17 "
		   "to 23 % of the CPU time; up to about 8 KiB");
	assert_has(advice(&row),
		   "(measured by sweep, results: zero-copy takes 85 % more CPU time at 1 KiB)");
	ledger.calls[NIO_CALL_ZEROCOPY].bytes = 65536 * 1000;
	assert_string_equal(advice(&row), "");

	row = row_with(CPU_CLASS_TX_COPY, 200);
	row.baseline = &measured;
	ledger.calls[NIO_CALL_PLAIN] = (struct nio_amount){300000 * 100, 100};
	program.copied = 300000 * 100;
	assert_has(advice(&row), "Sends of 293 KiB on average (100) are copied, which costs 17 to "
				 "23 % of the CPU time; at 256 KiB zero-copy takes 30 % less");
	ledger.calls[NIO_CALL_PLAIN].bytes = 65536 * 100;
	assert_string_equal(advice(&row), "");
	/* Bytes without a seen call have no size. */
	ledger.calls[NIO_CALL_PLAIN] = (struct nio_amount){4 * MB, 0};
	assert_string_equal(advice(&row), "");
}

static const char *own_copies(const struct followed_document *found, int application)
{
	static char text[1024];
	struct advice_row row = row_with(CPU_CLASS_USER, application);

	text[0] = '\0';
	advice__print_own_copies(text, sizeof(text), found, "copies.json", &row.program->cpu);
	return text;
}

/* The application class of CPU time bounds the cost of the copies that follow found. */
TEST(copies_that_follow_found_are_cited_beside_the_time_they_are_part_of)
{
	struct followed_document found = {
		.comm = "redis-server",
		.sent = {.per_byte = real__known(1),
			 .low = 0.94,
			 .high = 1.06,
			 .function = "reply"},
	};

	assert_string_equal(own_copies(&found, 200),
			    "redis-server itself makes on average 1.00 (0.94 to 1.06) copies of "
			    "each byte that it sends, most often in reply: part of the 17 to 23 % "
			    "of the CPU time "
			    "that it takes outside the kernel (measured by follow, copies.json). ");
	found.received = (struct followed){.per_byte = real__known(2.5), .low = 2.25, .high = 2.75};
	assert_has(own_copies(&found, 200), ", most often in reply, and 2.50 (2.25 to 2.75) copies "
					    "of each byte that it receives: part of");
	found.sent.per_byte = real__unknown("too few");
	assert_has(own_copies(&found, 200), "redis-server itself makes on average 2.50 (2.25 ");
}

TEST(a_follow_result_without_copies_or_of_a_cheap_program_is_not_cited)
{
	struct followed_document found = {
		.comm = "nginx",
		.sent = {.per_byte = real__known(0), .high = 0.06},
		.received.per_byte = real__unknown("too few"),
	};

	assert_string_equal(own_copies(&found, 200), "");
	found.sent = (struct followed){.per_byte = real__known(1), .low = 0.9, .high = 1.1};
	assert_string_equal(own_copies(&found, 5), "");
	assert_has(own_copies(&found, 200), "nginx itself makes");
}
