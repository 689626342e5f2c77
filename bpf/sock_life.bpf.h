/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The life of the sockets that attach watches: connect, accept, close. docs/design/attach.md has
 * the formulas.
 */
#ifndef BPF_SOCK_LIFE_BPF_H
#define BPF_SOCK_LIFE_BPF_H

#include "sock_state.bpf.h"

/* The message of a send call with MSG_FASTOPEN while the call connects; else NULL. */
static __always_inline const struct msghdr *connecting_message(const struct sock *sk)
{
	return BPF_CORE_READ((const struct tcp_sock *)sk, fastopen_req, data);
}

#define ALL_OF_CALL (~0U) /* in syn_bytes: a call without a route copies all its bytes */

/* A socket enters SYN_SENT: connect(), or a send call with MSG_FASTOPEN, in the calling task. */
static __always_inline void on_syn(const struct sock *sk)
{
	struct sock_state *s = state_of(sk);
	const struct nio_task *task = NULL;
	const struct msghdr *msg;
	bool ported;

	if (s && s->state == TCP_SYN_SENT && !is_stale(s, sk) && !(s->flags & SOCK_STATE_CLOSED))
		return;
	if (!nio_armed || tgid_now() == nio_own_tgid || (nio_by_task && !task_wanted(&task)))
		return;
	ported = port_wanted(sk);
	if ((!ported && !nio_by_task) || !is_plain(sk))
		return;
	/* Keeps the state that a call with MSG_FASTOPEN made before its SYN. */
	if (!s || s->begun || is_stale(s, sk) || (s->flags & SOCK_STATE_CLOSED))
		s = create_state(sk, s != NULL);
	if (!s)
		return;
	s->state = TCP_SYN_SENT;
	own(s, task);
	sock_state_flag(s, SOCK_STATE_CALLER, true);
	if (!ported)
		sock_state_flag(s, SOCK_STATE_MAYBE, true);
	msg = connecting_message(sk);
	if (msg && s->zckey && (BPF_CORE_READ(msg, msg_flags) & MSG_ZEROCOPY))
		include_present_id(s);
	s->syn_bytes = msg ? ALL_OF_CALL : 0;
}

/* With a filter by port only, a socket's port may have been unknown at connect(): checks it now. */
static __always_inline struct sock_state *create_connected(const struct sock *sk)
{
	struct sock_state *s;

	if (!nio_armed || nio_by_task || !nio_by_port || !port_wanted(sk) || !is_plain(sk))
		return NULL;
	s = create_state(sk, false);
	if (s)
		sock_state_flag(s, SOCK_STATE_CALLER, true);
	await_owner();
	return s;
}

static __always_inline __u64 booked_sent(const struct sock_state *s)
{
	const struct sock_events *e = known_events(s);

	return e ? e->stages[NIO_STAGE_TX_COPY].bytes + e->stages[NIO_STAGE_TX_PIN].bytes +
			       e->stages[NIO_STAGE_TX_SPLICE].bytes - e->added[NIO_SIDE_SENDER]
		 : 0;
}

/* The SYN was answered: bytes queued by now went with it. TCP_REPAIR sends no SYN. */
static __always_inline void on_connected(struct sock_state *s, const struct sock *sk)
{
	__u64 sent, booked;

	if (!kernel_read(struct tcp_sock, sk, bytes_acked))
		sock_state_flag(s, SOCK_STATE_CALLER, false);
	if ((s->flags & SOCK_STATE_MAYBE) && port_wanted(sk))
		sock_state_flag(s, SOCK_STATE_MAYBE, false);
	fill_identity(s, sk);
	begin(s, sk, true);
	if (s->syn_bytes == ALL_OF_CALL && connecting_message(sk))
		return;
	sent = s->last_read.sent;
	booked = sent ? booked_sent(s) : 0;
	s->syn_bytes = sent > booked ? sent - booked : 0;
}

