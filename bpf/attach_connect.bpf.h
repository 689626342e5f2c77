/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Where the numbers of a watched socket's sends begin, and what went with its SYN (TCP Fast Open):
 * bytes that are copied, whatever their call asked for.
 */
#ifndef NETIOTRACE_ATTACH_CONNECT_BPF_H
#define NETIOTRACE_ATTACH_CONNECT_BPF_H

#include "attach_calls.bpf.h"

/* Where the numbers of the sending direction begin: before the call that queued ret. */
static __always_inline void begin_tx(struct nio_stream *s, const struct sock *sk, __u32 ret)
{
	if (s->flags & NIO_STREAM_TX_BASE)
		return;
	read_numbers(&s->base_tx, sk);
	s->base_tx.sent -= ret;
	nio_stream_flag(s, NIO_STREAM_TX_BASE);
}

/* Is there a number yet that the bytes of this socket begin with? */
static __always_inline bool has_numbers(const struct sock *sk)
{
	__u8 state = kernel_read(struct sock_common, sk, skc_state);

	return state != TCP_CLOSE && state != TCP_SYN_SENT;
}

/* connect() with TCP_FASTOPEN_CONNECT leaves the SYN, and the numbers, to the first send call. */
static __always_inline bool has_called(const struct sock *sk)
{
	return kernel_read(struct sock_common, sk, skc_state) != TCP_SYN_SENT ||
	       kernel_read(struct tcp_sock, sk, packets_out);
}

/*
 * The numbers of a socket that a send call connects begin after its SYN, which is the first thing
 * acknowledged (tcp_snd_una_update). A socket whose numbers were set (TCP_REPAIR) sends no SYN.
 */
static __always_inline __u32 first_number(const struct sock *sk)
{
	__u32 una = kernel_read(struct tcp_sock, sk, snd_una);
	__u64 acked = kernel_read(struct tcp_sock, sk, bytes_acked);

	return acked || !has_numbers(sk) ? una - (__u32)acked + 1 : una;
}

static __always_inline void begin_connected(struct nio_stream *s, const struct sock *sk)
{
	if (s->flags & NIO_STREAM_TX_BASE)
		return;
	begin_tx(s, sk, 0);
	s->base_tx.sent = first_number(sk);
	s->sent_seen = s->base_tx.sent;
}

/* The message of a send call that connects, while it does; NULL: there is none. */
static __always_inline const struct msghdr *connecting_message(const struct sock *sk)
{
	return BPF_CORE_READ((const struct tcp_sock *)sk, fastopen_req, data);
}

#define ALL_OF_CALL (~0U) /* nio_stream.syn_bytes, as good as: it had no route to pin for */

/*
 * The SYN was answered: what was queued by now went with it, and is of a call that waited for this,
 * unless that has returned before.
 */
static __always_inline void on_connected(struct nio_stream *s, const struct sock *sk)
{
	__u32 from = s->flags & NIO_STREAM_TX_BASE ? s->sent_seen : first_number(sk);
	__s32 bytes = nio_seq_delta(from, payload_end_of(sk));

	if (s->syn_bytes == ALL_OF_CALL && connecting_message(sk))
		return;
	s->syn_bytes = bytes > 0 ? bytes : 0;
}

/* Of ret bytes that a call sent, those that went with the SYN. */
static __always_inline __u32 take_syn_bytes(struct nio_stream *s, const struct sock *sk, __u32 ret)
{
	__u32 bytes = s->syn_bytes;

	if (kernel_read(struct sock_common, sk, skc_state) == TCP_SYN_SENT)
		return ret;
	if (bytes)
		s->syn_bytes = 0;
	return bytes < ret ? bytes : ret;
}

#endif
