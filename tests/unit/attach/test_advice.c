// SPDX-License-Identifier: GPL-2.0-only
/* What attach advises: only what the numbers bear. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/judge.h"

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

static void sizes_are_held_against_a_sweep(void **state)
{
	struct books b = {.calls = {[NIO_CALL_ZEROCOPY] = {900 * 1000, 1000}}};
	struct grounds g = {.books = &b, .told = true, .notices = true};

	(void)state;
	assert_has(advice(&g), "of 900 B on average: pinning pages for so little usually costs");
	g.baseline = &measured;
	/* 900 bytes were not measured: it speaks of the smallest that was. */
	assert_has(advice(&g), "900 B on average: pinning costs more than the copy, at 1 KiB 35 % "
			       "more CPU time, and more up to 8 KiB (results)");
	b.calls[NIO_CALL_ZEROCOPY].bytes = 65536 * 1000;
	assert_string_equal(advice(&g), "");
	b.calls[NIO_CALL_ZEROCOPY].bytes = 262144 * 1000;
	assert_string_equal(advice(&g), "");
}

static void copies_are_held_against_a_sweep(void **state)
{
	struct books b = {.calls = {[NIO_CALL_PLAIN] = {300000 * 100, 100}}};
	struct grounds g = {.books = &b, .told = true, .baseline = &measured};

	(void)state;
	assert_has(advice(&g), "at 256 KiB zero-copy costs 30 % less CPU time");
	b.calls[NIO_CALL_PLAIN].bytes = 65536 * 100;
	assert_string_equal(advice(&g), "");
	b.calls[NIO_CALL_PLAIN].bytes = 8192 * 100;
	assert_string_equal(advice(&g), "");
}

/* Files that are read and sent by copy; what is read from sockets, or sent by sendfile, is none. */
static void sendfile_is_advised_for_files_only(void **state)
{
	struct books b = {.stages = {[NIO_STAGE_TX_COPY] = {100 * MIB, 1600}}};
	struct books more = b, proxy = b;
	struct grounds g = {.books = &b, .told = true};

	(void)state;
	assert_string_equal(advice(&g), ""); /* not known */
	g.read_bytes = (struct num){.value = 50 * MIB, .known = true};
	assert_string_equal(advice(&g), "");
	g.read_bytes.value = 101 * MIB;
	assert_has(advice(&g), "sendfile is off: 106 MB were read of files or pipes, and 105 MB "
			       "sent by copy: 1.00 copies a byte could be 0.");
	g.told = false; /* what is called copied may be sendfile's */
	assert_string_equal(advice(&g), "");
	g.told = true;
	proxy.stages[NIO_STAGE_RX_COPY].bytes = 50 * MIB;
	g.books = &proxy;
	assert_string_equal(advice(&g), "");
	more.stages[NIO_STAGE_TX_SPLICE].bytes = 50 * MIB;
	g.books = &more;
	assert_has(advice(&g), "beside what sendfile sends by reference");
	more.stages[NIO_STAGE_TX_SPLICE].bytes = 200 * MIB;
	assert_string_equal(advice(&g), "");
}

static void put_cell(FILE *f, const char *mode, unsigned int size, double cpu)
{
	static const double off[] = {0, 0.5, -0.5, 0.25, -0.25, 0.1, -0.1};

	for (int r = 0; r < 7; r++)
		fprintf(f, "%s,%u,1,%d,%g,%g,%g,1e9,0\n", mode, size, r, 20.0, cpu + 0.001 * off[r],
			1.0);
}

static void sweeps_are_read_as_claims(void **state)
{
	char name[] = "/tmp/netiotrace-baseline-XXXXXX.csv", message[600];
	FILE *f = fdopen(mkstemps(name, 4), "w");
	struct baseline b;

	(void)state;
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

static void what_is_no_sweep_is_refused(void **state)
{
	char message[600];
	struct baseline b;

	(void)state;
	assert_int_not_equal(baseline__read(&b, "/nothing/here", message, sizeof(message)), 0);
	assert_has(message, "--baseline /nothing/here: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_held_against_a_sweep),
		cmocka_unit_test(copies_are_held_against_a_sweep),
		cmocka_unit_test(sendfile_is_advised_for_files_only),
		cmocka_unit_test(sweeps_are_read_as_claims),
		cmocka_unit_test(what_is_no_sweep_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
