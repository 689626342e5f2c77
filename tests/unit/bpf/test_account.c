// SPDX-License-Identifier: GPL-2.0-only
/* The arithmetic of the BPF programs, with misbehaving calls and sockets. */
#include <pthread.h>
#include <string.h>

#include "bpf/netiotrace.h"
#include "bpf/perf_stage.h"
#include "support/test.h"

/* A MSG_ZEROCOPY call whose message was seen. */
static const struct nio_send_facts pinned_call = {
	.known = true, .zerocopy = true, .sg = true, .took_id = true};

TEST(send_call_has_the_kind_of_its_facts)
{
	struct nio_send_facts f = pinned_call;

	assert_int_equal(nio_send_kind(f), NIO_SEND_PINNED);
	f.sg = false;
	assert_int_equal(nio_send_kind(f), NIO_SEND_COPIED);
	f = (struct nio_send_facts){.known = true, .splice = true, .sg = true};
	assert_int_equal(nio_send_kind(f), NIO_SEND_SPLICED);
	f = (struct nio_send_facts){.known = true, .msg_ubuf = true, .zerocopy = true, .sg = true};
	assert_int_equal(nio_send_kind(f), NIO_SEND_IO_URING);
}

/* SEND_ZC of io_uring takes no zero-copy id. Without the message, the thread tells. */
TEST(possible_io_uring_send_is_not_called_a_copy)
{
	struct nio_send_facts f = {.by_uring = true, .sg = true};

	assert_int_equal(nio_send_kind(f), NIO_SEND_IO_URING);
	f.took_id = true;
	assert_int_equal(nio_send_kind(f), NIO_SEND_PINNED);
	f = (struct nio_send_facts){.by_uring = true};
	assert_int_equal(nio_send_kind(f), NIO_SEND_COPIED);
	f = (struct nio_send_facts){.sg = true};
	assert_int_equal(nio_send_kind(f), NIO_SEND_COPIED);
}

/* A pinned call missed its program; the next call copies and its facts say so. */
TEST(facts_of_one_call_do_not_leak_into_the_next)
{
	struct nio_send_facts f = {.known = true, .sg = true, .took_id = true};

	assert_int_equal(nio_send_kind(f), NIO_SEND_COPIED);
	assert_int_equal(nio_ids_unseen(7, 8, false), 1);
	assert_int_equal(nio_ids_unseen(7, 8, true), 0);
	assert_int_equal(nio_ids_unseen(0xffffffff, 2, true), 2);
	/* An aborted send returns its id. */
	assert_int_equal(nio_ids_unseen(8, 7, false), 0);
}

/* The bytes booked for a socket between two reads of its sequence numbers. */
static int32_t queued(uint32_t from, uint32_t write_seq, uint8_t tcp_state)
{
	return nio_seq_delta(from, nio_payload_end(write_seq, tcp_state));
}

TEST(own_FIN_is_no_payload)
{
	assert_int_equal(queued(1000, 2000, TCP_ESTABLISHED), 1000);
	assert_int_equal(queued(1000, 2001, TCP_FIN_WAIT1), 1000);
	assert_int_equal(queued(1000, 2001, TCP_FIN_WAIT2), 1000);
	assert_int_equal(queued(1000, 2001, TCP_LAST_ACK), 1000);
	assert_int_equal(queued(1000, 2001, TCP_CLOSING), 1000);
	assert_int_equal(queued(1000, 2000, TCP_CLOSE_WAIT), 1000);
}

TEST(sequence_numbers_wrap_and_never_give_4_GiB)
{
	assert_int_equal(queued(0xffffff00, 0x100, TCP_ESTABLISHED), 0x200);
	assert_int_equal(queued(1001, 1000, TCP_ESTABLISHED), -1);
	assert_int_equal(queued(1000, 1000, TCP_FIN_WAIT1), -1);
}

/* Completes sends lo to lo + n - 1 of one socket with a ring of 8. Returns how many were known. */
static unsigned int complete(struct nio_zc_send *ring, uint64_t cookie, uint32_t lo, uint32_t n,
			     uint64_t *bytes)
{
	unsigned int known = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t of_one = 0;

		known += nio_zc_complete(&ring[(lo + i) & 7], cookie, lo + i, &of_one);
		*bytes += of_one;
	}
	return known;
}

