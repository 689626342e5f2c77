/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * attach by programs on functions: fentry and fexit, and kprobes. Where a kernel has neither, or a
 * tracepoint says as much, the tracepoints of attach.bpf.c are used.
 */
#ifndef NETIOTRACE_ATTACH_FUNCTIONS_BPF_H
#define NETIOTRACE_ATTACH_FUNCTIONS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "attach_stages.bpf.h"

/* Trampolines. */

SEC("?fentry/tcp_sendmsg_locked")
int BPF_PROG(nio_ae_send, struct sock *sk, struct msghdr *msg)
{
	struct nio_stream *s = stream_in_use(sk);

	if (!s)
		return 0;
	end_unseen(s, sk);
	on_send_begin(s, sk, call_of(sk, msg, KNOWN));
	return 0;
}

SEC("?fexit/tcp_sendmsg_locked")
int BPF_PROG(nio_ax_send, struct sock *sk, struct msghdr *msg, unsigned long size, int ret)
{
	struct nio_stream *s = stream_of(sk, KNOWN);

	if (s)
		on_send_end(s, sk, ret, KNOWN, msg);
	return 0;
}

SEC("?fentry/sk_stream_wait_memory")
int BPF_PROG(nio_ae_wait, struct sock *sk)
{
	struct nio_stream *s = stream_of(sk, KNOWN);

	if (s)
		on_send_wait(s, sk, KNOWN);
	return 0;
}

/* What MPTCP sends does not come by tcp_sendmsg_locked. */
SEC("?fexit/mptcp_sendmsg")
int BPF_PROG(nio_ax_mptcp, struct sock *sk, struct msghdr *msg, unsigned long size, int ret)
{
	struct nio_stream *s = stream_in_use(sk);

	if (s)
		on_layer_send(s, sk, ret);
	return 0;
}

SEC("?fexit/tcp_splice_read")
int BPF_PROG(nio_ax_splice_read, struct socket *sock, void *position, void *pipe,
	     unsigned long size, unsigned int flags, long ret)
{
	struct nio_stream *s = ret > 0 ? stream_of(sock->sk, KNOWN) : NULL;

	if (s && !all_is_over())
		add_to(&s->spliced, ret);
	return 0;
}

/* What sendfile and splice did until Linux 6.4. */
SEC("?fentry/do_tcp_sendpages")
int BPF_PROG(nio_ae_sendpages, struct sock *sk)
{
	struct nio_stream *s = stream_in_use(sk);

	if (!s)
		return 0;
	end_unseen(s, sk);
	on_send_begin(s, sk, NIO_SEEN_CALL | NIO_SEEN_SPLICE);
	return 0;
}

SEC("?fexit/do_tcp_sendpages")
int BPF_PROG(nio_ax_sendpages, struct sock *sk, void *page, int offset, unsigned long size,
	     int flags, long ret)
{
	struct nio_stream *s = stream_of(sk, KNOWN);

	if (s)
		on_send_end(s, sk, ret, KNOWN, NULL);
	return 0;
}

SEC("?fentry/skb_copy_ubufs")
int BPF_PROG(nio_ae_deferred, struct sk_buff *skb)
{
	on_copied_after_all(skb, KNOWN);
	return 0;
}

SEC("?fentry/__msg_zerocopy_callback")
int BPF_PROG(nio_ae_ended, const void *uarg)
{
	on_ended(uarg, false);
	return 0;
}

/*
 * kprobes: their socket pointers get no cookie, so that they see sockets that others took in: at
 * connect(), at the first receive, by user space.
 */

SEC("?kprobe/tcp_sendmsg_locked")
int BPF_KPROBE(nio_ak_send, struct sock *sk, struct msghdr *msg)
{
	struct nio_stream *s = stream_of(sk, ADDRESS);

	if (!s)
		return 0;
	end_before(s, sk);
	on_send_begin(s, sk, call_of(sk, msg, ADDRESS));
	return 0;
}

#define MSG_SENDPAGE_NOTLAST 0x20000

SEC("?kprobe/do_tcp_sendpages")
int BPF_KPROBE(nio_ak_sendpages, struct sock *sk, void *page, int offset, unsigned long size,
	       int flags)
{
	struct nio_stream *s = stream_of(sk, ADDRESS);

	if (!s)
		return 0;
	end_before(s, sk);
	on_page_begin(s, sk, size, !(flags & MSG_SENDPAGE_NOTLAST));
	return 0;
}

/* Of every socket's every use: one load, unless there are pages to look for. */
SEC("?kprobe/release_sock")
int BPF_KPROBE(nio_ak_release, struct sock *sk)
{
	struct nio_stream *s = nio_any_unpushed ? stream_of(sk, ADDRESS) : NULL;

	if (s)
		on_release(s, sk);
	return 0;
}

SEC("?kprobe/tcp_push")
int BPF_KPROBE(nio_ak_push, struct sock *sk, int flags, int mss_now, int nonagle)
{
	struct nio_stream *s = stream_of(sk, ADDRESS);

	/* So it is called before a wait for memory. */
	if (s && (nonagle & TCP_NAGLE_PUSH))
		on_send_wait(s, sk, ADDRESS);
	else if (s)
		on_push(s, sk);
	return 0;
}

/* The same without a trampoline. */
SEC("?tp_btf/sock_send_length")
int BPF_PROG(nio_ak_mptcp, struct sock *sk, int ret, int flags)
{
	struct nio_stream *s;

	if (sk->sk_protocol != IPPROTO_MPTCP)
		return 0;
	s = stream_in_use(sk);
	if (s)
		on_layer_send(s, sk, ret);
	return 0;
}

SEC("?kprobe/skb_copy_ubufs")
int BPF_KPROBE(nio_ak_deferred, struct sk_buff *skb)
{
	on_copied_after_all(skb, ADDRESS);
	return 0;
}

SEC("?kprobe/__msg_zerocopy_callback")
int BPF_KPROBE(nio_ak_ended, const void *uarg)
{
	on_ended(uarg, false);
	return 0;
}

SEC("?kprobe/sock_zerocopy_callback")
int BPF_KPROBE(nio_ak_sock_ended, const void *uarg, bool success)
{
	on_ended(uarg, !success);
	return 0;
}

#endif
