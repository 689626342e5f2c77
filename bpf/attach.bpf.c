// SPDX-License-Identifier: GPL-2.0-only
/*
 * The BPF object of attach. Every program is optional. The programs in this file see every call and
 * packet of the machine; at high rates user space attaches them in windows only.
 */
#include "arrival.bpf.h"
#include "sock_existing.bpf.h"
#include "sock_events.bpf.h"
#include "taken.bpf.h"

/* True simulates the runs that a preemptible kernel refuses (tests/e2e/attach_threads.bats). */
#ifndef NIO_IS_REFUSED
#define NIO_IS_REFUSED false
#endif

/* Counts the bytes that the sockets receive: those copied, and others by their call. */

/*
 * Bytes read beyond the end of the last copy were taken without a copy, perhaps 4 GiB and more.
 * Fewer: a peek. by: the stage of bytes taken; NIO_STAGE_NR: unknown.
 */
static __always_inline void book_taken(struct sock_state *s, struct sock_events *e, __u64 read,
				       __u32 by)
{
	__s64 further = (__s64)(read - s->read_seen);
	__u32 window = nio_window;

	/*
	 * Bytes taken outside windows are not judged. Copies that are seen while the programs are
	 * detached and attached again have the same even number.
	 */
	if (s->rx_window != window || !(window & 1)) {
		s->rx_window = window;
		return;
	}
	if (further > 0 && by < NIO_STAGE_NR) {
		add_seen(e, by, further);
		note_weight(e, NIO_SIDE_RECEIVER, further);
		count_moved(s, NIO_MOVED_READ + by - NIO_STAGE_RX_COPY, further);
	} else if (further > 0) {
		add_uncovered(e, NIO_SIDE_RECEIVER, NIO_UNCOVERED_UNSEEN,
			      (__u64)further * nio_weight);
		count_moved(s, NIO_MOVED_UNCOPIED, further);
	} else if (further < 0) {
		add_uncovered(e, NIO_SIDE_RECEIVER, NIO_UNCOVERED_PEEKED,
			      (__u64)-further * nio_weight);
		note_weight(e, NIO_SIDE_RECEIVER, further);
	}
}

/* nio_numbers.read at this moment. The caller holds the socket lock. */
static __always_inline __u64 bytes_read_now(const struct sock *sk)
{
	return nio_bytes_read(kernel_read(struct tcp_sock, sk, bytes_received),
			      kernel_read(struct tcp_sock, sk, rcv_nxt),
			      kernel_read(struct tcp_sock, sk, copied_seq),
			      kernel_read(struct sock_common, sk, skc_flags) & (1UL << SOCK_DONE));
}

/*
 * Bytes read after the close: tcp_disconnect() may clear the counters before tcp_destroy_sock, so
 * the numbers are saved here.
 */
static __always_inline void on_read_after_close(struct sock_state *s, const struct sock *sk,
						__u32 len)
{
	struct nio_numbers n;
	struct nio_tcp t;

	read_tcp(&t, sk, s);
	if (t.write_seq != s->write_seq)
		return;
	n = nio_numbers_of(&t);
	s->now.read = n.read + len;
}

/*
 * The kernel copies len bytes of payload to user memory, under the socket lock. kTLS copies are not
 * booked: the connection's bytes are the records that kTLS takes from TCP.
 */
