/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Divides the time of a send call into parts (enum nio_path_part), in ns. Each event adds the time
 * since the last event to the part that ends, so the parts add up to the call. Events that do not
 * fit the present part are nested (the backlog, another socket) and ignored. The state belongs to
 * the thread, which may sleep, migrate or be preempted between two events. A call that took an id
 * (MSG_ZEROCOPY) is noted for its completion.
 */
#ifndef BPF_CALL_BPF_H
#define BPF_CALL_BPF_H

#include "completion.bpf.h"
#include "maps.bpf.h"
#include "perf_stage.bpf.h"

struct nio_call {
	__u64 cookie;        /* of the socket; 0: no call in progress */
	__u64 begin;         /* when the call entered tcp_sendmsg */
	__u64 since;         /* when the present part began */
	__u64 softirq_since; /* when a receive softirq interrupted the call; 0: none */
	__u64 inline_ns;     /* time in receive softirqs during the present part */
	__u64 away_since;    /* when another task got the CPU; 0: running, or asleep */
	__u64 away_ns;       /* time preempted during the present part */
	__u64 ns[NIO_PATH_NR];
	__u64 sk;
	__u32 part;                          /* enum nio_path_part */
	__u32 zckey;                         /* of the socket when the call began */
	struct nio_perf_open perf, pin_perf; /* counters of the call, and of a pin inside it */
};

#define NIO_CALLS_MAX 4096

/* Key: thread id. User space removes the entries of threads that are gone. */
NIO_MAP(nio_calls, HASH, NIO_CALLS_MAX, 0, __u32, struct nio_call);

static __always_inline struct nio_call *call_of_thread(void)
{
	__u32 tid = tid_now();

	return bpf_map_lookup_elem(&nio_calls, &tid);
}

/* The send call of this thread on the socket with this cookie, or NULL. */
static __always_inline struct nio_call *call_on(__u64 cookie)
{
	struct nio_call *call;

	/* Most unwatched sockets have no cookie: skip the hash lookup. */
	if (!cookie)
		return NULL;
	call = call_of_thread();
	return call && call->cookie == cookie ? call : NULL;
}

static __always_inline void enter_part(struct nio_call *call, __u32 next)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 part = call->part;

	if (part < NIO_PATH_NR)
		call->ns[part] += now - call->since - call->inline_ns - call->away_ns;
	call->ns[NIO_PATH_INLINE_RECEIVE] += call->inline_ns;
	call->ns[NIO_PATH_PREEMPTED] += call->away_ns;
	call->inline_ns = 0;
	call->away_ns = 0;
	call->since = now;
	call->part = next;
}

static __always_inline struct nio_call *new_call(void)
{
	struct nio_call call = {};
	__u32 tid = tid_now();

	if (!insert(&nio_calls, &tid, &call))
		return NULL;
	return bpf_map_lookup_elem(&nio_calls, &tid);
}

static __always_inline void call_enter(const struct sock *sk, bool known)
{
	struct nio_conn *conn = conn_of(sk, known);
	struct nio_call *call;

	if (!conn || conn->side != NIO_SIDE_SENDER)
		return;
	call = call_of_thread();
	if (!call)
		call = new_call();
	if (!call)
		return;
	if (call->cookie)
		count_loss(unmatched);
	__builtin_memset(call->ns, 0, sizeof(call->ns));
	call->inline_ns = 0;
	call->softirq_since = 0;
	call->away_ns = 0;
	call->away_since = 0;
	call->part = NIO_PATH_LOCK;
	call->cookie = conn->cookie;
	call->sk = (__u64)sk;
	call->zckey = NIO_FIELD(known, struct sock, sk, sk_zckey.counter);
	call->begin = bpf_ktime_get_ns();
	call->since = call->begin;
	perf_begin(&call->perf, NIO_PERF_SEND_CALL);
}

