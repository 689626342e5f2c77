// SPDX-License-Identifier: GPL-2.0-only
/* The BPF object of a run: its programs. The plan chooses which are loaded. */
#include "copy.bpf.h"
#include "socket_file.bpf.h"
#include "stages.bpf.h"
#include "tls.bpf.h"

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

/* Bytes. */

NIO_PROG("fexit/tcp_sendmsg_locked", nio_fx_send_return,
	 if (!nio_resting) on_send_locked_return(sk, msg, ret), struct sock *sk, struct msghdr *msg,
	 unsigned long size, int ret)
NIO_PROG("fexit/do_tcp_sendpages", nio_fx_sendpages, if (!nio_resting) on_sendpages_return(sk, ret),
	 struct sock *sk, void *page, int offset, unsigned long size, int flags, long ret)
NIO_PROG("fexit/skb_copy_datagram_iter", nio_fx_rx_copy,
	 if (!nio_resting && !ret) on_rx_copy(skb, len, TRUSTED), const struct sk_buff *skb,
	 int offset, void *to, int len, int ret)

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
 * The kprobe backend, for kernels that refuse fentry and fexit. Bytes come from entries (nio_kp_*)
 * only: kretprobes (nio_kr_*) miss returns of functions that sleep (maxactive). Times need both.
 */

/* Bytes. */

NIO_KPROBE("kprobe/tcp_sendmsg_locked", nio_kp_send_begin, if (!nio_resting) on_send_begin(sk, msg),
	   struct sock *sk, struct msghdr *msg)
NIO_KPROBE("kprobe/tcp_push", nio_kp_push, if (!nio_resting) on_push(sk, nonagle), struct sock *sk,
	   int flags, int mss_now, int nonagle)
NIO_KPROBE("kprobe/do_tcp_sendpages", nio_kp_sendpages, if (!nio_resting) on_sendpages_begin(sk),
	   struct sock *sk)
NIO_KPROBE("kprobe/skb_copy_datagram_iter", nio_kp_rx_copy,
	   if (!nio_resting) on_rx_copy(skb, len, PROBE_READ), const struct sk_buff *skb,
	   int offset, void *to, int len)

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

/* The tracepoint backend, for kernels that refuse programs on functions. */

NIO_PROG("tp_btf/sock_send_length", nio_tp_send_return, on_send_return(sk, ret, 0), struct sock *sk,
	 int ret, int flags)
/* The event does not show the message. These senders call nothing but sendfile() or splice(). */
NIO_PROG("tp_btf/sock_send_length", nio_tp_splice_return,
	 on_send_return(sk, ret, NIO_SEEN_CALL | NIO_SEEN_SPLICE), struct sock *sk, int ret,
	 int flags)
/*
 * Zero-copy requests of io_uring, for all backends. Linux 6.16 has a tracepoint that shows the
 * message; on earlier kernels only programs on functions see it.
 */
NIO_PROG("tp_btf/tcp_sendmsg_locked", nio_tp_request, on_request_message(sk, msg, TRUSTED),
	 struct sock *sk, const struct msghdr *msg)
NIO_ENTRY(request, tcp_sendmsg_locked, on_request_message(sk, msg, known), struct sock *sk,
	  struct msghdr *msg)
NIO_PROG("tp_btf/sock_send_length", nio_tp_request_return, on_request_return(sk, ret, TRUSTED),
	 struct sock *sk, int ret, int flags)
NIO_PROG("fexit/tcp_sendmsg_locked", nio_fx_request_return, on_request_return(sk, ret, TRUSTED),
	 struct sock *sk, struct msghdr *msg, unsigned long size, int ret)
NIO_PROG("tp_btf/sock_send_length", nio_tp_request_by_mode, on_request_by_mode(sk, ret),
	 struct sock *sk, int ret, int flags)
NIO_PROG("tp_btf/netif_receive_skb", nio_tp_request_arrival, on_request_arrival(skb),
	 struct sk_buff *skb)
/* The arguments differ between kernels: BTF tells which program fits. */
NIO_PROG("tp_btf/io_uring_complete", nio_tp_request_end, on_request_notified(req, cqe->flags),
	 void *ctx_of_ring, const char *req, const struct io_uring_cqe___request *cqe)
NIO_PROG("tp_btf/io_uring_complete", nio_tp_request_end7, on_request_notified(req, cflags),
	 void *ctx_of_ring, const char *req, __u64 user_data, int res, unsigned int cflags,
	 __u64 extra1, __u64 extra2)

/* These senders use io_uring, but no SEND_ZC: their requests copy. */
NIO_PROG("tp_btf/sock_send_length", nio_tp_uring_return, on_send_return(sk, ret, NIO_SEEN_CALL),
	 struct sock *sk, int ret, int flags)

