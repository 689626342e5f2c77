/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes from sequence numbers: wraps, FIN, missing sockets, numbers that go backward. */
#include <string.h>
#include <netinet/tcp.h>

#include "model/tcp_seq.h"
#include "support/test.h"

static const uint64_t cookies[] = {11, 12, 13};

static struct nio_socket established(uint64_t cookie)
{
	return (struct nio_socket){
		.cookie = cookie,
		.tcp.bytes_acked = 1001,
		.tcp.write_seq = 0xfffffff0,
		.tcp.snd_una = 0xfffffff0,
		.tcp.bytes_received = 500,
		.tcp.rcv_nxt = 0xffffff00,
		.tcp.copied_seq = 0xffffff00,
		.tcp.state = TCP_ESTABLISHED,
		.scatter_gather = 1,
	};
}

static void begin(struct socket_snapshot *pass, size_t n)
{
	tcp_seq__begin(pass, n);
	pass->source = "iter/task_file";
	pass->zckeys = true;
	for (size_t i = 0; i < n; i++) {
		struct nio_socket socket = established(cookies[i]);

		tcp_seq__add_socket(pass, cookies, &socket);
	}
}

static struct socket_snapshot base, now;
static struct sequence_sum sum;

/* Two equal passes over n sockets. Returns the first socket of the second one. */
static struct nio_socket *begin_both(size_t n)
{
	begin(&base, n);
	begin(&now, n);
	return &now.sockets[0];
}

static const char *between(void)
{
	return tcp_seq__between(&base, &now, &sum);
}

/* 20 of 64 queued bytes are acknowledged, and both numbers wrap. */
TEST(sequence_numbers_wrap)
{
	struct nio_socket *s = begin_both(1);

	s->tcp.write_seq += 64;
	s->tcp.snd_una += 20;
	s->tcp.bytes_acked += 20;
	s->tcp.rcv_nxt += 0x200;
	s->tcp.bytes_received += 0x200;
	s->tcp.copied_seq += 0x180;
	assert_null(between());
	assert_int_equal(sum.queued, 64);
	assert_int_equal(sum.taken, 0x180);
}

/* More than 4 GiB between two iterations: the sequence numbers wrapped completely. */
TEST(bytes_above_4_GiB_use_the_64_bit_counters)
{
	const uint64_t bytes = 5368709897;
	struct nio_socket *s = begin_both(1);

	s->tcp.write_seq += (uint32_t)bytes;
	s->tcp.snd_una += (uint32_t)(bytes - 100);
	s->tcp.bytes_acked += bytes - 100;
	s->tcp.bytes_received += bytes;
	s->tcp.rcv_nxt += (uint32_t)bytes;
	s->tcp.copied_seq += (uint32_t)(bytes - 1000);
	assert_null(between());
	assert_int_equal(sum.queued, bytes);
	assert_int_equal(sum.taken, bytes - 1000);
}

/* Received with 7 bytes unread, then all read, the FIN with the last of them. */
TEST(received_FIN_is_no_payload)
{
	struct nio_socket s = established(1);
	uint64_t before = tcp_seq__read(&s);

	s.tcp.rcv_nxt += 8;
	s.tcp.bytes_received += 8;
	s.tcp.state = TCP_CLOSE_WAIT;
	assert_int_equal(tcp_seq__read(&s), before);
	s.tcp.copied_seq += 7;
	assert_int_equal(tcp_seq__read(&s), before + 7);
	s.tcp.copied_seq++;
	assert_int_equal(tcp_seq__read(&s), before + 7);
}

TEST(sums_are_over_all_sockets)
{
	begin_both(3);
	for (size_t i = 0; i < 3; i++) {
		now.sockets[i].tcp.write_seq += 10 + i;
		now.sockets[i].tcp.bytes_retrans += 1;
		base.sockets[i].zckey = 0xffffffff;
		now.sockets[i].zckey = 4;
	}
	assert_null(between());
	assert_int_equal(sum.queued, 33);
	assert_int_equal(sum.retrans, 3);
	assert_int_equal(sum.ids, 15);
	assert_true(sum.zckeys && sum.pinning);
	now.sockets[1].scatter_gather = 0;
	assert_null(between());
	assert_false(sum.pinning);
}

/* Records whose numbers pass 2^32, of two sockets; then of a key that does not fit, and of none. */
TEST(records_of_kTLS_add_their_overhead)
{
	begin_both(2);
	assert_non_null((between(), sum.sent.reason));
	for (size_t i = 0; i < 2; i++) {
		struct nio_socket *from = &base.sockets[i], *to = &now.sockets[i];

		from->tls = to->tls = NIO_SOCKET_TLS_SENDS;
		from->tls_sent = 0xfffffffe;
		to->tls_sent = 0x100000003;
		to->tls_overhead = 22;
		to->tcp.write_seq += 1000;
	}
	assert_null(between());
	assert_null(sum.sent.reason);
	assert_false(sum.sent.partial);
	assert_int_equal(sum.queued, 2000);
	assert_int_equal(sum.sent.records, 10);
	assert_int_equal(sum.sent.overhead, 220);
	assert_non_null(strstr(sum.received.reason, "no key"));
	now.sockets[1].tls |= NIO_SOCKET_TLS_PARTIAL;
	now.sockets[1].tls_sent = 0xfffffffd;
	assert_null(between());
	assert_true(sum.sent.partial);
	assert_non_null(strstr(sum.sent.reason, "do not fit"));
}

TEST(missing_socket_iteration_has_a_reason)
{
	begin(&base, 1);
	tcp_seq__begin(&now, 1);
	assert_string_equal(between(), "the sockets were not read");
	now.reason = "refused";
	assert_string_equal(between(), "refused");
}

