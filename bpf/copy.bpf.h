/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Deferred copies (skb_copy_ubufs) and unexpected copies (skb_copy_bits, skb_try_coalesce). They
 * run in any task or softirq; flow_now() is the key of their state.
 */
#ifndef BPF_COPY_BPF_H
#define BPF_COPY_BPF_H

#include "call.bpf.h"
#include "completion.bpf.h"
#include "maps.bpf.h"
#include "perf_stage.bpf.h"

enum nio_copy_kind {
	NIO_COPY_DEFERRED,
	NIO_COPY_BITS,
	NIO_COPY_COALESCE,
	NIO_COPY_RX,      /* skb_copy_datagram_iter, where its return does not see the socket */
	NIO_COPY_ACCOUNT, /* no copy: msg_zerocopy_realloc, likewise; bytes holds sk_omem_alloc */
};

struct nio_copy_key {
	__u64 flow;
	__u32 kind; /* enum nio_copy_kind */
	__u32 pad;
};

struct nio_copy {
	__u64 cookie; /* of the socket, while the copy begins */
	__u64 begin;
	__u32 bytes;
	__s32 stack;
	__u32 depth; /* nested calls of the same function */
	__u32 pad;
	struct nio_place place; /* of a deferred copy */
	struct nio_perf_open perf;
};

/* One entry per flow of control. Not LRU: with many CPUs an LRU map evicts early, unreported. */
#define NIO_COPIES_MAX 4096

NIO_MAP(nio_copies, HASH, NIO_COPIES_MAX, 0, struct nio_copy_key, struct nio_copy);

static __always_inline struct nio_copy_key copy_key(__u32 kind)
{
	return (struct nio_copy_key){.flow = flow_now(), .kind = kind};
}

/* The copy of this kind in progress in this flow of control, or NULL. */
static __always_inline struct nio_copy *copy_in_progress(__u32 kind)
{
	struct nio_copy_key key = copy_key(kind);

	return bpf_map_lookup_elem(&nio_copies, &key);
}

/* Notes the beginning of a copy. An earlier copy without a seen end is counted as unmatched. */
static __always_inline void copy_begin(__u32 kind, struct nio_copy *copy)
{
	struct nio_copy_key key = copy_key(kind);

	copy->begin = bpf_ktime_get_ns();
	if (bpf_map_lookup_elem(&nio_copies, &key))
		count_loss(unmatched);
	if (bpf_map_update_elem(&nio_copies, &key, copy, BPF_ANY))
		count_loss(map_full);
}

static __always_inline void copy_over(__u32 kind)
{
	struct nio_copy_key key = copy_key(kind);

	bpf_map_delete_elem(&nio_copies, &key);
}

static __always_inline void add_sum(void *map, const void *key, __u64 bytes, __u64 events, __u64 ns)
{
	struct nio_sum *sum = bpf_map_lookup_elem(map, key), zero = {};

	if (!sum && insert(map, key, &zero))
		sum = bpf_map_lookup_elem(map, key);
	if (!sum)
		return;
	add(&sum->bytes, bytes);
	add(&sum->events, events);
	add(&sum->ns, ns);
}

static __always_inline void fill_place(struct nio_place *place, const struct sk_buff *skb,
				       bool known)
{
	const struct net_device *dev = NIO_FIELD(known, struct sk_buff, skb, dev);

	place->context = context_now();
	bpf_get_current_comm(place->comm, sizeof(place->comm));
	if (dev)
		bpf_probe_read_kernel(place->dev, sizeof(place->dev),
				      (const char *)dev +
					      bpf_core_field_offset(struct net_device, name));
}

/*
 * skb_copy_ubufs begins. It copies all of data_len, pinned or not; with data_len 0 it only ends the
 * send. The copy clears the ubuf_info, so read it now. A missed return then loses only the time.
 */
static __always_inline void deferred_copy_begin(const struct sk_buff *skb, bool known)
{
	__u32 bytes = NIO_FIELD(known, struct sk_buff, skb, data_len);
	struct nio_copy copy = {.bytes = bytes};
	struct nio_copy *noted;

	if (!bytes)
		return;
	copy.cookie = cookie_of_uarg(uarg_of(skb, known));
	if (!conn_by_cookie(copy.cookie))
		return;
	fill_place(&copy.place, skb, known);
	add_sum(&nio_places, &copy.place, bytes, 1, 0);
	copy_begin(NIO_COPY_DEFERRED, &copy);
	noted = nio_perf_every ? copy_in_progress(NIO_COPY_DEFERRED) : NULL;
	if (noted)
		perf_begin(&noted->perf, NIO_PERF_DEFERRED_COPY);
}

/* skb_copy_ubufs returned ret. After an error the skb is dropped uncopied. */
static __always_inline void deferred_copy_end(int ret)
{
	struct nio_copy *copy = copy_in_progress(NIO_COPY_DEFERRED);
	__u64 ns;

	if (!copy)
		return;
	ns = bpf_ktime_get_ns() - copy->begin;
	perf_end(&copy->perf, NIO_PERF_DEFERRED_COPY, copy->bytes);
	if (!ret) {
		book_time(NIO_STAGE_DEFERRED_COPY, ns, true);
		add_sum(&nio_places, &copy->place, 0, 0, ns);
	} else {
		add_sum(&nio_places, &copy->place, -(__u64)copy->bytes, -1, 0);
	}
	copy_over(NIO_COPY_DEFERRED);
}

