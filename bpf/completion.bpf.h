/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Zero-copy sends from call to completion: bytes outstanding, times, refused sends. */
#ifndef BPF_COMPLETION_BPF_H
#define BPF_COMPLETION_BPF_H

#include "call.bpf.h"
#include "maps.bpf.h"

/* See bpf/netiotrace.h. User space sets max_entries to NIO_ZC_SENDS if completions are watched. */
NIO_MAP(nio_zc_sends, ARRAY, 1, 0, __u32, struct nio_zc_send);

/* net.core.optmem_max in bytes; 0: unknown. */
const volatile __u32 nio_optmem_max = 0;

/* Programs see the kernel complete sends; notifications then only fill in missed ones. */
const volatile bool nio_completions = false;

static __always_inline struct nio_zc_send *zc_send_of(const struct nio_conn *conn, __u32 id)
{
	__u32 i = conn->ring + (id & conn->ring_mask);

	return conn->ring_mask ? bpf_map_lookup_elem(&nio_zc_sends, &i) : NULL;
}

static __always_inline struct nio_zc *zc_of(const struct nio_conn *conn)
{
	__u32 i = of_this_cpu(1, conn->slot);
	struct nio_zc *zc = bpf_map_lookup_elem(&nio_zc, &i);

	if (!zc)
		count_loss(no_cell);
	return zc;
}

/* Reverts `unmatched` of a send that completed before its call was seen to return (loopback). */
static __always_inline void undo_unmatched(void)
{
	struct nio_loss *loss = losses();

	if (loss)
		add(&loss->unmatched, -1);
}

/* A send call pinned bytes under this id. Runs in the call, one at a time per socket. */
static __always_inline void on_pinned_send(struct nio_conn *conn, __u32 id, __u32 bytes)
{
	struct nio_zc_send *send = zc_send_of(conn, id);
	struct nio_zc *zc = zc_of(conn);

	conn->pinned_total += bytes;
	if (zc && send &&
	    nio_zc_note(send, conn->cookie, id, bytes,
			nio_completions ? call_begin(conn->cookie) : 0)) {
		add(&conn->completed_total, bytes);
		add(&zc->bytes, bytes);
		undo_unmatched();
	}
	if (zc && nio_completions)
		count_in(zc->outstanding_hist, conn->pinned_total - conn->completed_total, 1,
			 false);
}

static __always_inline void book_completion_time(struct nio_zc *zc, const struct nio_zc_send *first)
{
	__u64 ns = bpf_ktime_get_ns() - first->begin;

	add(&zc->timed, 1);
	add(&zc->ns, ns);
	count_in(zc->ns_hist, ns, 1, true);
}

/* The sums over one completed range of sends. */
struct zc_tally {
	__u64 complete; /* sends not reported complete before */
	__u64 unknown;  /* of these, sends without an entry in nio_zc_sends */
	__u64 repeated;
	__u64 bytes;
};

/* The asm hides the zeroes from the verifier: else each sum in a loop is a separate state. */
static __always_inline struct zc_tally no_tally(const struct nio_conn *conn)
{
	__u64 one = conn->cookie, other = one;

	asm volatile("" : "+r"(other));
	one -= other;
	return (struct zc_tally){one, one, one, one};
}

/* Marks one send as complete. False: the connection has no ring. */
static __always_inline bool tally_send(const struct nio_conn *conn, __u32 id, struct zc_tally *t)
{
	struct nio_zc_send *send = zc_send_of(conn, id);
	__u32 bytes;

	if (!send)
		return false;
	switch (nio_zc_complete(send, conn->cookie, id, &bytes)) {
	case NIO_ZC_FIRST:
		t->complete++;
		t->bytes += bytes;
		break;
	case NIO_ZC_UNKNOWN:
		t->complete++;
		t->unknown++;
		break;
	default:
		t->repeated++;
	}
	return true;
}

/*
 * Marks the sends of a range as complete, newest first: only the newest fit a shorter ring. With
 * bpf_iter_num (Linux 6.4) the verifier checks the body once, else every iteration.
 */
static __noinline int tally_range(const struct nio_conn *conn, const struct zc_notification *n,
				  struct zc_tally *t)
{
	__u32 id = n->lo + n->sends - 1, sends = n->sends;

	if (sends > conn->ring_mask)
		sends = conn->ring_mask + 1;
	if (bpf_iter_num_new) {
		struct bpf_iter_num___local turns;

		bpf_iter_num_new(&turns, 0, sends);
		while (bpf_iter_num_next(&turns) && tally_send(conn, id, t))
			id--;
		bpf_iter_num_destroy(&turns);
		return 0;
	}
	for (__u32 i = 0; i < NIO_ZC_RING_MAX; i++, id--) {
		if (i >= sends || !tally_send(conn, id, t))
			break;
	}
	return 0;
}

/* Books the sends of a range that were not complete before. Returns their number. */
static __always_inline __u64 book_range(struct nio_zc *zc, struct nio_conn *conn,
					const struct zc_notification *n, struct zc_tally *t)
{
	tally_range(conn, n, t);
	add(&zc->sends, t->complete);
	if (n->copied)
		add(&zc->copied, t->complete);
	if (t->bytes) {
		add(&conn->completed_total, t->bytes);
		add(&zc->bytes, t->bytes);
	}
	return t->complete;
}

