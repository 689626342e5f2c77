/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The tracepoint backend: for kernels that refuse programs on functions. Every program is optional
 * ('?': not loaded unless the plan chose it).
 */
#ifndef NETIOTRACE_TRACEPOINT_BPF_H
#define NETIOTRACE_TRACEPOINT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "call.bpf.h"
#include "completion.bpf.h"
#include "kernel.bpf.h"
#include "stages.bpf.h"

SEC("?tp_btf/sock_send_length")
int BPF_PROG(nio_tp_send_return, struct sock *sk, int ret, int flags)
{
	on_send_return(sk, ret);
	return 0;
}

SEC("?tp_btf/net_dev_queue")
int BPF_PROG(nio_tp_transmit, struct sk_buff *skb)
{
	/* skb->sk is NULL for what is not TCP's: a packet socket, a forwarded packet. */
	on_transmit(skb->sk, skb, KNOWN);
	return 0;
}

SEC("?tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(nio_tp_rx_copy, const struct sk_buff *skb, int len)
{
	on_rx_copy(skb, len, KNOWN);
	return 0;
}

/*
 * The same for the function backends, in rounds whose events are looked at in slices: a program at
 * a tracepoint is gone between them at the price of a few instructions, one at a function is not.
 */
SEC("?tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(nio_tp_rx_slices, const struct sk_buff *skb, int len)
{
	on_rx_copy(skb, len, KNOWN);
	return 0;
}

SEC("?tp_btf/netif_receive_skb")
int BPF_PROG(nio_tp_zerocopy_arrival, struct sk_buff *skb)
{
	on_zerocopy_arrival(skb);
	return 0;
}

/* Of the above, notifications only: where payload is counted by another backend. */
SEC("?tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(nio_tp_notification, const struct sk_buff *skb, int len)
{
	on_notification(skb, len);
	return 0;
}

/*
 * For the other backends, too: completions where the function that ends them is inlined, receive
 * work done on a sender's clock, and what other tasks run on it.
 */
SEC("?tp_btf/inet_sk_error_report")
int BPF_PROG(nio_tp_uarg_report, const struct sock *sk)
{
	on_uarg_report(sk);
	return 0;
}

SEC("?tp_btf/softirq_entry")
int BPF_PROG(nio_tp_softirq_entry, unsigned int vec)
{
	call_softirq(vec, true);
	return 0;
}

SEC("?tp_btf/softirq_exit")
int BPF_PROG(nio_tp_softirq_exit, unsigned int vec)
{
	call_softirq(vec, false);
	return 0;
}

/*
 * Behind these come, from Linux 5.19 on, the state of prev. preempt is true of every switch inside
 * a system call that is not sleep: cond_resched() is one, too (preempt_schedule_common).
 */
SEC("?tp_btf/sched_switch")
int BPF_PROG(nio_tp_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	call_switch(preempt, next->pid);
	return 0;
}

#endif
