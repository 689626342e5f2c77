/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The sockets that attach watches, by socket address: an address names one socket until
 * tcp_destroy_sock. Unlike socket storage, a hash map uses no option memory (sk_omem_alloc), which
 * MSG_ZEROCOPY needs, and works from Linux 5.10.
 */
#ifndef BPF_SOCK_STATE_BPF_H
#define BPF_SOCK_STATE_BPF_H

#include "task_filter.bpf.h"
#include "sock_declared.bpf.h"
#include "sock_path.bpf.h"
#include "sock_tls.bpf.h"

/* enum sock_flags */
#define SOCK_DEAD 0 /* closed by the application */
#define SOCK_DONE 1 /* a FIN was received */

#define NIO_MOVED_STEP_NS 1000000 /* of nio_moved_ns */

/* From linux/bpf.h; not in vmlinux.h. */
#define NIO_RB_NO_WAKEUP 1ULL
#define NIO_RB_WAKEUP    2ULL
#define NIO_RB_PROD_POS  3

/* User space sets max_entries. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(struct sock_state));
} nio_sockets SEC(".maps");

/* A zeroed state: too large for the stack of a program. */
NIO_MAP(nio_blank, ARRAY, 1, 0, __u32, struct sock_state);

/* States of ended connections, for user space. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, NIO_ENDS_BYTES);
} nio_ends SEC(".maps");

/* Sockets that did not fit into nio_sockets, so that each is counted once. */
NIO_MAP(nio_left_out, LRU_HASH, NIO_LEFT_OUT_MAX, 0, __u64, __u32);

/* An earlier connection that could not be listed, since a call used it. */
struct nio_earlier {
	__u32 port, window; /* remote, as in the socket; nio_window */
};

NIO_MAP(nio_earlier, LRU_HASH, 4096, 0, __u64, struct nio_earlier);

/* Programs see the message of a send call before its bytes are queued (probe "message"). */
const volatile bool nio_sees_calls = false;

/*
 * CLOCK_MONOTONIC, perhaps a tick ago: when a watched socket was last seen to move bytes, and the
 * last use of MSG_ZEROCOPY or zero-copy requests on one. What every event reads has other lines of
 * the cache than these, which events write.
 */
__u64 nio_moved_ns __attribute__((aligned(64)));
__u64 nio_zerocopy_ns;
__u64 nio_zerocopy_tick; /* jiffies then */

bool nio_any_left_out;
__u32 nio_window;     /* odd while the send and receive programs are attached */
bool nio_listed;      /* the sockets that existed have been listed */
bool nio_over;        /* stop booking send and receive events */
bool nio_ownerless;   /* there may be open sockets without an owner */
__u32 nio_weight = 1; /* how many times an event counts: the period / the window */
bool nio_only_moved;  /* nio_at_read only notes whether sockets move bytes */

static __always_inline void note_zerocopy(void)
{
	__u64 tick = bpf_jiffies64();

	if (nio_zerocopy_tick == tick)
		return;
	nio_zerocopy_tick = tick;
	nio_zerocopy_ns = bpf_ktime_get_ns();
}

/* The lower half of an address. The verifier refuses arithmetic on the pointer itself. */
static __always_inline __u32 low_of(const void *sk)
{
	__u32 low;

	asm volatile("%0 = %1" : "=w"(low) : "w"((__u32)(unsigned long)sk));
	return low;
}

static __always_inline struct sock_state *state_of(const void *sk)
{
	__u64 key = (__u64)sk;

	if (nio_declared)
		return state_declared(sk, low_of(sk));
	if (!nio_socket_known[nio_known_index(low_of(sk))])
		return NULL;
	return bpf_map_lookup_elem(&nio_sockets, &key);
}

/* From Linux 5.15; before, a union that may hold other data. Needs CONFIG_SOCK_CGROUP_DATA. */
struct sock_cgroup_data___pointer {
	struct cgroup *cgroup;
} __attribute__((preserve_access_index));

struct sock___cgroup {
	struct sock_cgroup_data___pointer sk_cgrp_data;
} __attribute__((preserve_access_index));