/* An accepted connection leaves SYN_RECV: its byte counts start at 0. */
static __always_inline struct sock_state *on_accepted(const struct sock *sk)
{
	struct sock_state *s;

	if (!nio_armed || !listener_wanted(sk) || !port_wanted(sk) || !is_plain(sk))
		return NULL;
	s = create_state(sk, false);
	if (s) {
		fill_identity(s, sk);
		begin(s, sk, true);
		await_owner();
	}
	return s;
}

/* A task holds the socket lock. A state change then comes from the current task. */
static __always_inline bool is_locked(const struct sock *sk)
{
	return kernel_read(struct sock, sk, sk_lock.owned);
}

/*
 * kTLS and sockmaps take bytes from TCP without an event that these programs see. kTLS is known by
 * its name, a sockmap by the functions that it sets, or by copied_seq: it passes rcv_nxt where a
 * sockmap redirects to the socket itself.
 */
static __always_inline void note_layer(struct sock_state *s, const struct sock *sk,
				       const struct nio_tcp *t)
{
	enum nio_uncovered_kind path = path_of(sk, NIO_SIDE_RECEIVER, PROBE_READ);

	if (path == NIO_COVERED)
		path = path_of(sk, NIO_SIDE_SENDER, PROBE_READ);
	if (ulp_of(sk) == ULP_KTLS)
		path = NIO_UNCOVERED_KTLS;
	else if (path == NIO_COVERED && nio_seq_delta(t->rcv_nxt, t->copied_seq) > 0)
		path = NIO_UNCOVERED_SOCKMAP;
	if (path != NIO_COVERED)
		s->uncovered = path + 1;
}

static __always_inline bool is_of_tls(const struct sock_state *s)
{
	return s->uncovered == NIO_UNCOVERED_KTLS + 1;
}

static __always_inline void read_numbers(struct sock_state *s, const struct sock *sk, __u8 state)
{
	struct nio_tcp t;
	__u64 sent = s->now.sent;

	read_tcp(&t, sk, s);
	note_layer(s, sk, &t);
	note_path(s, sk);
	t.state = state;
	s->now = nio_numbers_of(&t);
	if (s->flags & SOCK_STATE_ENDED)
		s->now.sent = sent;
	if (is_of_tls(s))
		read_tls(s, sk, &s->now, false);
}

/*
 * tcp_disconnect() (SO_LINGER of 0, a refused connect) clears the counters right after the change
 * to CLOSE, so they are saved. The application may still read.
 */
static __always_inline void on_close(struct sock_state *s, const struct sock *sk)
{
	note_ids(s, sk);
	s->write_seq = kernel_read(struct tcp_sock, sk, write_seq);
	s->closed_window = nio_window;
	sock_state_flag(s, SOCK_STATE_ENDED, true);
	sock_state_flag(s, SOCK_STATE_CLOSED, true);
}

/* The socket is about to queue its FIN: the number of bytes sent is final. */
static __always_inline void on_last_sent(struct sock_state *s, const struct sock *sk)
{
	/* close() has emptied the queue. shutdown() leaves in it what may still be read. */
	s->orphan = kernel_read(struct sock, sk, sk_shutdown) == SHUTDOWN_MASK &&
		    !kernel_read(struct sock, sk, sk_receive_queue.qlen);
	sock_state_flag(s, SOCK_STATE_ENDED, true);
}

/* A change that makes numbers final: they are read in one place, which the verifier checks once. */
static __always_inline void on_end(struct sock_state *s, const struct sock *sk, int oldstate,
				   int newstate)
{
	bool closed = newstate == TCP_CLOSE;

	if (!closed && newstate != TCP_FIN_WAIT1 && newstate != TCP_LAST_ACK)
		return;
	if (!closed && (s->flags & SOCK_STATE_ENDED))
		return;
	if (closed && oldstate == TCP_SYN_SENT)
		s->now = s->base;
	else
		read_numbers(s, sk, closed ? oldstate : TCP_ESTABLISHED);
	if (closed)
		on_close(s, sk);
	else
		on_last_sent(s, sk);
}

static __always_inline void on_listen(const struct sock *sk)
{
	const struct nio_task *task;

	if (nio_by_task && task_wanted(&task) && tcp_protocol_of(sk))
		note_listener(sk);
}

