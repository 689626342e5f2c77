/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Zero-copy sends from their call to their completion: what is pinned meanwhile, how long it takes,
 * how many sends a notification stands for, and sends that were refused.
 */
#ifndef NETIOTRACE_COMPLETION_BPF_H
#define NETIOTRACE_COMPLETION_BPF_H

/* A zero-copy send that has not completed. */
struct nio_zc_send {
	__u64 cookie;
	__u64 begin;        /* when its call began; 0: not known */
	__u64 pinned_total; /* of the socket, after this send */
	__u32 id;
	__u32 pad;
};

/*
 * NIO_ZC_SENDS of them, direct-mapped: a send stands where its socket's number and its id put it
 * and may be overwritten by another, whose completion then has no time (counted as unmatched). Ids
 * and the numbers are consecutive: no two of 64 sockets with up to 1024 sends outstanding collide.
 * User space sets max_entries to NIO_ZC_SENDS when completions are watched.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nio_zc_send);
} nio_zc_sends SEC(".maps");

/* net.core.optmem_max; 0: not known. */
const volatile __u32 nio_optmem_max = 0;

/* Are completions watched as the kernel ends them? Else their sends need not be remembered. */
const volatile bool nio_completions = false;

/* The notification of a range of sends. */
struct zc_notification {
	__u32 lo; /* id of the first; ids wrap */
	__u32 sends;
	bool copied;
};

static __always_inline struct nio_zc_send *zc_send_of(const struct nio_conn *conn, __u32 id)
{
	__u32 i = (conn->number * 1024 + id) & (NIO_ZC_SENDS - 1);

	return bpf_map_lookup_elem(&nio_zc_sends, &i);
}

static __always_inline struct nio_zc *zc_of(const struct nio_conn *conn)
{
	__u32 slot = conn->slot;

	return bpf_map_lookup_elem(&nio_zc, &slot);
}

/* A send call pinned bytes under this id. Runs in the call, under the socket's lock. */
static __always_inline void on_pinned_send(struct nio_conn *conn, __u32 id, __u32 bytes)
{
	struct nio_zc_send *send;
	struct nio_zc *zc;

	if (!nio_completions)
		return;
	conn->pinned_total += bytes;
	zc = zc_of(conn);
	if (zc)
		count_in(zc->outstanding_hist, conn->pinned_total - conn->completed_total);
	send = zc_send_of(conn, id);
	if (!send)
		return;
	send->cookie = 0;
	send->begin = call_begin(conn->cookie);
	send->pinned_total = conn->pinned_total;
	send->id = id;
	send->cookie = conn->cookie;
}

/* The bytes of the sends up to last have completed. Completions may overtake one another. */
static __always_inline void book_completed_bytes(struct nio_zc *zc, struct nio_conn *conn,
						 const struct nio_zc_send *last)
{
	__u64 before = conn->completed_total;

	if (last->pinned_total <= before)
		return;
	conn->completed_total = last->pinned_total;
	add(&zc->bytes, last->pinned_total - before);
}

static __always_inline void book_completion_time(struct nio_zc *zc, const struct nio_zc_send *first)
{
	__u64 ns = bpf_ktime_get_ns() - first->begin;

	add(&zc->timed, 1);
	add(&zc->ns, ns);
	count_in_shared(zc->ns_hist, ns);
}

static __always_inline void book_notification(const struct nio_conn *conn,
					      const struct zc_notification *n)
{
	struct nio_zc *zc = zc_of(conn);

	if (!zc)
		return;
	add(&zc->notifications, 1);
	add(&zc->sends, n->sends);
	if (n->copied)
		add(&zc->copied, n->sends);
}

