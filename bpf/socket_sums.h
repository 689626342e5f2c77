/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Payload bytes from the counters of a socket, and what sockets did between two readings. No maps
 * or helpers: unit-tested.
 */
#ifndef BPF_SOCKET_SUMS_H
#define BPF_SOCKET_SUMS_H

#include "account.h"
#include "sockets.h"

/* Payload bytes of a connection since it began. */
struct nio_numbers {
	__u64 sent;     /* queued by the application */
	__u64 received; /* received in order */
	__u64 read;     /* read by the application */
	__u64 retrans;
};

/*
 * Bytes read by the application, without a FIN. In a sockmap whose program redirects to the socket
 * itself, copied_seq passes rcv_nxt: the difference is signed.
 */
static inline __u64 nio_bytes_read(__u64 bytes_received, __u32 rcv_nxt, __u32 copied_seq, bool done)
{
	return bytes_received - (__u64)(__s64)nio_seq_delta(copied_seq, rcv_nxt) -
	       (done && rcv_nxt == copied_seq);
}

static inline struct nio_numbers nio_numbers_of(const struct nio_tcp *t)
{
	__u32 fin = t->write_seq - nio_payload_end(t->write_seq, t->state);

	return (struct nio_numbers){
		.sent = t->bytes_acked + (__u32)(t->write_seq - t->snd_una) - t->syn - fin,
		.received = t->bytes_received - t->done,
		.read = nio_bytes_read(t->bytes_received, t->rcv_nxt, t->copied_seq, t->done),
		.retrans = t->bytes_retrans,
	};
}

/* What the sockets of one side did between two readings. */
struct nio_sums {
	__u64 sockets;                /* that both readings met */
	__u64 queued, taken, retrans; /* bytes; of kTLS with the overhead of its records */
	__u64 ids;                    /* of zero-copy sends, taken */
	__u64 acked, received;        /* bytes of these sockets since they exist */
	/* Sockets: closed; with a number that went backward; that cannot pin, at a reading; charged
	 * with other option memory than before. */
	__u64 closed, backward, no_gather, charged;
	/* Records of kTLS sent and received, what they add to the plaintext, and sockets without,
	 * or whose numbers do not fit their bytes. */
	__u64 records[2], overhead[2], recordless[2], misfit[2];
	__u64 partial, direct; /* sockets with NIO_SOCKET_TLS_PARTIAL, _DIRECT */
};

/* A larger difference is a counter that went backward: 2^63 bytes take a century. */
#define NIO_BACKWARD (1ULL << 63)

static inline void nio_add_records(struct nio_sums *sum, int side, bool counted, __u64 records,
				   __u64 overhead, __u64 bytes)
{
	sum->recordless[side] += !counted;
	sum->misfit[side] += counted && overhead && records > bytes / overhead;
	sum->records[side] += records;
	sum->overhead[side] += overhead * records;
}

/* Adds what a socket did between two readings. */
static inline void nio_sums_add(struct nio_sums *sum, const struct nio_socket *base,
				const struct nio_socket *now)
{
	struct nio_numbers from = nio_numbers_of(&base->tcp), to = nio_numbers_of(&now->tcp);
	__u64 queued = to.sent - from.sent, taken = to.read - from.read;
	__u64 retrans = to.retrans - from.retrans;
	__u8 both = base->tls & now->tls, any = base->tls | now->tls;

	sum->sockets++;
	sum->queued += queued;
	sum->taken += taken;
	sum->retrans += retrans;
	sum->ids += (__u32)(now->zckey - base->zckey);
	sum->acked += now->tcp.bytes_acked;
	sum->received += now->tcp.bytes_received;
	sum->closed += base->tcp.state == TCP_CLOSE || now->tcp.state == TCP_CLOSE;
	sum->backward += ((queued | taken | retrans) & NIO_BACKWARD) != 0;
	sum->no_gather += !(base->scatter_gather && now->scatter_gather);
	sum->charged += now->omem != base->omem;
	nio_add_records(sum, 0, both & NIO_SOCKET_TLS_SENDS, now->tls_sent - base->tls_sent,
			now->tls_overhead, queued);
	nio_add_records(sum, 1, both & NIO_SOCKET_TLS_RECEIVES,
			now->tls_received - base->tls_received, now->tls_overhead, taken);
	sum->partial += (any & NIO_SOCKET_TLS_PARTIAL) != 0;
	sum->direct += (any & NIO_SOCKET_TLS_DIRECT) != 0;
}

_Static_assert(sizeof(struct nio_numbers) == 32, "nio_numbers layout");

#endif
