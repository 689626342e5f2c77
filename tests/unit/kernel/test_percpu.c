// SPDX-License-Identifier: GPL-2.0-only
/* Per-CPU statistics of machines with many CPUs, offline CPUs, and gaps in their numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/netiotrace.h"
#include "kernel/percpu.h"
#include "support/test.h"

TEST(rows_reach_the_highest_CPU_number)
{
	assert_int_equal(percpu__rows("0"), 1);
	assert_int_equal(percpu__rows("0-1023"), 1024);
	/* 6 CPUs, but a program on the last one reports CPU 1023. */
	assert_int_equal(percpu__rows("0,2-3,512,1022-1023"), 1024);
	assert_int_equal(percpu__rows("0-8191"), 8192);
	assert_int_equal(percpu__rows("0-8192"), -EINVAL);
	assert_int_equal(percpu__rows(""), -EINVAL);
	assert_int_equal(percpu__rows("none"), -EINVAL);
}

/* The cell of a program on `cpu`, as in bpf/kernel.bpf.h. */
static struct nio_cell *cell_at(struct nio_cell *cells, uint32_t cpu, uint32_t i)
{
	return &cells[cpu * NIO_STAGE_NR + i];
}

/* Every second of 1024 CPUs never existed, some went offline: their counts stay. */
TEST(each_CPU_is_added_once)
{
	uint32_t cpus = 1024, rows = NIO_STAGE_NR, stage = NIO_STAGE_DEFERRED_COPY;
	struct nio_cell *cells = calloc((size_t)cpus * rows, sizeof(*cells)), sum;
	uint64_t bytes = 0, events = 0;

	assert_non_null(cells);
	for (uint32_t cpu = 0; cpu < cpus; cpu += 2) {
		struct nio_cell *cell = cell_at(cells, cpu, stage);

		cell->bytes = 0x100000000ULL + cpu;
		cell->events = 1;
		cell->hist[NIO_HIST_BUCKETS - 1] = cpu;
		bytes += cell->bytes;
		events++;
		/* Neighbours. */
		cell_at(cells, cpu, stage + 1)->bytes = 7;
		cell_at(cells, cpu, stage - 1)->bytes = 9;
	}
	percpu__sum(cells, cpus, rows, stage, &sum, sizeof(sum));
	assert_int_equal(sum.bytes, bytes);
	assert_int_equal(sum.events, events);
	assert_int_equal(sum.hist[NIO_HIST_BUCKETS - 1], 511ULL * 512);
	assert_int_equal(percpu__sum_one(cells, cpus, rows, stage, sizeof(sum),
					 offsetof(struct nio_cell, events)),
			 events);
	assert_true(percpu__sum_one(cells, cpus, rows, stage, sizeof(sum),
				    offsetof(struct nio_cell, bytes)) == bytes);
	assert_int_equal(sum.ns, 0);
	percpu__sum(cells, cpus, rows, stage - 1, &sum, sizeof(sum));
	assert_int_equal(sum.bytes, 9 * 512);
	free(cells);
}

/* A million events per second for a day exceed 32 bits. */
TEST(sums_have_64_bits)
{
	struct nio_loss loss[4] = {{.unmatched = 1ULL << 62}, {.unmatched = 5}, {.map_full = 3}};
	struct nio_loss sum;

	percpu__sum(loss, 4, 1, 0, &sum, sizeof(sum));
	assert_true(sum.unmatched == (1ULL << 62) + 5);
	assert_int_equal(sum.map_full, 3);
}
