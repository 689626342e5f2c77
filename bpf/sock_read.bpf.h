/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The iteration over the watched sockets: reads their numbers at each refresh, without their lock.
 */
#ifndef BPF_SOCK_READ_BPF_H
#define BPF_SOCK_READ_BPF_H

#include "sock_life.bpf.h"

/* Did the acked and received counters stay as in t while t was read? No lock is held. */
static __always_inline bool held_still(const struct nio_tcp *t, const struct sock *sk)
{
	barrier();
	return t->bytes_acked == kernel_read(struct tcp_sock, sk, bytes_acked) &&
	       t->snd_una == kernel_read(struct tcp_sock, sk, snd_una) &&
	       t->bytes_received == kernel_read(struct tcp_sock, sk, bytes_received) &&
	       t->rcv_nxt == kernel_read(struct tcp_sock, sk, rcv_nxt) &&
	       t->state == kernel_read(struct sock_common, sk, skc_state);
}

/* Did a sum only grow, by less than 2^40? A torn read fails this test. */
static __always_inline bool goes_on(__u64 before, __u64 now)
{
	return now - before < (1ULL << 40);
}

/* Are bytes of the last copy that was seen not taken yet, and not because a call only looked? */
static __always_inline bool copies_now(const struct sock_state *s, const struct sock *sk,
				       const struct nio_tcp *t, __u64 read)
{
	const struct sock_events *e;

	if (s->read_seen <= read || s->rx_window != nio_window || !(nio_window & 1))
		return false;
	/* The call has the lock until it has taken them, unless it did so since they were read. */
	if (!is_locked(sk) && kernel_read(struct tcp_sock, sk, copied_seq) == t->copied_seq)
		return false;
	e = known_events(s);
	return e && !e->uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED];
}

/* No call is moving bytes, nor has one since t was read: bytes and records are of one moment. */
static __always_inline bool is_quiet(const struct sock *sk, const struct nio_tcp *t)
{
	return !is_locked(sk) && t->write_seq == kernel_read(struct tcp_sock, sk, write_seq) &&
	       t->copied_seq == kernel_read(struct tcp_sock, sk, copied_seq);
}

static __always_inline void read_socket(struct sock_state *s, const struct sock *sk)
{
	struct nio_numbers n;
	struct nio_tcp t;

	read_tcp(&t, sk, s);
	if (t.state == TCP_CLOSE || t.state == TCP_SYN_SENT || t.state == TCP_LISTEN || !s->begun ||
	    !held_still(&t, sk))
		return;
	n = nio_numbers_of(&t);
	if (s->flags & SOCK_STATE_ENDED)
		n.sent = s->now.sent;
	if (copies_now(s, sk, &t, n.read))
		n.read = s->read_seen;
	if (!goes_on(s->last_read.sent, n.sent) || !goes_on(s->last_read.read, n.read))
		return;
	if (n.sent != s->last_read.sent || n.read != s->last_read.read ||
	    n.received != s->last_read.received) {
		s->last_ns = bpf_ktime_get_ns();
		if (!(s->flags & SOCK_STATE_FOREIGN))
			nio_moved_ns = s->last_ns;
	}
	s->last_read = n;
	note_layer(s, sk, &t);
	note_path(s, sk);
	if (is_of_tls(s) && is_quiet(sk, &t))
		read_tls(s, sk, &n, false);
	/* Without messages the return of a call tells by the call's id that it pinned pages. */
	if ((nio_sees_calls || !(nio_window & 1)) && note_ids(s, sk))
		nio_zerocopy_ns = bpf_ktime_get_ns();
}

/* A closed connection whose socket still exists: the application may read more. */
static __always_inline void read_closed_socket(struct sock_state *s, const struct sock *sk)
{
	struct nio_tcp t;

	s->last_read = s->now;
	read_tcp(&t, sk, s);
	if (t.write_seq == s->write_seq) {
		struct nio_numbers n = nio_numbers_of(&t);

		s->last_read.read = n.read;
	}
}

/* Has the socket been freed? */
static __always_inline bool is_freed(const struct sock *sk)
{
	return !BPF_CORE_READ(sk, __sk_common.skc_refcnt.refs.counter);
}

/*
 * Is the socket of this state gone, and did no program see its end? It has been freed, or its
 * memory belongs to another socket or to something else.
 */
static __always_inline bool is_gone(const struct sock_state *s, const struct sock *sk)
{
	return is_freed(sk) || is_stale(s, sk) || !tcp_protocol_of(sk);
}

/* Is this socket freed, and its memory not used by another one? The ports tell. */
static __always_inline bool is_untouched(const struct sock_state *s, const struct sock *sk)
{
	return is_freed(sk) && kernel_read(struct sock_common, sk, skc_state) == TCP_CLOSE &&
	       bpf_ntohs(kernel_read(struct sock, sk, __sk_common.skc_dport)) == s->remote_port &&
	       bpf_ntohs(kernel_read(struct inet_sock, sk, inet_sport)) == s->local_port;
}

