/* SPDX-License-Identifier: GPL-2.0-only */
/* Each way to receive, on TCP sockets: bytes, messages, their contents, and the end of the stream.
 */
#include <stdlib.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "loadgen/receiver_pool.h"
#include "loadgen/trial.h"
#include "support/test.h"

#define MESSAGES 23
#define SIZE     (64 << 10)

/* fds[0] is connected to fds[1]. */
static void pair_of(int fds[2])
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(listener, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(fds[0], (struct sockaddr *)&at, len), 0);
	fds[1] = accept(listener, NULL, NULL);
	assert_true(fds[1] >= 0);
	close(listener);
}

/* Pages that are never written again, so that MSG_ZEROCOPY needs no wait. One has a wrong byte. */
static void send_messages(int fd, uint32_t connection, int flags)
{
	uint8_t *data = mmap(NULL, MESSAGES * SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (uint64_t seq = 0; seq < MESSAGES; seq++) {
		uint8_t *message = data + seq * SIZE;

		pattern__fill(message, pattern__key(connection, seq), 0, SIZE);
		message_tag__encode(message, seq, 1);
		message[SIZE - 1] ^= seq == 3;
	}
	for (size_t done = 0; done < MESSAGES * SIZE;) {
		ssize_t n = send(fd, data + done, MESSAGES * SIZE - done, flags);

		assert_true(n > 0);
		done += (size_t)n;
	}
	/* Pages in flight of MSG_ZEROCOPY stay until the end of the test. */
	if (!flags)
		munmap(data, MESSAGES * SIZE);
}

static void read_counters(struct receiver_pool *r, struct counters *sum)
{
	counters__init(sum);
	receiver_pool__read(r, sum);
}

/* One thread: with two connections it uses epoll, with one it blocks. */
static void receive(enum receive way, unsigned int connections, int flags, struct counters *sum)
{
	const struct protocol_hello hello = {
		.connections = connections,
		.threads = 1,
		.size = SIZE,
		.verify = !receive__has(way, RECEIVE_HIDES),
		.receive = way,
	};
	const struct receiver_pool_plan plan = {.hello = &hello, .same_clock = true};
	const struct lg_options s = {0};
	struct receiver_pool r = {0};
	int pairs[2][2], fds[2], settled;

	for (unsigned int i = 0; i < connections; i++) {
		pair_of(pairs[i]);
		fds[i] = pairs[i][1];
	}
	assert_int_equal(receiver_pool__open(&r, &s, &plan, fds), 0);
	receiver_pool__begin(&r);
	for (unsigned int i = 0; i < connections; i++) {
		if (flags)
			setsockopt(pairs[i][0], SOL_SOCKET, SO_ZEROCOPY, &(int){1}, sizeof(int));
		send_messages(pairs[i][0], i, flags);
		receiver_pool__expect(&r, i, (uint64_t)MESSAGES * SIZE);
	}
	while (!(settled = receiver_pool__settled(&r)))
		sched_yield();
	assert_int_equal(settled, 1);
	read_counters(&r, sum);
	/* A connection that ends in the next phase has lost its bytes. */
	receiver_pool__begin(&r);
	for (unsigned int i = 0; i < connections; i++)
		close(pairs[i][0]);
	while (!(settled = receiver_pool__settled(&r)))
		sched_yield();
	assert_int_equal(settled, -ECONNRESET);
	receiver_pool__close(&r);
}

/* A call on a blocking socket that may not wait. */
static ssize_t receive_nothing(enum receive way)
{
	const struct receive_way *ops = receive_way__get(way);
	int fds[2];

	pair_of(fds);
	struct receiver_conn conn = {.fd = fds[1]};
	struct recv_loop r = {.conns = &conn, .nr = 1, .epoll_fd = -1};
	struct received got;
	ssize_t n;

	r.buf = xmalloc(RECV_LOOP_CHUNK);
	n = ops->setup ? ops->setup(&r) : 0;
	if (!n)
		n = ops->receive(&r, fds[1], false, &got);
	if (ops->teardown)
		ops->teardown(&r);
	free(r.buf);
	close(fds[0]);
	close(fds[1]);
	return n;
}

static bool usable(enum receive way)
{
	int err = receive_way__try(way);

	if (err)
		print_message("skipped: %s: %s\n", receive__name(way), strerror(-err));
	return !err;
}

TEST(each_way_takes_every_byte_and_those_that_can_read_find_the_wrong_one)
{
	for (unsigned int way = 0; way < RECEIVE_NR; way++) {
		for (unsigned int connections = 1; usable(way) && connections <= 2; connections++) {
			uint64_t bytes = (uint64_t)connections * MESSAGES * SIZE;
			bool hides = receive__has(way, RECEIVE_HIDES);
			struct counters sum;

			receive(way, connections, 0, &sum);
			assert_int_equal(sum.bytes, bytes);
			assert_int_equal(sum.messages, connections * MESSAGES);
			assert_int_equal(sum.verify_errors, hides ? 0 : connections);
			assert_int_equal(sum.hist[COUNTERS_DELIVERY]->count,
					 hides ? 0 : sum.messages);
			/* Pages that send() filled are pieces of larger ones: none is mapped. */
			assert_int_equal(sum.uncopied, hides ? bytes : 0);
			counters__clear(&sum);
		}
	}
}

TEST(call_that_may_not_wait_says_that_there_is_nothing)
{
	for (unsigned int way = 0; way < RECEIVE_NR; way++)
		if (usable(way) && receive_way__get(way)->receive)
			assert_int_equal(receive_nothing(way), -EAGAIN);
}

/* On loopback the kernel copies pages of MSG_ZEROCOPY into pages of its own, which can be mapped.
 */
TEST(mapped_bytes_are_those_that_were_sent)
{
	struct counters sum;

	if (!usable(RECEIVE_MMAP))
		skip();
	for (unsigned int connections = 1; connections <= 2; connections++) {
		receive(RECEIVE_MMAP, connections, MSG_ZEROCOPY, &sum);
		assert_int_equal(sum.messages, connections * MESSAGES);
		assert_int_equal(sum.verify_errors, connections);
		assert_in_range(sum.uncopied, 1, sum.bytes);
		counters__clear(&sum);
	}
}

/* Each trial opens a file, which the second may not: its answer is the first's. */
TEST(trial_of_a_way_is_not_repeated_at_once)
{
	struct rlimit before, none;
	uint64_t begin;
	int first, again;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){.rlim_max = before.rlim_max};
	for (unsigned int way = 0; way < RECEIVE_NR; way++) {
		do {
			begin = clock__now();
			first = receive_way__try(way);
			setrlimit(RLIMIT_NOFILE, &none);
			again = receive_way__try(way);
			setrlimit(RLIMIT_NOFILE, &before);
		} while (clock__now() - begin >= TRIAL_KEEP_NS);
		assert_int_equal(again, first);
	}
}

TEST(way_that_is_missing_is_known_before_a_connection)
{
	for (unsigned int way = 0; way < RECEIVE_NR; way++)
		assert_int_equal(receive_way__get(way)->try != NULL,
				 receive__has(way, RECEIVE_TRIED));
}
