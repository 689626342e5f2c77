// SPDX-License-Identifier: GPL-2.0-only
/* What attach advises: only what the numbers bear. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/judge.h"
#include "support/test.h"

#define MIB (1u << 20)

#define HEADER                                                                                 \
	"mode,size,threads,round,app_throughput_gbps,app_cpu_s_sender,ledger_copies_per_byte," \
	"app_rx_bytes,app_cpu_s_receiver\n"

static const struct baseline measured = {
	.path = "results",
	.points = {{1024, 1, 0.35}, {8192, 1, 0.1}, {65536, 0, 0.01}, {262144, -1, -0.3}},
	.nr = 4,
};

static const char *advice(const struct grounds *g)
{
	static struct judgement j;

	judge__give(&j, g);
	return j.advice;
}

static void assert_has(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("'%s' is not in '%s'", what, text);
}

TEST(sizes_are_held_against_a_sweep)
{
	struct books b = {.calls = {[NIO_CALL_ZEROCOPY] = {900 * 1000, 1000}}};
	struct grounds g = {.books = &b, .told = true, .notices = true};

	assert_string_equal(advice(&g),
			    "Zero-copy sends of 900 B on average (1 000): to pin pages for so "
			    "little usually costs more than the copy that it spares. From which "
			    "size on it pays here was not measured: --baseline DIR takes that from "
			    "a sweep.");
	g.baseline = &measured;
	/* 900 bytes were not measured: it speaks of the smallest that was. */
	assert_string_equal(advice(&g),
			    "Zero-copy sends of 900 B on average (1 000): pinning costs more than "
			    "the copy up to about 8 KiB on this machine (measured by sweep, "
			    "results: 35 % more CPU time at 1 KiB). Without MSG_ZEROCOPY that is "
			    "spared.");
	b.calls[NIO_CALL_ZEROCOPY].bytes = 65536 * 1000;
	assert_string_equal(advice(&g), "");
	b.calls[NIO_CALL_ZEROCOPY].bytes = 262144 * 1000;
	assert_string_equal(advice(&g), "");
}

TEST(copies_are_held_against_a_sweep)
{
	struct books b = {.calls = {[NIO_CALL_PLAIN] = {300000 * 100, 100}}};
	struct grounds g = {.books = &b, .told = true, .baseline = &measured};

	assert_string_equal(advice(&g), "Sends of 293 KiB on average (100) are copied: at 256 KiB "
					"zero-copy costs 30 % less CPU time than the copy "
					"(measured by sweep, results). MSG_ZEROCOPY would spare as "
					"much on a path like the sweep's.");
	b.calls[NIO_CALL_PLAIN].bytes = 65536 * 100;
	assert_string_equal(advice(&g), "");
	b.calls[NIO_CALL_PLAIN].bytes = 8192 * 100;
	assert_string_equal(advice(&g), "");
	/* Bytes of which no call was seen have no size. */
	b.calls[NIO_CALL_PLAIN].bytes = 4 * MIB;
	b.calls[NIO_CALL_PLAIN].events = 0;
	assert_string_equal(advice(&g), "");
}

/* Files that are read and sent by copy; what is read from sockets, or sent by sendfile, is none. */
TEST(sendfile_is_advised_for_files_only)
{
	struct books b = {.stages = {[NIO_STAGE_TX_COPY] = {100 * MIB, 1600}}};
	struct books more = b, proxy = b;
	struct grounds g = {.books = &b, .told = true};

	assert_string_equal(advice(&g), ""); /* not known */
	g.read_bytes = (struct num){.value = 50 * MIB, .known = true};
	assert_string_equal(advice(&g), "");
	g.read_bytes.value = 101 * MIB;
	assert_string_equal(advice(&g),
			    "nothing is sent by sendfile: 106 MB were read of files, pipes or "
			    "sockets other than TCP's, and 105 MB sent by copy. Where "
			    "they are the same bytes, of a file, sendfile spares that "
			    "copy and the reading.");
	g.told = false; /* what is called copied may be sendfile's */
	assert_string_equal(advice(&g), "");
	g.told = true;
	proxy.stages[NIO_STAGE_RX_COPY].bytes = 50 * MIB;
	g.books = &proxy;
	assert_string_equal(advice(&g), "");
	more.stages[NIO_STAGE_TX_SPLICE].bytes = 50 * MIB;
	g.books = &more;
	assert_string_equal(advice(&g), "105 MB are sent by copy, beside 52.4 MB that sendfile "
					"sends by reference. What of them is of files, sendfile "
					"would send without that copy.");
	/* What sendfile read is no reading of the program's own; with so much of that, it is on. */
	g.read_bytes.value = 151 * MIB;
	assert_string_equal(advice(&g), "106 MB were read of files, pipes or sockets other than "
					"TCP's, and 105 MB sent by copy. Where they are the same "
					"bytes, of a file, sendfile spares that copy and the "
					"reading.");
	more.stages[NIO_STAGE_TX_SPLICE].bytes = 200 * MIB;
	assert_string_equal(advice(&g), "");
}