/* The id of the cgroup that created the socket, as ss prints it. 0: unknown. */
static __always_inline __u64 cgroup_of(const struct sock *sk)
{
	const struct cgroup *group;
	const struct kernfs_node *node;

	if (!bpf_core_field_exists(((struct sock___cgroup *)0)->sk_cgrp_data.cgroup))
		return 0;
	group = kernel_read(struct sock___cgroup, sk, sk_cgrp_data.cgroup);
	node = group ? kernel_read(struct cgroup, group, kn) : NULL;
	return node ? kernel_read(struct kernfs_node, node, id) : 0;
}

/*
 * Did connect() choose the local port? __inet_hash_connect sets fastreuse to -1 in its bind bucket,
 * bind() and listen() set 0 or 1, and accepted sockets use their listener's. Without a bucket
 * (MPTCP) the higher port is taken for the caller's.
 */
static __always_inline bool is_caller(const struct sock *sk)
{
	const struct inet_bind_bucket *bucket =
		BPF_CORE_READ((const struct inet_connection_sock *)sk, icsk_bind_hash);

	if (!bucket)
		return kernel_read(struct sock, sk, __sk_common.skc_num) >
		       bpf_ntohs(kernel_read(struct sock, sk, __sk_common.skc_dport));
	return BPF_CORE_READ(bucket, fastreuse) < 0;
}

/* Fills in the fields that stay constant for a connection. */
static __always_inline void fill_identity(struct sock_state *s, const struct sock *sk)
{
	s->family = kernel_read(struct sock, sk, __sk_common.skc_family);
	s->local_port = local_port_of(sk);
	s->remote_port = bpf_ntohs(kernel_read(struct sock, sk, __sk_common.skc_dport));
	s->netns = netns_of(sk);
	s->cgroup = cgroup_of(sk);
	if (s->family == AF_INET) {
		*(__u32 *)s->local = kernel_read(struct sock, sk, __sk_common.skc_rcv_saddr);
		*(__u32 *)s->remote = kernel_read(struct sock, sk, __sk_common.skc_daddr);
	} else {
		BPF_CORE_READ_INTO(&s->local, sk, __sk_common.skc_v6_rcv_saddr.in6_u.u6_addr8);
		BPF_CORE_READ_INTO(&s->remote, sk, __sk_common.skc_v6_daddr.in6_u.u6_addr8);
	}
	note_path(s, sk);
	/* A socket that is connecting may have no local port yet. */
	if (s->local_port)
		sock_state_flag(s, SOCK_STATE_PLACED, true);
}

static __always_inline void read_tcp(struct nio_tcp *t, const struct sock *sk,
				     const struct sock_state *s)
{
	fill_tcp(t, sk);
	t->syn = (s->flags & SOCK_STATE_CALLER) != 0;
}

/* Do the sequence numbers of this socket count bytes? */
static __always_inline bool has_numbers(const struct sock *sk)
{
	__u8 state = kernel_read(struct sock_common, sk, skc_state);

	return state != TCP_CLOSE && state != TCP_SYN_SENT && state != TCP_LISTEN && is_tcp(sk);
}

static __always_inline void leave_out(__u64 key)
{
	__u32 one = 1;

	nio_any_left_out = true;
	if (!bpf_map_update_elem(&nio_left_out, &key, &one, BPF_NOEXIST))
		add_to(&nio_attach_losses.sockets_full, 1);
}

static __always_inline struct sock_events *events_in(const struct sock_state *s)
{
	return (struct sock_events *)((char *)s + SOCK_STATE_HEAD);
}

/* The event counters of a socket; NULL: none yet. */
static __always_inline const struct sock_events *known_events(const struct sock_state *s)
{
	return !nio_declared && s->has_events ? events_in(s) : NULL;
}

/*
 * The event counters of a socket, for an event. Two CPUs may both have the first. The verifier has
 * to see a check for NULL.
 */
static __always_inline struct sock_events *events_of(struct sock_state *s)
{
	struct sock_events *e;

	if (nio_declared)
		return events_of_side(s);
	e = events_in(s);
	if (!s->has_events) {
		e->weight = nio_weight;
		s->has_events = 1;
	}
	return e;
}

static __always_inline void count_known(__u32 low, int by)
{
	__sync_fetch_and_add(&nio_socket_known[nio_known_index(low)], by);
}