static __always_inline void on_received(struct sock *sk, int len, struct nio_event_counts *c)
{
	bool adopted;
	struct sock_state *s = state_in_use(sk, &adopted);
	enum nio_uncovered_kind path;
	struct sock_events *e;
	bool first;
	__u64 read;

	if (!s || nio_over)
		return;
	count_watched(s);
	touch(s, sk);
	e = events_of(s);
	if (!e)
		return;
	path = path_of(sk, NIO_SIDE_RECEIVER, PROBE_READ);
	if (path < NIO_COVERED) {
		s->uncovered = path + 1;
		if (path != NIO_UNCOVERED_KTLS)
			add_uncovered(e, NIO_SIDE_RECEIVER, path, len);
		return;
	}
	read = bytes_read_now(sk);
	first = s->rx_window != nio_window;
	book_taken(s, e, read, NIO_STAGE_NR);
	s->read_seen = read + len;
	c->last_key = s->key;
	c->last_copied_seq = (__u32)(kernel_read(struct tcp_sock, sk, copied_seq) + len);
	if (s->flags & SOCK_STATE_CLOSED)
		on_read_after_close(s, sk, len);
	/* Neither are the first bytes of a window judged that were taken without a copy. */
	if (first && !nio_declared &&
	    (e->stages[NIO_STAGE_RX_MAP].events || e->stages[NIO_STAGE_RX_DISCARD].events ||
	     e->stages[NIO_STAGE_RX_SPLICE].events))
		return;
	add_seen(e, NIO_STAGE_RX_COPY, len);
	note_weight(e, NIO_SIDE_RECEIVER, len);
	if (nio_declared)
		return;
	count_moved(s, NIO_MOVED_READ, len);
	add_to(&e->rx_sizes[size_bucket(len)], nio_weight);
}

/* kTLS takes a record, for a splice call without a copy to the application. */
static __always_inline void on_record_taken(struct sock_state *s, struct sock *sk)
{
	__u64 read = bytes_read_now(sk), taken = read - s->read_seen;
	struct sock_events *e;

	s->read_seen = read;
	e = stage_of_syscall(sk) == NIO_STAGE_RX_SPLICE ? events_of(s) : NULL;
	if (e)
		add_uncovered(e, NIO_SIDE_RECEIVER, NIO_UNCOVERED_KTLS, plaintext_of(s, sk, taken));
}

/* copied_seq has moved by another number of bytes than the last copy seen on this CPU. */
static __always_inline void on_read_moved(struct sock *sk)
{
	struct sock_state *s = state_of(sk);
	enum nio_uncovered_kind path;
	struct sock_events *e;
	__u64 read;
	__u32 by;

	if (!s || nio_over || !s->begun || is_stale(s, sk))
		return;
	path = path_of(sk, NIO_SIDE_RECEIVER, PROBE_READ);
	if (path == NIO_UNCOVERED_KTLS)
		on_record_taken(s, sk);
	if (path < NIO_COVERED)
		return;
	read = bytes_read_now(sk);
	if (read == s->read_seen)
		return;
	count_event();
	count_watched(s);
	touch(s, sk);
	e = events_of(s);
	if (!e)
		return;
	by = stage_of_syscall(sk);
	if (by < NIO_STAGE_NR && !nio_declared)
		used_now(s);
	book_taken(s, e, read, by);
	s->read_seen = read;
	if (s->flags & SOCK_STATE_CLOSED)
		on_read_after_close(s, sk, 0);
}

/* tcp_rcv_space_adjust: a receive call has moved copied_seq, mostly by what it has just copied. */
static __always_inline void on_taken(struct sock *sk)
{
	struct nio_event_counts *c;

	if (!nio_declared && !nio_socket_known[nio_known_index(low_of(sk))])
		return;
	c = event_counts();
	if (c && c->last_key == (__u64)sk) {
		/* Once: after a peek, the same bytes may be taken without a copy. */
		c->last_key = 0;
		if (c->last_copied_seq == kernel_read(struct tcp_sock, sk, copied_seq))
			return;
	}
	on_read_moved(sk);
}

/* A send call of any socket returns (Linux 6.3). */
SEC("?tp_btf/sock_send_length")
int BPF_PROG(nio_at_send, struct sock *sk, int ret, int flags)
{
	count_event();
	if (!(NIO_IS_REFUSED))
		on_call_return(sk, ret, 0, true);
	return 0;
}

/* Each loop iteration of a send call, before it queues bytes (Linux 6.16). */
SEC("?tp_btf/tcp_sendmsg_locked")
int BPF_PROG(nio_at_turn, struct sock *sk, const struct msghdr *msg)
{
	count_event();
	if (!(NIO_IS_REFUSED))
		on_message(sk, msg, false);
	return 0;
}