/* An event on the socket ends the part `from` of its call, and begins the part `next`. */
static __always_inline void call_step(const struct sock *sk, __u32 from, __u32 next, bool known)
{
	struct nio_call *call = call_on(cookie_of(sk, known));

	if (call && call->part == from)
		enter_part(call, next);
}

/* A part begins in the body: a function of its own (pin, wait, transmit), or the release. */
static __always_inline void call_begin_part(const struct sock *sk, __u32 part, bool known)
{
	struct nio_call *call = call_on(cookie_of(sk, known));

	if (call && (call->part == NIO_PATH_OTHER || call->part == NIO_PATH_COPY))
		enter_part(call, part);
}

/* This thread's call, for kretprobes, which do not see the socket. NULL in a softirq. */
static __always_inline struct nio_call *call_here(void)
{
	struct nio_call *call = call_of_thread();

	if (!call || !call->cookie || context_now() == NIO_CONTEXT_SOFTIRQ)
		return NULL;
	return call;
}

static __always_inline void call_end_part_here(__u32 part, __u32 next)
{
	struct nio_call *call = call_here();

	if (call && call->part == part)
		enter_part(call, next);
}

static __always_inline void book_call(const struct nio_call *call)
{
	__u32 at = of_this_cpu(1, 0);
	struct nio_path *path = bpf_map_lookup_elem(&nio_paths, &at);

	if (!path) {
		count_loss(no_cell);
		return;
	}
	path->calls++;
#pragma unroll
	for (__u32 i = 0; i < NIO_PATH_NR; i++)
		path->ns[i] += call->ns[i];
	if (call->ns[NIO_PATH_COPY])
		book_time(NIO_STAGE_TX_COPY, call->ns[NIO_PATH_COPY], false);
	if (call->ns[NIO_PATH_PIN])
		book_time(NIO_STAGE_TX_PIN, call->ns[NIO_PATH_PIN], false);
}

/*
 * The call sent ret bytes: if it took an id, it pinned them, or copied them on a route that does no
 * scatter-gather.
 */
static __always_inline void note_pinned(const struct nio_call *call, __u32 ret)
{
	/* Of its own: CO-RE would look for a field inside kernel_read() in the kernel. */
	const struct sock *sk = (const void *)call->sk;
	__u32 zckey = kernel_read(struct sock, sk, sk_zckey.counter);
	struct nio_conn *conn = zckey != call->zckey ? conn_by_cookie(call->cookie) : NULL;

	if (conn && !(kernel_read(struct sock, sk, sk_route_caps) & NETIF_F_SG))
		ret = 0;
	if (conn)
		on_pinned_send(conn, zckey - 1, ret, call->begin);
}

static __always_inline void pin_perf_begin(const struct sock *sk, bool known)
{
	struct nio_call *call = nio_perf_every ? call_on(cookie_of(sk, known)) : NULL;

	if (call && call->part == NIO_PATH_PIN)
		perf_begin(&call->pin_perf, NIO_PERF_PIN);
}

static __always_inline void call_begin_pin(const struct sock *sk, bool known)
{
	call_begin_part(sk, NIO_PATH_PIN, known);
	pin_perf_begin(sk, known);
}

static __always_inline void pin_perf_end(int ret)
{
	struct nio_call *call = nio_perf_every ? call_here() : NULL;

	if (call && call->part == NIO_PATH_PIN)
		perf_end(&call->pin_perf, NIO_PERF_PIN, ret > 0 ? ret : 0);
}

/* tcp_sendmsg returned ret; it does not nest. sk: NULL in a kretprobe. */
static __always_inline void call_leave(const struct sock *sk, int ret)
{
	struct nio_call *call = call_here();
	const struct nio_conn *conn;

	if (!call) {
		conn = sk ? conn_of(sk, TRUSTED) : NULL;
		if (conn && conn->side == NIO_SIDE_SENDER)
			count_loss(unmatched);
		return;
	}
	perf_end(&call->perf, NIO_PERF_SEND_CALL, ret > 0 ? ret : 0);
	if (ret > 0)
		note_pinned(call, ret);
	if (call->part == NIO_PATH_RELEASE) {
		enter_part(call, NIO_PATH_OTHER);
		book_call(call);
	} else {
		count_loss(unmatched);
	}
	call->cookie = 0;
}