static __always_inline void count_unknown(__u64 unknown)
{
	struct nio_loss *loss = unknown ? losses() : NULL;

	if (loss)
		add(&loss->unmatched, unknown);
}

/* Books a range of sends. Sends beyond the ring have no entry and are only counted. */
static __always_inline void on_ended(struct nio_zc *zc, struct nio_conn *conn,
				     const struct zc_notification *n)
{
	struct zc_tally t = no_tally(conn);
	__u64 rest;

	add(&zc->notifications, 1);
	book_range(zc, conn, n, &t);
	rest = n->sends - t.complete - t.repeated;
	if (rest) {
		add(&zc->sends, rest);
		if (n->copied)
			add(&zc->copied, rest);
	}
	if (t.repeated)
		add(&zc->repeated, t.repeated);
	count_unknown(t.unknown + rest);
}

/* The kernel completes a range of sends: the last reference to their pages is gone. */
static __always_inline void on_completion(__u64 cookie, const struct zc_notification *n)
{
	struct nio_conn *conn = conn_by_cookie(cookie);
	struct nio_zc_send *first;
	struct nio_zc *zc;

	zc = conn ? zc_of(conn) : NULL;
	if (!zc)
		return;
	on_ended(zc, conn, n);
	first = zc_send_of(conn, n->lo);
	if (first && nio_zc_is(first, cookie, n->lo) && first->begin)
		book_completion_time(zc, first);
}

static __always_inline void on_notification(struct nio_conn *conn, const struct zc_notification *n)
{
	struct nio_zc *zc = zc_of(conn);
	struct zc_tally t = no_tally(conn);

	if (!zc)
		return;
	if (nio_completions)
		add(&zc->missed, book_range(zc, conn, n, &t));
	else
		on_ended(zc, conn, n);
}

/*
 * The last reference to uarg goes. sock_zerocopy_callback (until 5.11) learns only now whether the
 * pages were copied. An aborted send has len 0 and makes no notification.
 */
static __always_inline void on_uarg_end(const char *uarg, bool copied)
{
	struct zc_notification n;

	__u64 cookie = cookie_of_uarg(uarg);

	if (!cookie || read_uarg(uarg, &n))
		return;
	n.copied |= copied;
	on_completion(cookie, &n);
}

/*
 * A reference to uarg goes (msg_zerocopy_complete). After the last one, the socket reports an error
 * before the function returns: on_uarg_report() books this note. on_uarg_put_return() deletes the
 * note.
 */
struct nio_put {
	__u64 cookie;
	struct zc_notification n;
};

NIO_MAP(nio_puts, HASH, 1024, 0, __u64, struct nio_put);

static __always_inline void on_uarg_put(const char *uarg, bool success)
{
	__u64 flow = flow_now(), cookie = cookie_of_uarg(uarg);
	struct nio_put put = {.cookie = cookie};

	if (!conn_by_cookie(cookie) || read_uarg(uarg, &put.n))
		return;
	put.n.copied |= !success;
	if (bpf_map_update_elem(&nio_puts, &flow, &put, BPF_ANY))
		count_loss(map_full);
}

static __always_inline void on_uarg_report(const struct sock *sk)
{
	struct nio_put *put;
	__u64 flow, cookie = cookie_of(sk, TRUSTED);

	if (!conn_by_cookie(cookie))
		return;
	flow = flow_now();
	put = bpf_map_lookup_elem(&nio_puts, &flow);
	if (!put || put->cookie != cookie)
		return;
	put->cookie = 0;
	on_completion(cookie, &put->n);
}

static __always_inline void on_uarg_put_return(void)
{
	__u64 flow = flow_now();

	bpf_map_delete_elem(&nio_puts, &flow);
}

/* SKB_TRUESIZE(0): what sock_omalloc charges for the sk_buff that holds a ubuf_info. */
static __always_inline __u32 truesize_of_account(void)
{
	__u32 skb = bpf_core_type_size(struct sk_buff);
	__u32 shinfo = bpf_core_type_size(struct skb_shared_info);

	return ((skb + SMP_CACHE_BYTES - 1) & -SMP_CACHE_BYTES) +
	       ((shinfo + SMP_CACHE_BYTES - 1) & -SMP_CACHE_BYTES);
}

/*
 * msg_zerocopy_realloc failed: ENOBUFS. Either sk_omem_alloc would exceed optmem_max
 * (sock_omalloc), or RLIMIT_MEMLOCK is used up (mm_account_pinned_pages). This repeats the test of
 * sock_omalloc.
 */
static __always_inline void on_zc_refused(const struct nio_conn *conn, __u32 omem_alloc)
{
	struct nio_zc *zc = zc_of(conn);

	if (!zc)
		return;
	if (nio_optmem_max && omem_alloc + truesize_of_account() > nio_optmem_max)
		zc->enobufs_optmem++;
	else
		zc->enobufs_memlock++;
}

static __always_inline void on_account_return(const struct sock *sk, const void *account)
{
	struct nio_conn *conn = account ? NULL : conn_of(sk, TRUSTED);

	if (conn)
		on_zc_refused(conn, sk->sk_omem_alloc.counter);
}

#endif
