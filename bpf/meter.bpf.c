// SPDX-License-Identifier: GPL-2.0-only
/*
 * The meter of a run: times, places, and copies that no other hook shows, by programs on functions.
 * Bytes and events are counted by attach.bpf.c. The plan chooses which programs are loaded.
 */
#include "copy.bpf.h"

/*
 * Function entries of both function backends: each is built as fentry (nio_fe_NAME) and as kprobe
 * (nio_kp_NAME), and a plan loads one of them. The statement may use the function's arguments, ctx
 * and `known` (see NIO_FIELD). */
#define NIO_ENTRY(name, function, statement, args...)         \
	SEC("?fentry/" #function)                             \
	int BPF_PROG(nio_fe_##name, ##args)                   \
	{                                                     \
		const bool known __maybe_unused = TRUSTED;    \
		statement;                                    \
		return 0;                                     \
	}                                                     \
	SEC("?kprobe/" #function)                             \
	int BPF_KPROBE(nio_kp_##name, ##args)                 \
	{                                                     \
		const bool known __maybe_unused = PROBE_READ; \
		statement;                                    \
		return 0;                                     \
	}

#define __maybe_unused __attribute__((unused))

/* Deferred copies and unexpected copies. */

NIO_ENTRY(deferred, skb_copy_ubufs, deferred_copy_begin(skb, known), struct sk_buff *skb)
NIO_ENTRY(copy_bits, skb_copy_bits, copy_bits_begin(ctx, skb, len, known),
	  const struct sk_buff *skb, int offset, void *to, int len)
NIO_ENTRY(csum_bits, skb_copy_and_csum_bits, copy_bits_begin(ctx, skb, len, known),
	  const struct sk_buff *skb, int offset, void *to, int len)
NIO_ENTRY(coalesce, skb_try_coalesce, coalesce_begin(ctx, to, from, known), struct sk_buff *to,
	  struct sk_buff *from)

/* Completions: which function ends a send depends on the kernel. */

NIO_ENTRY(msg_completion, __msg_zerocopy_callback, on_uarg_end(uarg), const void *uarg)
NIO_ENTRY(sock_completion, sock_zerocopy_callback, on_uarg_end(uarg), const void *uarg)
NIO_ENTRY(uarg_put, msg_zerocopy_complete, on_uarg_put(uarg), const void *skb, const void *uarg)

/* Time. */

NIO_ENTRY(sendmsg, tcp_sendmsg, call_enter(sk, known), struct sock *sk)
NIO_ENTRY(locked, tcp_sendmsg_locked, call_step(sk, NIO_PATH_LOCK, NIO_PATH_OTHER, known),
	  struct sock *sk)
NIO_ENTRY(refill, sk_page_frag_refill, call_step(sk, NIO_PATH_COPY, NIO_PATH_OTHER, known),
	  struct sock *sk)
NIO_ENTRY(pin_time, skb_zerocopy_iter_stream, call_begin_pin(sk, known), struct sock *sk)
NIO_ENTRY(wait, sk_stream_wait_memory, call_begin_part(sk, NIO_PATH_WAIT, known), struct sock *sk)
NIO_ENTRY(write_xmit, tcp_write_xmit, call_begin_part(sk, NIO_PATH_TRANSMIT, known),
	  struct sock *sk)

/*
 * The fentry/fexit backend: returns (nio_fx_*), and entries (nio_fe_*) that kprobes handle
 * differently. An fexit program gets the return value after the last argument, so it depends on the
 * number of arguments: the plan chooses the program that fits.
 */

/* Deferred copies and unexpected copies. */

NIO_PROG("fexit/skb_copy_ubufs", nio_fx_deferred, deferred_copy_end(ret), struct sk_buff *skb,
	 unsigned int gfp, int ret)
NIO_PROG("fexit/skb_copy_bits", nio_fx_copy_bits, copy_bits_end(skb, len, !ret),
	 const struct sk_buff *skb, int offset, void *to, int len, int ret)
NIO_PROG("fexit/skb_copy_and_csum_bits", nio_fx_csum_bits, copy_bits_end(skb, len, true),
	 const struct sk_buff *skb, int offset, void *to, int len)

/* Runs for each packet: one load filters, as in coalesce_begin(). A copy adds no frags. */
NIO_PROG("fexit/skb_try_coalesce", nio_fx_coalesce,
	 if (!to->data_len) other_copy_end(NIO_COPY_COALESCE, NIO_OTHER_COALESCE, ret, false),
	 struct sk_buff *to, struct sk_buff *from, void *stolen, void *delta, bool ret)

/* Completions. */

NIO_PROG("fexit/msg_zerocopy_complete", nio_fx_uarg_put, on_uarg_put_return(), const void *skb,
	 const void *uarg, bool success)
NIO_PROG("fexit/msg_zerocopy_realloc", nio_fx_msg_account, on_account_return(sk, ret),
	 struct sock *sk, unsigned long size, void *uarg, void *ret)
NIO_PROG("fexit/msg_zerocopy_realloc", nio_fx_devmem_account, on_account_return(sk, ret),
	 struct sock *sk, unsigned long size, void *uarg, bool devmem, void *ret)
NIO_PROG("fexit/sock_zerocopy_realloc", nio_fx_sock_account, on_account_return(sk, ret),
	 struct sock *sk, unsigned long size, void *uarg, void *ret)

/* Time. */

NIO_PROG("fexit/tcp_sendmsg", nio_fx_sendmsg, call_leave(sk, ret), struct sock *sk, void *msg,
	 unsigned long size, int ret)
NIO_PROG("fexit/tcp_sendmsg_locked", nio_fx_locked, call_begin_part(sk, NIO_PATH_RELEASE, TRUSTED),
	 struct sock *sk)
NIO_PROG("fexit/sk_page_frag_refill", nio_fx_refill,
	 if (ret) call_step(sk, NIO_PATH_OTHER, NIO_PATH_COPY, TRUSTED), struct sock *sk,
	 void *pfrag, bool ret)

static __always_inline void pin_over(const struct sock *sk, int ret)
{
	pin_perf_end(ret);
	call_step(sk, NIO_PATH_PIN, NIO_PATH_OTHER, TRUSTED);
}

NIO_PROG("fexit/skb_zerocopy_iter_stream", nio_fx_pin_time, pin_over(sk, ret), struct sock *sk,
	 void *skb, void *msg, int len, void *uarg, int ret)
NIO_PROG("fexit/skb_zerocopy_iter_stream", nio_fx_binding_pin_time, pin_over(sk, ret),
	 struct sock *sk, void *skb, void *msg, int len, void *uarg, void *binding, int ret)
NIO_PROG("fexit/sk_stream_wait_memory", nio_fx_wait,
	 call_step(sk, NIO_PATH_WAIT, NIO_PATH_OTHER, TRUSTED), struct sock *sk)
NIO_PROG("fexit/tcp_write_xmit", nio_fx_write_xmit,
	 call_step(sk, NIO_PATH_TRANSMIT, NIO_PATH_OTHER, TRUSTED), struct sock *sk)
NIO_PROG("fentry/skb_copy_datagram_iter", nio_fe_rx_time, rx_copy_begin(skb, len, TRUSTED),
	 const struct sk_buff *skb, int offset, void *to, int len)
NIO_PROG("fexit/skb_copy_datagram_iter", nio_fx_rx_time, rx_copy_end(skb, len, TRUSTED),
	 const struct sk_buff *skb, int offset, void *to, int len)

/*
 * The kprobe backend, for kernels that refuse fentry and fexit. Kretprobes (nio_kr_*) miss returns
 * of functions that sleep (maxactive).
 */

/* Deferred copies and unexpected copies. */

NIO_KRETPROBE("kretprobe/skb_copy_ubufs", nio_kr_deferred, deferred_copy_end(ret), int ret)
NIO_KRETPROBE("kretprobe/skb_copy_bits", nio_kr_copy_bits,
	      other_copy_end(NIO_COPY_BITS, NIO_OTHER_COPY_BITS, !ret, false), int ret)
NIO_KRETPROBE("kretprobe/skb_copy_and_csum_bits", nio_kr_csum_bits,
	      other_copy_end(NIO_COPY_BITS, NIO_OTHER_COPY_BITS, true, false))
NIO_KRETPROBE("kretprobe/skb_try_coalesce", nio_kr_coalesce,
	      other_copy_end(NIO_COPY_COALESCE, NIO_OTHER_COALESCE, ret, false), bool ret)

/* Completions. */

NIO_KRETPROBE("kretprobe/msg_zerocopy_complete", nio_kr_uarg_put, on_uarg_put_return())
NIO_KPROBE("kprobe/msg_zerocopy_realloc", nio_kp_msg_account, account_begin_flow(sk),
	   const struct sock *sk)
NIO_KRETPROBE("kretprobe/msg_zerocopy_realloc", nio_kr_msg_account, account_end_flow(!ret),
	      void *ret)
NIO_KPROBE("kprobe/sock_zerocopy_realloc", nio_kp_sock_account, account_begin_flow(sk),
	   const struct sock *sk)
NIO_KRETPROBE("kretprobe/sock_zerocopy_realloc", nio_kr_sock_account, account_end_flow(!ret),
	      void *ret)

/* Time. */

NIO_KRETPROBE("kretprobe/tcp_sendmsg", nio_kr_sendmsg, call_leave(NULL, ret), int ret)
NIO_KPROBE("kprobe/release_sock", nio_kp_release, call_begin_part(sk, NIO_PATH_RELEASE, PROBE_READ),
	   struct sock *sk)
NIO_KRETPROBE("kretprobe/sk_page_frag_refill", nio_kr_refill,
	      if (ret) call_end_part_here(NIO_PATH_OTHER, NIO_PATH_COPY), bool ret)

SEC("?kretprobe/skb_zerocopy_iter_stream")
int BPF_KRETPROBE(nio_kr_pin_time, int ret)
{
	pin_perf_end(ret);
	call_end_part_here(NIO_PATH_PIN, NIO_PATH_OTHER);
	return 0;
}

NIO_KRETPROBE("kretprobe/sk_stream_wait_memory", nio_kr_wait,
	      call_end_part_here(NIO_PATH_WAIT, NIO_PATH_OTHER))
NIO_KRETPROBE("kretprobe/tcp_write_xmit", nio_kr_write_xmit,
	      call_end_part_here(NIO_PATH_TRANSMIT, NIO_PATH_OTHER))
NIO_KPROBE("kprobe/skb_copy_datagram_iter", nio_kp_rx_time, rx_copy_begin_flow(skb, len),
	   const struct sk_buff *skb, int offset, void *to, int len)
NIO_KRETPROBE("kretprobe/skb_copy_datagram_iter", nio_kr_rx_time, rx_copy_end_flow())

/* For both backends: completions, receive softirqs on top of a sender, and preemption. */
NIO_PROG("tp_btf/inet_sk_error_report", nio_tp_uarg_report, on_uarg_report(sk),
	 const struct sock *sk)
NIO_PROG("tp_btf/softirq_entry", nio_tp_softirq_entry, call_softirq(vec, true), unsigned int vec)
NIO_PROG("tp_btf/softirq_exit", nio_tp_softirq_exit, call_softirq(vec, false), unsigned int vec)

/*
 * From Linux 5.19 prev_state follows. preempt is true for each switch in a system call that is no
 * sleep, including cond_resched() (preempt_schedule_common).
 */
NIO_PROG("tp_btf/sched_switch", nio_tp_switch, call_switch(preempt, next->pid), bool preempt,
	 struct task_struct *prev, struct task_struct *next)

char LICENSE[] SEC("license")
= "GPL";
