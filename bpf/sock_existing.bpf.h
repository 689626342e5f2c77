/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The iterators of attach. Over the watched sockets: reads their numbers at each refresh, without
 * their lock. Over open files: finds the sockets that existed before attach, and the owners of
 * these and of accepted sockets.
 */
#ifndef BPF_SOCK_EXISTING_BPF_H
#define BPF_SOCK_EXISTING_BPF_H

#include "sock_life.bpf.h"

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

/* include/net/inet_connection_sock.h, net/ipv4/tcp_output.c */
#define ICSK_TIME_PROBE0 3
#define TCP_NAGLE_CORK   2

#define PACING_SLACK_NS 10000000 /* a paced packet may leave so late */

/*
 * Are the last bytes less than a segment, with nothing in flight and room at the peer, and did the
 * last send call have MSG_MORE, or does the socket have TCP_CORK? The pending probe timer shows
 * that TCP has tried to send them. A call with MSG_MORE alone leaves pushed_seq behind. Until
 * tcp_wstamp_ns, pacing may be what holds the bytes.
 */
static __always_inline bool waits_for_more(const struct sock *sk, const struct nio_tcp *t)
{
	__u32 waiting = t->write_seq - kernel_read(struct tcp_sock, sk, snd_nxt);
	__u32 room = t->snd_una + kernel_read(struct tcp_sock, sk, snd_wnd) - t->write_seq;

	return waiting && waiting < kernel_read(struct tcp_sock, sk, mss_cache) &&
	       (__s32)room >= 0 && !kernel_read(struct tcp_sock, sk, packets_out) &&
	       kernel_read(struct inet_connection_sock, sk, icsk_pending) == ICSK_TIME_PROBE0 &&
	       kernel_read(struct tcp_sock, sk, tcp_wstamp_ns) + PACING_SLACK_NS <
		       bpf_ktime_get_ns() &&
	       (kernel_read(struct tcp_sock, sk, pushed_seq) != t->write_seq ||
		(BPF_CORE_READ_BITFIELD_PROBED((const struct tcp_sock *)sk, nonagle) &
		 TCP_NAGLE_CORK));
}

/* A FIN is a byte of write_seq, and sends what waits. */
static __always_inline void note_tail(struct sock_state *s, const struct sock *sk,
				      const struct nio_tcp *t)
{
	bool waits = waits_for_more(sk, t);

	if ((t->state != TCP_ESTABLISHED && t->state != TCP_CLOSE_WAIT) || !is_quiet(sk, t))
		return;
	s->looks++;
	s->tail_waits += waits;
}

/*
 * Which state an iteration is at. Meanwhile its connection may end, in an interrupt of the
 * iteration or on another CPU, and the hash table gives its memory to the state of a new one at
 * once. What was read of the old socket must not be written then.
 */
struct visited {
	const struct sock_state *state;
	__u64 key, first_ns;
};

static __always_inline bool is_replaced(const struct visited *v)
{
	return *(const volatile __u64 *)&v->state->key != v->key ||
	       *(const volatile __u64 *)&v->state->first_ns != v->first_ns;
}

static __always_inline void read_socket(struct sock_state *s, const struct sock *sk,
					const struct visited *v)
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
	if (!goes_on(s->last_read.sent, n.sent) || !goes_on(s->last_read.read, n.read) ||
	    is_replaced(v))
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
	note_tail(s, sk, &t);
	if (is_of_tls(s) && is_quiet(sk, &t))
		read_tls(s, sk, &n, false);
	/* Without messages the return of a call tells by the call's id that it pinned pages. */
	if ((nio_sees_calls || !(nio_window & 1)) && note_ids(s, sk))
		note_zerocopy();
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

/* The mark of an end, unless it would be that of another connection. */
static __always_inline bool mark_ended(struct sock_state *s, const struct visited *v)
{
	if (is_replaced(v))
		return false;
	s->closed_ns = bpf_ktime_get_ns();
	sock_state_flag(s, SOCK_STATE_UNSENT, true);
	if (!is_replaced(v))
		return true;
	s->closed_ns = 0;
	sock_state_flag(s, SOCK_STATE_UNSENT, false);
	return false;
}

