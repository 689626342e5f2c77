/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The iterator over open files: finds the sockets that existed before attach, and the owners of
 * these and of accepted sockets.
 */
#ifndef BPF_SOCK_EXISTING_BPF_H
#define BPF_SOCK_EXISTING_BPF_H

#include "sock_read.bpf.h"

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
NIO_MAP(nio_existing, ARRAY, 1, 0, __u32, struct sock_events);

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
	const char *own = kernel_read(struct task_struct___uring, task, io_uring);
	__u64 rings[REGISTERED_RINGS] = {0}, any = 0;

	if (kernel_read(struct task_struct___uring, task, flags) & PF_IO_WORKER)
		return true;
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

#endif