/* A run in which kTLS decrypts into the receivers' memory, or copies. */
const volatile bool nio_decrypts = false;

/* kTLS copies len decrypted bytes to the application: netio-loadgen receives them by recv(). */
static __always_inline void on_decrypted(int len)
{
	bool unknown;
	const struct sock *sk = receiving_socket(&unknown);
	struct sock_state *s = sk ? state_of(sk) : NULL;
	struct sock_events *e = s ? events_of(s) : NULL;

	if (unknown)
		add_to(&nio_attach_losses.calls_unknown, 1);
	if (e && is_by_tls(sk, NIO_SIDE_RECEIVER))
		add_seen(e, NIO_STAGE_RX_COPY, len);
}

/* What a program at receive copies does with notifications. */
enum notices {
	NOTICES_LEFT,
	NOTICES_SHARED, /* with the program at their report */
	NOTICES_ALONE,
};

/* skb_copy_datagram_iter copies payload; len 0: the application reads a notification. */
static __always_inline void on_receive_copy(const struct sk_buff *skb, int len,
					    enum notices notices)
{
	struct nio_event_counts *c = event_counts();
	struct sock *sk = skb->sk;
	struct sock_state *s;

	if (!c)
		return;
	if (!nio_declared)
		c->runs++;
	if (!sk && len > 0 && nio_decrypts)
		on_decrypted(len);
	if (!sk || len < 0)
		return;
	if (len && !is_of_error_queue(skb, TRUSTED)) {
		on_received(sk, len, c);
		return;
	}
	s = len || nio_over || notices == NOTICES_LEFT ? NULL : state_of(sk);
	if (s)
		on_notice(s, skb, notices == NOTICES_ALONE);
}

/* A plan has one of the three, by where it counts notifications. */
NIO_PROG("tp_btf/skb_copy_datagram_iovec", nio_at_receive, on_receive_copy(skb, len, NOTICES_LEFT),
	 const struct sk_buff *skb, int len)
NIO_PROG("tp_btf/skb_copy_datagram_iovec", nio_at_receive_notices,
	 on_receive_copy(skb, len, NOTICES_SHARED), const struct sk_buff *skb, int len)
NIO_PROG("tp_btf/skb_copy_datagram_iovec", nio_at_receive_alone,
	 on_receive_copy(skb, len, NOTICES_ALONE), const struct sk_buff *skb, int len)
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
		count_deferred(skb, 1, TRUSTED);
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

/* fentry, fexit and kprobe programs of attach. */

/* Needed only while the program at the return is attached as well. */
NIO_PROG("fentry/tcp_sendmsg_locked", nio_ae_send, if (nio_window & 1) on_message(sk, msg, true),
	 struct sock *sk, struct msghdr *msg)

NIO_PROG("fexit/tcp_sendmsg_locked", nio_ax_send, on_call_return(sk, ret, 0, false),
	 struct sock *sk, struct msghdr *msg, unsigned long size, int ret)

/* MPTCP does not send through tcp_sendmsg_locked. */
NIO_PROG("fexit/mptcp_sendmsg", nio_ax_mptcp, on_call_return(sk, ret, 0, false), struct sock *sk,
	 struct msghdr *msg, unsigned long size, int ret)

/* sendfile and splice used do_tcp_sendpages until Linux 6.4. */
NIO_PROG("fexit/do_tcp_sendpages", nio_ax_sendpages,
	 on_call_return(sk, ret, NIO_SEEN_CALL | NIO_SEEN_SPLICE, false), struct sock *sk,
	 void *page, int offset, unsigned long size, int flags, long ret)
NIO_PROG("fentry/skb_copy_ubufs", nio_ae_deferred, count_deferred(skb, 1, TRUSTED),
	 struct sk_buff *skb)
NIO_PROG("fexit/skb_copy_ubufs", nio_ax_deferred, if (ret) count_deferred(skb, -1, TRUSTED),
	 struct sk_buff *skb, unsigned int gfp, int ret)
NIO_PROG("fentry/__msg_zerocopy_callback", nio_ae_ended, on_sends_completed(uarg, false),
	 const void *uarg)
