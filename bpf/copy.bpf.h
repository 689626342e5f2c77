/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Copies that run wherever the stack happens to be, in whoever's context: zero-copy pages copied
 * after all (skb_copy_ubufs), and copies nobody ordered (skb_copy_bits, skb_try_coalesce). What is
 * known at their beginning is kept until their end, under the flow of control they run in.
 */
#ifndef NETIOTRACE_COPY_BPF_H
#define NETIOTRACE_COPY_BPF_H

enum nio_copy_kind {
	NIO_COPY_DEFERRED,
	NIO_COPY_BITS,
	NIO_COPY_COALESCE,
	NIO_COPY_RX,      /* skb_copy_datagram_iter, where its return does not tell the socket */
	NIO_COPY_ACCOUNT, /* no copy: msg_zerocopy_realloc, likewise; bytes is sk_omem_alloc */
};

struct nio_copy_key {
	__u64 flow;
	__u32 kind; /* enum nio_copy_kind */
	__u32 pad;
};

struct nio_copy {
	__u64 cookie; /* of the socket it is booked to; 0: none in progress */
	__u64 begin;
	__u32 bytes;
	__s32 stack;
	char dev[16];
	struct nio_perf_open perf;
};

/* Entries are made by the flows that copy, and stay: as many as threads and CPUs ever did. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct nio_copy_key);
	__type(value, struct nio_copy);
} nio_copies SEC(".maps");

/* Notes that a copy begins. One that cannot be noted is lost to the books, and counted as such. */
static __always_inline void copy_begin(__u32 kind, struct nio_copy *copy)
{
	struct nio_copy_key key = {.flow = flow_now(), .kind = kind};
	struct nio_copy *old = bpf_map_lookup_elem(&nio_copies, &key);

	if (old && old->cookie)
		count_unmatched();
	copy->begin = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&nio_copies, &key, copy, BPF_ANY))
		count_map_full();
}

/* The copy of this kind in progress here, or NULL. */
static __always_inline struct nio_copy *copy_in_progress(__u32 kind)
{
	struct nio_copy_key key = {.flow = flow_now(), .kind = kind};
	struct nio_copy *copy = bpf_map_lookup_elem(&nio_copies, &key);

	return copy && copy->cookie ? copy : NULL;
}

static __always_inline void add_sum(void *map, const void *key, __u64 bytes, __u64 ns)
{
	struct nio_sum *sum = bpf_map_lookup_elem(map, key), zero = {};

	if (!sum) {
		if (bpf_map_update_elem(map, key, &zero, BPF_NOEXIST))
			count_map_full();
		sum = bpf_map_lookup_elem(map, key);
	}
	if (!sum)
		return;
	add(&sum->bytes, bytes);
	add(&sum->events, 1);
	add(&sum->ns, ns);
}

/*
 * skb_copy_ubufs begins. With frags it copies all of data_len, also of those that were not pinned;
 * without, it only ends the send. The account is read now: the copy clears it.
 */
static __always_inline void deferred_copy_begin(const struct sk_buff *skb, bool known)
{
	__u32 bytes = NIO_FIELD(known, struct sk_buff, skb, data_len);
	const void *shinfo = shinfo_of(skb, known);
	struct nio_copy copy = {.bytes = bytes};
	const struct net_device *dev;
	struct nio_copy *noted;
	struct nio_conn *conn;
	__u64 cookie;

	if (!bytes || !is_zerocopy(shinfo))
		return;
	cookie = cookie_of_uarg(kernel_read(struct skb_shared_info, shinfo, destructor_arg));
	copy.cookie = cookie;
	conn = conn_by_cookie(cookie);
	if (!conn)
		return;
	dev = NIO_FIELD(known, struct sk_buff, skb, dev);
	if (dev)
		bpf_probe_read_kernel(copy.dev, sizeof(copy.dev),
				      (const char *)dev +
					      bpf_core_field_offset(struct net_device, name));
	copy_begin(NIO_COPY_DEFERRED, &copy);
	noted = nio_perf_every ? copy_in_progress(NIO_COPY_DEFERRED) : NULL;
	if (noted)
		perf_begin(&noted->perf, conn->slot, NIO_PERF_DEFERRED_COPY);
}

/* skb_copy_ubufs returned ret: 0, or the skb is dropped uncopied. */
static __always_inline void deferred_copy_end(int ret)
{
	struct nio_copy *copy = copy_in_progress(NIO_COPY_DEFERRED);
	struct nio_place place = {};
	struct nio_conn *conn;
	__u64 ns;

	if (!copy)
		return;
	ns = bpf_ktime_get_ns() - copy->begin;
	conn = conn_by_cookie(copy->cookie);
	if (conn)
		perf_end(&copy->perf, conn->slot, NIO_PERF_DEFERRED_COPY, copy->bytes);
	copy->cookie = 0;
	if (!conn || ret)
		return;
	book_shared(conn, NIO_STAGE_DEFERRED_COPY, copy->bytes, ns);
	place.slot = conn->slot;
	place.context = context_now();
	bpf_get_current_comm(place.comm, sizeof(place.comm));
	__builtin_memcpy(place.dev, copy->dev, sizeof(place.dev));
	add_sum(&nio_places, &place, copy->bytes, ns);
}