TEST(sockets_of_others_are_ignored)
{
	struct nio_socket stranger = established(99), no_cookie = established(0);
	struct socket_snapshot pass;

	tcp_seq__begin(&pass, 3);
	tcp_seq__add_socket(&pass, cookies, &stranger);
	tcp_seq__add_socket(&pass, cookies, &no_cookie);
	assert_int_equal(tcp_seq__unmet(&pass), 3);
	tcp_seq__begin(&pass, TCP_SEQ_SOCKETS_MAX + 1);
	assert_int_equal(pass.nr, TCP_SEQ_SOCKETS_MAX);
}

/* Each socket is found at its index, whatever the order of the cookies; no other one is. */
TEST(sockets_are_found_in_any_order_of_cookies)
{
	static const uint64_t orders[][5] = {
		{2, 4, 6, 8, UINT64_MAX}, {8, 2, 6, 4, UINT64_MAX}, {UINT64_MAX, 8, 6, 4, 2}};
	struct socket_snapshot pass;

	for (size_t o = 0; o < 3; o++) {
		for (size_t n = 1; n <= 5; n++) {
			memset(&pass, 0, sizeof(pass));
			tcp_seq__begin(&pass, n);
			for (uint64_t cookie = 0; cookie < 10; cookie++) {
				struct nio_socket socket = established(cookie);

				tcp_seq__add_socket(&pass, orders[o], &socket);
			}
			for (size_t i = 0; i < n; i++)
				assert_true(pass.sockets[i].cookie ==
					    (orders[o][i] == UINT64_MAX ? 0 : orders[o][i]));
			assert_int_equal(pass.sockets[n].cookie, 0);
		}
	}
}

/* Nothing of an earlier iteration stays; sockets beyond the number are untouched. */
TEST(socket_iteration_begins_empty)
{
	struct socket_snapshot pass;

	memset(&pass, 0xa5, sizeof(pass));
	tcp_seq__begin(&pass, 2);
	assert_int_equal(pass.nr, 2);
	assert_int_equal(tcp_seq__unmet(&pass), 2);
	assert_true(!pass.source && !pass.reason && !pass.zckeys && !pass.ordered);
	assert_true(pass.sockets[2].cookie == 0xa5a5a5a5a5a5a5a5);
}

/* Any of the first, the middle and the last of three sockets is missing. */
TEST(missing_sockets_are_counted)
{
	for (unsigned int met = 0; met < 8; met++) {
		struct socket_snapshot pass;

		tcp_seq__begin(&pass, 3);
		for (size_t i = 0; i < 3; i++) {
			struct nio_socket socket = established(cookies[i]);

			if (met >> i & 1)
				tcp_seq__add_socket(&pass, cookies, &socket);
		}
		assert_int_equal(tcp_seq__unmet(&pass), 3 - __builtin_popcount(met));
	}
}

/* In either iteration, for each of the sockets. */
TEST(socket_gone_or_closed_in_either_iteration_has_no_bytes)
{
	for (size_t i = 0; i < 3; i++)
		for (int first = 0; first < 2; first++) {
			struct socket_snapshot *pass = first ? &base : &now;

			begin_both(3);
			pass->sockets[i].cookie = 0;
			assert_non_null(strstr(between(), "gone"));
			pass->sockets[i].cookie = cookies[i];
			pass->sockets[i].tcp.state = TCP_CLOSE;
			assert_non_null(strstr(between(), "closed"));
			pass->sockets[i].tcp.state = TCP_ESTABLISHED;
			pass->sockets[i].scatter_gather = 0;
			assert_null(between());
			assert_false(sum.pinning);
			pass->sockets[i].scatter_gather = 1;
			pass->source = NULL;
			pass->reason = "refused";
			assert_string_equal(between(), "refused");
		}
}

/* Only in these states a FIN took a sequence number. */
TEST(FIN_takes_a_number_in_its_states_only)
{
	static const struct {
		uint8_t state;
		int sent, received;
	} states[] = {
		{TCP_ESTABLISHED, 0, 0}, {TCP_SYN_SENT, 0, 0},  {TCP_SYN_RECV, 0, 0},
		{TCP_FIN_WAIT1, 1, 0},   {TCP_FIN_WAIT2, 1, 0}, {TCP_CLOSE_WAIT, 0, 1},
		{TCP_CLOSING, 1, 1},     {TCP_LAST_ACK, 1, 1},
	};
	struct nio_socket s = established(1);

	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		s.tcp.state = states[i].state;
		assert_int_equal(tcp_seq__queued(&s), 1001 - states[i].sent);
		assert_int_equal(tcp_seq__read(&s), 500 - states[i].received);
	}
}

/* A difference of 2^63 or more is a counter that went backward. */
TEST(difference_of_2_63_or_more_is_backward)
{
	uint64_t most = ((uint64_t)1 << 63) - 1;
	struct nio_socket *s = begin_both(1);

	s->tcp.bytes_acked += most;
	s->tcp.bytes_received += most;
	s->tcp.bytes_retrans += most;
	assert_null(between());
	assert_true(sum.queued == most && sum.taken == most && sum.retrans == most);
	s->tcp.bytes_acked++;
	assert_non_null(between());
	s->tcp.bytes_acked--;
	s->tcp.bytes_received++;
	assert_non_null(between());
	s->tcp.bytes_received--;
	s->tcp.bytes_retrans++;
	assert_non_null(between());
}

/* Zero-copy ids have a difference only if both iterations read them. */
TEST(zero_copy_ids_need_both_iterations)
{
	begin_both(1);
	base.zckeys = false;
	assert_null(between());
	assert_false(sum.zckeys);
	base.zckeys = true;
	now.zckeys = false;
	assert_null(between());
	assert_false(sum.zckeys);
}
