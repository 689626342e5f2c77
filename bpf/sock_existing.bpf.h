/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The iterators that find the sockets that existed before attach, and the owners of these and of
 * accepted sockets.
 */
#ifndef BPF_SOCK_EXISTING_BPF_H
#define BPF_SOCK_EXISTING_BPF_H

#include "sock_life.bpf.h"

#define S_IFMT   0170000
#define S_IFSOCK 0140000

/* The TCP socket of an open file; NULL: none. A file opened with O_PATH has no private data. */
static __always_inline const struct sock *tcp_of(const struct file *file, const struct inode *inode)
{
	const struct socket *socket = kernel_read(struct file, file, private_data);
	const struct sock *sk;

	if (!socket || (kernel_read(struct inode, inode, i_mode) & S_IFMT) != S_IFSOCK)
		return NULL;
	sk = kernel_read(struct socket, socket, sk);
	return sk && is_tcp(sk) ? sk : NULL;
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
static __always_inline void own_open(const struct sock *sk, const struct task_struct *p)
{
	struct sock_state *s = state_of(sk);
	bool watched = !nio_by_task || task_of(p);

	if (!s || is_stale(s, sk) || (!watched && nio_by_cgroup))
		return;
	if (s->owned && !(watched && (s->flags & SOCK_STATE_FOREIGN)))
		return;
	s->tgid = tgid_of(p);
	s->started = started_of(p);
	comm_of(p, s->comm);
	sock_state_flag(s, SOCK_STATE_FOREIGN, !watched);
	s->owned = 1;
}

/*
 * Called for each open file of each task, by PID: names the owners of existing sockets, and the
 * ports at which watched tasks listen. The lowest PID owns a socket of several processes.
 */
SEC("?iter/task_file")
int nio_at_files(struct bpf_iter__task_file *ctx)
{
	const struct task_struct *p = ctx->task;
	const struct file *file = ctx->file;
	struct nio_owner owner = {}, *first;
	const struct inode *inode;
	const struct sock *sk;
	__u64 key;
	int err; /* before Linux 6.4 the upper half of the result is undefined */

	if (!p || !file || !(nio_only_owners || has_earlier(p)))
		return 0;
	inode = kernel_read(struct file, file, f_inode);
	sk = tcp_of(file, inode);
	if (!sk)
		return 0;
	if (nio_only_owners) {
		own_open(sk, p);
		return 0;
	}
	if (kernel_read(struct sock_common, sk, skc_state) == TCP_LISTEN) {
		note_listener(sk);
		return 0;
	}
	if (!port_wanted(sk))
		return 0;
	key = kernel_read(struct inode, inode, i_ino);
	first = bpf_map_lookup_elem(&nio_owners, &key);
	if (first) {
		if (first->tgid != tgid_of(p))
			first->shared_with = tgid_of(p);
		return 0;
	}
	owner.started = started_of(p);
	owner.tgid = tgid_of(p);
	comm_of(p, owner.comm);
	err = bpf_map_update_elem(&nio_owners, &key, &owner, BPF_NOEXIST);
	if (err && err != -EEXIST && nio_by_task)
		leave_out((__u64)sk);
	return 0;
}

/*
 * Called for each TCP socket of a network namespace; from Linux 5.15 under the socket lock. Takes
 * in sockets without a state: of watched tasks, or of all at the watched ports.
 */
SEC("?iter/tcp")
int nio_at_pass(struct bpf_iter__tcp *ctx)
{
	struct sock_common *skc = ctx->sk_common;
	const struct nio_owner *owner;
	const struct sock *sk;
	struct sock_state *s;

	sk = skc ? (const struct sock *)bpf_skc_to_tcp_sock(skc) : NULL;
	if (!sk || skc->skc_state == TCP_LISTEN || ulp_of(sk) == ULP_MPTCP)
		return 0;
	owner = owner_of(sk);
	if (nio_by_task ? !owner : !port_wanted(sk))
		return 0;
	s = state_of(sk);
	if (!s) {
		s = take_in(sk);
		if (!s)
			return 0;
		place(s, sk);
		sock_state_flag(s, SOCK_STATE_CALLER, is_caller(sk));
		if (skc->skc_state != TCP_SYN_SENT && skc->skc_state != TCP_CLOSE)
			begin(s, sk, false);
		if (nio_payload_end(1, skc->skc_state) == 0) {
			s->now.sent = s->base.sent;
			sock_state_flag(s, SOCK_STATE_ENDED, true);
		}
	}
	if (!s->owned && owner) {
		s->tgid = owner->tgid;
		s->started = owner->started;
		__builtin_memcpy(s->comm, owner->comm, sizeof(s->comm));
		s->owned = 1;
	}
	if (!s->owned)
		await_owner();
	if (owner && owner->shared_with) {
		sock_state_flag(s, SOCK_STATE_SHARED, true);
		s->shared_with = owner->shared_with;
	}
	return 0;
}

#endif
