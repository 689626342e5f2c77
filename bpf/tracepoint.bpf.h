/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The tracepoint backend, for kernels that refuse programs on functions. */
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
	/* skb->sk may be NULL: packets of packet sockets, forwarded packets. */
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
 * Receive copies for the function backends, where events are watched in slices: a program on a
 * function costs too much to detach between slices.
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

/* Notifications only: another program counts payload. */
SEC("?tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(nio_tp_notification, const struct sk_buff *skb, int len)
{
	on_notification(skb, len);
	return 0;
}

/* For all backends: completions, receive softirqs on top of a sender, and preemption. */
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
 * From Linux 5.19 prev_state follows. preempt is true for each switch in a system call that is no
 * sleep, including cond_resched() (preempt_schedule_common).
 */
SEC("?tp_btf/sched_switch")
int BPF_PROG(nio_tp_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	call_switch(preempt, next->pid);
	return 0;
}

#endif