/* skb->sk may be NULL: packets of packet sockets, forwarded packets. */
NIO_PROG("tp_btf/net_dev_queue", nio_tp_transmit, on_transmit(skb->sk, skb, TRUSTED),
	 struct sk_buff *skb)

NIO_PROG("tp_btf/skb_copy_datagram_iovec", nio_tp_rx_copy, on_rx_copy(skb, len, TRUSTED),
	 const struct sk_buff *skb, int len)

/*
 * Receive copies for the function backends, where events are watched in slices: a program on a
 * function costs too much to detach between slices.
 */
NIO_PROG("tp_btf/skb_copy_datagram_iovec", nio_tp_rx_slices, on_rx_copy(skb, len, TRUSTED),
	 const struct sk_buff *skb, int len)
/* For all backends, where kTLS decrypts: the bytes that it also copies to the application. */
NIO_PROG("tp_btf/skb_copy_datagram_iovec", nio_tp_rx_decrypted, on_decrypted_copy(skb, len),
	 const struct sk_buff *skb, int len)
/* For all backends, where the receiver takes bytes without a copy. */
NIO_PROG("tp_btf/tcp_rcv_space_adjust", nio_tp_taken, on_taken(sk), const struct sock *sk)
NIO_PROG("tp_btf/netif_receive_skb", nio_tp_zerocopy_arrival, on_zerocopy_arrival(skb),
	 struct sk_buff *skb)

/* Notifications only: another program counts payload. */
NIO_PROG("tp_btf/skb_copy_datagram_iovec", nio_tp_notification, on_error_queue_copy(skb, len),
	 const struct sk_buff *skb, int len)

/* For all backends: completions, receive softirqs on top of a sender, and preemption. */
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

/* Reads a socket's numbers, which no lock holds still. False: they moved meanwhile. */
static __always_inline bool fill_socket(struct nio_socket *out, const struct sock *sk)
{
	fill_tcp(&out->tcp, sk);
	out->zckey = kernel_read(struct sock, sk, sk_zckey.counter);
	out->omem = kernel_read(struct sock, sk, sk_omem_alloc.counter);
	out->scatter_gather = (kernel_read(struct sock, sk, sk_route_caps) & NETIF_F_SG) != 0;
	return held_still(&out->tcp, sk);
}

/* The record numbers of kTLS. They are exact while no bytes move. */
static __always_inline void fill_tls(struct nio_socket *out, const struct sock *sk)
{
	const char *ctx;

	if (!bpf_core_type_exists(struct tls_context) || ulp_of(sk) != ULP_KTLS)
		return;
	ctx = kernel_read(struct inet_connection_sock, sk, icsk_ulp_data);
	if (!ctx)
		return;
	out->tls = (tls_conf(ctx, true) == TLS_SW ? NIO_SOCKET_TLS_SENDS : 0) |
		   (tls_conf(ctx, false) == TLS_SW ? NIO_SOCKET_TLS_RECEIVES : 0);
	if (kernel_read(struct tls_context, ctx, partially_sent_record))
		out->tls |= NIO_SOCKET_TLS_PARTIAL;
	if ((out->tls & NIO_SOCKET_TLS_RECEIVES) && decrypts_directly(ctx))
		out->tls |= NIO_SOCKET_TLS_DIRECT;
	out->tls_sent = tls_next(ctx, true);
	out->tls_received = tls_next(ctx, false);
	out->tls_overhead = kernel_read(struct tls_context, ctx, prot_info.overhead_size);
}

/*
 * Called for each open file of the load generator: writes the numbers of watched sockets. It runs
 * only when user space reads it. Not iter/tcp, which can damage the kernel (CVE-2026-74714;
 * docs/KERNELS.md).
 */
SEC("?iter/task_file")
int nio_sockets(struct bpf_iter__task_file *ctx)
{
	const struct file *file = ctx->file;
	const struct sock *sk = file ? tcp_of(file) : NULL;
	struct nio_socket out = {};
	struct nio_conn *conn;

	if (!sk)
		return 0;
	out.cookie = kernel_read(struct sock_common, sk, skc_cookie.counter);
	conn = conn_by_cookie(out.cookie);
	if (!conn)
		return 0;
	/* Not a loop: before Linux 6.4 the verifier refuses some. */
	if (!fill_socket(&out, sk) && !fill_socket(&out, sk))
		fill_socket(&out, sk);
	fill_tls(&out, sk);
	/* The first reading is before the measured phase: bytes taken from here on are counted. */
	if (!conn->seen)
		note_copied_seq(conn, out.tcp.copied_seq, 0);
	bpf_seq_write(ctx->meta->seq, &out, sizeof(out));
	return 0;
}

char LICENSE[] SEC("license")
= "GPL";
