/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The fentry/fexit backend: returns (nio_fx_*), and entries (nio_fe_*) that kprobes handle
 * differently. An fexit program gets the return value after the last argument, so it depends on the
 * number of arguments: the plan chooses the program that fits.
 */
#ifndef NETIOTRACE_TRAMPOLINE_BPF_H
#define NETIOTRACE_TRAMPOLINE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "call.bpf.h"
#include "completion.bpf.h"
#include "copy.bpf.h"
#include "kernel.bpf.h"
#include "stages.bpf.h"

/* Bytes. */

SEC("?fexit/tcp_sendmsg_locked")
int BPF_PROG(nio_fx_send_return, struct sock *sk, struct msghdr *msg, unsigned long size, int ret)
{
	if (!nio_resting)
		on_send_locked_return(sk, msg, ret);
	return 0;
}

SEC("?fexit/do_tcp_sendpages")
int BPF_PROG(nio_fx_sendpages, struct sock *sk, void *page, int offset, unsigned long size,
	     int flags, long ret)
{
	if (!nio_resting)
		on_sendpages_return(sk, ret);
	return 0;
}

SEC("?fexit/skb_copy_datagram_iter")
int BPF_PROG(nio_fx_rx_copy, const struct sk_buff *skb, int offset, void *to, int len, int ret)
{
	if (!nio_resting && !ret)
		on_rx_copy(skb, len, KNOWN);
	return 0;
}

/* Deferred copies and unexpected copies. */

SEC("?fexit/skb_copy_ubufs")
int BPF_PROG(nio_fx_deferred, struct sk_buff *skb, unsigned int gfp, int ret)
{
	deferred_copy_end(ret);
	return 0;
}

SEC("?fexit/skb_copy_bits")
int BPF_PROG(nio_fx_copy_bits, const struct sk_buff *skb, int offset, void *to, int len, int ret)
{
	copy_bits_end(skb, len, !ret);
	return 0;
}

SEC("?fexit/skb_copy_and_csum_bits")
int BPF_PROG(nio_fx_csum_bits, const struct sk_buff *skb, int offset, void *to, int len)
{
	copy_bits_end(skb, len, true);
	return 0;
}

SEC("?fexit/skb_try_coalesce")
int BPF_PROG(nio_fx_coalesce, struct sk_buff *to, struct sk_buff *from, void *stolen, void *delta,
	     bool ret)
{
	/* Runs for each packet: one load filters, as in coalesce_begin(). A copy adds no frags. */
	if (!to->data_len)
		other_copy_end(NIO_COPY_COALESCE, NIO_OTHER_COALESCE, ret, false);
	return 0;
}

/* Completions. */

SEC("?fexit/msg_zerocopy_complete")
int BPF_PROG(nio_fx_uarg_put, const void *skb, const void *uarg, bool success)
{
	on_uarg_put_return();
	return 0;
}

SEC("?fexit/msg_zerocopy_realloc")
int BPF_PROG(nio_fx_msg_account, struct sock *sk, unsigned long size, void *uarg, void *ret)
{
	on_account_return(sk, ret);
	return 0;
}

SEC("?fexit/msg_zerocopy_realloc")
int BPF_PROG(nio_fx_devmem_account, struct sock *sk, unsigned long size, void *uarg, bool devmem,
	     void *ret)
{
	on_account_return(sk, ret);
	return 0;
}

SEC("?fexit/sock_zerocopy_realloc")
int BPF_PROG(nio_fx_sock_account, struct sock *sk, unsigned long size, void *uarg, void *ret)
{
	on_account_return(sk, ret);
	return 0;
}

/* Time. */

SEC("?fexit/tcp_sendmsg")
int BPF_PROG(nio_fx_sendmsg, struct sock *sk, void *msg, unsigned long size, int ret)
{
	call_leave(sk, ret);
	return 0;
}

SEC("?fexit/tcp_sendmsg_locked")
int BPF_PROG(nio_fx_locked, struct sock *sk)
{
	call_release(sk, KNOWN);
	return 0;
}

SEC("?fexit/sk_page_frag_refill")
int BPF_PROG(nio_fx_refill, struct sock *sk, void *pfrag, bool ret)
{
	if (ret)
		call_refilled(sk, KNOWN);
	return 0;
}

SEC("?fexit/skb_zerocopy_iter_stream")
int BPF_PROG(nio_fx_pin_time, struct sock *sk, void *skb, void *msg, int len, void *uarg, int ret)
{
	pin_perf_end(ret);
	call_end_part(sk, NIO_PATH_PIN, KNOWN);
	return 0;
}

SEC("?fexit/skb_zerocopy_iter_stream")
int BPF_PROG(nio_fx_binding_pin_time, struct sock *sk, void *skb, void *msg, int len, void *uarg,
	     void *binding, int ret)
{
	pin_perf_end(ret);
	call_end_part(sk, NIO_PATH_PIN, KNOWN);
	return 0;
}

SEC("?fexit/sk_stream_wait_memory")
int BPF_PROG(nio_fx_wait, struct sock *sk)
{
	call_end_part(sk, NIO_PATH_WAIT, KNOWN);
	return 0;
}

SEC("?fexit/tcp_write_xmit")
int BPF_PROG(nio_fx_write_xmit, struct sock *sk)
{
	call_end_part(sk, NIO_PATH_TRANSMIT, KNOWN);
	return 0;
}

SEC("?fentry/skb_copy_datagram_iter")
int BPF_PROG(nio_fe_rx_time, const struct sk_buff *skb, int offset, void *to, int len)
{
	rx_copy_begin(skb, len, KNOWN);
	return 0;
}

SEC("?fexit/skb_copy_datagram_iter")
int BPF_PROG(nio_fx_rx_time, const struct sk_buff *skb, int offset, void *to, int len)
{
	rx_copy_end(skb, len, KNOWN);
	return 0;
}

#endif
