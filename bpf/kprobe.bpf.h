/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The kprobe backend, for kernels that refuse fentry and fexit. Bytes come from entries (nio_kp_*)
 * only: kretprobes (nio_kr_*) miss returns of functions that sleep (maxactive). Times need both.
 */
#ifndef NETIOTRACE_KPROBE_BPF_H
#define NETIOTRACE_KPROBE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "call.bpf.h"
#include "completion.bpf.h"
#include "copy.bpf.h"
#include "kernel.bpf.h"
#include "stages.bpf.h"

/* Bytes. */

SEC("?kprobe/tcp_sendmsg_locked")
int BPF_KPROBE(nio_kp_send_begin, struct sock *sk, struct msghdr *msg)
{
	if (!nio_resting)
		on_send_begin(sk, msg);
	return 0;
}

SEC("?kprobe/tcp_push")
int BPF_KPROBE(nio_kp_push, struct sock *sk, int flags, int mss_now, int nonagle)
{
	if (!nio_resting)
		on_push(sk, nonagle);
	return 0;
}

SEC("?kprobe/do_tcp_sendpages")
int BPF_KPROBE(nio_kp_sendpages, struct sock *sk)
{
	if (!nio_resting)
		on_sendpages_begin(sk);
	return 0;
}

SEC("?kprobe/skb_copy_datagram_iter")
int BPF_KPROBE(nio_kp_rx_copy, const struct sk_buff *skb, int offset, void *to, int len)
{
	if (!nio_resting)
		on_rx_copy(skb, len, ADDRESS);
	return 0;
}

/* Deferred copies and unexpected copies. */

SEC("?kretprobe/skb_copy_ubufs")
int BPF_KRETPROBE(nio_kr_deferred, int ret)
{
	deferred_copy_end(ret);
	return 0;
}

SEC("?kretprobe/skb_copy_bits")
int BPF_KRETPROBE(nio_kr_copy_bits, int ret)
{
	other_copy_end(NIO_COPY_BITS, NIO_OTHER_COPY_BITS, !ret, false);
	return 0;
}

SEC("?kretprobe/skb_copy_and_csum_bits")
int BPF_KRETPROBE(nio_kr_csum_bits)
{
	other_copy_end(NIO_COPY_BITS, NIO_OTHER_COPY_BITS, true, false);
	return 0;
}

SEC("?kretprobe/skb_try_coalesce")
int BPF_KRETPROBE(nio_kr_coalesce, bool ret)
{
	other_copy_end(NIO_COPY_COALESCE, NIO_OTHER_COALESCE, ret, false);
	return 0;
}

/* Completions. */

SEC("?kretprobe/msg_zerocopy_complete")
int BPF_KRETPROBE(nio_kr_uarg_put)
{
	on_uarg_put_return();
	return 0;
}

SEC("?kprobe/msg_zerocopy_realloc")
int BPF_KPROBE(nio_kp_msg_account, const struct sock *sk)
{
	account_begin_flow(sk);
	return 0;
}

SEC("?kretprobe/msg_zerocopy_realloc")
int BPF_KRETPROBE(nio_kr_msg_account, void *ret)
{
	account_end_flow(!ret);
	return 0;
}

SEC("?kprobe/sock_zerocopy_realloc")
int BPF_KPROBE(nio_kp_sock_account, const struct sock *sk)
{
	account_begin_flow(sk);
	return 0;
}

SEC("?kretprobe/sock_zerocopy_realloc")
int BPF_KRETPROBE(nio_kr_sock_account, void *ret)
{
	account_end_flow(!ret);
	return 0;
}

/* Time. */

SEC("?kretprobe/tcp_sendmsg")
int BPF_KRETPROBE(nio_kr_sendmsg, int ret)
{
	call_leave(NULL, ret);
	return 0;
}

SEC("?kprobe/release_sock")
int BPF_KPROBE(nio_kp_release, struct sock *sk)
{
	call_release(sk, ADDRESS);
	return 0;
}

SEC("?kretprobe/sk_page_frag_refill")
int BPF_KRETPROBE(nio_kr_refill, bool ret)
{
	if (ret)
		call_end_part_here(NIO_PATH_OTHER, NIO_PATH_COPY);
	return 0;
}

SEC("?kretprobe/skb_zerocopy_iter_stream")
int BPF_KRETPROBE(nio_kr_pin_time, int ret)
{
	pin_perf_end(ret);
	call_end_part_here(NIO_PATH_PIN, NIO_PATH_OTHER);
	return 0;
}

SEC("?kretprobe/sk_stream_wait_memory")
int BPF_KRETPROBE(nio_kr_wait)
{
	call_end_part_here(NIO_PATH_WAIT, NIO_PATH_OTHER);
	return 0;
}

SEC("?kretprobe/tcp_write_xmit")
int BPF_KRETPROBE(nio_kr_write_xmit)
{
	call_end_part_here(NIO_PATH_TRANSMIT, NIO_PATH_OTHER);
	return 0;
}

SEC("?kprobe/skb_copy_datagram_iter")
int BPF_KPROBE(nio_kp_rx_time, const struct sk_buff *skb, int offset, void *to, int len)
{
	rx_copy_begin_flow(skb, len);
	return 0;
}

SEC("?kretprobe/skb_copy_datagram_iter")
int BPF_KRETPROBE(nio_kr_rx_time)
{
	rx_copy_end_flow();
	return 0;
}

#endif