NIO_PROG("fentry/sock_zerocopy_callback", nio_ae_sock_ended, on_sends_completed(uarg, !success),
	 const void *uarg, bool success)

/* A send call begins and requests `size` bytes, as a kprobe sees it. No message: pages. */
static __always_inline void on_send_asked(struct sock *sk, const struct msghdr *msg, __u32 size)
{
	bool adopted;
	struct sock_state *s = size ? state_in_use(sk, &adopted) : NULL;
	__u32 what = NIO_SEEN_CALL | NIO_SEEN_SPLICE;

	if (!s || nio_over || restores_received(sk))
		return;
	touch(s, sk);
	if (is_uncovered(s, sk, NIO_SIDE_SENDER, size))
		return;
	if (msg)
		what = call_of(sk, msg, is_vector(msg));
	if (what & NIO_SEEN_MSG_UBUF) {
		note_requests_used();
		put_request(s, uarg_of_message(msg), true);
	}
	book_send(s, sk, size, what);
}

/* Where tcp_push cannot be watched: what a call asks for. */
NIO_KPROBE("kprobe/tcp_sendmsg_locked", nio_ak_send, on_send_asked(sk, msg, size), struct sock *sk,
	   struct msghdr *msg, unsigned long size)

/* Notes where the bytes of the call that begins will be queued, unless the call before left off
 * there.
 */
static __always_inline void begin_push(const struct sock *sk)
{
	struct sock_state *s = state_of(sk);

	if (!s || s->push_window == nio_window)
		return;
	s->push_seq = nio_payload_end(kernel_read(struct tcp_sock, sk, write_seq),
				      kernel_read(struct sock_common, sk, skc_state));
	s->push_window = nio_window;
}

struct tcp_sock___packets {
	__u32 packets_out;
} __attribute__((preserve_access_index));

/* Does a call make the connection (TCP Fast Open), or one that connect() left for the first call?
 */
static __always_inline bool connects(const struct sock *sk, const struct msghdr *msg)
{
	return (kernel_read(struct msghdr, msg, msg_flags) & MSG_FASTOPEN) ||
	       (kernel_read(struct sock_common, sk, skc_state) == TCP_SYN_SENT &&
		!kernel_read(struct tcp_sock___packets, sk, packets_out));
}

/*
 * A send call begins: its message is kept for the program that sees it return, or queue its last
 * bytes (tcp_push). The bytes that go with a SYN have neither.
 */
static __always_inline void on_send_begins(struct sock *sk, const struct msghdr *msg, __u32 size)
{
	struct sock_state *s;

	if (nio_by_push && connects(sk, msg)) {
		on_send_asked(sk, msg, size);
		s = state_of(sk);
		if (s)
			s->push_window = 0;
		return;
	}
	on_message(sk, msg, true);
	if (nio_by_push)
		begin_push(sk);
}

NIO_KPROBE("kprobe/tcp_sendmsg_locked", nio_ak_message,
	   if (nio_window & 1) on_send_begins(sk, msg, size), struct sock *sk, struct msghdr *msg,
	   unsigned long size)

/* do_tcp_sendpages begins: its bytes are spliced. */
static __always_inline void on_pages_begin(struct sock *sk)
{
	bool adopted;
	struct sock_state *s = state_in_use(sk, &adopted);

	if (!s || nio_over)
		return;
	keep_message(s, NIO_SEEN_CALL | NIO_SEEN_SPLICE, 0);
	begin_push(sk);
}

NIO_KPROBE("kprobe/do_tcp_sendpages", nio_ak_pages, on_pages_begin(sk), struct sock *sk)

/*
 * A send call has queued its last bytes, or with TCP_NAGLE_PUSH those before it waits for memory,
 * without the lock: other threads may queue bytes meanwhile. Kretprobes miss returns of functions
 * that sleep (maxactive).
 */
