/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The counters of a socket at one moment; bpf/socket_sums.h derives the application's bytes. */
#ifndef BPF_SOCKETS_H
#define BPF_SOCKETS_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#include <stdbool.h>
#endif

/* Counters of a tcp_sock at one moment. */
struct nio_tcp {
	__u64 bytes_acked;
	__u64 bytes_received;
	__u64 bytes_retrans;
	__u32 write_seq;
	__u32 snd_una;
	__u32 rcv_nxt;
	__u32 copied_seq;
	__u8 state; /* tells whether write_seq includes a FIN */
	bool syn;   /* the socket sent a SYN, which bytes_acked counts as one byte */
	bool done;  /* SOCK_DONE: bytes_received counts the peer's FIN as one byte */
};

struct nio_socket {
	__u64 cookie;
	struct nio_tcp tcp; /* without syn */
	/* struct sock */
	__u32 zckey;         /* sk_zckey: number of zero-copy ids issued */
	__u8 scatter_gather; /* sk_route_caps has NETIF_F_SG, so zero-copy sends pin */
	__u8 tls;            /* NIO_SOCKET_TLS_* */
	__u8 pad[2];
	__u32 omem;         /* sk_omem_alloc, bytes: charged until the notification is read */
	__u32 tls_overhead; /* bytes that a record of kTLS adds to its plaintext */
	__u64 tls_sent, tls_received; /* struct tls_context: the number of the next record */
};

/* kTLS encrypts what the socket sends, or decrypts what it receives, in software. */
#define NIO_SOCKET_TLS_SENDS    1
#define NIO_SOCKET_TLS_RECEIVES 2
/* A record that tls_sent counts has not gone to TCP as a whole. */
#define NIO_SOCKET_TLS_PARTIAL 4
/* kTLS may decrypt into the application's memory. */
#define NIO_SOCKET_TLS_DIRECT 8

_Static_assert(sizeof(struct nio_socket) == 88, "nio_socket layout");

#endif