/* A copy nobody ordered begins, of bytes that belong to sk. */
static __always_inline void other_copy_begin(void *ctx, const struct sock *sk, __u32 kind,
					     int bytes, bool known)
{
	struct nio_copy copy = {.bytes = bytes};
	__u64 cookie;

	if (!sk || bytes <= 0)
		return;
	cookie = cookie_of(sk, known);
	if (!conn_by_cookie(cookie))
		return;
	copy.cookie = cookie;
	copy.stack = bpf_get_stackid(ctx, &nio_stacks, 0);
	copy_begin(kind, &copy);
}

static __always_inline void other_copy_end(__u32 copy_kind, __u32 kind, bool made)
{
	struct nio_copy *copy = copy_in_progress(copy_kind);
	struct nio_other other = {.kind = kind};
	struct nio_conn *conn;
	__u64 ns;

	if (!copy)
		return;
	ns = bpf_ktime_get_ns() - copy->begin;
	conn = conn_by_cookie(copy->cookie);
	copy->cookie = 0;
	if (!conn || !made)
		return;
	book_shared(conn, NIO_STAGE_OTHER_COPY, copy->bytes, ns);
	other.slot = conn->slot;
	other.stack = copy->stack;
	add_sum(&nio_others, &other, copy->bytes, ns);
}

/*
 * skb_copy_bits calls itself for the skbs of a frag_list, whose bytes the outer call's length has
 * in it. An old entry is one whose end was missed.
 */
static __always_inline bool is_nested_copy(void)
{
	struct nio_copy *outer = copy_in_progress(NIO_COPY_BITS);

	return outer && bpf_ktime_get_ns() - outer->begin < 1000000000ULL;
}

/* Payload of skb's own socket that skb_copy_bits copies; for skb_try_coalesce it is counted there.
 */
static __always_inline void copy_bits_begin(void *ctx, const struct sk_buff *skb, int len,
					    bool known)
{
	if (copy_in_progress(NIO_COPY_COALESCE) || is_nested_copy())
		return;
	other_copy_begin(ctx, NIO_FIELD(known, struct sk_buff, skb, sk), NIO_COPY_BITS, len, known);
}

/*
 * skb_try_coalesce copies only what fits into the tail room of to, which has none when its payload
 * is in frags; else it moves references.
 */
static __always_inline void coalesce_begin(void *ctx, const struct sk_buff *to,
					   const struct sk_buff *from, bool known)
{
	__u32 len = NIO_FIELD(known, struct sk_buff, from, len);
	__u32 room = NIO_FIELD(known, struct sk_buff, to, end) -
		     NIO_FIELD(known, struct sk_buff, to, tail);

	if (NIO_FIELD(known, struct sk_buff, to, data_len) || len > room)
		return;
	other_copy_begin(ctx, NIO_FIELD(known, struct sk_buff, to, sk), NIO_COPY_COALESCE, len,
			 known);
}

/*
 * For kretprobes, which see no arguments: what the entry knew of the socket is kept likewise.
 */
static __always_inline void rx_copy_begin_flow(const struct sk_buff *skb, int len)
{
	const struct sock *sk = NIO_FIELD(ADDRESS, struct sk_buff, skb, sk);
	struct nio_copy copy = {.bytes = len};
	struct nio_conn *conn;

	if (!sk || len <= 0)
		return;
	copy.cookie = cookie_of(sk, ADDRESS);
	conn = conn_by_cookie(copy.cookie);
	if (!conn)
		return;
	copy_begin(NIO_COPY_RX, &copy);
	rx_perf_begin(conn);
}

static __always_inline void rx_copy_end_flow(void)
{
	struct nio_copy *copy = copy_in_progress(NIO_COPY_RX);
	struct nio_conn *conn;

	if (!copy)
		return;
	conn = conn_by_cookie(copy->cookie);
	copy->cookie = 0;
	if (!conn)
		return;
	rx_perf_end(conn, copy->bytes);
	book_time(conn, NIO_STAGE_RX_COPY, bpf_ktime_get_ns() - copy->begin);
}

static __always_inline void account_begin_flow(const struct sock *sk)
{
	struct nio_copy copy = {.cookie = cookie_of(sk, ADDRESS)};

	if (!conn_by_cookie(copy.cookie))
		return;
	copy.bytes = NIO_FIELD(ADDRESS, struct sock, sk, sk_omem_alloc.counter);
	copy_begin(NIO_COPY_ACCOUNT, &copy);
}

static __always_inline void account_end_flow(bool refused)
{
	struct nio_copy *copy = copy_in_progress(NIO_COPY_ACCOUNT);
	struct nio_conn *conn;

	if (!copy)
		return;
	conn = conn_by_cookie(copy->cookie);
	copy->cookie = 0;
	if (conn && refused)
		on_zc_refused(conn, copy->bytes);
}

#endif