static __always_inline void on_push(struct sock *sk, int nonagle)
{
	struct sock_state *s = state_of(sk);
	struct nio_message *message;
	__u32 end;
	__s32 bytes;

	if (!s || s->push_window != nio_window)
		return;
	end = nio_payload_end(kernel_read(struct tcp_sock, sk, write_seq),
			      kernel_read(struct sock_common, sk, skc_state));
	bytes = nio_seq_delta(s->push_seq, end);
	s->push_seq = end;
	message = kept_message(s);
	if (message)
		bytes = message->queued += bytes;
	if (bytes > 0 && !(nonagle & TCP_NAGLE_PUSH))
		on_call_return(sk, bytes, 0, false);
}

NIO_KPROBE("kprobe/tcp_push", nio_ak_push, on_push(sk, nonagle), struct sock *sk, int flags,
	   int mss_now, int nonagle)
NIO_KPROBE("kprobe/do_tcp_sendpages", nio_ak_sendpages, on_send_asked(sk, NULL, size),
	   struct sock *sk, void *page, int offset, unsigned long size)

/* MPTCP sends, for plans that see TCP sends by kprobe. */
NIO_PROG("tp_btf/sock_send_length", nio_ak_mptcp,
	 if (sk->sk_protocol == IPPROTO_MPTCP) on_call_return(sk, ret, 0, false), struct sock *sk,
	 int ret, int flags)

/*
 * The packets that are being copied, for kretprobes, which see no arguments. Key: the thread; of
 * idle tasks the CPU. Not flow_now(), whose symbol libbpf looks up in modules, which needs
 * CAP_SYS_ADMIN. So a copy that fails in a softirq on top of another copy stays counted.
 */
NIO_MAP(nio_copying, LRU_HASH, 4096, 0, __u64, __u64);

static __always_inline __u64 copy_flow(void)
{
	__u32 tid = tid_now();

	return tid ? tid : FLOW_SOFTIRQ | bpf_get_smp_processor_id();
}

static __always_inline void on_copy_begins(const struct sk_buff *skb)
{
	__u64 flow, packet = (__u64)skb;

	if (!count_deferred(skb, 1, PROBE_READ))
		return;
	flow = copy_flow();
	bpf_map_update_elem(&nio_copying, &flow, &packet, BPF_ANY);
}

static __always_inline void on_copy_ends(int err)
{
	__u64 flow = copy_flow(), *packet = bpf_map_lookup_elem(&nio_copying, &flow);

	if (!packet)
		return;
	if (err)
		count_deferred((const void *)*packet, -1, PROBE_READ);
	bpf_map_delete_elem(&nio_copying, &flow);
}

NIO_KPROBE("kprobe/skb_copy_ubufs", nio_ak_deferred, on_copy_begins(skb), struct sk_buff *skb)
NIO_KRETPROBE("kretprobe/skb_copy_ubufs", nio_ak_copied, on_copy_ends(ret), int ret)
NIO_KPROBE("kprobe/__msg_zerocopy_callback", nio_ak_ended, on_sends_completed(uarg, false),
	   const void *uarg)
NIO_KPROBE("kprobe/sock_zerocopy_callback", nio_ak_sock_ended, on_sends_completed(uarg, !success),
	   const void *uarg, bool success)

/* Keeps the table of watched tasks: fork, change of name, exit. */

static __always_inline int on_fork(const struct task_struct *parent,
				   const struct task_struct *child)
{
	struct nio_task *task, *known;
	char comm[16];

	if (child->tgid != child->pid)
		return 0;
	task = task_of(parent);
	known = task_of(child);
	/* A child has its parent's name, so a match by name covers the child as well. */
	if (!task || !(nio_follow_children || task->named) || (known && !known->exit_ns))
		return 0;
	bpf_get_current_comm(comm, sizeof(comm));
	watch_task(child, tgid_of(parent), comm, !nio_follow_children);
	return 0;
}

SEC("?tp_btf/sched_process_fork")
int BPF_PROG(nio_at_fork, struct task_struct *parent, struct task_struct *child)
{
	return on_fork(parent, child);
}

SEC("?tp_btf/sched_process_fork")
int BPF_PROG(nio_at_fork2, struct task_struct *parent, struct task_struct *child)
{
	return on_fork(parent, child);
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
