// SPDX-License-Identifier: GPL-2.0-only
/* Slots of sockets in nio_conns: all sockets of a session find one, whichever CPUs made them. */
#include <linux/types.h>
#include <string.h>

#include "bpf/netiotrace.h"
#include "support/test.h"

/* 256 threads, both sides. */
/* Both sides of 4096 connections. */
#define SOCKETS 8192

/* include/linux/cookie.h: a CPU allocates cookies in batches of this size. */
#define BATCH    4096
#define CPUS_MAX 256

static int insert(uint64_t table[NIO_CONN_SLOTS], uint64_t cookie)
{
	for (uint32_t i = 0; i < NIO_CONN_PROBES; i++) {
		uint32_t index = nio_conn_index(cookie, i);

		if (index >= NIO_CONN_SLOTS)
			fail_msg("index %u", index);
		if (!table[index]) {
			table[index] = cookie;
			return 0;
		}
	}
	return -1;
}

/*
 * Sockets made in turn on that many CPUs. Each CPU has used `used` cookies of its batch and takes a
 * new batch at its end.
 */
static void sockets_of_cpus(unsigned int cpus, unsigned int used)
{
	static uint64_t table[NIO_CONN_SLOTS], next[CPUS_MAX], left[CPUS_MAX];
	uint64_t batch = 0;

	memset(table, 0, sizeof(table));
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		next[cpu] = batch + used + 1;
		left[cpu] = BATCH - used;
		/* Batches of other CPUs lie between. */
		batch += BATCH * (1 + (cpu * 7 + used) % 3);
	}
	for (unsigned int i = 0; i < SOCKETS; i++) {
		unsigned int cpu = i % cpus;

		if (!left[cpu]) {
			next[cpu] = batch + 1;
			left[cpu] = BATCH;
			batch += BATCH;
		}
		left[cpu]--;
		if (insert(table, next[cpu]++))
			fail_msg("%u CPUs, %u cookies used: socket %u finds no place", cpus, used,
				 i);
	}
}

TEST(sockets_of_any_CPUs_find_a_slot)
{
	static const unsigned int cpus[] = {1, 2, 3, 4, 8, 16, 64, 128, CPUS_MAX};

	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		for (unsigned int used = 0; used < BATCH; used += 331)
			sockets_of_cpus(cpus[i], used);
}

TEST(probed_slots_are_neighbours)
{
	for (uint64_t cookie = 1; cookie < 3 * BATCH; cookie++)
		for (uint32_t i = 0; i + 1 < NIO_CONN_PROBES; i++)
			assert_int_equal((nio_conn_index(cookie, i) + 1) % NIO_CONN_SLOTS,
					 nio_conn_index(cookie, i + 1));
}
