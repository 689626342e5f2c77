/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Each thread touches the memory of its messages first, so that the kernel places it on the
 * thread's NUMA node. Measured by the page faults of the thread.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loadgen/sender_pool.h"
#include "loadgen/receiver_pool.h"
#include "support/test.h"

#define THREADS     4
#define CONNECTIONS 64
#define SIZE        (64 << 10) /* ordinary memory of malloc(), not backed by huge pages at once */

/* Pages of all messages, at 4 KiB: a lower bound. */
#define PAGES ((long)CONNECTIONS * SIZE / 4096)

static long faults_of(int who)
{
	struct rusage usage;

	assert_int_equal(getrusage(who, &usage), 0);
	return usage.ru_minflt;
}

static void pairs_of(int *ours, int *theirs)
{
	for (int i = 0; i < CONNECTIONS; i++) {
		int fds[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
		ours[i] = fds[0];
		theirs[i] = fds[1];
	}
}

static void close_all(const int *fds)
{
	for (int i = 0; i < CONNECTIONS; i++)
		close(fds[i]);
}

TEST(sender_thread_touches_its_messages_first)
{
	const struct lg_options s = {.mode = MODE_ONECOPY,
				     .workload.size = SIZE,
				     .workload.fields = 8,
				     .workload.threads = THREADS,
				     .workload.connections = CONNECTIONS};
	int ours[CONNECTIONS], theirs[CONNECTIONS];
	struct sender_pool c = {0};
	long before;

	pairs_of(ours, theirs);
	before = faults_of(RUSAGE_THREAD);
	assert_int_equal(sender_pool__open(&c, &s), 0);
	for (uint32_t i = 0; i < CONNECTIONS; i++)
		c.fds[i] = ours[i];
	assert_int_equal(sender_pool__start(&c), 0);
	assert_in_range(faults_of(RUSAGE_THREAD) - before, 0, PAGES / 4);
	sender_pool__close(&c);
	close_all(theirs);
}

/* 64 pages per thread. */
TEST(receiver_thread_touches_its_buffer_first)
{
	const struct lg_options s = {0};
	const struct protocol_hello hello = {
		.connections = CONNECTIONS, .threads = CONNECTIONS, .size = SIZE};
	const struct receiver_pool_plan plan = {.hello = &hello};
	int ours[CONNECTIONS], theirs[CONNECTIONS];
	struct receiver_pool r = {0};
	long before;

	pairs_of(ours, theirs);
	before = faults_of(RUSAGE_THREAD);
	assert_int_equal(receiver_pool__open(&r, &s, &plan, theirs), 0);
	/* The creating thread touches some pages of a thread's stack and control block. */
	assert_in_range(faults_of(RUSAGE_THREAD) - before, 0, CONNECTIONS * 64 / 2);
	close_all(ours);
	receiver_pool__close(&r);
}