static __always_inline void call_softirq(__u32 vec, bool begins)
{
	struct nio_call *call;

	if (vec != NET_RX_SOFTIRQ)
		return;
	call = call_of_thread();
	if (!call || !call->cookie)
		return;
	if (begins) {
		call->softirq_since = bpf_ktime_get_ns();
	} else if (call->softirq_since) {
		call->inline_ns += bpf_ktime_get_ns() - call->softirq_since;
		call->softirq_since = 0;
	}
}

/* A runnable thread loses its CPU to another task. */
static __always_inline void call_away(void)
{
	struct nio_call *call = call_of_thread();

	if (call && call->cookie)
		call->away_since = bpf_ktime_get_ns();
}

/* A thread gets a CPU again. A real-time kernel may preempt it in a softirq on top of the call. */
static __always_inline void call_back(__u32 tid)
{
	struct nio_call *call = bpf_map_lookup_elem(&nio_calls, &tid);
	__u64 away;

	if (!call || !call->away_since)
		return;
	away = bpf_ktime_get_ns() - call->away_since;
	call->away_since = 0;
	call->away_ns += away;
	if (call->softirq_since)
		call->softirq_since += away;
}

/* The CPU switches to thread `next`. preempted: the current task was runnable, not asleep. */
static __always_inline void call_switch(bool preempted, __u32 next)
{
	if (preempted)
		call_away();
	call_back(next);
}

/* Performance counters of receive copies in progress. Key: thread id. */
NIO_MAP(nio_rx_perf, HASH, 1, 0, __u32, struct nio_perf_open);

static __always_inline void rx_perf_begin(void)
{
	struct nio_perf_open none = {}, *perf;
	__u32 tid = tid_now();

	if (!nio_perf_every)
		return;
	perf = bpf_map_lookup_elem(&nio_rx_perf, &tid);
	if (!perf && insert(&nio_rx_perf, &tid, &none))
		perf = bpf_map_lookup_elem(&nio_rx_perf, &tid);
	if (perf)
		perf_begin(perf, NIO_PERF_RX_COPY);
}

static __always_inline void rx_perf_end(int len)
{
	struct nio_perf_open *perf;
	__u32 tid = tid_now();

	if (!nio_perf_every)
		return;
	perf = bpf_map_lookup_elem(&nio_rx_perf, &tid);
	if (perf)
		perf_end(perf, NIO_PERF_RX_COPY, len);
}

/* The watched socket that receives len bytes of payload from skb, or NULL. Its lock is held. */
static __always_inline struct nio_conn *receiver_of(const struct sk_buff *skb, int len, bool known)
{
	const struct sock *sk = NIO_FIELD(known, struct sk_buff, skb, sk);
	struct nio_conn *conn = sk && len > 0 ? conn_of(sk, known) : NULL;

	return conn && !is_of_error_queue(skb, known) ? conn : NULL;
}

/* The time of skb_copy_datagram_iter. The beginning is kept in struct nio_conn. */
static __always_inline void rx_copy_begin(const struct sk_buff *skb, int len, bool known)
{
	struct nio_conn *conn = receiver_of(skb, len, known);

	if (!conn)
		return;
	if (conn->rx_begin)
		count_loss(unmatched);
	conn->rx_begin = bpf_ktime_get_ns();
	rx_perf_begin();
}

static __always_inline void rx_copy_end(const struct sk_buff *skb, int len, bool known)
{
	struct nio_conn *conn = receiver_of(skb, len, known);

	if (!conn)
		return;
	if (!conn->rx_begin) {
		count_loss(unmatched);
		return;
	}
	rx_perf_end(len);
	book_time(NIO_STAGE_RX_COPY, bpf_ktime_get_ns() - conn->rx_begin, false);
	conn->rx_begin = 0;
}

#endif
