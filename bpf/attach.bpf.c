// SPDX-License-Identifier: GPL-2.0-only
/*
 * The BPF object of attach. Every program is optional. The programs in this file see every call and
 * packet of the machine; at high rates user space attaches them in windows only.
 */
#include "arrival.bpf.h"
#include "sock_existing.bpf.h"
#include "sock_receives.bpf.h"

/* True simulates the runs that a preemptible kernel refuses (tests/e2e/attach_threads.bats). */
#ifndef NIO_IS_REFUSED
#define NIO_IS_REFUSED false
#endif

/* A send call of any socket returns (Linux 6.3). */
SEC("?tp_btf/sock_send_length")
int BPF_PROG(nio_at_send, struct sock *sk, int ret, int flags)
{
	count_event();
	if (!(NIO_IS_REFUSED))
		on_call_return(sk, ret, 0);
	return 0;
}

/* Each loop iteration of a send call, before it queues bytes (Linux 6.16). */
SEC("?tp_btf/tcp_sendmsg_locked")
int BPF_PROG(nio_at_turn, struct sock *sk, const struct msghdr *msg)
{
	count_event();
	if (!(NIO_IS_REFUSED))
		on_message(sk, msg, was_vector(msg));
	return 0;
}

/* skb_copy_datagram_iter copies payload; len 0: the application reads a notification. */
static __always_inline void on_receive_copy(const struct sk_buff *skb, int len, bool notices)
{
	struct nio_event_counts *c = event_counts();
	struct sock *sk = skb->sk;
	struct sock_state *s;

	if (!c)
		return;
	c->runs++;
	if (!sk || len < 0)
		return;
	if (len && !is_of_error_queue(skb, TRUSTED)) {
		on_received(sk, len, c);
		return;
	}
	s = len || nio_over || !notices ? NULL : state_of(sk);
	if (s)
		on_notice(s, skb);
}

/* One of the two is loaded: the second where the plan counts notifications. */
NIO_PROG("tp_btf/skb_copy_datagram_iovec", nio_at_receive, on_receive_copy(skb, len, false),
	 const struct sk_buff *skb, int len)
NIO_PROG("tp_btf/skb_copy_datagram_iovec", nio_at_receive_notices, on_receive_copy(skb, len, true),
	 const struct sk_buff *skb, int len)
NIO_PROG("tp_btf/tcp_rcv_space_adjust", nio_at_taken, on_taken(sk), struct sock *sk)
NIO_PROG("tp_btf/inet_sk_error_report", nio_at_report, on_report(sk), const struct sock *sk)

/* A packet with zero-copy pages arrives: the kernel will copy them for a local receiver. */
SEC("?tp_btf/netif_receive_skb")
int BPF_PROG(nio_at_arrival, struct sk_buff *skb)
{
	const char *uarg;

	count_event();
	uarg = skb->data_len ? uarg_of(skb, TRUSTED) : NULL;
	if (uarg && !arrives_once_more(skb) && !arrived_before(skb, uarg))
		on_deferred_copy(skb, TRUSTED);
	return 0;
}

/* io_uring_complete has its result as an io_uring_cqe; before, as arguments. */
const volatile bool nio_completes_by_cqe = false;

/* A completion of io_uring, of any request. Read as numbers: their types differ as well. */
SEC("?tp_btf/io_uring_complete")
int nio_at_completion(const __u64 *args)
{
	const struct io_uring_cqe___request *cqe = (const void *)args[2];

	count_event();
	if (nio_completes_by_cqe)
		on_completion((const char *)args[1], cqe->flags);
	else
		on_completion((const char *)args[1], (__u32)args[4]);
	return 0;
}

/* fentry, fexit and kprobe programs of attach. A kprobe sees only the size a call requests. */

SEC("?fentry/tcp_sendmsg_locked")
int BPF_PROG(nio_ae_send, struct sock *sk, struct msghdr *msg)
{
	/* Needed only while the program at the return is attached as well. */
	if (nio_window & 1)
		on_message(sk, msg, is_vector(msg));
	return 0;
}

NIO_PROG("fexit/tcp_sendmsg_locked", nio_ax_send, on_call_return(sk, ret, 0), struct sock *sk,
	 struct msghdr *msg, unsigned long size, int ret)

/* MPTCP does not send through tcp_sendmsg_locked. */
NIO_PROG("fexit/mptcp_sendmsg", nio_ax_mptcp, on_call_return(sk, ret, 0), struct sock *sk,
	 struct msghdr *msg, unsigned long size, int ret)

