// SPDX-License-Identifier: GPL-2.0-only
/* Payload bytes from the kernel's counters of a socket, in every state. */

#include "bpf/sock_state.h"
#include "support/test.h"

/*
 * An established connection: 5000 bytes sent, 1000 of them unacknowledged; 700 received, 100 of
 * them unread.
 */
static const struct nio_tcp established = {
	.bytes_acked = 4000,
	.write_seq = 6001,
	.snd_una = 5001,
	.bytes_received = 700,
	.rcv_nxt = 900,
	.copied_seq = 800,
	.bytes_retrans = 50,
	.state = TCP_ESTABLISHED,
};

static void expect_numbers(const struct nio_tcp *t, uint64_t sent, uint64_t received, uint64_t read)
{
	struct nio_numbers n = nio_numbers_of(t);

	assert_int_equal(n.sent, sent);
	assert_int_equal(n.received, received);
	assert_int_equal(n.read, read);
}

TEST(counters_give_payload_bytes)
{
	struct nio_tcp t = established;

	expect_numbers(&t, 5000, 700, 600);
	assert_int_equal(nio_numbers_of(&t).retrans, 50);
	/* connect() sent a SYN, which counts as one byte, acknowledged or not. */
	t.syn = true;
	t.bytes_acked++;
	expect_numbers(&t, 5000, 700, 600);
}

/* The own FIN takes a number in write_seq from FIN_WAIT1 and LAST_ACK on, not in CLOSE_WAIT. */
TEST(own_FIN_is_no_payload_byte)
{
	static const __u8 with_fin[] = {TCP_FIN_WAIT1, TCP_FIN_WAIT2, TCP_CLOSING, TCP_LAST_ACK};
	struct nio_tcp t = established;

	t.state = TCP_CLOSE_WAIT;
	expect_numbers(&t, 5000, 700, 600);
	t.write_seq++;
	for (size_t i = 0; i < sizeof(with_fin); i++) {
		t.state = with_fin[i];
		expect_numbers(&t, 5000, 700, 600);
	}
}

/* The peer's FIN counts as one byte received, and as read once all data before it is read. */
TEST(FIN_of_the_peer_is_no_payload_byte)
{
	struct nio_tcp t = established;

	t.done = true;
	t.bytes_received++;
	t.rcv_nxt++;
	expect_numbers(&t, 5000, 700, 600);
	t.copied_seq = t.rcv_nxt;
	expect_numbers(&t, 5000, 700, 700);
}

TEST(sequence_numbers_wrap)
{
	struct nio_tcp t = established;

	t.bytes_acked = 5ULL << 32;
	t.snd_una = 0xfffffff0;
	t.write_seq = 0x10;
	t.rcv_nxt = 0x20;
	t.copied_seq = 0xffffffff;
	expect_numbers(&t, (5ULL << 32) + 0x20, 700, 700 - 0x21);
}

/* A sockmap that redirects to the socket itself counts bytes as read twice. */
TEST(copied_seq_beyond_rcv_nxt_is_no_wrap)
{
	struct nio_tcp t = established;

	t.copied_seq = t.rcv_nxt + 1000;
	expect_numbers(&t, 5000, 700, 1700);
}

/* Call types are exact if the programs were attached from the first to the last byte. */
TEST(state_opened_and_closed_in_one_window_was_seen_whole)
{
	struct sock_state s = {.born_window = 1, .window = 1};

	assert_true(sock_state_saw_all(&s));
	s.window = 3;
	assert_false(sock_state_saw_all(&s));
	s.born_window = s.window = 2;
	assert_false(sock_state_saw_all(&s));
}
