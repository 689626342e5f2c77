/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Reads the record numbers of kTLS. TCP counts the bytes of records; each record adds the same
 * number of bytes to the plaintext, so the number of records gives the plaintext without an event.
 */
#ifndef BPF_TLS_BPF_H
#define BPF_TLS_BPF_H

#include <bpf/bpf_endian.h>

#include "kernel.bpf.h"
#include "sock_state.h"

/* tls_context.tx_conf and rx_conf */
#define TLS_BASE 0 /* no key is set */
#define TLS_SW   1

/* Before Linux 6.7 the record number has memory of its own, which close() frees. */
struct cipher_context___pointer {
	char *iv;
	char *rec_seq;
} __attribute__((preserve_access_index));

static __always_inline bool number_is_apart(void)
{
	return bpf_core_field_exists(((struct cipher_context___pointer *)0)->rec_seq);
}

/* The lower half of a number in network byte order. */
static __always_inline __u32 low_half(const char *number)
{
	__u32 low = 0;

	bpf_probe_read_kernel(&low, sizeof(low), number + 4);
	return bpf_ntohl(low);
}

/* The number of the next record. */
static __always_inline __u32 next_record(const char *cipher)
{
	if (number_is_apart())
		return low_half(kernel_read(struct cipher_context___pointer, cipher, rec_seq));
	return low_half(cipher + bpf_core_field_offset(struct cipher_context, rec_seq));
}

/* struct tls_crypto_info, which begins the parameters of setsockopt(), and where they continue. */
#define TLS_IV_AT 4
/* Number of the first record, behind a key of 16 bytes with IV and salt, or of 32 bytes. */
#define TLS_NUMBER_AT    32
#define TLS_NUMBER_AT_32 48

/* The number that setsockopt() gave to the first record. False: an unknown cipher. */
static __always_inline bool first_record(__u32 *first, const char *parameters, __u16 cipher)
{
	switch (cipher) {
	case 51: /* TLS_CIPHER_AES_GCM_128 */
	case 53: /* AES_CCM_128 */
	case 55: /* SM4_GCM */
	case 56: /* SM4_CCM */
	case 57: /* ARIA_GCM_128 */
		*first = low_half(parameters + TLS_NUMBER_AT);
		return true;
	case 52: /* AES_GCM_256 */
	case 54: /* CHACHA20_POLY1305 */
	case 58: /* ARIA_GCM_256 */
		*first = low_half(parameters + TLS_NUMBER_AT_32);
		return true;
	default:
		return false;
	}
}

/* What the receiver has of a record, since Linux 6.0. */
struct tls_strparser___copy {
	__u32 copy_mode : 1;
} __attribute__((preserve_access_index));

struct tls_sw_context_rx___copy {
	struct tls_strparser___copy strp;
} __attribute__((preserve_access_index));

struct tls_context___rx {
	void *priv_ctx_rx;
	__u8 rx_no_pad : 1;
} __attribute__((preserve_access_index));

/*
 * Does the number of the next record lag behind the bytes that TCP gave away? kTLS takes bytes of a
 * record before it has all: before Linux 6.0 always, later if the receive buffer is too small.
 */
static __always_inline bool receives_ahead(const char *ctx)
{
	const char *rx = kernel_read(struct tls_context___rx, ctx, priv_ctx_rx);
	const struct tls_strparser___copy *strp;

	strp = (const void *)(rx + bpf_core_field_offset(struct tls_sw_context_rx___copy, strp));
	return BPF_CORE_READ_BITFIELD_PROBED(strp, copy_mode);
}

