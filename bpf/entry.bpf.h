/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Function entry programs of both function backends: each is built as fentry (nio_fe_NAME) and as
 * kprobe (nio_kp_NAME), and a plan loads one of them.
 */
#ifndef NETIOTRACE_ENTRY_BPF_H
#define NETIOTRACE_ENTRY_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "call.bpf.h"
#include "completion.bpf.h"
#include "copy.bpf.h"
#include "kernel.bpf.h"
#include "stages.bpf.h"

/* The statement may use the function's arguments, ctx and `known` (see NIO_FIELD). */
#define NIO_ENTRY(name, function, statement, args...)      \
	SEC("?fentry/" #function)                          \
	int BPF_PROG(nio_fe_##name, ##args)                \
	{                                                  \
		const bool known __maybe_unused = KNOWN;   \
		statement;                                 \
		return 0;                                  \
	}                                                  \
	SEC("?kprobe/" #function)                          \
	int BPF_KPROBE(nio_kp_##name, ##args)              \
	{                                                  \
		const bool known __maybe_unused = ADDRESS; \
		statement;                                 \
		return 0;                                  \
	}

#define __maybe_unused __attribute__((unused))

/* Bytes. */

NIO_ENTRY(transmit, __tcp_transmit_skb, if (!nio_resting) on_transmit(sk, skb, known),
	  struct sock *sk, struct sk_buff *skb)

/* Deferred copies and unexpected copies. */

NIO_ENTRY(deferred, skb_copy_ubufs, deferred_copy_begin(skb, known), struct sk_buff *skb)
NIO_ENTRY(copy_bits, skb_copy_bits, copy_bits_begin(ctx, skb, len, known),
	  const struct sk_buff *skb, int offset, void *to, int len)
NIO_ENTRY(csum_bits, skb_copy_and_csum_bits, copy_bits_begin(ctx, skb, len, known),
	  const struct sk_buff *skb, int offset, void *to, int len)
NIO_ENTRY(coalesce, skb_try_coalesce, coalesce_begin(ctx, to, from, known), struct sk_buff *to,
	  struct sk_buff *from)

/* Completions: which function ends a send depends on the kernel. */

NIO_ENTRY(msg_completion, __msg_zerocopy_callback, on_uarg_end(uarg, false), const void *uarg)
NIO_ENTRY(sock_completion, sock_zerocopy_callback, on_uarg_end(uarg, !success), const void *uarg,
	  bool success)
NIO_ENTRY(uarg_put, msg_zerocopy_complete, on_uarg_put(uarg, success), const void *skb,
	  const void *uarg, bool success)

/* Time. */

NIO_ENTRY(sendmsg, tcp_sendmsg, call_enter(sk, known), struct sock *sk)
NIO_ENTRY(locked, tcp_sendmsg_locked, call_locked(sk, known), struct sock *sk)
NIO_ENTRY(refill, sk_page_frag_refill, call_refill(sk, known), struct sock *sk)
NIO_ENTRY(pin_time, skb_zerocopy_iter_stream, call_begin_pin(sk, known), struct sock *sk)
NIO_ENTRY(wait, sk_stream_wait_memory, call_begin_part(sk, NIO_PATH_WAIT, known), struct sock *sk)
NIO_ENTRY(write_xmit, tcp_write_xmit, call_begin_part(sk, NIO_PATH_TRANSMIT, known),
	  struct sock *sk)

#endif