/* sendfile and splice used do_tcp_sendpages until Linux 6.4. */
NIO_PROG("fexit/do_tcp_sendpages", nio_ax_sendpages,
	 on_call_return(sk, ret, NIO_SEEN_CALL | NIO_SEEN_SPLICE), struct sock *sk, void *page,
	 int offset, unsigned long size, int flags, long ret)
NIO_PROG("fentry/skb_copy_ubufs", nio_ae_deferred, on_deferred_copy(skb, TRUSTED),
	 struct sk_buff *skb)
NIO_PROG("fentry/__msg_zerocopy_callback", nio_ae_ended, on_sends_completed(uarg, false),
	 const void *uarg)
NIO_PROG("fentry/sock_zerocopy_callback", nio_ae_sock_ended, on_sends_completed(uarg, !success),
	 const void *uarg, bool success)

/* A send call begins and requests `size` bytes, as a kprobe sees it. */
static __always_inline void on_send_asked(struct sock *sk, const struct msghdr *msg, __u32 size,
					  __u32 what)
{
	bool adopted;
	struct sock_state *s = size ? state_in_use(sk, &adopted) : NULL;

	if (!s || nio_over || restores_received(sk))
		return;
	touch(s, sk);
	if (is_uncovered(s, sk, NIO_SIDE_SENDER, size))
		return;
	if (what & NIO_SEEN_FOREIGN) {
		note_requests_used();
		put_request(s, uarg_of_message(msg), true);
	}
	book_send(s, sk, size, what);
}

NIO_KPROBE("kprobe/tcp_sendmsg_locked", nio_ak_send,
	   on_send_asked(sk, msg, size, call_of(sk, msg, is_vector(msg))), struct sock *sk,
	   struct msghdr *msg, unsigned long size)

/* For plans in which another program sees the return of the call. */
NIO_KPROBE("kprobe/tcp_sendmsg_locked", nio_ak_message,
	   if (nio_window & 1) on_message(sk, msg, is_vector(msg)), struct sock *sk,
	   struct msghdr *msg)
NIO_KPROBE("kprobe/do_tcp_sendpages", nio_ak_sendpages,
	   on_send_asked(sk, NULL, size, NIO_SEEN_CALL | NIO_SEEN_SPLICE), struct sock *sk,
	   void *page, int offset, unsigned long size)

/* MPTCP sends, for plans that see TCP sends by kprobe. */
NIO_PROG("tp_btf/sock_send_length", nio_ak_mptcp,
	 if (sk->sk_protocol == IPPROTO_MPTCP) on_call_return(sk, ret, 0), struct sock *sk, int ret,
	 int flags)
NIO_KPROBE("kprobe/skb_copy_ubufs", nio_ak_deferred, on_deferred_copy(skb, PROBE_READ),
	   struct sk_buff *skb)
NIO_KPROBE("kprobe/__msg_zerocopy_callback", nio_ak_ended, on_sends_completed(uarg, false),
	   const void *uarg)
NIO_KPROBE("kprobe/sock_zerocopy_callback", nio_ak_sock_ended, on_sends_completed(uarg, !success),
	   const void *uarg, bool success)

/* Keeps the table of watched tasks: fork, change of name, exit. */

SEC("?tp_btf/sched_process_fork")
int BPF_PROG(nio_at_fork, struct task_struct *parent, struct task_struct *child)
{
	struct nio_task *task;
	char comm[16];

	if (child->tgid != child->pid)
		return 0;
	task = task_of(parent);
	/* A child has its parent's name, so a match by name covers the child as well. */
	if (!task || !(nio_follow_children || task->named))
		return 0;
	bpf_get_current_comm(comm, sizeof(comm));
	watch_task(child, tgid_of(parent), comm, !nio_follow_children);
	return 0;
}

static __always_inline void on_name(const struct task_struct *p, const char comm[16])
{
	struct nio_task *task = task_of(p);
	bool wanted_name = nio_comms_nr && comm_wanted(comm);
	__u32 tgid = tgid_of(p);

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

/* Marks the exit of a process with its last thread. Its id may be reused soon. */
SEC("?tp_btf/sched_process_exit")
int BPF_PROG(nio_at_exit, struct task_struct *p)
{
	struct nio_task *task = task_of(p);

	if (task && !BPF_CORE_READ(p, signal, live.counter))
		task->exit_ns = bpf_ktime_get_ns();
	return 0;
}

char LICENSE[] SEC("license")
= "GPL";