static __always_inline bool takes_whole_records(void)
{
	return bpf_core_field_exists(((struct tls_strparser___copy *)0)->copy_mode) &&
	       bpf_core_field_exists(((struct tls_sw_context_rx___copy *)0)->strp);
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
	const struct tls_context *t = (const struct tls_context *)ctx;
	struct nio_tls_side *d = &s->tls.side[side];
	const char *parameters =
		ctx + (sends ? bpf_core_field_offset(struct tls_context, crypto_send)
			     : bpf_core_field_offset(struct tls_context, crypto_recv));
	__u32 conf = sends ? BPF_CORE_READ_BITFIELD_PROBED(t, tx_conf)
			   : BPF_CORE_READ_BITFIELD_PROBED(t, rx_conf);
	__u64 now = sends ? m->n->sent : m->n->read;
	__u32 next, iv = 0;
	__u16 version = 0;

	/* A key that close() has wiped has no version: the last reading stands. */
	bpf_probe_read_kernel(&version, sizeof(version), parameters);
	if (conf == TLS_BASE || !version || d->how == NIO_TLS_UNKNOWN)
		return;
	next = next_record(ctx + (sends ? bpf_core_field_offset(struct tls_context, tx)
					: bpf_core_field_offset(struct tls_context, rx)));
	bpf_probe_read_kernel(&iv, sizeof(iv), parameters + TLS_IV_AT);
	if (d->how == NIO_TLS_OFF) {
		__u16 cipher = kernel_read(struct tls_context, ctx, prot_info.cipher_type);

		d->iv = iv;
		d->next = d->first = next;
		d->at = now;
		d->how = m->adopted ? NIO_TLS_ADOPTED : NIO_TLS_STARTED;
		if (conf != TLS_SW || (!m->adopted && !first_record(&d->first, parameters, cipher)))
			d->how = NIO_TLS_UNKNOWN;
	}
	/* Before Linux 6.7 close() frees the number while it still sends. */
	if (number_is_apart() && (__u64)(next - d->next) * s->tls.overhead > now - d->at)
		return;
	/* A new key (TLS 1.3) starts the numbers anew. */
	if (iv != d->iv || (__s32)(next - d->next) < 0)
		d->how = NIO_TLS_UNKNOWN;
	d->next = next;
	d->at = now;
}

/*
 * The kTLS context of a socket. close() takes it off the socket before TCP's own close, and frees
 * it after. NULL: none, or it may be freed.
 */
static __always_inline const char *tls_context_of(struct sock_state *s, const struct sock *sk)
{
	const char *ctx = kernel_read(struct inet_connection_sock, sk, icsk_ulp_data);

	if (ctx) {
		s->tls.context = (__u64)ctx;
		return ctx;
	}
	ctx = (const char *)s->tls.context;
	if (!ctx || number_is_apart() || kernel_read(struct tls_context, ctx, sk) != sk)
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
	const struct tls_moment m = {n, adopted};
	const char *ctx;

	if (!bpf_core_type_exists(struct tls_context))
		return;
	ctx = tls_context_of(s, sk);
	if (!ctx)
		return;
	s->tls.version = kernel_read(struct tls_context, ctx, prot_info.version);
	s->tls.overhead = kernel_read(struct tls_context, ctx, prot_info.overhead_size);
	if (bpf_core_field_exists(((struct tls_context___rx *)0)->rx_no_pad))
		s->tls.no_pad = BPF_CORE_READ_BITFIELD_PROBED((const struct tls_context___rx *)ctx,
							      rx_no_pad);
	/* A part of a record has yet to be sent, or a call waits for room in the middle of one. */
	if (!kernel_read(struct tls_context, ctx, partially_sent_record) &&
	    !kernel_read(struct sock, sk, sk_write_pending))
		read_side(s, ctx, NIO_SIDE_SENDER, &m);
	else if (adopted)
		s->tls.side[NIO_SIDE_SENDER].how = NIO_TLS_UNKNOWN;
	if (takes_whole_records() && !receives_ahead(ctx))
		read_side(s, ctx, NIO_SIDE_RECEIVER, &m);
	else if (adopted || !takes_whole_records())
		s->tls.side[NIO_SIDE_RECEIVER].how = NIO_TLS_UNKNOWN;
}

#endif
