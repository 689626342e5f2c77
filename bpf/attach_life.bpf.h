/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The lives of watched sockets and tasks: states, ends, forks; and the pass over the sockets. */
#ifndef NETIOTRACE_ATTACH_LIFE_BPF_H
#define NETIOTRACE_ATTACH_LIFE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "attach_stages.bpf.h"

/* Passes hold the lock of each socket. */
const volatile bool nio_locked_pass = false;

/* May an application queue bytes on a socket of this state? */
static __always_inline bool may_send(int state)
{
	return state == TCP_ESTABLISHED || state == TCP_CLOSE_WAIT || state == TCP_SYN_SENT ||
	       state == TCP_SYN_RECV;
}

/* There is no tcp_destroy_sock of a socket of MPTCP. */
static __always_inline int on_mptcp_end(const struct sock *sk, int newstate)
{
	struct nio_stream *s = NULL;

	if (newstate == TCP_CLOSE && sk->sk_protocol == IPPROTO_MPTCP)
		s = stream_by_cookie(key_of(sk));
	if (s)
		s->closed_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline void take_numbers(struct nio_stream *s, const struct sock *sk)
{
	__u32 sent = s->now.sent;

	read_numbers(&s->now, sk);
	if (s->flags & NIO_STREAM_ENDED)
		s->now.sent = sent;
	nio_stream_flag(s, NIO_STREAM_NOW);
}

/*
 * A connection can end without its socket: tcp_disconnect(), by connect() to nobody, by close()
 * with SO_LINGER of 0, or when it could not be made. That counts what is unread as read, forgets
 * that a FIN was among it, and sets the counters to 0. So they are taken down as the state says so,
 * which comes first. Without that, what is read of a connection that is reset is taken afterwards.
 */
static __always_inline void on_close(struct nio_stream *s, const struct sock *sk, int oldstate)
{
	/* One that listened has no stream; what it was before has its numbers. */
	if (sk->sk_protocol == IPPROTO_TCP && oldstate != TCP_LISTEN && oldstate != TCP_CLOSE)
		take_numbers(s, sk);
}

/* Has it been disconnected since? That moves write_seq by 2 and more, a FIN does by 1. */
static __always_inline bool is_dissolved(const struct nio_stream *s, const struct sock *sk)
{
	return (s->flags & NIO_STREAM_NOW) &&
	       kernel_read(struct tcp_sock, sk, write_seq) - s->now.sent > 1;
}

/*
 * The socket of a connection that has ended makes another, with numbers that have nothing to do
 * with those before: what there is of the first is kept as that of a closed socket, under a key of
 * its own. Of one that never moved a byte, as of a connect() that was refused, there is nothing.
 */
static __noinline int retire(struct nio_stream *s, bool closed)
{
	__u64 now = bpf_ktime_get_ns(), cookie = s->cookie, key = KEY_OF_PAST | now;

	if (closed)
		s->closed_ns = now;
	if (s->last_ns) {
		s->cookie = key;
		if (bpf_map_update_elem(&nio_streams, &key, s, BPF_NOEXIST))
			leave_out(key);
	}
	bpf_map_delete_elem(&nio_streams, &cookie);
	return 0;
}

/*
 * While what is in progress comes to its end, ends are not booked, but sends and receives are:
 * those of another connection of the socket are not to be taken for the first one's, which is as it
 * was.
 */
static __always_inline int on_late_state(const struct sock *sk, int newstate)
{
	struct nio_stream *s =
		newstate == TCP_SYN_SENT && !all_is_over() ? stream_of(sk, KNOWN) : NULL;

	if (s)
		retire(s, false);
	return 0;
}

/* connect() runs in the task that calls it: what it makes is taken in before it is used. */
static __always_inline void on_syn(struct nio_stream *s, const struct sock *sk)
{
	if (s && (s->flags & NIO_STREAM_ENDED))
		retire(s, true);
	s = stream_in_use(sk);
	if (!s)
		return;
	s->state = TCP_SYN_SENT;
	on_connect(s, sk);
}

/*
 * A socket leaves the states in which it can be sent on: its write_seq, before the FIN takes a
 * number, is final.
 */
static __always_inline void on_last_sent(struct nio_stream *s, const struct sock *sk, int oldstate)
{
	if (s->flags & NIO_STREAM_ENDED)
		return;
	if (oldstate != TCP_SYN_SENT)
		end_unpushed(s, sk);
	/* Not in the middle of a call that meets a reset. */
	if (!call_of_thread(s, tid_now()))
		look_for_earlier(s, sk);
	s->now.sent = kernel_read(struct tcp_sock, sk, write_seq);
	nio_stream_flag(s, NIO_STREAM_ENDED);
}

static __always_inline int on_state(const struct sock *sk, int oldstate, int newstate)
{
	struct nio_stream *s;
	enum nio_change change;

	if (ends_are_over())
		return on_late_state(sk, newstate);
	s = stream_of(sk, KNOWN);
	change = s ? nio_change_state(&s->state, oldstate, newstate) : NIO_CHANGE_NEW;
	if (change == NIO_CHANGE_DONE)
		return 0;
	if (change == NIO_CHANGE_AFTER_MISS)
		add_to(&nio_attach_losses.changes_missed, 1);
	if (newstate == TCP_SYN_SENT)
		on_syn(s, sk);
	/* What is received begins here, whatever takes it. */
	if (s && newstate == TCP_ESTABLISHED)
		begin_rx(s, sk, kernel_read(struct tcp_sock, sk, copied_seq));
	if (s && oldstate == TCP_SYN_SENT && newstate != TCP_CLOSE)
		on_connected(s, sk);
	if (s && newstate == TCP_CLOSE)
		on_close(s, sk, oldstate);
	if (s && may_send(oldstate) && !may_send(newstate))
		on_last_sent(s, sk, oldstate);
	return on_mptcp_end(sk, newstate);
}

/*
 * Changes of state, and ends, have two programs each, that do the same: the kernel refuses a
 * program on top of itself, as where a softirq comes while it runs, and its twin does it then. What
 * one has done the other finds done; what neither did, the next change of that socket tells.
 */
SEC("?tp_btf/inet_sock_set_state")
int BPF_PROG(nio_at_state, const struct sock *sk, int oldstate, int newstate)
{
	return on_state(sk, oldstate, newstate);
}

SEC("?tp_btf/inet_sock_set_state")
int BPF_PROG(nio_at_state2, const struct sock *sk, int oldstate, int newstate)
{
	return on_state(sk, oldstate, newstate);
}

static __always_inline int on_destroy(const struct sock *sk)
{
	struct nio_stream *s = stream_of(sk, KNOWN);
	struct nio_first first = {0};

	/* Its address may soon be another socket's. */
	take_first(sk, &first);
	if (!s || ends_are_over() || s->closed_ns)
		return 0;
	if (s->state && s->state != TCP_CLOSE)
		add_to(&nio_attach_losses.changes_missed, 1);
	if (!is_dissolved(s, sk))
		take_numbers(s, sk);
	s->closed_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("?tp_btf/tcp_destroy_sock")
int BPF_PROG(nio_at_destroy, const struct sock *sk)
{
	return on_destroy(sk);
}

SEC("?tp_btf/tcp_destroy_sock")
int BPF_PROG(nio_at_destroy2, const struct sock *sk)
{
	return on_destroy(sk);
}

SEC("?tp_btf/sched_process_fork")
int BPF_PROG(nio_at_fork, struct task_struct *parent, struct task_struct *child)
{
	struct nio_task *task;
	char comm[16];

	if (child->tgid != child->pid || all_is_over())
		return 0;
	task = task_of(parent);
	/* The child of one that was taken in by its name has that name, too. */
	if (!task || !(nio_follow_children || task->named))
		return 0;
	bpf_get_current_comm(comm, sizeof(comm));
	watch_task(child, tgid_of(parent), comm, !nio_follow_children);
	return 0;
}

/* A task takes another name: by exec, or by itself. */
static __always_inline void on_name(const struct task_struct *p, const char comm[16])
{
	struct nio_task *task = task_of(p);
	bool wanted_name = nio_comms_nr && comm_wanted(comm);
	__u32 tgid = tgid_of(p);

	if (all_is_over())
		return;
	if (task && task->named && !wanted_name)
		bpf_map_delete_elem(&nio_tasks, &tgid);
	else if (task)
		__builtin_memcpy(task->comm, comm, sizeof(task->comm));
	else if (wanted_name)
		watch_task(p, 0, comm, true);
}

SEC("?tp_btf/sched_process_exec")
int BPF_PROG(nio_at_exec, struct task_struct *p)
{
	char comm[16];

	bpf_get_current_comm(comm, sizeof(comm));
	on_name(p, comm);
	return 0;
}

SEC("?tp_btf/task_rename")
int BPF_PROG(nio_at_rename, struct task_struct *task, const char *name)
{
	char comm[16] = {};

	if (task->tgid != task->pid)
		return 0;
	bpf_probe_read_kernel_str(comm, sizeof(comm), name);
	on_name(task, comm);
	return 0;
}

/* The last thread of a process exits. Its id may be another's soon. */
SEC("?tp_btf/sched_process_exit")
int BPF_PROG(nio_at_exit, struct task_struct *p)
{
	struct nio_task *task = task_of(p);

	if (task && !all_is_over() && !BPF_CORE_READ(p, signal, live.counter))
		task->exit_ns = bpf_ktime_get_ns();
	return 0;
}

/*
 * Called for each socket of a network namespace, from Linux 5.15 on under its lock: takes down the
 * numbers of those that are watched, in their entries.
 */
SEC("?iter/tcp")
int nio_at_pass(struct bpf_iter__tcp *ctx)
{
	struct sock_common *skc = ctx->sk_common;
	const struct sock *sk;
	struct nio_stream *s;
	struct tcp_sock *tp;

	if (!skc)
		return 0;
	s = stream_by_cookie(skc->skc_cookie.counter);
	tp = s ? bpf_skc_to_tcp_sock(skc) : NULL;
	if (!tp)
		return 0;
	sk = (const struct sock *)tp;
	if (!(s->flags & NIO_STREAM_PLACED))
		place_stream(s, sk);
	take_numbers(s, sk);
	/* A socket that connects has no number to be received from yet. */
	if (nio_locked_pass && !s->closed_ns && skc->skc_state != TCP_SYN_SENT &&
	    skc->skc_state != TCP_CLOSE)
		begin_rx(s, sk, s->now.taken);
	return 0;
}

#endif
