/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Zero-copy sends from call to completion: bytes outstanding, times, refused sends. */
#ifndef BPF_COMPLETION_BPF_H
#define BPF_COMPLETION_BPF_H

#include "maps.bpf.h"

/* See bpf/netiotrace.h. User space sets max_entries to NIO_ZC_SENDS if completions are watched. */
NIO_MAP(nio_zc_sends, ARRAY, 1, 0, __u32, struct nio_zc_send);

/* net.core.optmem_max in bytes; 0: unknown. */
const volatile __u32 nio_optmem_max = 0;

static __always_inline struct nio_zc_send *zc_send_of(const struct nio_conn *conn, __u32 id)
{
	__u32 i = conn->ring + (id & conn->ring_mask);

	return conn->ring_mask ? bpf_map_lookup_elem(&nio_zc_sends, &i) : NULL;
}

static __always_inline struct nio_zc *zc_here(void)
{
	__u32 i = of_this_cpu(1, 0);
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

/*
 * A send call that began at begin_ns pinned bytes under this id. Runs as the call returns, without
 * the socket lock: netio-loadgen sends on a socket from one thread.
 */
static __always_inline void on_pinned_send(struct nio_conn *conn, __u32 id, __u32 bytes,
					   __u64 begin_ns)
{
	struct nio_zc_send *send = zc_send_of(conn, id);
	struct nio_zc *zc = zc_here();

	conn->pinned_total += bytes;
	if (!zc)
		return;
	if (send && nio_zc_note(send, conn->cookie, id, bytes, begin_ns)) {
		add(&conn->completed_total, bytes);
		add(&zc->bytes, bytes);
		undo_unmatched();
	}
	count_in(zc->outstanding_hist, conn->pinned_total - conn->completed_total, false);
}

static __always_inline void book_completion_time(struct nio_zc *zc, const struct nio_zc_send *first)
{
	__u64 ns = bpf_ktime_get_ns() - first->begin;

	add(&zc->timed, 1);
	add(&zc->ns, ns);
	count_in(zc->ns_hist, ns, true);
}

/* The sums over one completed range of sends. */
struct zc_tally {
	__u64 known; /* sends with an entry in nio_zc_sends */
	__u64 bytes;
};

/* The asm hides the zeroes from the verifier: else each sum in a loop is a separate state. */
static __always_inline struct zc_tally no_tally(const struct nio_conn *conn)
{
	__u64 one = conn->cookie, other = one;

	asm volatile("" : "+r"(other));
	one -= other;
	return (struct zc_tally){one, one};
}

/* Marks one send as complete. False: the connection has no ring. */
static __always_inline bool tally_send(const struct nio_conn *conn, __u32 id, struct zc_tally *t)
{
	struct nio_zc_send *send = zc_send_of(conn, id);
	__u32 bytes;

	if (!send)
		return false;
	if (nio_zc_complete(send, conn->cookie, id, &bytes)) {
		t->known++;
		t->bytes += bytes;
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

static __always_inline void count_unknown(__u64 unknown)
{
	struct nio_loss *loss = unknown ? losses() : NULL;

	if (loss)
		add(&loss->unmatched, unknown);
}

/* Books a range of sends. Sends beyond the ring have no entry. */
static __always_inline void on_ended(struct nio_zc *zc, struct nio_conn *conn,
				     const struct zc_notification *n)
{
	struct zc_tally t = no_tally(conn);

	tally_range(conn, n, &t);
	if (t.bytes) {
		add(&conn->completed_total, t.bytes);
		add(&zc->bytes, t.bytes);
	}
	count_unknown(n->sends - t.known);
}

/* The kernel completes a range of sends: the last reference to their pages is gone. */
static __always_inline void on_completion(__u64 cookie, const struct zc_notification *n)
{
	struct nio_conn *conn = conn_by_cookie(cookie);
	struct nio_zc *zc = conn ? zc_here() : NULL;
	struct nio_zc_send *first;

	if (!zc)
		return;
	on_ended(zc, conn, n);
	first = zc_send_of(conn, n->lo);
	if (first && nio_zc_is(first, cookie, n->lo) && first->begin)
		book_completion_time(zc, first);
}

/* The last reference to uarg goes. An aborted send has len 0 and makes no notification. */
static __always_inline void on_uarg_end(const char *uarg)
{
	struct zc_notification n;
	__u64 cookie = cookie_of_uarg(uarg);

	if (cookie && !read_uarg(uarg, &n))
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

static __always_inline void on_uarg_put(const char *uarg)
{
	__u64 flow = flow_now(), cookie = cookie_of_uarg(uarg);
	struct nio_put put = {.cookie = cookie};

	if (!conn_by_cookie(cookie) || read_uarg(uarg, &put.n))
		return;
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
static __always_inline void on_zc_refused(__u32 omem_alloc)
{
	struct nio_zc *zc = zc_here();

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
		on_zc_refused(sk->sk_omem_alloc.counter);
}

#endif