/* Counts the state before an event can be about it. */
static __always_inline int insert_state(const struct sock *sk, const void *value, __u64 how)
{
	__u64 key = (__u64)sk;
	int err; /* before Linux 6.4 the upper half of the result is undefined */

	count_known(low_of(sk), 1);
	err = bpf_map_update_elem(&nio_sockets, &key, value, how);
	if (err)
		count_known(low_of(sk), -1);
	return err;
}

static __always_inline void forget(struct sock_state *s)
{
	__u64 key = s->key;
	int err;

	err = bpf_map_delete_elem(&nio_sockets, &key);
	if (!err)
		count_known(key, -1);
}

/* A wakeup costs 2 us: one every NIO_ENDS_WAKE bytes. */
static __always_inline __u64 wakeup_after(__u64 size)
{
	__u64 at = bpf_ringbuf_query(&nio_ends, NIO_RB_PROD_POS);

	return at / NIO_ENDS_WAKE == (at + size) / NIO_ENDS_WAKE ? NIO_RB_NO_WAKEUP : NIO_RB_WAKEUP;
}

/* Writes a state and its events to the ring buffer. Non-zero: the buffer is full. */
static __always_inline long put_end(struct sock_state *s)
{
	if (s->has_events)
		return bpf_ringbuf_output(&nio_ends, s, sizeof(*s), wakeup_after(sizeof(*s)));
	return bpf_ringbuf_output(&nio_ends, s, SOCK_STATE_HEAD, wakeup_after(SOCK_STATE_HEAD));
}

static __always_inline bool was_left_out(const struct sock *sk)
{
	__u64 key = (__u64)sk;

	return nio_any_left_out && bpf_map_lookup_elem(&nio_left_out, &key);
}

static __always_inline bool has_moved(const struct sock_state *s)
{
	return s->now.sent != s->base.sent || s->now.read != s->base.read ||
	       s->now.received != s->base.received;
}

/*
 * Sends the state of an ended connection and deletes it. 1: the ring buffer is full; the state
 * stays until user space reads it by an iteration.
 */
static __noinline int send_end(struct sock_state *s)
{
	s->window = nio_window;
	s->closed_ns = bpf_ktime_get_ns();
	if (s->flags & (SOCK_STATE_FOREIGN | SOCK_STATE_MAYBE)) {
		forget(s);
		return 0;
	}
	if (has_moved(s))
		nio_moved_ns = s->closed_ns;
	if (!s->last_ns && has_moved(s))
		s->last_ns = s->closed_ns;
	if (put_end(s)) {
		sock_state_flag(s, SOCK_STATE_UNSENT, true);
		return 1;
	}
	forget(s);
	return 0;
}

/* Can the application move no further byte of this connection? */
static __always_inline bool is_final(const struct sock_state *s)
{
	return s->orphan || ((s->flags & SOCK_STATE_CLOSED) && s->now.read == s->now.received);
}

/* Does this state belong to an earlier socket at the same address? */
static __always_inline bool is_stale(const struct sock_state *s, const struct sock *sk)
{
	__u16 remote = bpf_ntohs(kernel_read(struct sock, sk, __sk_common.skc_dport));

	return s->closed_ns ||
	       (remote && (s->flags & SOCK_STATE_PLACED) && remote != s->remote_port);
}

/*
 * Another socket has this address now. Either no program saw the end of the old socket, whose last
 * numbers are from the last iteration, or user space has not read that end yet.
 */
static __always_inline void end_stale(struct sock_state *s)
{
	bool known = (s->flags & SOCK_STATE_UNSENT) || is_final(s);
	__u64 missed;

	if (s->given)
		return;
	if (!known && !(s->flags & SOCK_STATE_CLOSED))
		s->now = s->last_read;
	missed = send_end(s) | !known;
	add_to(&nio_attach_losses.ends_missed, missed);
}

/* The state has no owner: the next search among the open files of all processes names it. */
static __always_inline void await_owner(void)
{
	if (!nio_ownerless)
		nio_ownerless = true;
}

/* Has a process got the socket? Not one that waits to be accepted, or that is the kernel's own. */
static __always_inline bool has_file(const struct sock *sk)
{
	const struct socket *socket = kernel_read(struct sock, sk, sk_socket);

	return socket && kernel_read(struct socket, socket, file);
}

/*
 * The current process owns the socket. task: its entry; NULL: none. A kernel thread owns none: it
 * sends records of kTLS, runs requests of io_uring (before Linux 5.12) or closes its files, or
 * serves the kernel.
 */