/* No program saw the end. Freed memory keeps the counters until reuse or tcp_disconnect(). */
static __always_inline void end_unseen(struct sock_state *s, const struct sock *sk)
{
	struct nio_numbers n;
	struct nio_tcp t;

	s->closed_ns = bpf_ktime_get_ns();
	sock_state_flag(s, SOCK_STATE_UNSENT, true);
	if (is_final(s))
		return;
	read_tcp(&t, sk, s);
	t.state = s->state;
	n = nio_numbers_of(&t);
	if (s->flags & SOCK_STATE_CLOSED) {
		if (is_untouched(s, sk) && t.write_seq == s->write_seq && n.read <= s->now.received)
			s->now.read = n.read;
		else
			add_to(&nio_attach_losses.ends_missed, 1);
		return;
	}
	if (s->flags & SOCK_STATE_ENDED)
		n.sent = s->now.sent;
	if (s->begun && is_untouched(s, sk) && goes_on(s->last_read.sent, n.sent) &&
	    goes_on(s->last_read.read, n.read)) {
		s->now = n;
		return;
	}
	s->now = s->last_read;
	add_to(&nio_attach_losses.ends_missed, 1);
}

/* Has a watched socket moved a byte since the last iteration? The state stays as it is. */
static __always_inline void note_moved(const struct sock_state *s, const struct sock *sk)
{
	struct nio_numbers n;
	struct nio_tcp t;

	if (s->closed_ns || (s->flags & (SOCK_STATE_FOREIGN | SOCK_STATE_CLOSED)) || !s->begun ||
	    !has_numbers(sk))
		return;
	read_tcp(&t, sk, s);
	n = nio_numbers_of(&t);
	if (n.received != s->last_read.received || n.read != s->last_read.read ||
	    (n.sent != s->last_read.sent && !(s->flags & SOCK_STATE_ENDED)))
		nio_moved_ns = bpf_ktime_get_ns();
}

/*
 * Updates the numbers of a watched socket, or only notes whether it moved bytes. false: there is
 * nothing to give to user space, or its end is in the ring buffer.
 */
static __always_inline bool update(struct sock_state *s)
{
	const struct sock *sk;

	if (!s->key || !s->first_ns)
		return false;
	sk = (const struct sock *)s->key;
	if (nio_only_moved) {
		note_moved(s, sk);
		return false;
	}
	if (!s->closed_ns && is_gone(s, sk))
		end_unseen(s, sk);
	if (s->closed_ns) {
		/* The end of this socket is in the ring buffer, or about to be. */
		if (!(s->flags & SOCK_STATE_UNSENT))
			return false;
		s->given = 1;
	} else {
		if (s->flags & SOCK_STATE_CLOSED)
			read_closed_socket(s, sk);
		else if (is_tcp(sk))
			read_socket(s, sk);
		s->window = nio_window;
		if (!(s->flags & SOCK_STATE_PLACED))
			fill_identity(s, sk);
		if (!s->owned && has_file(sk))
			await_owner();
	}
	return true;
}

/* Called for each watched socket: updates its numbers and writes its state to user space. */
SEC("?iter/bpf_map_elem")
int nio_at_read(struct bpf_iter__bpf_map_elem *ctx)
{
	struct sock_state *s = ctx->value;
	struct sock_events *e;

	if (!s || !update(s))
		return 0;
	e = known_events(s);
	s->has_events = e != NULL;
	bpf_seq_write(ctx->meta->seq, s, SOCK_STATE_HEAD);
	if (e)
		bpf_seq_write(ctx->meta->seq, e, sizeof(*e));
	return 0;
}

/* A state and its events as one moment has them; user space takes them out. */
NIO_MAP(nio_snapshots, HASH, 1, BPF_F_NO_PREALLOC, __u64, struct sock_state);
NIO_MAP(nio_snapshot, PERCPU_ARRAY, 1, 0, __u32, struct sock_state);

bool nio_snapshot_failed; /* no memory for a state */

static long snapshot_one(void *map, const void *key, struct sock_state *s, void *ctx)
{
	struct sock_state *copy;
	struct sock_events *e;
	__u64 id = s->key;
	__u32 zero = 0;

	copy = bpf_map_lookup_elem(&nio_snapshot, &zero);
	if (!copy || !update(s))
		return 0;
	e = known_events(s);
	s->has_events = e != NULL;
	bpf_probe_read_kernel(copy, SOCK_STATE_HEAD, s);
	if (e)
		bpf_probe_read_kernel((char *)copy + SOCK_STATE_HEAD, sizeof(*e), e);
	if (bpf_map_update_elem(&nio_snapshots, &id, copy, BPF_ANY))
		nio_snapshot_failed = true;
	return 0;
}

/*
 * For kernels that refuse iterators over the elements of a map: updates and copies all states at
 * the first map that the iterator meets. A state and its events are copied together, since events
 * between the two would seem to lack their bytes.
 */
SEC("?iter/bpf_map")
int nio_at_maps(struct bpf_iter__bpf_map *ctx)
{
	if (ctx->map && !ctx->meta->seq_num)
		bpf_for_each_map_elem(&nio_sockets, snapshot_one, NULL, 0);
	return 0;
}

#endif