/* What the copy in the send call takes is said where samples tell. */
TEST(the_cost_of_a_copy_is_said_where_it_is_known)
{
	struct books b = {.stages = {[NIO_STAGE_TX_COPY] = {100 * MIB, 1600}}};
	struct cpu_split cpu = {0};
	struct grounds g = {.books = &b, .told = true, .cpu = &cpu};

	g.read_bytes = (struct num){.value = 100 * MIB, .known = true};
	assert_has(advice(&g), "105 MB sent by copy. Where");
	for (int i = 0; i < 82; i++)
		cpu_split__add(&cpu, CPU_CLASS_TCP_IP, false);
	for (int i = 0; i < 18; i++)
		cpu_split__add(&cpu, CPU_CLASS_TX_COPY, false);
	assert_has(advice(&g), "105 MB sent by copy, which costs 18 % of the CPU time (12 to 27 "
			       "%). Where");
}

static struct cpu_split split_of(enum cpu_class c, int of_it, int others)
{
	struct cpu_split cpu = {0};

	for (int i = 0; i < of_it; i++)
		cpu_split__add(&cpu, c, false);
	for (int i = 0; i < others; i++)
		cpu_split__add(&cpu, CPU_CLASS_TCP_IP, false);
	return cpu;
}

/* An interval of which one end is much, the other little, is no ground for a sentence. */
TEST(few_samples_tell_no_cost)
{
	struct books b = {.connections = 1, .zerocopy = 1, .ids = 1200};
	struct books file = {.stages = {[NIO_STAGE_TX_COPY] = {100 * MIB, 1600}}};
	struct cpu_split cpu = split_of(CPU_CLASS_COMPLETION, 1, 2);
	struct grounds g = {.books = &b, .told = true, .notices = true, .cpu = &cpu};

	b.completed = b.copied = 1200;
	assert_string_equal(advice(&g),
			    "Zero-copy is on and every send is copied because the route does no "
			    "scatter-gather (1 200 of 1 200): it saves no copy, at a cost that "
			    "3 samples of the CPU time are too few to tell (6 to 79 %). Without "
			    "MSG_ZEROCOPY the copy stays, and notifications go.");
	g.books = &file;
	g.read_bytes = (struct num){.value = 100 * MIB, .known = true};
	/* cppcheck-suppress unreadVariable ; g reads it */
	cpu = split_of(CPU_CLASS_TX_COPY, 1, 0);
	assert_has(advice(&g), "105 MB sent by copy, at a cost that 1 sample of the CPU time is "
			       "too few to tell (21 to 100 %). Where");
}

/* So many that the interval is 20 points wide: fewer where the share is next to nothing. */
TEST(samples_tell_as_far_as_their_interval_goes)
{
	static const struct {
		int of_it, others;
		bool tells;
	} cases[] = {{0, 15, false}, {0, 16, true}, {46, 46, false},
		     {47, 46, true}, {60, 0, true}, {500, 500, true}};
	struct cpu_part none = {.share.reason = "no sample"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpu_split cpu = split_of(CPU_CLASS_TX_COPY, cases[i].of_it, cases[i].others);
		struct cpu_part part = cpu_split__part(&cpu, CPU_CLASS_TX_COPY);

		if (cpu_part__tells(&part) != cases[i].tells)
			fail_msg("%d and %d others: %.3f to %.3f", cases[i].of_it, cases[i].others,
				 part.low, part.high);
	}
	assert_false(cpu_part__tells(&none));
}