TEST(bytes_of_a_send_complete_once)
{
	struct nio_zc_send ring[8] = {{0}};
	uint64_t bytes = 0;
	uint32_t lo = 0xfffffffd;

	for (uint32_t i = 0; i < 6; i++)
		assert_false(nio_zc_note(&ring[(lo + i) & 7], 9, lo + i, 100, 1));
	/* Across the wrap of the ids. */
	assert_int_equal(complete(ring, 9, lo, 3, &bytes), 3);
	assert_int_equal(complete(ring, 9, lo + 4, 2, &bytes), 2);
	assert_int_equal(bytes, 500);
	assert_int_equal(complete(ring, 9, lo, 6, &bytes), 6);
	assert_int_equal(bytes, 600);
}

TEST(completion_before_the_return_of_its_send_is_counted_once)
{
	struct nio_zc_send ring[8] = {{0}};
	uint64_t bytes = 0;

	assert_int_equal(complete(ring, 9, 0, 1, &bytes), 0);
	assert_true(nio_zc_note(&ring[0], 9, 0, 100, 1));
	assert_int_equal(complete(ring, 9, 0, 1, &bytes), 1);
	assert_int_equal(bytes, 0);
	/* Another socket used the ring before: its sends are ignored. */
	assert_false(nio_zc_note(&ring[0], 10, 0, 100, 1));
	assert_int_equal(complete(ring, 10, 0, 1, &bytes), 1);
	assert_int_equal(bytes, 100);
	/* A late completion leaves the entry of a later send. */
	assert_false(nio_zc_note(&ring[0], 10, 16, 50, 1));
	assert_int_equal(complete(ring, 10, 8, 1, &bytes), 0);
	assert_int_equal(ring[0].id, 16);
}

TEST(rings_divide_the_sends_and_do_not_overlap)
{
	static const struct {
		uint32_t sockets, size;
	} expected[] = {{1, 1024}, {64, 1024}, {256, 1024}, {257, 512}, {4096, 64}, {131072, 2}};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_int_equal(nio_ring_size(NIO_ZC_SENDS, expected[i].sockets),
				 expected[i].size);
	assert_int_equal(nio_ring_size(NIO_ZC_SENDS, 262145), 0);
	assert_int_equal(nio_ring_size(0, 1), 0);
}

#define WINDOWS 300000

static void *close_windows(void *arg)
{
	const struct nio_perf_open open = {.sampled = 1};
	const struct nio_perf_reading end[NIO_PERF_EVENT_NR] = {{.counter = 3}, {.counter = 1}};

	for (int i = 0; i < WINDOWS; i++)
		nio_perf_book(arg, &open, 0, 0, end, 7);
	return NULL;
}

/* A softirq closes a window while another program closes one on the same CPU: both must count. */
TEST(windows_closed_at_once_are_both_counted)
{
	struct nio_perf_cell cell = {0};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, close_windows, &cell), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(cell.samples, 2 * WINDOWS);
	assert_int_equal(cell.bytes, 2 * WINDOWS * 7);
	assert_int_equal(cell.counts[NIO_PERF_CYCLES], 2 * WINDOWS * 3);
}

#define ZC_FIRST   0xfffff000u /* the ids wrap */
#define ZC_REPORTS 1000000u

struct claims {
	pthread_barrier_t begin;
	uint32_t next;
	_Atomic uint32_t ids;
};

/* A CPU that sees each range when it is reported. */
static void *claim_ranges(void *arg)
{
	struct claims *c = arg;
	uint32_t ids = 0;

	pthread_barrier_wait(&c->begin);
	for (uint32_t i = 0; i < ZC_REPORTS; i++)
		ids += nio_claim_until(&c->next, *(volatile uint32_t *)&c->next + 8);
	c->ids += ids;
	return NULL;
}

/* The kernel's report and the application's read show the same range on two CPUs at once. */
TEST(zero_copy_range_seen_by_two_cpus_at_once_counts_once)
{
	struct claims c = {.next = ZC_FIRST};
	pthread_t threads[2];

	assert_int_equal(pthread_barrier_init(&c.begin, NULL, 2), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, claim_ranges, &c), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(c.ids, c.next - ZC_FIRST);
	assert_int_equal(nio_claim_until(&c.next, c.next - 8), 0);
	assert_int_equal(nio_claim_until(&c.next, c.next), 0);
}

/* Ids wrap; a notification that comes again, or of an earlier range, claims nothing. */
TEST(each_id_is_claimed_once_by_one_program)
{
	uint32_t next = 0xfffffffe;

	assert_int_equal(nio_claim_alone(&next, 3), 5);
	assert_int_equal(nio_claim_alone(&next, 3), 0);
	assert_int_equal(nio_claim_alone(&next, 1), 0);
	assert_int_equal(nio_claim_alone(&next, 4), 1);
	assert_int_equal(next, 4);
}
