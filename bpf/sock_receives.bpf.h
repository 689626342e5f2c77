/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Counts the bytes that the sockets of attach receive: those copied, and others by their call. */
#ifndef BPF_SOCK_RECEIVES_BPF_H
#define BPF_SOCK_RECEIVES_BPF_H

#include "sock_events.bpf.h"
#include "taken.bpf.h"

/*
 * Bytes read beyond the end of the last copy were taken without a copy, perhaps 4 GiB and more.
 * Fewer: a peek. by: the stage of bytes taken; NIO_STAGE_NR: unknown.
 */
static __always_inline void book_taken(struct sock_state *s, struct sock_events *e, __u64 read,
				       __u32 by)
{
	__s64 further = (__s64)(read - s->read_seen);
	__u64 *uncovered = e->uncovered_bytes[NIO_SIDE_RECEIVER];
	__u32 window = nio_window;

	/*
	 * Bytes taken outside windows are not judged. Copies that are seen while the programs are
	 * detached and attached again have the same even number.
	 */
	if (s->rx_window != window || !(window & 1)) {
		s->rx_window = window;
		return;
	}
	if (further > 0 && by < NIO_STAGE_NR) {
		add_weighted(&e->stages[by], further);
		note_weight(e, NIO_SIDE_RECEIVER, further);
		count_moved(s, NIO_MOVED_READ + by - NIO_STAGE_RX_COPY, further);
	} else if (further > 0) {
		add_to(&uncovered[NIO_UNCOVERED_UNSEEN], (__u64)further * nio_weight);
		count_moved(s, NIO_MOVED_UNCOPIED, further);
	} else if (further < 0) {
		add_to(&uncovered[NIO_UNCOVERED_PEEKED], (__u64)-further * nio_weight);
		note_weight(e, NIO_SIDE_RECEIVER, further);
	}
}

/* nio_numbers.read at this moment. The caller holds the socket lock. */
static __always_inline __u64 bytes_read_now(const struct sock *sk)
{
	return nio_bytes_read(kernel_read(struct tcp_sock, sk, bytes_received),
			      kernel_read(struct tcp_sock, sk, rcv_nxt),
			      kernel_read(struct tcp_sock, sk, copied_seq),
			      kernel_read(struct sock_common, sk, skc_flags) & (1UL << SOCK_DONE));
}

/*
 * Bytes read after the close: tcp_disconnect() may clear the counters before tcp_destroy_sock, so
 * the numbers are saved here.
 */
static __always_inline void on_read_after_close(struct sock_state *s, const struct sock *sk,
						__u32 len)
{
	struct nio_numbers n;
	struct nio_tcp t;

	read_tcp(&t, sk, s);
	if (t.write_seq != s->write_seq)
		return;
	n = nio_numbers_of(&t);
	s->now.read = n.read + len;
}

/*
 * The kernel copies len bytes of payload to user memory, under the socket lock. kTLS copies are not
 * booked: the connection's bytes are the records that kTLS takes from TCP.
 */
static __always_inline void on_received(struct sock *sk, int len, struct nio_event_counts *c)
{
	bool adopted;
	struct sock_state *s = state_in_use(sk, &adopted);
	enum nio_uncovered_kind path;
	struct sock_events *e;
	bool foreign, first;
	__u64 read;

	if (!s || nio_over)
		return;
	foreign = s->flags & SOCK_STATE_FOREIGN;
	if (!foreign)
		c->watched++;
	touch(s, sk);
	e = events_of(s);
	if (!e)
		return;
	path = path_of(sk, NIO_SIDE_RECEIVER, PROBE_READ);
	if (path < NIO_COVERED) {
		s->uncovered = path + 1;
		if (path != NIO_UNCOVERED_KTLS)
			add_to(&e->uncovered_bytes[NIO_SIDE_RECEIVER][path], len);
		return;
	}
	read = bytes_read_now(sk);
	first = s->rx_window != nio_window;
	book_taken(s, e, read, NIO_STAGE_NR);
	s->read_seen = read + len;
	c->last_key = s->key;
	c->last_copied_seq = (__u32)(kernel_read(struct tcp_sock, sk, copied_seq) + len);
	if (s->flags & SOCK_STATE_CLOSED)
		on_read_after_close(s, sk, len);
	/* Neither are the first bytes of a window judged that were taken without a copy. */
	if (first &&
	    (e->stages[NIO_STAGE_RX_MAP].events || e->stages[NIO_STAGE_RX_DISCARD].events ||
	     e->stages[NIO_STAGE_RX_SPLICE].events))
		return;
	add_weighted(&e->stages[NIO_STAGE_RX_COPY], len);
	note_weight(e, NIO_SIDE_RECEIVER, len);
	if (!foreign)
		c->moved[NIO_MOVED_READ] += len;
	add_to(&e->rx_sizes[nio_size_bucket(len)], nio_weight);
}

/* kTLS takes a record, for a splice call without a copy to the application. */
static __always_inline void on_record_taken(struct sock_state *s, struct sock *sk)
{
	__u64 read = bytes_read_now(sk), taken = read - s->read_seen;
	struct sock_events *e;

	s->read_seen = read;
	if (stage_of_syscall(sk) != NIO_STAGE_RX_SPLICE)
		return;
	e = events_of(s);
	if (e)
		add_to(&e->uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_KTLS],
		       plaintext_of(s, sk, taken));
}

/* copied_seq has moved by another number of bytes than the last copy seen on this CPU. */
static __always_inline void on_read_moved(struct sock *sk)
{
	struct sock_state *s = state_of(sk);
	enum nio_uncovered_kind path;
	struct sock_events *e;
	__u64 read;
	__u32 by;

	if (!s || nio_over || !s->begun || is_stale(s, sk))
		return;
	path = path_of(sk, NIO_SIDE_RECEIVER, PROBE_READ);
	if (path == NIO_UNCOVERED_KTLS)
		on_record_taken(s, sk);
	if (path < NIO_COVERED)
		return;
	read = bytes_read_now(sk);
	if (read == s->read_seen)
		return;
	count_event();
	count_watched(s);
	touch(s, sk);
	e = events_of(s);
	if (!e)
		return;
	by = stage_of_syscall(sk);
	if (by < NIO_STAGE_NR)
		used_now(s);
	book_taken(s, e, read, by);
	s->read_seen = read;
	if (s->flags & SOCK_STATE_CLOSED)
		on_read_after_close(s, sk, 0);
}

/* tcp_rcv_space_adjust: a receive call has moved copied_seq, mostly by what it has just copied. */
static __always_inline void on_taken(struct sock *sk)
{
	struct nio_event_counts *c;

	if (!nio_socket_known[nio_known_index(low_of(sk))])
		return;
	c = event_counts();
	if (c && c->last_key == (__u64)sk) {
		/* Once: after a peek, the same bytes may be taken without a copy. */
		c->last_key = 0;
		if (c->last_copied_seq == kernel_read(struct tcp_sock, sk, copied_seq))
			return;
	}
	on_read_moved(sk);
}

#endif