static __always_inline void own(struct sock_state *s, const struct nio_task *task)
{
	if (is_kernel_thread()) {
		if (has_file((const void *)s->key))
			await_owner();
		return;
	}
	s->owned = 1;
	s->tgid = tgid_now();
	if (task && task->started) {
		s->started = task->started;
		__builtin_memcpy(s->comm, task->comm, sizeof(s->comm));
		return;
	}
	s->started = s->tgid ? started_now() : 0;
	comm_now(s->comm);
}

/*
 * Puts the first value of a socket's state into the map, in place of a stale one. replace: in place
 * of any; else NULL if another CPU has just made one, which goes on. NULL: the map is full.
 */
static __noinline struct sock_state *put_state(const struct sock *sk, const void *value,
					       bool replace)
{
	int err = insert_state(sk, value, BPF_NOEXIST);
	__u64 key = (__u64)sk;
	struct sock_state *s;

	if (err == -EEXIST) {
		s = bpf_map_lookup_elem(&nio_sockets, &key);
		if (s && !replace && !is_stale(s, sk))
			return NULL;
		if (s)
			end_stale(s);
		/* Else a stale state whose end was not taken would be counted for ever. */
		if (!bpf_map_delete_elem(&nio_sockets, &key))
			count_known(low_of(sk), -1);
		err = insert_state(sk, value, BPF_ANY);
	}
	if (err) {
		leave_out(key);
		return NULL;
	}
	return bpf_map_lookup_elem(&nio_sockets, &key);
}

static __always_inline void init_state(struct sock_state *s, const struct sock *sk)
{
	s->first_ns = bpf_ktime_get_ns();
	s->key = (__u64)sk;
	s->born_window = s->window = nio_window;
	s->zckey = s->zc_next = kernel_read(struct sock, sk, sk_zckey.counter);
	s->state = kernel_read(struct sock_common, sk, skc_state);
}

/* Creates the state of a socket whose lock the caller holds; replace, NULL: as put_state(). */
static __noinline struct sock_state *create_state(const struct sock *sk, bool replace)
{
	__u32 zero = 0;
	const void *blank = bpf_map_lookup_elem(&nio_blank, &zero);
	struct sock_state *s = blank ? put_state(sk, blank, replace) : NULL;

	if (s)
		init_state(s, sk);
	return s;
}

static __always_inline void begin_with(struct sock_state *s, const struct nio_tcp *t, bool born)
{
	struct nio_numbers n = nio_numbers_of(t);

	if (!born)
		s->base = n;
	s->last_read = n;
	s->begun = 1 + born;
	s->rx_window = s->born_window;
	s->read_seen = s->base.read;
}

/* A call is in progress: it may have encrypted a record that TCP has not taken yet. */
static __always_inline void give_up_records(struct sock_state *s, const struct sock *sk)
{
	if (ulp_of(sk) == ULP_KTLS)
		s->tls.side[NIO_SIDE_SENDER].how = s->tls.side[NIO_SIDE_RECEIVER].how =
			NIO_TLS_UNKNOWN;
}

/* Sets the starting point. born: the connection began with the state, so `base` is 0. */
static __always_inline void begin(struct sock_state *s, const struct sock *sk, bool born)
{
	struct nio_tcp t;

	if (!is_tcp(sk))
		return;
	read_tcp(&t, sk, s);
	begin_with(s, &t, born);
	if (!born)
		give_up_records(s, sk);
}

/* Counts the zero-copy ids issued since the last call. An aborted send gives its id back. */
static __always_inline bool note_ids(struct sock_state *s, const struct sock *sk)
{
	__u32 zckey = kernel_read(struct sock, sk, sk_zckey.counter), before = s->zckey;

	s->zc_ids += (__s64)nio_seq_delta(before, zckey);
	s->zckey = zckey;
	return zckey != before;
}

/* Watching began in a call that had already taken its id, which counts. */
static __always_inline void include_present_id(struct sock_state *s)
{
	s->zc_next = --s->zckey;
}