/* The kernel ends a range of sends of a socket: the last reference to their pages is gone. */
static __always_inline void on_completion(__u64 cookie, const struct zc_notification *n)
{
	struct nio_conn *conn = conn_by_cookie(cookie);
	struct nio_zc_send *send;
	struct nio_zc *zc;

	if (!conn)
		return;
	book_notification(conn, n);
	zc = zc_of(conn);
	if (!zc)
		return;
	send = zc_send_of(conn, n->lo + n->sends - 1);
	if (send && send->cookie == cookie && send->id == n->lo + n->sends - 1)
		book_completed_bytes(zc, conn, send);
	send = zc_send_of(conn, n->lo);
	if (!send)
		return;
	if (send->cookie != cookie || send->id != n->lo)
		count_unmatched();
	else if (send->begin)
		book_completion_time(zc, send);
}

/* Reads the account of a MSG_ZEROCOPY send: 0, or -1 when there were no sends under it. */
static __always_inline int read_uarg(const char *uarg, struct zc_notification *n)
{
	const struct ubuf_info___msgzc *old = (const void *)uarg;
	const struct ubuf_info_msgzc *account = (const void *)uarg;

	if (bpf_core_type_exists(struct ubuf_info_msgzc)) {
		n->lo = BPF_CORE_READ(account, id);
		n->sends = BPF_CORE_READ(account, len);
		n->copied = !BPF_CORE_READ_BITFIELD_PROBED(account, zerocopy);
	} else {
		n->lo = BPF_CORE_READ(old, id);
		n->sends = BPF_CORE_READ(old, len);
		n->copied = !BPF_CORE_READ_BITFIELD_PROBED(old, zerocopy);
	}
	return n->sends ? 0 : -1;
}

/*
 * The last reference to uarg goes: __msg_zerocopy_callback, or sock_zerocopy_callback, which until
 * Linux 5.11 is told only then whether the pages were sent as they were. An aborted send (len 0)
 * makes no notification.
 */
static __always_inline void on_uarg_end(const char *uarg, bool copied)
{
	struct zc_notification n;

	if (read_uarg(uarg, &n))
		return;
	n.copied |= copied;
	on_completion(cookie_of_uarg(uarg), &n);
}

/*
 * A reference to uarg goes (msg_zerocopy_complete): if it is the last, the socket's error report
 * follows before it returns, and on_uarg_report() books what was noted here; else
 * on_uarg_put_return() forgets it.
 */
struct nio_put {
	__u64 cookie;
	struct zc_notification n;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, struct nio_put);
} nio_puts SEC(".maps");

static __always_inline void on_uarg_put(const char *uarg, bool success)
{
	__u64 flow = flow_now(), cookie = cookie_of_uarg(uarg);
	struct nio_put put = {.cookie = cookie};

	if (!conn_by_cookie(cookie) || read_uarg(uarg, &put.n))
		return;
	put.n.copied |= !success;
	if (bpf_map_update_elem(&nio_puts, &flow, &put, BPF_ANY))
		count_map_full();
}

static __always_inline void on_uarg_report(const struct sock *sk)
{
	struct nio_put *put;
	__u64 flow, cookie = cookie_of(sk, KNOWN);

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

/*
 * msg_zerocopy_realloc gave a send call no account: it ends with ENOBUFS. Either sk_omem_alloc
 * would pass optmem_max (by the sk_buff that holds the account, less than 1024 bytes), or else the
 * pages may not be locked (mm_account_pinned_pages). The errno is the same.
 */
static __always_inline void on_zc_refused(const struct nio_conn *conn, __u32 omem_alloc)
{
	struct nio_zc *zc = zc_of(conn);

	if (!zc)
		return;
	if (nio_optmem_max && omem_alloc + 1024 > nio_optmem_max)
		zc->enobufs_optmem++;
	else
		zc->enobufs_memlock++;
}

static __always_inline void on_account_return(const struct sock *sk, const void *account)
{
	struct nio_conn *conn = account ? NULL : conn_of(sk, KNOWN);

	if (conn)
		on_zc_refused(conn, sk->sk_omem_alloc.counter);
}

#endif
