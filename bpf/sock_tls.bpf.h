/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Keeps the record numbers of kTLS in the state of a watched socket. */
#ifndef BPF_SOCK_TLS_BPF_H
#define BPF_SOCK_TLS_BPF_H

#include "kernel.bpf.h"
#include "sock_state.h"
#include "tls.bpf.h"

/* TCP serves a direction until kTLS has a key for it. */
static __always_inline bool has_key(struct nio_tls_side *d, const char *ctx, enum nio_side side)
{
	if (tls_conf(ctx, side == NIO_SIDE_SENDER) == TLS_BASE)
		d->how = NIO_TLS_NO_KEY;
	else if (d->how == NIO_TLS_NO_KEY)
		d->how = NIO_TLS_OFF;
	return d->how != NIO_TLS_NO_KEY;
}

/* The moment of a reading. adopted: watching of the connection begins. */
struct tls_moment {
	const struct nio_numbers *n;
	bool adopted;
};

static __always_inline void read_side(struct sock_state *s, const char *ctx, enum nio_side side,
				      const struct tls_moment *m)
{
	bool sends = side == NIO_SIDE_SENDER;
	struct nio_tls_side *d = &s->tls.side[side];
	const char *parameters =
		ctx + (sends ? bpf_core_field_offset(struct tls_context, crypto_send)
			     : bpf_core_field_offset(struct tls_context, crypto_recv));
	__u64 now = sends ? m->n->sent : m->n->read, next;
	__u32 iv = 0;
	__u16 version = 0;

	/* A key that close() has wiped has no version: the last reading stands. */
	bpf_probe_read_kernel(&version, sizeof(version), parameters);
	if (!version || d->how == NIO_TLS_UNKNOWN)
		return;
	next = tls_next(ctx, sends);
	bpf_probe_read_kernel(&iv, sizeof(iv), parameters + TLS_IV_AT);
	if (d->how == NIO_TLS_OFF) {
		__u16 cipher = kernel_read(struct tls_context, ctx, prot_info.cipher_type);

		d->iv = iv;
		d->next = d->first = next;
		d->at = now;
		d->how = m->adopted ? NIO_TLS_ADOPTED : NIO_TLS_STARTED;
		if (tls_conf(ctx, sends) != TLS_SW ||
		    (!m->adopted && !first_record(&d->first, parameters, cipher)))
			d->how = NIO_TLS_UNKNOWN;
	}
	/* Before Linux 6.7 close() frees the number while it still sends. */
	if (number_is_apart() && (next - d->next) * s->tls.overhead > now - d->at)
		return;
	/* A new key (TLS 1.3) starts the numbers anew. */
	if (iv != d->iv || (__s64)(next - d->next) < 0)
		d->how = NIO_TLS_UNKNOWN;
	d->next = next;
	d->at = now;
}

/*
 * The kTLS context of a socket. close() takes it off the socket before TCP's own close, and frees
 * it after: before Linux 6.7 without the numbers, which are free by then. NULL: none, or it may be
 * freed.
 */
static __always_inline const char *tls_context_of(struct sock_state *s, const struct sock *sk)
{
	const char *ctx = kernel_read(struct inet_connection_sock, sk, icsk_ulp_data);

	if (ctx) {
		s->tls.context = (__u64)ctx;
		return ctx;
	}
	ctx = (const char *)s->tls.context;
	if (!ctx || !bpf_core_field_exists(((struct tls_context *)0)->sk) ||
	    kernel_read(struct tls_context, ctx, sk) != sk)
		return NULL;
	return ctx;
}

/*
 * Reads the record numbers of a socket that kTLS serves, which has moved n bytes. The caller knows
 * that no other call moves bytes now. adopted: watching begins.
 */
static __noinline void read_tls(struct sock_state *s, const struct sock *sk,
				const struct nio_numbers *n, bool adopted)
{
	struct nio_tls_side *tx = &s->tls.side[NIO_SIDE_SENDER];
	struct nio_tls_side *rx = &s->tls.side[NIO_SIDE_RECEIVER];
	const struct tls_moment m = {n, adopted};
	const char *ctx;
	bool on_socket, has_numbers;

	if (!bpf_core_type_exists(struct tls_context))
		return;
	ctx = tls_context_of(s, sk);
	if (!ctx)
		return;
	s->tls.overhead = kernel_read(struct tls_context, ctx, prot_info.overhead_size);
	on_socket = kernel_read(struct inet_connection_sock, sk, icsk_ulp_data);
	has_numbers = !number_is_apart() || on_socket;
	/* A part of a record has yet to be sent, or a call waits for room in the middle of one. */
	if (has_key(tx, ctx, NIO_SIDE_SENDER) && has_numbers) {
		if (!kernel_read(struct tls_context, ctx, partially_sent_record) &&
		    !kernel_read(struct sock, sk, sk_write_pending))
			read_side(s, ctx, NIO_SIDE_SENDER, &m);
		else if (adopted)
			tx->how = NIO_TLS_UNKNOWN;
	}
	if (has_key(rx, ctx, NIO_SIDE_RECEIVER) && has_numbers) {
		bool direct = decrypts_directly(ctx), ahead = receives_ahead(ctx);

		/* Freed once the context has left the socket, maybe by now: the last ones stand. */
		barrier();
		if (kernel_read(struct inet_connection_sock, sk, icsk_ulp_data)) {
			s->tls.direct |= direct;
			s->tls.ahead = ahead;
		}
		if (takes_whole_records() && !s->tls.ahead)
			read_side(s, ctx, NIO_SIDE_RECEIVER, &m);
		else if (adopted || !takes_whole_records())
			rx->how = NIO_TLS_UNKNOWN;
	}
}

/* Plaintext of a record of `bytes` bytes, which a call takes. 0: not known. */
static __always_inline __u64 plaintext_of(struct sock_state *s, const struct sock *sk, __u64 bytes)
{
	const char *ctx;
	__u16 overhead;

	if (!bpf_core_type_exists(struct tls_context))
		return 0;
	ctx = tls_context_of(s, sk);
	if (!ctx)
		return 0;
	overhead = kernel_read(struct tls_context, ctx, prot_info.overhead_size);
	return bytes > overhead ? bytes - overhead : 0;
}

#endif
