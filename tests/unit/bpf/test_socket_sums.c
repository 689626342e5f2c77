/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes from the numbers of sockets: wraps, FIN, records of kTLS, numbers that go backward. */
#include <string.h>
#include <netinet/tcp.h>

#include "bpf/socket_sums.h"
#include "support/test.h"

static const struct nio_socket established = {
	.tcp.bytes_acked = 1001,
	.tcp.write_seq = 0xfffffff0,
	.tcp.snd_una = 0xfffffff0,
	.tcp.bytes_received = 500,
	.tcp.rcv_nxt = 0xffffff00,
	.tcp.copied_seq = 0xffffff00,
	.tcp.state = TCP_ESTABLISHED,
	.scatter_gather = 1,
};

static struct nio_sums between(const struct nio_socket *base, const struct nio_socket *now)
{
	struct nio_sums sums = {0};

	nio_sums_add(&sums, base, now);
	return sums;
}

/* 20 of 64 queued bytes are acknowledged, and both numbers wrap. */
TEST(sequence_numbers_of_a_socket_wrap)
{
	struct nio_socket now = established;
	struct nio_sums sums;

	now.tcp.write_seq += 64;
	now.tcp.snd_una += 20;
	now.tcp.bytes_acked += 20;
	now.tcp.rcv_nxt += 0x200;
	now.tcp.bytes_received += 0x200;
	now.tcp.copied_seq += 0x180;
	sums = between(&established, &now);
	assert_int_equal(sums.queued, 64);
	assert_int_equal(sums.taken, 0x180);
	assert_false(sums.backward || sums.closed);
}

/* More than 4 GiB between two readings: the sequence numbers wrapped completely. */
TEST(bytes_above_4_GiB_use_the_64_bit_counters)
{
	const uint64_t bytes = 5368709897;
	struct nio_socket now = established;
	struct nio_sums sums;

	now.tcp.write_seq += (uint32_t)bytes;
	now.tcp.snd_una += (uint32_t)(bytes - 100);
	now.tcp.bytes_acked += bytes - 100;
	now.tcp.bytes_received += bytes;
	now.tcp.rcv_nxt += (uint32_t)bytes;
	now.tcp.copied_seq += (uint32_t)(bytes - 1000);
	sums = between(&established, &now);
	assert_int_equal(sums.queued, bytes);
	assert_int_equal(sums.taken, bytes - 1000);
}

/* Received with 7 bytes unread, then all read, the FIN with the last of them. */
TEST(received_FIN_is_not_read)
{
	struct nio_socket now = established;

	now.tcp.rcv_nxt += 8;
	now.tcp.bytes_received += 8;
	now.tcp.state = TCP_CLOSE_WAIT;
	now.tcp.done = true;
	assert_int_equal(between(&established, &now).taken, 0);
	now.tcp.copied_seq += 7;
	assert_int_equal(between(&established, &now).taken, 7);
	now.tcp.copied_seq++;
	assert_int_equal(between(&established, &now).taken, 7);
}

TEST(sums_are_over_all_sockets)
{
	struct nio_socket base = established, now = established;
	struct nio_sums sums = {0};

	base.zckey = 0xffffffff;
	now.zckey = 4;
	now.tcp.bytes_retrans = 1;
	for (unsigned int i = 0; i < 3; i++) {
		now.tcp.write_seq = base.tcp.write_seq + 10 + i;
		nio_sums_add(&sums, &base, &now);
	}
	assert_int_equal(sums.sockets, 3);
	assert_int_equal(sums.queued, 33);
	assert_int_equal(sums.retrans, 3);
	assert_int_equal(sums.ids, 15);
	assert_false(sums.no_gather || sums.charged);
	now.omem = 1;
	nio_sums_add(&sums, &base, &now);
	assert_int_equal(sums.charged, 1);
	/* At either reading. */
	base.scatter_gather = 0;
	nio_sums_add(&sums, &base, &now);
	now.scatter_gather = 0;
	base.scatter_gather = 1;
	nio_sums_add(&sums, &base, &now);
	assert_int_equal(sums.no_gather, 2);
}

TEST(socket_closed_at_either_reading_is_counted)
{
	struct nio_socket closed = established;

	closed.tcp.state = TCP_CLOSE;
	assert_int_equal(between(&established, &closed).closed, 1);
	assert_int_equal(between(&closed, &established).closed, 1);
}

/* Records whose numbers pass 2^32; then of a key that does not fit, and of none. */
TEST(records_of_kTLS_add_their_overhead)
{
	struct nio_socket base = established, now = established;
	struct nio_sums sums = between(&base, &now);

	assert_true(sums.recordless[0] && sums.recordless[1]);
	base.tls = now.tls = NIO_SOCKET_TLS_SENDS;
	base.tls_sent = 0xfffffffe;
	now.tls_sent = 0x100000003;
	now.tls_overhead = 22;
	now.tcp.write_seq += 1000;
	sums = between(&base, &now);
	assert_false(sums.recordless[0] || sums.misfit[0] || sums.partial || sums.direct);
	assert_int_equal(sums.queued, 1000);
	assert_int_equal(sums.records[0], 5);
	assert_int_equal(sums.overhead[0], 110);
	assert_int_equal(sums.recordless[1], 1);
	now.tls |= NIO_SOCKET_TLS_PARTIAL;
	now.tls_sent = 0xfffffffd;
	sums = between(&base, &now);
	assert_int_equal(sums.partial, 1);
	assert_int_equal(sums.misfit[0], 1);
}

/* Only in these states a FIN took a sequence number. */
TEST(FIN_takes_a_number_in_its_states_only)
{
	static const struct {
		uint8_t state;
		int sent;
	} states[] = {
		{TCP_ESTABLISHED, 0}, {TCP_SYN_SENT, 0},   {TCP_SYN_RECV, 0}, {TCP_FIN_WAIT1, 1},
		{TCP_FIN_WAIT2, 1},   {TCP_CLOSE_WAIT, 0}, {TCP_CLOSING, 1},  {TCP_LAST_ACK, 1},
	};
	struct nio_tcp t = established.tcp;

	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		t.state = states[i].state;
		assert_int_equal(nio_numbers_of(&t).sent, 1001 - states[i].sent);
	}
}

/* A difference of 2^63 or more is a counter that went backward. */
TEST(difference_of_2_63_or_more_is_backward)
{
	uint64_t most = ((uint64_t)1 << 63) - 1;
	struct nio_socket now = established;
	__u64 *grown[] = {&now.tcp.bytes_acked, &now.tcp.bytes_received, &now.tcp.bytes_retrans};
	struct nio_sums sums;

	for (size_t i = 0; i < ARRAY_LEN(grown); i++)
		*grown[i] += most;
	sums = between(&established, &now);
	assert_true(sums.queued == most && sums.taken == most && sums.retrans == most);
	assert_int_equal(sums.backward, 0);
	for (size_t i = 0; i < ARRAY_LEN(grown); i++) {
		++*grown[i];
		assert_int_equal(between(&established, &now).backward, 1);
		--*grown[i];
	}
}
