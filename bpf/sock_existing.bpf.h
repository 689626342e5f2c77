/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The iterator over open files: finds the sockets that existed before attach, and the owners of
 * these and of accepted sockets.
 */
#ifndef BPF_SOCK_EXISTING_BPF_H
#define BPF_SOCK_EXISTING_BPF_H

#include "sock_life.bpf.h"

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

static __always_inline bool read_still(struct nio_tcp *t, const struct sock *sk,
				       const struct sock_state *s)
{
	read_tcp(t, sk, s);
	return held_still(t, sk);
}

/*
 * No lock is held: reads again, up to twice, where the numbers moved meanwhile. Not a loop: before
 * Linux 6.4 the verifier refuses some.
 */
static __always_inline void begin_existing(struct sock_state *s, const struct sock *sk)
{
	struct nio_tcp t;

	if (!read_still(&t, sk, s) && !read_still(&t, sk, s))
		read_tcp(&t, sk, s);
	begin_with(s, &t, false);
}

/* A connection without a state. NULL: no room, or it got one at this moment. */
static __always_inline struct sock_state *take_existing(const struct sock *sk, __u8 state)
{
	struct sock_state *s = take_in(sk, false);

	if (!s)
		return NULL;
	place(s, sk);
	sock_state_flag(s, SOCK_STATE_CALLER, is_caller(sk));
	if (state != TCP_SYN_SENT)
		begin_existing(s, sk);
	if (nio_payload_end(1, state) == 0) {
		s->now.sent = s->base.sent;
		sock_state_flag(s, SOCK_STATE_ENDED, true);
	}
	return s;
}

static __always_inline void take_open(const struct sock *sk, const struct task_struct *p)
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
		s = take_existing(sk, state);
	if (!s)
		return;
	own_open(s, p);
	if (s->tgid != tgid_of(p)) {
		sock_state_flag(s, SOCK_STATE_SHARED, true);
		s->shared_with = tgid_of(p);
	}
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

	if (!p || !file || !(nio_only_owners || has_earlier(p)))
		return 0;
	sk = tcp_of(file);
	if (!sk)
		return 0;
	if (!nio_only_owners) {
		take_open(sk, p);
		return 0;
	}
	s = state_of(sk);
	if (s && !is_stale(s, sk))
		own_open(s, p);
	return 0;
}

#endif