/* No program saw the end. Freed memory keeps the counters until reuse or tcp_disconnect(). */
static __always_inline void end_unseen(struct sock_state *s, const struct sock *sk)
{
	struct nio_numbers n;
	struct nio_tcp t;

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
	const struct visited v = {s, s->key, s->first_ns};
	const struct sock *sk = (const struct sock *)v.key;

	if (!v.key || !v.first_ns)
		return false;
	if (nio_only_moved) {
		note_moved(s, sk);
		return false;
	}
	if (!s->closed_ns && is_gone(s, sk)) {
		if (!mark_ended(s, &v))
			return false;
		end_unseen(s, sk);
	}
	if (s->closed_ns) {
		/* The end of this socket is in the ring buffer, or about to be. */
		if (!(s->flags & SOCK_STATE_UNSENT))
			return false;
		s->given = 1;
	} else {
		if (s->flags & SOCK_STATE_CLOSED)
			read_closed_socket(s, sk);
		else if (is_tcp(sk))
			read_socket(s, sk, &v);
		s->window = nio_window;
		if (!(s->flags & SOCK_STATE_PLACED) && !is_replaced(&v))
			fill_identity(s, sk);
		if (!s->owned && has_file(sk))
			await_owner();
	}
	return true;
}

/* The size first: has_events may change at any moment. */
static __always_inline void write_state(struct seq_file *seq, const struct sock_state *s,
					const __u64 size)
{
	__u64 said = size;

	bpf_seq_write(seq, &said, sizeof(said));
	bpf_seq_write(seq, s, size);
}

/* Called for each watched socket: updates its numbers and writes its state to user space. */
SEC("?iter/bpf_map_elem")
int nio_at_read(struct bpf_iter__bpf_map_elem *ctx)
{
	struct sock_state *s = ctx->value;

	if (!s || !update(s))
		return 0;
	if (s->has_events)
		write_state(ctx->meta->seq, s, sizeof(*s));
	else
		write_state(ctx->meta->seq, s, SOCK_STATE_HEAD);
	return 0;
}

/* A state and its events as one moment has them; user space takes them out. */
NIO_MAP(nio_snapshots, HASH, 1, BPF_F_NO_PREALLOC, __u64, struct sock_state);
NIO_MAP(nio_snapshot, PERCPU_ARRAY, 1, 0, __u32, struct sock_state);

bool nio_snapshot_failed; /* no memory for a state */

