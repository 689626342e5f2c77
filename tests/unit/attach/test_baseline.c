/* SPDX-License-Identifier: GPL-2.0-only */
/* A sweep as the baseline of advice on sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/advice.h"
#include "support/test.h"

#define HEADER                                                                                 \
	"mode,size,threads,round,app_throughput_gbps,app_cpu_s_sender,ledger_copies_per_byte," \
	"app_rx_bytes,app_cpu_s_receiver,cpu_softirq_ns_per_kib,cpu_softirq_ns_per_kib_at_most\n"

static void put_cell(FILE *f, const char *mode, unsigned int size, unsigned int threads, double cpu)
{
	static const double off[] = {0, 0.5, -0.5, 0.25, -0.25, 0.1, -0.1};

	for (int r = 0; r < 7; r++)
		fprintf(f, "%s,%u,%u,%d,%g,%g,%g,1e9,0,0,0\n", mode, size, threads, r, 20.0,
			cpu + 0.001 * off[r], 1.0);
}

TEST(sweep_results_become_claims_on_zero_copy_by_size)
{
	char name[] = "/tmp/netiotrace-baseline-XXXXXX.csv", message[600];
	FILE *f = fdopen(mkstemps(name, 4), "w");
	struct baseline b;

	assert_non_null(f);
	fputs(HEADER, f);
	put_cell(f, "onecopy", 1024, 1, 0.3);
	put_cell(f, "zerocopy", 1024, 1, 0.6);
	put_cell(f, "onecopy", 65536, 1, 0.3);
	put_cell(f, "zerocopy", 65536, 1, 0.3);
	put_cell(f, "onecopy", 1048576, 1, 0.3);
	put_cell(f, "zerocopy", 1048576, 1, 0.2);
	/* Thread counts that disagree claim nothing. */
	put_cell(f, "onecopy", 2097152, 1, 0.3);
	put_cell(f, "zerocopy", 2097152, 1, 0.2);
	put_cell(f, "onecopy", 2097152, 2, 0.3);
	put_cell(f, "zerocopy", 2097152, 2, 0.6);
	fclose(f);
	assert_int_equal(baseline__read(&b, name, message, sizeof(message)), 0);
	unlink(name);
	assert_int_equal(b.nr, 4);
	assert_int_equal(b.points[0].order, 1);
	assert_true(b.points[0].change > 0.9 && b.points[0].change < 1.1);
	assert_int_equal(b.points[1].order, 0);
	assert_int_equal(b.points[2].order, -1);
	assert_int_equal(b.points[3].order, 0);
}

TEST(missing_or_foreign_baseline_is_refused_with_its_path)
{
	char message[600];
	struct baseline b;

	assert_int_not_equal(baseline__read(&b, "/nothing/here", message, sizeof(message)), 0);
	assert_non_null(strstr(message, "--baseline /nothing/here: "));
}
