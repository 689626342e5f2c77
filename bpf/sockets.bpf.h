/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The socket pass: an iter/tcp program (Linux 5.9) that writes the byte counters of watched sockets
 * in one network namespace. It runs only when user space reads it, so it misses no traffic.
 */
#ifndef NETIOTRACE_SOCKETS_BPF_H
#define NETIOTRACE_SOCKETS_BPF_H

#include "kernel.bpf.h"
#include "maps.bpf.h"
#include "sockets.h"

static __always_inline void fill_socket(struct nio_socket *out, const struct tcp_sock *tp)
{
	const struct sock *sk = (const struct sock *)tp;

	out->bytes_acked = tp->bytes_acked;
	out->bytes_received = tp->bytes_received;
	out->bytes_retrans = tp->bytes_retrans;
	out->write_seq = tp->write_seq;
	out->snd_una = tp->snd_una;
	out->rcv_nxt = tp->rcv_nxt;
	out->copied_seq = tp->copied_seq;
	out->zckey = sk->sk_zckey.counter;
	out->omem = sk->sk_omem_alloc.counter;
	out->state = sk->__sk_common.skc_state;
	out->scatter_gather = (sk->sk_route_caps & NETIF_F_SG) != 0;
}

/* Called for each socket, from Linux 5.15 under its lock. NULL: a request or TIME_WAIT socket. */
SEC("?iter/tcp")
int nio_sockets(struct bpf_iter__tcp *ctx)
{
	struct sock_common *skc = ctx->sk_common;
	struct nio_socket out = {};
	struct tcp_sock *tp;

	if (!skc)
		return 0;
	out.cookie = skc->skc_cookie.counter;
	if (!conn_by_cookie(out.cookie))
		return 0;
	tp = bpf_skc_to_tcp_sock(skc);
	if (!tp)
		return 0;
	fill_socket(&out, tp);
	bpf_seq_write(ctx->meta->seq, &out, sizeof(out));
	return 0;
}

#endif