static long snapshot_one(void *map, const void *key, struct sock_state *s, void *ctx)
{
	struct sock_state *copy;
	__u64 id = s->key;
	__u32 zero = 0;

	copy = bpf_map_lookup_elem(&nio_snapshot, &zero);
	if (!copy || !update(s))
		return 0;
	bpf_probe_read_kernel(copy, sizeof(*copy), s);
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

/* When the last iteration over open files began (CLOCK_MONOTONIC); 0: there was none. */
__u64 nio_files_ns;

/* Can this task have sockets that it did not get while it was watched? */
static __always_inline bool has_earlier(const struct task_struct *p)
{
	const struct nio_task *task = nio_by_task ? task_of(p) : NULL;

	if (!task || !nio_files_ns)
		return !nio_by_task || task;
	return !task->parent && task->first_ns >= nio_files_ns;
}

bool nio_only_owners; /* nio_at_files only names the owners of states without one */

/*
 * A process has the socket of a state open. A watched process owns it before an unwatched one. Of
 * a cgroup not every process is known before it uses a socket.
 */
static __always_inline void own_open(struct sock_state *s, const struct task_struct *p)
{
	bool watched = !nio_by_task || task_of(p);

	if (!watched && nio_by_cgroup)
		return;
	if (s->owned && !(watched && (s->flags & SOCK_STATE_FOREIGN)))
		return;
	s->tgid = tgid_of(p);
	s->started = started_of(p);
	comm_of(p, s->comm);
	sock_state_flag(s, SOCK_STATE_FOREIGN, !watched);
	s->owned = 1;
}

__u32 nio_in_use; /* sockets that this pass left out, because a call or a packet moved bytes */
bool nio_last_pass;

/*
 * The state of an existing connection, until its numbers are known. Only the iterator uses it, one
 * process at a time.
 */
NIO_MAP(nio_existing, ARRAY, 1, 0, __u32, struct sock_state);

/* False: the numbers are not those between two calls. */
static __always_inline bool read_still(struct nio_tcp *t, const struct sock *sk,
				       const struct sock_state *s)
{
	if (is_locked(sk))
		return false;
	read_tcp(t, sk, s);
	return held_still(t, sk) && !is_locked(sk);
}

/*
 * The iterator holds no lock. While a call moves bytes, the numbers are wrong for a starting point:
 * the socket is left to a later pass, and to its next call, which takes it in under the lock.
 * Outside windows no program sees calls, and a starting point within one will do. Not a loop:
 * before Linux 6.4 the verifier refuses some. False: left out.
 */
static __always_inline bool begin_existing(struct sock_state *s, const struct sock *sk)
{
	struct nio_tcp t;
	bool still = read_still(&t, sk, s) || read_still(&t, sk, s);

	if (!still) {
		if (!nio_last_pass || (nio_window & 1)) {
			nio_in_use++;
			note_earlier(sk);
			return false;
		}
		read_tcp(&t, sk, s);
	}
	begin_with(s, &t, false);
	if (!still)
		give_up_records(s, sk);
	else if (ulp_of(sk) == ULP_KTLS)
		read_tls(s, sk, &s->base, true);
	if (still && !is_quiet(sk, &t))
		give_up_records(s, sk);
	return true;
}

/*
 * A connection without a state. NULL: no room, it got one at this moment, or it is in use. The
 * other programs see the state when it is complete.
 */
static __always_inline struct sock_state *create_existing(const struct sock *sk, __u8 state)
{
	__u32 zero = 0;
	const void *blank = bpf_map_lookup_elem(&nio_blank, &zero);
	struct sock_state *s;

	if (!blank || bpf_map_update_elem(&nio_existing, &zero, blank, BPF_ANY))
		return NULL;
	s = bpf_map_lookup_elem(&nio_existing, &zero);
	if (!s)
		return NULL;
	init_state(s, sk);
	fill_identity(s, sk);
	sock_state_flag(s, SOCK_STATE_CALLER, is_caller(sk));
	if (state != TCP_SYN_SENT && !begin_existing(s, sk))
		return NULL;
	if (nio_payload_end(1, state) == 0) {
		s->now.sent = s->base.sent;
		sock_state_flag(s, SOCK_STATE_ENDED, true);
	}
	return put_state(sk, s, false);
}

static __always_inline void create_open(const struct sock *sk, const struct task_struct *p)
{
	__u8 state = kernel_read(struct sock_common, sk, skc_state);
	struct sock_state *s;

	if (state == TCP_LISTEN) {
		note_listener(sk);
		return;
	}
	if (state == TCP_CLOSE || !port_wanted(sk) || !is_plain(sk))
		return;
	s = state_of(sk);
	if (!s || is_stale(s, sk))
		s = create_existing(sk, state);
	if (!s)
		return;
	own_open(s, p);
	if (s->tgid != tgid_of(p)) {
		sock_state_flag(s, SOCK_STATE_SHARED, true);
		s->shared_with = tgid_of(p);
	}
}

/*
 * There are instances of io_uring, or were since the start. Without one no bytes are sent by its
 * zero-copy requests, which no number of a socket shows. An instance without an open file has been
 * registered by a thread (Linux 5.18), or has a thread of its own (SQPOLL).
 */
bool nio_rings = true;

SEC("?tp_btf/io_uring_create")
int nio_at_ring(const __u64 *args)
{
	nio_rings = true;
	return 0;
}

#define REGISTERED_RINGS 16 /* IO_RINGFD_REG_MAX */

struct io_uring_task___rings {
	void *registered_rings[REGISTERED_RINGS];
} __attribute__((preserve_access_index));

/* task_struct.io_uring alone stays set after a thread has closed its last instance. */
static __always_inline bool has_ring(const void *task)
{
	__u64 rings[REGISTERED_RINGS] = {0}, any = 0;
	const char *own;

	if (!bpf_core_field_exists(((struct task_struct___uring *)0)->io_uring))
		return false;
	if (kernel_read(struct task_struct___uring, task, flags) & PF_IO_WORKER)
		return true;
	own = kernel_read(struct task_struct___uring, task, io_uring);
	if (!own || !bpf_core_field_exists(((struct io_uring_task___rings *)0)->registered_rings))
		return false;
	bpf_probe_read_kernel(
		rings, sizeof(rings),
		own + bpf_core_field_offset(struct io_uring_task___rings, registered_rings));
	for (int i = 0; i < REGISTERED_RINGS; i++)
		any |= rings[i];
	return any;
}

SEC("?iter/task")
int nio_at_tasks(struct bpf_iter__task *ctx)
{
	const struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	/* The asm keeps the addition to the pointer behind the check: 5.10 refuses it before. */
	asm volatile("" : "+r"(task));
	if (has_ring(task))
		nio_rings = true;
	return 0;
}

/* An instance of io_uring: "[io_uring]". */
static __always_inline bool is_ring(const struct file *file)
{
	static const char start[8] = "[io_urin";
	const struct dentry *dentry = kernel_read(struct file, file, f_path.dentry);
	char name[sizeof(start)] = "";

	bpf_probe_read_kernel(name, sizeof(name), kernel_read(struct dentry, dentry, d_name.name));
	return !__builtin_memcmp(name, start, sizeof(name));
}

/*
 * Called for each open file of each task, by PID: takes in the connections that exist already, and
 * notes the ports at which watched tasks listen; or names the owners of states without one. The
 * lowest PID owns a socket of several processes. Not iter/tcp, which can damage the kernel
 * (CVE-2026-74714; docs/KERNELS.md).
 */
SEC("?iter/task_file")
int nio_at_files(struct bpf_iter__task_file *ctx)
{
	const struct task_struct *p = ctx->task;
	const struct file *file = ctx->file;
	const struct sock *sk;
	struct sock_state *s;

	if (file && !nio_rings && is_ring(file))
		nio_rings = true;
	if (!p || !file || !(nio_only_owners || has_earlier(p)))
		return 0;
	sk = tcp_of(file);
	if (!sk)
		return 0;
	if (!nio_only_owners) {
		create_open(sk, p);
		return 0;
	}
	s = state_of(sk);
	if (s && !is_stale(s, sk))
		own_open(s, p);
	return 0;
}

bool nio_phase_begins; /* the next reading of the declared sockets is the base of the later ones */
__u64 nio_pass;        /* grows with each reading */
struct nio_sums nio_sums[NIO_SIDE_NR]; /* by the present reading */

/* The state of a declared socket, created by the first reading. NULL: not declared, or no room. */
static __always_inline struct sock_state *declared_state(const struct sock *sk)
{
	__u64 cookie = kernel_read(struct sock_common, sk, skc_cookie.counter);
	const __u32 *declared = bpf_map_lookup_elem(&nio_cookies, &cookie);
	struct sock_state *s = declared ? state_of(sk) : NULL;

	if (!declared || (s && !is_stale(s, sk)))
		return s;
	s = declare_state(sk, low_of(sk));
	if (!s) {
		add_to(&nio_attach_losses.sockets_full, 1);
		return NULL;
	}
	init_state(s, sk);
	s->remote_port = bpf_ntohs(kernel_read(struct sock, sk, __sk_common.skc_dport));
	sock_state_flag(s, SOCK_STATE_PLACED, true);
	s->declared = *declared;
	s->begun = 1;
	return s;
}

static __always_inline struct nio_declared_rest *rest_of(struct sock_state *s)
{
	return (struct nio_declared_rest *)((char *)s + SOCK_STATE_HEAD);
}

/* Calls, copies and completions before this moment are none of the phase. */
static __always_inline void begin_phase(struct sock_state *s, const struct nio_socket *now)
{
	struct nio_numbers n = nio_numbers_of(&now->tcp);

	rest_of(s)->base = *now;
	s->rx_window = s->window = nio_window;
	s->read_seen = n.read;
	s->zckey = s->zc_next = now->zckey;
}

/*
 * Called for each open file of a run's processes: adds up the numbers of the declared sockets. Not
 * iter/tcp: see nio_at_files.
 */
SEC("?iter/task_file")
int nio_at_declared(struct bpf_iter__task_file *ctx)
{
	const struct file *file = ctx->file;
	const struct sock *sk = file ? tcp_of(file) : NULL;
	struct nio_socket out = {};
	struct sock_state *s;

	s = sk ? declared_state(sk) : NULL;
	/* Several processes may have it open. */
	if (!s || rest_of(s)->pass == nio_pass)
		return 0;
	rest_of(s)->pass = nio_pass;
	fill_socket(&out, sk);
	if (nio_phase_begins)
		begin_phase(s, &out);
	/* Else the phase began without it. */
	if (rest_of(s)->base.cookie)
		nio_sums_add(&nio_sums[s->declared & NIO_DECLARED_RECEIVER], &rest_of(s)->base,
			     &out);
	return 0;
}

#endif