/* The current task uses a socket. The first user owns it, a watched one before an unwatched one. */
static __always_inline void used_now(struct sock_state *s)
{
	const struct nio_task *task = NULL;

	if (s->owned && (s->tgid == tgid_now() || is_kernel_thread()))
		return;
	if (s->owned && !(s->flags & SOCK_STATE_FOREIGN)) {
		sock_state_flag(s, SOCK_STATE_SHARED, true);
		s->shared_with = tgid_now();
		return;
	}
	if (nio_by_task && !is_kernel_thread() && !task_wanted(&task)) {
		if (!s->owned)
			own(s, NULL);
		sock_state_flag(s, SOCK_STATE_FOREIGN, true);
		return;
	}
	own(s, task);
	sock_state_flag(s, SOCK_STATE_FOREIGN, false);
}

/* Should a socket without a state get one, now that the current task uses it? */
static __always_inline bool use_wanted(const struct sock *sk)
{
	const struct nio_task *task;

	if (!nio_armed || nio_over || (nio_by_task && !task_wanted(&task)))
		return false;
	return tcp_protocol_of(sk) && port_wanted(sk) && !is_subflow(sk) &&
	       tgid_now() != nio_own_tgid;
}

static __always_inline void note_earlier(const struct sock *sk)
{
	struct nio_earlier e = {.port = kernel_read(struct sock, sk, __sk_common.skc_dport),
				.window = nio_window};
	__u64 key = (__u64)sk;

	bpf_map_update_elem(&nio_earlier, &key, &e, BPF_ANY);
}

/* What lacks of a connection that is first met in use, with a past: NIO_MET_*. */
static __always_inline __u8 lacks_of(const struct sock_state *s, const struct sock *sk)
{
	__u64 key = (__u64)sk;
	const struct nio_earlier *e = bpf_map_lookup_elem(&nio_earlier, &key);
	bool since = !was_left_out(sk);
	__u32 from = 1;

	if (e && e->port == kernel_read(struct sock, sk, __sk_common.skc_dport)) {
		since = false;
		from = e->window;
	}
	return (since ? NIO_MET_BIRTH : 0) | (nio_window != from ? NIO_MET_CALLS : 0);
}

/*
 * A connection that was first met in use has queued `sent` bytes by this call. If it had sent and
 * read nothing before, it counts in full.
 */
static __always_inline void drop_past(struct sock_state *s, __u32 sent)
{
	s->base.sent -= sent;
	if (s->base.sent || s->base.read)
		return;
	s->base.received = s->base.retrans = 0;
	s->begun = 2;
	s->met = 0;
}

/*
 * Sets the starting point of a connection that is first met in use: its present numbers. It may be
 * from before attach, and was in no file table then or was in use; or it was accepted since, and
 * the event was refused. A connection in SYN_RECV (Fast Open) has yet to begin.
 */
static __always_inline void begin_in_use(struct sock_state *s, const struct sock *sk)
{
	bool born = kernel_read(struct sock_common, sk, skc_state) == TCP_SYN_RECV;

	begin(s, sk, born);
	if (born)
		return;
	s->met = lacks_of(s, sk);
	drop_past(s, 0);
}

/* A watched task uses a socket without a state. */
static __noinline struct sock_state *adopt(const struct sock *sk)
{
	struct sock_state *s = create_state(sk, false);

	if (!s)
		return NULL;
	fill_identity(s, sk);
	sock_state_flag(s, SOCK_STATE_CALLER, is_caller(sk));
	/* A socket about to connect (MSG_FASTOPEN) begins at on_connected(). */
	if (has_numbers(sk))
		begin_in_use(s, sk);
	else if (!is_tcp(sk))
		s->uncovered = NIO_UNCOVERED_MPTCP + 1;
	own(s, NULL);
	return s;
}

/* The state of a socket that the current task uses, created if the socket is wanted. NULL: none. */
static __always_inline struct sock_state *state_in_use(const struct sock *sk, bool *adopted)
{
	struct sock_state *s = state_of(sk);

	*adopted = false;
	/* Programs on functions stay attached between two windows. */
	if (nio_declared)
		return s && (nio_window & 1) && !is_stale(s, sk) ? s : NULL;
	if (s && !is_stale(s, sk)) {
		used_now(s);
		/* The programs missed the change to ESTABLISHED. */
		if (!s->begun && has_numbers(sk))
			begin(s, sk, true);
		return s;
	}
	if (!use_wanted(sk))
		return NULL;
	*adopted = true;
	return adopt(sk);
}

#endif
