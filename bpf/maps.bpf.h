/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The meter's maps (bpf/netiotrace.h), the lookup of its sockets, and the functions that book. */
#ifndef BPF_MAPS_BPF_H
#define BPF_MAPS_BPF_H

#include "kernel.bpf.h"

NIO_MAP(nio_conns, ARRAY, NIO_CONN_SLOTS, BPF_F_MMAPABLE, __u32, struct nio_conn);

/* Rows per CPU (of_this_cpu()). User space sets max_entries from the number of CPUs. */
NIO_MAP(nio_cells, ARRAY, 1, BPF_F_MMAPABLE, __u32, struct nio_cell);

NIO_MAP(nio_zc, ARRAY, 1, BPF_F_MMAPABLE, __u32, struct nio_zc);

NIO_MAP(nio_paths, ARRAY, 1, BPF_F_MMAPABLE, __u32, struct nio_path);

NIO_MAP(nio_places, PERCPU_HASH, NIO_PLACES_MAX, 0, struct nio_place, struct nio_sum);

NIO_MAP(nio_others, PERCPU_HASH, NIO_OTHERS_MAX, 0, struct nio_other, struct nio_sum);

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, NIO_OTHERS_MAX);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, NIO_STACK_DEPTH * sizeof(__u64));
} nio_stacks SEC(".maps");

NIO_MAP(nio_losses, ARRAY, 1, BPF_F_MMAPABLE, __u32, struct nio_loss);

/* The entry of a watched socket, or NULL. Most sockets of other programs have no cookie (0). */
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

static __always_inline __u64 cookie_of(const struct sock *sk, bool known)
{
	return NIO_FIELD(known, struct sock, sk, __sk_common.skc_cookie.counter);
}

static __always_inline struct nio_conn *conn_of(const struct sock *sk, bool known)
{
	return conn_by_cookie(cookie_of(sk, known));
}

/* Adds atomically. For a constant 0 clang makes an atomic OR, which Linux 5.10 does not support. */
static __always_inline void add(__u64 *sum, __u64 value)
{
	if (!__builtin_constant_p(value) || value)
		__sync_fetch_and_add(sum, value);
}

static __always_inline struct nio_loss *losses(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&nio_losses, &cpu);
}

#define count_loss(field)                         \
	do {                                      \
		struct nio_loss *loss = losses(); \
		if (loss)                         \
			add(&loss->field, 1);     \
	} while (0)

/* Creates an entry of a hash map. True if the entry exists, also if another CPU created it. */
static __always_inline bool insert(void *map, const void *key, const void *value)
{
	/* Before Linux 6.4 the upper half of the result is undefined. */
	int err = bpf_map_update_elem(map, key, value, BPF_NOEXIST);

	if (!err || err == -EEXIST)
		return true;
	count_loss(map_full);
	return false;
}

/* The counters of a stage. NULL: none, which is counted in no_cell. */
static __always_inline struct nio_cell *cell_of(__u32 stage)
{
	__u32 i = of_this_cpu(NIO_STAGE_NR, stage);
	struct nio_cell *cell = bpf_map_lookup_elem(&nio_cells, &i);

	if (!cell)
		count_loss(no_cell);
	return cell;
}

/* shared: a softirq may update it, too. */
static __always_inline void sum(__u64 *at, __u64 value, bool shared)
{
	if (shared)
		add(at, value);
	else
		*at += value;
}

static __always_inline void count_in(__u64 *hist, __u64 value, bool shared)
{
	__u64 bucket = bucket_of(value);

	if (bucket < NIO_HIST_BUCKETS)
		sum(&hist[bucket], 1, shared);
}

/* Books an event of a stage that runs in process and softirq context. */
static __always_inline void book_shared(__u32 stage, __u64 bytes)
{
	struct nio_cell *cell = cell_of(stage);

	if (!cell)
		return;
	add(&cell->bytes, bytes);
	add(&cell->events, 1);
	count_in(cell->hist, bytes, true);
}

/* Books the time of an event; another program books its bytes. */
static __always_inline void book_time(__u32 stage, __u64 ns, bool shared)
{
	struct nio_cell *cell = cell_of(stage);

	if (!cell)
		return;
	sum(&cell->ns, ns, shared);
	sum(&cell->timed, 1, shared);
	count_in(cell->ns_hist, ns, shared);
}

#endif