/*
 * An unexpected copy of payload of sk begins. If another layer serves the socket, that layer
 * copies: kTLS reads record headers this way.
 */
static __always_inline void other_copy_begin(void *ctx, const struct sock *sk, __u32 kind,
					     int bytes, bool known)
{
	struct nio_copy copy = {.bytes = bytes};
	const struct nio_conn *conn;

	if (!sk || bytes <= 0)
		return;
	copy.cookie = cookie_of(sk, known);
	conn = conn_by_cookie(copy.cookie);
	if (!conn || path_of(sk, conn->side, known) != NIO_COVERED)
		return;
	copy.stack = bpf_get_stackid(ctx, &nio_stacks, 0);
	copy_begin(kind, &copy);
}

/* An unexpected copy ends. watched: the program at its beginning should have run. */
static __always_inline void other_copy_end(__u32 copy_kind, __u32 kind, bool made, bool watched)
{
	struct nio_copy *copy = copy_in_progress(copy_kind);
	struct nio_other other = {.kind = kind};
	__u64 ns;

	if (!copy) {
		if (watched)
			count_loss(unmatched);
		return;
	}
	if (copy->depth) {
		copy->depth--;
		return;
	}
	ns = bpf_ktime_get_ns() - copy->begin;
	if (made) {
		book_shared(NIO_STAGE_OTHER_COPY, copy->bytes);
		book_time(NIO_STAGE_OTHER_COPY, ns, true);
		other.stack = copy->stack;
		add_sum(&nio_others, &other, copy->bytes, 1, ns);
	}
	copy_over(copy_kind);
}

/* skb_copy_bits calls itself for a frag_list. After 1 s the end of the outer call was missed. */
static __always_inline bool enter_nested_copy(void)
{
	struct nio_copy *outer = copy_in_progress(NIO_COPY_BITS);

	if (!outer || bpf_ktime_get_ns() - outer->begin >= 1000000000ULL)
		return false;
	outer->depth++;
	return true;
}

/* skb_copy_bits begins. A call from skb_try_coalesce is counted there. */
static __always_inline void copy_bits_begin(void *ctx, const struct sk_buff *skb, int len,
					    bool known)
{
	if (copy_in_progress(NIO_COPY_COALESCE) || enter_nested_copy())
		return;
	other_copy_begin(ctx, NIO_FIELD(known, struct sk_buff, skb, sk), NIO_COPY_BITS, len, known);
}

/* skb_copy_bits returned, as seen by an fexit program, which has the arguments. */
static __always_inline void copy_bits_end(const struct sk_buff *skb, int len, bool made)
{
	const struct nio_conn *conn = len > 0 && skb->sk ? conn_of(skb->sk, TRUSTED) : NULL;
	bool watched = conn && path_of(skb->sk, conn->side, TRUSTED) == NIO_COVERED;

	other_copy_end(NIO_COPY_BITS, NIO_OTHER_COPY_BITS, made,
		       watched && !copy_in_progress(NIO_COPY_COALESCE));
}

/* skb_try_coalesce copies only into the tail room of `to`, which has none if it has frags. */
static __always_inline void coalesce_begin(void *ctx, const struct sk_buff *to,
					   const struct sk_buff *from, bool known)
{
	__u32 len, room;

	if (NIO_FIELD(known, struct sk_buff, to, data_len))
		return;
	len = NIO_FIELD(known, struct sk_buff, from, len);
	room = NIO_FIELD(known, struct sk_buff, to, end) -
	       NIO_FIELD(known, struct sk_buff, to, tail);
	if (len > room)
		return;
	other_copy_begin(ctx, NIO_FIELD(known, struct sk_buff, to, sk), NIO_COPY_COALESCE, len,
			 known);
}

/* For kretprobes, which see no arguments: the entry keeps what the return needs. */
static __always_inline void rx_copy_begin_flow(const struct sk_buff *skb, int len)
{
	struct nio_conn *conn = receiver_of(skb, len, PROBE_READ);
	struct nio_copy copy = {.bytes = len};

	if (!conn)
		return;
	copy_begin(NIO_COPY_RX, &copy);
	rx_perf_begin();
}

static __always_inline void rx_copy_end_flow(void)
{
	struct nio_copy *copy = copy_in_progress(NIO_COPY_RX);

	if (!copy)
		return;
	rx_perf_end(copy->bytes);
	book_time(NIO_STAGE_RX_COPY, bpf_ktime_get_ns() - copy->begin, false);
	copy_over(NIO_COPY_RX);
}

static __always_inline void account_begin_flow(const struct sock *sk)
{
	struct nio_copy copy = {};

	if (!conn_of(sk, PROBE_READ))
		return;
	copy.bytes = NIO_FIELD(PROBE_READ, struct sock, sk, sk_omem_alloc.counter);
	copy_begin(NIO_COPY_ACCOUNT, &copy);
}

static __always_inline void account_end_flow(bool refused)
{
	struct nio_copy *copy = copy_in_progress(NIO_COPY_ACCOUNT);

	if (!copy)
		return;
	if (refused)
		on_zc_refused(copy->bytes);
	copy_over(NIO_COPY_ACCOUNT);
}

#endif