/*
 * Every step does nothing the second time: another program may have handled the same change. The
 * states are read from ctx again at each step: what a comparison has told of them would make paths
 * differ, and the verifier would check what follows for each.
 */
static __always_inline void on_change(struct sock_state *s, const struct sock *sk,
				      const volatile __u64 *ctx)
{
	int oldstate;

	if (s->flags & SOCK_STATE_CLOSED)
		return;
	s->state = ctx[2];
	if (is_locked(sk))
		used_now(s);
	/* The connection is established now, or that change was missed. */
	oldstate = ctx[1];
	if (!s->begun && oldstate != TCP_CLOSE &&
	    !(oldstate == TCP_SYN_SENT && (int)ctx[2] == TCP_CLOSE))
		on_connected(s, sk);
	on_end(s, sk, ctx[1], ctx[2]);
}

/* A socket without a state is closed by the current task: the programs missed its beginning. */
static __always_inline struct sock_state *adopt_late(const struct sock *sk, int newstate)
{
	if (newstate != TCP_FIN_WAIT1 && newstate != TCP_LAST_ACK && newstate != TCP_CLOSE)
		return NULL;
	return is_locked(sk) && use_wanted(sk) ? adopt(sk) : NULL;
}

/* MPTCP sockets do not call tcp_destroy_sock. Calls outside windows show nothing of them. */
static __always_inline int on_mptcp_change(const struct sock *sk, int newstate)
{
	struct sock_state *s;

	if (tcp_protocol_of(sk) != IPPROTO_MPTCP)
		return 0;
	s = state_of(sk);
	/* Not at CLOSE: a second program would adopt it again. */
	if (!s && newstate != TCP_CLOSE)
		s = adopt_late(sk, newstate);
	if (s && newstate == TCP_CLOSE && !s->closed_ns)
		send_end(s);
	return 0;
}

/* The states whose beginning starts a connection or makes a number final. */
#define STATES_OF_INTEREST                                                                    \
	(1U << TCP_ESTABLISHED | 1U << TCP_SYN_SENT | 1U << TCP_FIN_WAIT1 | 1U << TCP_CLOSE | \
	 1U << TCP_LAST_ACK | 1U << TCP_LISTEN)

/* A Fast Open connection may leave SYN_RECV for any state. */
static __always_inline bool is_of_interest(int oldstate, int newstate)
{
	return oldstate != TCP_LISTEN &&
	       (oldstate == TCP_SYN_RECV || (STATES_OF_INTEREST >> (newstate & 31) & 1));
}

/* True simulates connections whose beginning no program sees (tests/e2e/attach_threads.bats). */
#ifndef NIO_BIRTH_IS_REFUSED
#define NIO_BIRTH_IS_REFUSED false
#endif

static __always_inline int on_state(const __u64 *ctx, const struct sock *sk, int oldstate,
				    int newstate)
{
	struct sock_state *s;

	if (!is_of_interest(oldstate, newstate))
		return 0;
	if (NIO_BIRTH_IS_REFUSED && (oldstate == TCP_SYN_RECV || newstate == TCP_SYN_SENT))
		return 0;
	if (sk->sk_protocol != IPPROTO_TCP)
		return on_mptcp_change(sk, newstate);
	/* No application has the socket any more: tcp_destroy_sock follows, and shows the same. */
	if (newstate == TCP_CLOSE && (sk->__sk_common.skc_flags & (1UL << SOCK_DEAD)))
		return 0;
	if (newstate == TCP_LISTEN) {
		on_listen(sk);
		return 0;
	}
	if (newstate == TCP_SYN_SENT) {
		on_syn(sk);
		return 0;
	}
	s = state_of(sk);
	if (s && is_stale(s, sk))
		s = NULL;
	if (!s && oldstate == TCP_SYN_RECV) {
		s = on_accepted(sk);
	} else if (!s && oldstate == TCP_SYN_SENT && newstate == TCP_ESTABLISHED) {
		s = create_connected(sk);
	} else if (!s) {
		s = adopt_late(sk, newstate);
	}
	if (s)
		on_change(s, sk, ctx);
	return 0;
}