/* Of zero-copy whose sends are all copied: why, how many, at what cost, and what would be left. */
TEST(all_copied_is_said_with_cause_and_cost)
{
	struct books b = {.connections = 1, .zerocopy = 1, .ids = 1200};
	struct cpu_split cpu = {0};
	struct grounds g = {.books = &b, .told = true, .notices = true};

	b.completed = b.copied = 1200;
	b.calls[NIO_CALL_ZEROCOPY] = (struct nio_amount){1200 * 65536, 1200};
	assert_string_equal(advice(&g),
			    "Zero-copy is on and every send is copied because the route does no "
			    "scatter-gather (1 200 of 1 200): it saves no copy, and what it costs "
			    "is not known without samples of the CPU time. Without MSG_ZEROCOPY "
			    "the copy stays, and notifications go.");
	b.stages[NIO_STAGE_TX_PIN] = b.calls[NIO_CALL_ZEROCOPY];
	assert_has(advice(&g), "every send is copied (1 200 of 1 200): ");
	b.stages[NIO_STAGE_DEFERRED_COPY] = b.calls[NIO_CALL_ZEROCOPY];
	assert_has(advice(&g), "is copied because its pages arrive on this machine (1 200 of");
	/* cppcheck-suppress unreadVariable ; g reads it */
	b.zerocopy_local = 1;
	g.cpu = &cpu;
	for (int i = 0; i < 82; i++)
		cpu_split__add(&cpu, CPU_CLASS_TCP_IP, false);
	for (int i = 0; i < 18; i++)
		cpu_split__add(&cpu, CPU_CLASS_DEFERRED_COPY, false);
	/* 18 of 100 by E. B. Wilson's interval. */
	assert_string_equal(
		advice(&g),
		"Zero-copy is on and every send is copied because the peer is local (1 200 of "
		"1 200): it costs 18 % of the CPU time (12 to 27 %) in pinning, the copy and "
		"notifications. Without MSG_ZEROCOPY the copy stays, and pinning and "
		"notifications go.");
	/* cppcheck-suppress unreadVariable ; g reads it */
	b.copied--;
	assert_string_equal(advice(&g), "");
}

static void put_cell(FILE *f, const char *mode, unsigned int size, double cpu)
{
	static const double off[] = {0, 0.5, -0.5, 0.25, -0.25, 0.1, -0.1};

	for (int r = 0; r < 7; r++)
		fprintf(f, "%s,%u,1,%d,%g,%g,%g,1e9,0\n", mode, size, r, 20.0, cpu + 0.001 * off[r],
			1.0);
}

TEST(sweeps_are_read_as_claims)
{
	char name[] = "/tmp/netiotrace-baseline-XXXXXX.csv", message[600];
	FILE *f = fdopen(mkstemps(name, 4), "w");
	struct baseline b;

	assert_non_null(f);
	fputs(HEADER, f);
	put_cell(f, "onecopy", 1024, 0.3);
	put_cell(f, "zerocopy", 1024, 0.6);
	put_cell(f, "onecopy", 65536, 0.3);
	put_cell(f, "zerocopy", 65536, 0.3);
	put_cell(f, "onecopy", 1048576, 0.3);
	put_cell(f, "zerocopy", 1048576, 0.2);
	fclose(f);
	assert_int_equal(baseline__read(&b, name, message, sizeof(message)), 0);
	unlink(name);
	assert_int_equal(b.nr, 3);
	assert_int_equal(b.points[0].order, 1);
	assert_true(b.points[0].change > 0.9 && b.points[0].change < 1.1);
	assert_int_equal(b.points[1].order, 0);
	assert_int_equal(b.points[2].order, -1);
}

TEST(what_is_no_sweep_is_refused)
{
	char message[600];
	struct baseline b;

	assert_int_not_equal(baseline__read(&b, "/nothing/here", message, sizeof(message)), 0);
	assert_has(message, "--baseline /nothing/here: ");
}
