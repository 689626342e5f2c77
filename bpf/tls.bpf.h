/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Reads the record numbers of kTLS. TCP counts the bytes of records; each record adds the same
 * number of bytes to the plaintext, so the number of records gives the plaintext without an event.
 */
#ifndef BPF_TLS_BPF_H
#define BPF_TLS_BPF_H

#include <bpf/bpf_endian.h>

#include "kernel.bpf.h"
#include "socket_file.bpf.h"

#define TLS_SW 1

/* Before Linux 6.7 the record number has memory of its own, which close() frees. */
struct cipher_context___pointer {
	char *iv;
	char *rec_seq;
} __attribute__((preserve_access_index));

static __always_inline bool number_is_apart(void)
{
	return bpf_core_field_exists(((struct cipher_context___pointer *)0)->rec_seq);
}

/* A record number, which is in network byte order. */
static __always_inline __u64 record_number(const char *at)
{
	__u64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), at);
	return bpf_be64_to_cpu(number);
}

/* The number of the next record. */
static __always_inline __u64 next_record(const char *cipher)
{
	if (number_is_apart())
		return record_number(kernel_read(struct cipher_context___pointer, cipher, rec_seq));
	return record_number(cipher + bpf_core_field_offset(struct cipher_context, rec_seq));
}

/* struct tls_crypto_info, which begins the parameters of setsockopt(), and where they continue. */
#define TLS_IV_AT 4
/* Number of the first record, behind a key of 16 bytes with IV and salt, or of 32 bytes. */
#define TLS_NUMBER_AT    32
#define TLS_NUMBER_AT_32 48

/* The number that setsockopt() gave to the first record. False: an unknown cipher. */
static __always_inline bool first_record(__u64 *first, const char *parameters, __u16 cipher)
{
	switch (cipher) {
	case 51: /* TLS_CIPHER_AES_GCM_128 */
	case 53: /* AES_CCM_128 */
	case 55: /* SM4_GCM */
	case 56: /* SM4_CCM */
	case 57: /* ARIA_GCM_128 */
		*first = record_number(parameters + TLS_NUMBER_AT);
		return true;
	case 52: /* AES_GCM_256 */
	case 54: /* CHACHA20_POLY1305 */
	case 58: /* ARIA_GCM_256 */
		*first = record_number(parameters + TLS_NUMBER_AT_32);
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
	__u8 zc_capable : 1;
} __attribute__((preserve_access_index));

struct tls_context___rx {
	void *priv_ctx_rx;
} __attribute__((preserve_access_index));

static __always_inline bool takes_whole_records(void)
{
	return bpf_core_field_exists(((struct tls_strparser___copy *)0)->copy_mode) &&
	       bpf_core_field_exists(((struct tls_sw_context_rx___copy *)0)->strp);
}

/*
 * Does the number of the next record lag behind the bytes that TCP gave away? kTLS takes bytes of a
 * record before it has all: before Linux 6.0 always, later if the receive buffer is too small.
 */
static __always_inline bool receives_ahead(const char *ctx)
{
	const char *rx = kernel_read(struct tls_context___rx, ctx, priv_ctx_rx);
	const struct tls_strparser___copy *strp;

	if (!takes_whole_records())
		return true;
	strp = (const void *)(rx + bpf_core_field_offset(struct tls_sw_context_rx___copy, strp));
	return BPF_CORE_READ_BITFIELD_PROBED(strp, copy_mode);
}

#define TLS_1_3 0x304

/*
 * May kTLS decrypt into the application's memory? It does if the receive call has room for the
 * whole record; otherwise the call copies. Before Linux 6.0 the kernel goes by the version.
 */
static __always_inline bool decrypts_directly(const char *ctx)
{
	const char *rx = kernel_read(struct tls_context___rx, ctx, priv_ctx_rx);

	if (!bpf_core_field_exists(((struct tls_sw_context_rx___copy *)0)->zc_capable))
		return kernel_read(struct tls_context, ctx, prot_info.version) != TLS_1_3;
	return BPF_CORE_READ_BITFIELD_PROBED((const struct tls_sw_context_rx___copy *)rx,
					     zc_capable);
}

/* The number of the next record that the socket sends or receives. */
static __always_inline __u64 tls_next(const char *ctx, bool sends)
{
	return next_record(ctx + (sends ? bpf_core_field_offset(struct tls_context, tx)
					: bpf_core_field_offset(struct tls_context, rx)));
}

/* Reads a socket's numbers, which no lock holds still. False: they moved meanwhile. */
static __always_inline bool fill_numbers(struct nio_socket *out, const struct sock *sk)
{
	fill_tcp(&out->tcp, sk);
	out->zckey = kernel_read(struct sock, sk, sk_zckey.counter);
	out->omem = kernel_read(struct sock, sk, sk_omem_alloc.counter);
	out->scatter_gather = (kernel_read(struct sock, sk, sk_route_caps) & NETIF_F_SG) != 0;
	return held_still(&out->tcp, sk);
}

/* The record numbers of kTLS. They are exact while no bytes move. */
static __always_inline void fill_tls(struct nio_socket *out, const struct sock *sk)
{
	const char *ctx;

	if (!bpf_core_type_exists(struct tls_context) || ulp_of(sk) != ULP_KTLS)
		return;
	ctx = kernel_read(struct inet_connection_sock, sk, icsk_ulp_data);
	if (!ctx)
		return;
	out->tls = (tls_conf(ctx, true) == TLS_SW ? NIO_SOCKET_TLS_SENDS : 0) |
		   (tls_conf(ctx, false) == TLS_SW ? NIO_SOCKET_TLS_RECEIVES : 0);
	if (kernel_read(struct tls_context, ctx, partially_sent_record))
		out->tls |= NIO_SOCKET_TLS_PARTIAL;
	if ((out->tls & NIO_SOCKET_TLS_RECEIVES) && decrypts_directly(ctx))
		out->tls |= NIO_SOCKET_TLS_DIRECT;
	out->tls_sent = tls_next(ctx, true);
	out->tls_received = tls_next(ctx, false);
	out->tls_overhead = kernel_read(struct tls_context, ctx, prot_info.overhead_size);
}

/* The record of a socket: its numbers as they are now. */
static __always_inline void fill_socket(struct nio_socket *out, const struct sock *sk)
{
	out->cookie = kernel_read(struct sock_common, sk, skc_cookie.counter);
	/* Not a loop: before Linux 6.4 the verifier refuses some. */
	if (!fill_numbers(out, sk) && !fill_numbers(out, sk))
		fill_numbers(out, sk);
	fill_tls(out, sk);
}

#endif
