/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The kprobe backend: for kernels that refuse trampolines. Bytes come from entries (nio_kp_*)
 * alone, since the return (nio_kr_*) of a function that sleeps is not always seen; times need both.
 */
#ifndef NETIOTRACE_KPROBE_BPF_H
#define NETIOTRACE_KPROBE_BPF_H

/* Bytes. */

SEC("?kprobe/tcp_sendmsg_locked")
int BPF_KPROBE(nio_kp_send_begin, struct sock *sk, struct msghdr *msg)
{
	on_send_begin(sk, msg);
	return 0;
}

SEC("?kprobe/tcp_push")
int BPF_KPROBE(nio_kp_push, struct sock *sk, int flags, int mss_now, int nonagle)
{
	on_push(sk, nonagle);
	return 0;
}

SEC("?kprobe/do_tcp_sendpages")
int BPF_KPROBE(nio_kp_sendpages, struct sock *sk)
{
	on_sendpages_begin(sk);
	return 0;
}

SEC("?kprobe/__tcp_transmit_skb")
int BPF_KPROBE(nio_kp_transmit, struct sock *sk)
{
	on_transmit(sk, ADDRESS);
	return 0;
}

SEC("?kprobe/skb_copy_datagram_iter")
int BPF_KPROBE(nio_kp_rx_copy, const struct sk_buff *skb, int offset, void *to, int len)
{
	on_rx_copy(skb, len, false, ADDRESS);
	return 0;
}

/* Copies made after all, and copies nobody ordered. */

SEC("?kprobe/skb_copy_ubufs")
int BPF_KPROBE(nio_kp_deferred, struct sk_buff *skb)
{
	deferred_copy_begin(skb, ADDRESS);
	return 0;
}

SEC("?kretprobe/skb_copy_ubufs")
int BPF_KRETPROBE(nio_kr_deferred, int ret)
{
	deferred_copy_end(ret);
	return 0;
}

SEC("?kprobe/skb_copy_bits")
int BPF_KPROBE(nio_kp_copy_bits, const struct sk_buff *skb, int offset, void *to, int len)
{
	copy_bits_begin(ctx, skb, len, ADDRESS);
	return 0;
}

SEC("?kretprobe/skb_copy_bits")
int BPF_KRETPROBE(nio_kr_copy_bits, int ret)
{
	other_copy_end(NIO_COPY_BITS, NIO_OTHER_COPY_BITS, !ret);
	return 0;
}

SEC("?kprobe/skb_copy_and_csum_bits")
int BPF_KPROBE(nio_kp_csum_bits, const struct sk_buff *skb, int offset, void *to, int len)
{
	copy_bits_begin(ctx, skb, len, ADDRESS);
	return 0;
}

SEC("?kretprobe/skb_copy_and_csum_bits")
int BPF_KRETPROBE(nio_kr_csum_bits)
{
	other_copy_end(NIO_COPY_BITS, NIO_OTHER_COPY_BITS, true);
	return 0;
}

SEC("?kprobe/skb_try_coalesce")
int BPF_KPROBE(nio_kp_coalesce, struct sk_buff *to, struct sk_buff *from)
{
	coalesce_begin(ctx, to, from, ADDRESS);
	return 0;
}

SEC("?kretprobe/skb_try_coalesce")
int BPF_KRETPROBE(nio_kr_coalesce, bool ret)
{
	other_copy_end(NIO_COPY_COALESCE, NIO_OTHER_COALESCE, ret);
	return 0;
}

/* Completions. */

SEC("?kprobe/__msg_zerocopy_callback")
int BPF_KPROBE(nio_kp_completion, const void *uarg)
{
	on_uarg_end(uarg, false);
	return 0;
}

SEC("?kprobe/sock_zerocopy_callback")
int BPF_KPROBE(nio_kp_completion2, const void *uarg, bool success)
{
	on_uarg_end(uarg, !success);
	return 0;
}

SEC("?kprobe/msg_zerocopy_complete")
int BPF_KPROBE(nio_kp_uarg_put, const void *skb, const void *uarg, bool success)
{
	on_uarg_put(uarg, success);
	return 0;
}

SEC("?kretprobe/msg_zerocopy_complete")
int BPF_KRETPROBE(nio_kr_uarg_put)
{
	on_uarg_put_return();
	return 0;
}

SEC("?kprobe/msg_zerocopy_realloc")
int BPF_KPROBE(nio_kp_account, const struct sock *sk)
{
	account_begin_flow(sk);
	return 0;
}

SEC("?kretprobe/msg_zerocopy_realloc")
int BPF_KRETPROBE(nio_kr_account, void *ret)
{
	account_end_flow(!ret);
	return 0;
}

SEC("?kprobe/sock_zerocopy_realloc")
int BPF_KPROBE(nio_kp_account2, const struct sock *sk)
{
	account_begin_flow(sk);
	return 0;
}

SEC("?kretprobe/sock_zerocopy_realloc")
int BPF_KRETPROBE(nio_kr_account2, void *ret)
{
	account_end_flow(!ret);
	return 0;
}

/* Time. */

SEC("?kprobe/tcp_sendmsg")
int BPF_KPROBE(nio_kp_sendmsg, struct sock *sk)
{
	call_enter(sk, ADDRESS);
	return 0;
}

SEC("?kretprobe/tcp_sendmsg")
int BPF_KRETPROBE(nio_kr_sendmsg, int ret)
{
	call_leave(ret);
	return 0;
}

SEC("?kprobe/tcp_sendmsg_locked")
int BPF_KPROBE(nio_kp_locked, struct sock *sk)
{
	call_locked(sk, ADDRESS);
	return 0;
}

SEC("?kprobe/release_sock")
int BPF_KPROBE(nio_kp_release, struct sock *sk)
{
	call_release(sk, ADDRESS);
	return 0;
}

SEC("?kprobe/sk_page_frag_refill")
int BPF_KPROBE(nio_kp_refill, struct sock *sk)
{
	call_refill(sk, ADDRESS);
	return 0;
}

SEC("?kretprobe/sk_page_frag_refill")
int BPF_KRETPROBE(nio_kr_refill, bool ret)
{
	if (ret)
		call_end_part_here(NIO_PATH_OTHER, NIO_PATH_COPY);
	return 0;
}

SEC("?kprobe/skb_zerocopy_iter_stream")
int BPF_KPROBE(nio_kp_pin_time, struct sock *sk)
{
	call_begin_part(sk, NIO_PATH_PIN, ADDRESS);
	pin_perf_begin(sk, ADDRESS);
	return 0;
}

SEC("?kretprobe/skb_zerocopy_iter_stream")
int BPF_KRETPROBE(nio_kr_pin_time, int ret)
{
	pin_perf_end(ret);
	call_end_part_here(NIO_PATH_PIN, NIO_PATH_OTHER);
	return 0;
}

SEC("?kprobe/sk_stream_wait_memory")
int BPF_KPROBE(nio_kp_wait, struct sock *sk)
{
	call_begin_part(sk, NIO_PATH_WAIT, ADDRESS);
	return 0;
}

SEC("?kretprobe/sk_stream_wait_memory")
int BPF_KRETPROBE(nio_kr_wait)
{
	call_end_part_here(NIO_PATH_WAIT, NIO_PATH_OTHER);
	return 0;
}

SEC("?kprobe/tcp_write_xmit")
int BPF_KPROBE(nio_kp_write_xmit, struct sock *sk)
{
	call_begin_part(sk, NIO_PATH_TRANSMIT, ADDRESS);
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
