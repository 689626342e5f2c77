/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When messages are stamped, and how many clock readings that takes, with a clock of the test that
 * counts its readings and advances on request.
 */
#include <stdatomic.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "loadgen/clock.h"
#include "loadgen/sender_conn.h"
#include "loadgen/receiver_pool.h"
#include "support/test.h"

#define SIZE     64
#define MESSAGES 100

static _Atomic uint64_t now = NS_PER_SEC;
static atomic_uint readings;

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	atomic_fetch_add(&readings, 1);
	ts->tv_sec = (time_t)(now / NS_PER_SEC);
	ts->tv_nsec = (long)(now % NS_PER_SEC);
	return 0;
}

static void pair_of(int fds[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
}

static void send_of(enum mode mode, unsigned int *read_for)
{
	const struct lg_options s = {.mode = mode,
				     .workload.size = SIZE,
				     .workload.fields = 8,
				     .workload.connections = 1};
	struct counters t;
	struct sender_conn f;
	atomic_bool stop = false;
	int fds[2];

	pair_of(fds);
	counters__init(&t);
	assert_int_equal(sender_conn__open(&f, fds[0], 0, &s, &stop, &t, true), 0);
	atomic_store(&readings, 0);
	for (int i = 0; i < MESSAGES; i++)
		assert_int_equal(sender_conn__send_message(&f), 0);
	*read_for = atomic_load(&readings);
	assert_int_equal(t.messages, MESSAGES);
	assert_int_equal(t.hist[COUNTERS_SEND_CALL]->count, MESSAGES);
	sender_conn__close(&f);
	close(fds[0]);
	counters__clear(&t);
	close(fds[1]);
}

/*
 * The end of a call is the start of the next one, with nothing in between. Two-copy also packs: two
 * readings per message, and two more per timed packing.
 */
TEST(onecopy_reads_the_clock_once_per_message_and_twocopy_twice)
{
	unsigned int n;

	send_of(MODE_ONECOPY, &n);
	assert_in_range(n, MESSAGES, MESSAGES + 1);
	send_of(MODE_TWOCOPY, &n);
	assert_in_range(n, 2 * MESSAGES, 2 * MESSAGES + 2 * (MESSAGES / 64 + 1));
}

static void send_stamped(int fd, uint64_t seq)
{
	uint8_t message[SIZE] = {0};

	message_tag__encode(message, seq, now);
	assert_int_equal(send(fd, message, SIZE, 0), SIZE);
}

static void wait_for_readings(unsigned int n)
{
	while (atomic_load(&readings) < n)
		sched_yield();
}

static uint64_t messages_of(struct recv_loop *one)
{
	uint64_t messages;

	pthread_mutex_lock(&one->lock);
	messages = one->counters.messages;
	pthread_mutex_unlock(&one->lock);
	return messages;
}

/* A reader of the counters holds the lock meanwhile, which must not count as delivery time. */
TEST(delivery_time_excludes_waiting_for_the_lock)
{
	const struct lg_options s = {0};
	const struct protocol_hello hello = {.connections = 1, .threads = 1, .size = SIZE};
	const struct receiver_pool_plan plan = {.hello = &hello, .same_clock = true};
	struct receiver_pool r = {0};
	struct recv_loop *one;
	int fds[2];

	pair_of(fds);
	atomic_store(&readings, 0);
	assert_int_equal(receiver_pool__open(&r, &s, &plan, &fds[1]), 0);
	receiver_pool__begin(&r);
	one = &r.threads[0];
	wait_for_readings(1); /* before recv() */
	pthread_mutex_lock(&one->lock);
	send_stamped(fds[0], 0);
	wait_for_readings(2); /* after recv() */
	now += NS_PER_SEC;
	pthread_mutex_unlock(&one->lock);
	while (!messages_of(one))
		sched_yield();
	assert_int_equal(one->counters.bad_stamps, 0);
	assert_int_equal(one->counters.hist[COUNTERS_DELIVERY]->count, 1);
	assert_int_equal(one->counters.hist[COUNTERS_DELIVERY]->max, 0);
	assert_int_equal(one->counters.hist[COUNTERS_RECV_CALL]->max, 0);
	close(fds[0]);
	receiver_pool__close(&r);
}

/* The receiver of one connection after one message of the phase, and that message's recv_call. */
static struct hist *recv_call_of(uint64_t rcvlowat, uint64_t idle_s, uint64_t wait_s)
{
	const struct lg_options s = {.workload.rcvlowat = rcvlowat};
	const struct protocol_hello hello = {.connections = 1, .threads = 1, .size = SIZE};
	const struct receiver_pool_plan plan = {.hello = &hello, .same_clock = true};
	struct receiver_pool r = {0};
	struct recv_loop *one;
	struct hist *h;
	int fds[2];

	pair_of(fds);
	atomic_store(&readings, 0);
	assert_int_equal(receiver_pool__open(&r, &s, &plan, &fds[1]), 0);
	one = &r.threads[0];
	if (!rcvlowat)
		wait_for_readings(1); /* blocked in recv(), or about to be */
	now += idle_s * NS_PER_SEC;
	receiver_pool__begin(&r);
	receiver_pool__set_begin(&r, now);
	now += wait_s * NS_PER_SEC;
	send_stamped(fds[0], 0);
	while (!messages_of(one))
		sched_yield();
	pthread_mutex_lock(&one->lock);
	assert_int_equal(one->counters.calls, 1);
	h = hist__dup(one->counters.hist[COUNTERS_RECV_CALL]);
	pthread_mutex_unlock(&one->lock);
	close(fds[0]);
	receiver_pool__close(&r);
	assert_int_equal(h->count, 1);
	return h;
}

TEST(recv_call_includes_the_wait_in_its_phase_if_recv_blocks)
{
	static const struct {
		uint64_t rcvlowat; /* not 0: epoll waits, recv() does not block */
		uint64_t idle_s, wait_s, recv_call_s;
	} cases[] = {
		{0, 0, 3, 3},
		{0, 5, 3, 3}, /* blocked before the phase begins */
		{SIZE, 5, 3, 0},
	};

	for_each_case(c, cases) {
		struct hist *h = recv_call_of(c->rcvlowat, c->idle_s, c->wait_s);

		assert_int_equal(h->max, c->recv_call_s * NS_PER_SEC);
		hist__free(h);
	}
}

/* Two readings a recv() that blocks: before the call and after it. */
TEST(a_recv_call_reads_the_clock_twice)
{
	struct hist *h = recv_call_of(0, 0, 0);

	hist__free(h);
	/* The message's call, and the call that the end of the connection ended. */
	assert_int_equal(atomic_load(&readings), 4);
}
