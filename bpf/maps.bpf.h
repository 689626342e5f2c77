/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The maps of bpf/netiotrace.h, and the two ways to use them: find a watched socket, book bytes. */
#ifndef NETIOTRACE_MAPS_BPF_H
#define NETIOTRACE_MAPS_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NIO_CONN_SLOTS);
	__type(key, __u32);
	__type(value, struct nio_conn);
} nio_conns SEC(".maps");

/* User space sets max_entries of the next two from the number of slots. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nio_cell);
} nio_cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nio_zc);
} nio_zc SEC(".maps");

/*
 * The entry of a socket, or NULL when nobody watches it. A socket has no cookie until somebody asks
 * for it, so most of the traffic of others is turned away by this one load.
 */
static __always_inline struct nio_conn *conn_by_cookie(__u64 cookie)
{
	struct nio_conn *conn;
	__u32 index;

	if (!cookie)
		return NULL;
#pragma unroll
	for (__u32 i = 0; i < NIO_CONN_PROBES; i++) {
		index = nio_conn_index(cookie, i);
		conn = bpf_map_lookup_elem(&nio_conns, &index);
		if (conn && conn->cookie == cookie)
			return conn;
	}
	return NULL;
}

static __always_inline struct nio_conn *conn_of(const struct sock *sk)
{
	return conn_by_cookie(sk->__sk_common.skc_cookie.counter);
}

/*
 * Books one event of a stage. Plain additions: see bpf/netiotrace.h for why none is lost. A stage
 * has one calling program in any one plan.
 */
static __always_inline void book(const struct nio_conn *conn, __u32 stage, __u64 bytes)
{
	__u32 i = nio_cell_index(conn->slot, conn->side, stage);
	struct nio_cell *cell = bpf_map_lookup_elem(&nio_cells, &i);
	__u32 bucket;

	if (!cell)
		return;
	cell->bytes += bytes;
	cell->events++;
	bucket = hist_bucket(bytes, NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);
	if (bucket < NIO_HIST_BUCKETS)
		cell->hist[bucket]++;
}

#endif