/*
 * State changes and ends have two identical programs each. Where the kernel may refuse a program on
 * top of itself, user space attaches both (attach_sampling.c).
 */
SEC("?tp_btf/inet_sock_set_state")
int BPF_PROG(nio_at_state, const struct sock *sk, int oldstate, int newstate)
{
	return on_state(ctx, sk, oldstate, newstate);
}

SEC("?tp_btf/inet_sock_set_state")
int BPF_PROG(nio_at_state2, const struct sock *sk, int oldstate, int newstate)
{
	return on_state(ctx, sk, oldstate, newstate);
}

/* Were all receive copies since the change to CLOSE seen? */
static __always_inline bool saw_reads(const struct sock_state *s)
{
	return (nio_window & 1) && nio_window == s->closed_window;
}

/*
 * The final numbers: bytes may have been read since CLOSE. If write_seq has moved, tcp_disconnect()
 * has cleared the counters, and only receive events show what was read.
 */
static __always_inline void final_numbers(struct sock_state *s, const struct sock *sk)
{
	struct nio_numbers n;
	struct nio_tcp t;

	if (!(s->flags & SOCK_STATE_CLOSED)) {
		/* Where `sent` was final before, no change to CLOSE is needed. */
		if (!(s->flags & SOCK_STATE_ENDED))
			add_to(&nio_attach_losses.changes_missed, 1);
		read_numbers(s, sk, s->state);
		return;
	}
	read_tcp(&t, sk, s);
	if (t.write_seq != s->write_seq) {
		if (!is_final(s) && !saw_reads(s))
			add_to(&nio_attach_losses.changes_missed, 1);
		return;
	}
	n = nio_numbers_of(&t);
	s->now.read = n.read;
	if (is_of_tls(s))
		read_tls(s, sk, &s->now, false);
}

/* A watched task closes a connection without a state: the programs missed all of it. */
static __always_inline bool was_missed(const struct sock *sk)
{
	return nio_listed && is_locked(sk) && use_wanted(sk) && is_plain(sk) && !was_left_out(sk) &&
	       (kernel_read(struct tcp_sock, sk, bytes_received) ||
		kernel_read(struct tcp_sock, sk, bytes_acked));
}

/* A socket that was left out ends: the next one at its address counts again. */
static __always_inline void forget_left_out(const struct sock *sk)
{
	__u64 key = (__u64)sk;

	if (nio_any_left_out)
		bpf_map_delete_elem(&nio_left_out, &key);
}

static __always_inline int on_destroy(const struct sock *sk, bool first)
{
	struct sock_state *s = state_of(sk);

	if (!s || is_stale(s, sk)) {
		if (first && was_missed(sk))
			add_to(&nio_attach_losses.changes_missed, 1);
		forget_left_out(sk);
		return 0;
	}
	forget_left_out(sk);
	if (is_locked(sk))
		used_now(s);
	if (!s->begun && !kernel_read(struct tcp_sock, sk, bytes_acked))
		s->now = s->base; /* never connected */
	else
		final_numbers(s, sk);
	if (!(s->flags & SOCK_STATE_PLACED))
		fill_identity(s, sk);
	note_ids(s, sk);
	return send_end(s);
}

/* True simulates ends that no program sees (tests/e2e/attach_threads.bats). */
#ifndef NIO_END_IS_REFUSED
#define NIO_END_IS_REFUSED false
#endif

SEC("?tp_btf/tcp_destroy_sock")
int BPF_PROG(nio_at_destroy, const struct sock *sk)
{
	return NIO_END_IS_REFUSED ? 0 : on_destroy(sk, true);
}

SEC("?tp_btf/tcp_destroy_sock")
int BPF_PROG(nio_at_destroy2, const struct sock *sk)
{
	return NIO_END_IS_REFUSED ? 0 : on_destroy(sk, false);
}

#endif
