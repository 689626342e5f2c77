/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Counts how the sockets of attach send (receive: attach.bpf.c); bytes are the sockets' own
 * counters. */
#ifndef BPF_SOCK_EVENTS_BPF_H
#define BPF_SOCK_EVENTS_BPF_H

#include "sock_requests.bpf.h"

/* Programs see the kernel complete sends, so notifications add nothing. */
const volatile bool nio_completions = false;

/* Messages of further threads that send on one socket at the same time. Key: thread id. */
struct nio_thread_message {
	__u64 key; /* of struct sock_state */
	struct nio_message message;
};

NIO_MAP(nio_messages, LRU_HASH, NIO_MESSAGES_MAX, 0, __u32, struct nio_thread_message);

NIO_MAP(nio_event_counts, PERCPU_ARRAY, 1, 0, __u32, struct nio_event_counts);

static __always_inline struct nio_event_counts *event_counts(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&nio_event_counts, &zero);
}

static __always_inline void count_event(void)
{
	struct nio_event_counts *c = event_counts();

	if (c)
		c->runs++;
}

static __always_inline void count_watched(const struct sock_state *s)
{
	struct nio_event_counts *c = event_counts();

	if (c && !(s->flags & SOCK_STATE_FOREIGN))
		c->watched++;
}

static __always_inline void count_moved(const struct sock_state *s, __u32 way, __u64 bytes)
{
	struct nio_event_counts *c = event_counts();

	if (c && way < NIO_MOVED_NR && !(s->flags & SOCK_STATE_FOREIGN))
		c->moved[way] += bytes;
}

static __always_inline void count_sent(const struct sock_state *s, __u32 kind, __u32 bytes)
{
	struct nio_event_counts *c = event_counts();

	if (c && kind < NIO_CALL_NR && !(s->flags & SOCK_STATE_FOREIGN))
		c->sent[kind] += bytes;
}

/* Adds a call or copy seen in a window. It counts nio_weight times: for the whole period. */
static __always_inline void add_weighted(struct nio_amount *a, __u64 bytes)
{
	__u64 weight = nio_weight;

	add_to(&a->bytes, bytes * weight);
	add_to(&a->events, weight);
}

/* Bytes that were seen count nio_weight times in the stages of this side. */
static __always_inline void note_weight(struct sock_events *e, __u32 side, __s64 bytes)
{
	__u32 weight = nio_weight;

	if (weight > 1)
		add_to(&e->added[side], bytes * (weight - 1));
}

static __always_inline void touch(struct sock_state *s, const struct sock *sk)
{
	s->last_ns = bpf_ktime_get_ns();
	if (!(s->flags & SOCK_STATE_FOREIGN) &&
	    (__s64)(s->last_ns - nio_moved_ns) > NIO_MOVED_STEP_NS)
		nio_moved_ns = s->last_ns;
	if (!(s->flags & SOCK_STATE_PLACED))
		fill_identity(s, sk);
}

/* True if another layer than TCP serves this socket: its bytes are uncovered. */
static __always_inline bool is_uncovered(struct sock_state *s, const struct sock *sk, __u32 side,
					 __u32 bytes)
{
	enum nio_uncovered_kind path = path_of(sk, side, PROBE_READ);

	if (path >= NIO_COVERED || side >= NIO_SIDE_NR)
		return false;
	s->uncovered = path + 1;
	if (path == NIO_UNCOVERED_KTLS)
		s->tls.context = (__u64)kernel_read(struct inet_connection_sock, sk, icsk_ulp_data);
	add_to(&events_of(s)->uncovered_bytes[side][path], bytes);
	return true;
}

#define TCP_RECV_QUEUE 1 /* value of TCP_REPAIR_QUEUE */

/* With TCP_REPAIR, a send call can fill the receive queue: nothing is sent. */
static __always_inline bool restores_received(const struct sock *sk)
{
	const struct tcp_sock *tp = (const struct tcp_sock *)sk;

	return kernel_read(struct tcp_sock, sk, repair_queue) == TCP_RECV_QUEUE &&
	       BPF_CORE_READ_BITFIELD_PROBED(tp, repair);
}

/* Only sockets with SO_ZEROCOPY pin pages and issue ids for MSG_ZEROCOPY sends. */
enum sock_flags___zerocopy {
	SOCK_ZEROCOPY___zerocopy = 25,
};

static __always_inline bool may_pin(const struct sock *sk)
{
	__u64 flag = bpf_core_enum_value(enum sock_flags___zerocopy, SOCK_ZEROCOPY___zerocopy);

	return kernel_read(struct sock_common, sk, skc_flags) & (1UL << flag);
}

/* The flags NIO_SEEN_* and NIO_CALL_* of a send call. */
static __always_inline __u32 call_of(const struct sock *sk, const struct msghdr *msg, bool vector)
{
	__u32 what = call_of_message(msg, PROBE_READ) | (vector ? NIO_SEEN_VECTORED : 0);

	if (kernel_read(struct msghdr, msg, msg_flags) & MSG_FASTOPEN)
		what |= NIO_SEEN_FASTOPEN;
	if ((what & NIO_SEEN_ZEROCOPY) && may_pin(sk))
		what |= NIO_SEEN_PINS;
	return what;
}

/* Keeps the message of this thread's call until the call returns. */
static __always_inline void keep_message(struct sock_state *s, __u32 what, __u64 uarg)
{
	struct nio_thread_message m = {
		.key = s->key,
		.message = {.tid = tid_now(), .what = what, .uarg = uarg},
	};

	if (!s->message.tid || s->message.tid == m.message.tid)
		s->message = m.message;
	else
		bpf_map_update_elem(&nio_messages, &m.message.tid, &m, BPF_ANY);
}

/* Takes the message kept by keep_message(). All 0: it was not seen. */
static __always_inline struct nio_message consume_message(struct sock_state *s)
{
	struct nio_message message = {0};
	struct nio_thread_message *m;
	__u32 tid = tid_now();

	if (!nio_sees_calls)
		return message;
	if (s->message.tid == tid) {
		message = s->message;
		s->message.tid = 0;
		return message;
	}
	m = bpf_map_lookup_elem(&nio_messages, &tid);
	if (!m || m->key != s->key)
		return message;
	message = m->message;
	bpf_map_delete_elem(&nio_messages, &tid);
	return message;
}

/* A send call is about to queue bytes. begins: the message has all its buffers still. */
static __always_inline void on_message(struct sock *sk, const struct msghdr *msg, bool begins)
{
	bool adopted;
	struct sock_state *s = state_in_use(sk, &adopted);
	__u64 uarg = 0;
	__u32 what;

	if (!s || nio_over)
		return;
	count_watched(s);
	what = call_of(sk, msg, begins ? is_vector(msg) : was_vector(msg));
	if (what & NIO_SEEN_FOREIGN)
		uarg = uarg_of_message(msg);
	keep_message(s, what, uarg);
	if (!(what & NIO_SEEN_ZEROCOPY))
		return;
	if (uarg)
		note_request(s, uarg);
	else
		note_zerocopy();
	/* The present call has already taken its id. */
	if (adopted && (what & NIO_SEEN_PINS) && s->zckey)
		include_present_id(s);
}

static __always_inline enum nio_send_kind how_sent(struct sock_state *s, const struct sock *sk,
						   __u32 what)
{
	bool known = what & NIO_SEEN_CALL, routed = !(what & NIO_SEEN_FASTOPEN);
	bool took_id = note_ids(s, sk);

	if (took_id)
		note_zerocopy();
	return nio_send_kind((struct nio_send_facts){
		.known = known,
		.foreign = what & NIO_SEEN_FOREIGN,
		.by_uring = !known && uses_io_uring(),
		.zerocopy = what & NIO_SEEN_ZEROCOPY,
		.splice = what & NIO_SEEN_SPLICE,
		.sg = routed && (kernel_read(struct sock, sk, sk_route_caps) & NETIF_F_SG),
		/* If the message was seen, its flags decide: other threads may have taken ids. */
		.took_id = known ? (what & NIO_SEEN_PINS) != 0 : took_id,
	});
}

/* NIO_SEEN_FOREIGN comes first: SEND_ZC of io_uring also sets MSG_ZEROCOPY. */
static __always_inline __u32 kind_of(__u32 call, enum nio_send_kind how)
{
	if (call & NIO_SEEN_FOREIGN)
		return NIO_CALL_IO_URING;
	if (how == NIO_SEND_PINNED || (call & NIO_SEEN_ZEROCOPY))
		return NIO_CALL_ZEROCOPY;
	if (call & NIO_SEEN_SPLICE)
		return NIO_CALL_SPLICE;
	if (!(call & NIO_SEEN_CALL))
		return NIO_CALL_UNTOLD;
	return call & NIO_SEEN_VECTORED ? NIO_CALL_VECTORED : NIO_CALL_PLAIN;
}

static __always_inline void book_sent(const struct sock_state *s, struct sock_events *e,
				      enum nio_send_kind how, __u32 bytes)
{
	/* enum nio_moved begins with the values of enum nio_send_kind. */
	count_moved(s, how, bytes);
	switch (how) {
	case NIO_SEND_PINNED:
		add_weighted(&e->stages[NIO_STAGE_TX_PIN], bytes);
		return;
	case NIO_SEND_SPLICED:
		add_weighted(&e->stages[NIO_STAGE_TX_SPLICE], bytes);
		return;
	case NIO_SEND_FOREIGN:
		add_to(&e->uncovered_bytes[NIO_SIDE_SENDER][NIO_UNCOVERED_FOREIGN],
		       (__u64)bytes * nio_weight);
		return;
	default:
		add_weighted(&e->stages[NIO_STAGE_TX_COPY], bytes);
	}
}

/* How many of the ret bytes of a call went with the SYN. */
static __always_inline __u32 consume_syn_bytes(struct sock_state *s, const struct sock *sk,
					       __u32 ret)
{
	__u32 bytes = s->syn_bytes;

	if (kernel_read(struct sock_common, sk, skc_state) == TCP_SYN_SENT)
		return ret;
	if (bytes)
		s->syn_bytes = 0;
	return bytes < ret ? bytes : ret;
}

/* A send call queued ret bytes. what: NIO_SEEN_* and NIO_CALL_* of its message. */
static __always_inline void book_send(struct sock_state *s, const struct sock *sk, __u32 ret,
				      __u32 what)
{
	enum nio_send_kind how = how_sent(s, sk, what);
	__u32 syn = consume_syn_bytes(s, sk, ret), kind;
	struct sock_events *e = events_of(s);

	/* The kernel copies data of a SYN in any mode (tcp_send_syn_data). */
	if (syn && how != NIO_SEND_COPIED)
		book_sent(s, e, NIO_SEND_COPIED, syn);
	else
		syn = 0;
	if (ret > syn)
		book_sent(s, e, how, ret - syn);
	note_weight(e, NIO_SIDE_SENDER, ret);
	kind = kind_of(what, how);
	add_weighted(&e->calls[kind], ret);
	count_sent(s, kind, ret);
	/* sendfile and splice send in pieces: no hook sees the size of the call. */
	if (kind != NIO_CALL_SPLICE)
		add_to(&e->tx_sizes[nio_size_bucket(ret)], nio_weight);
	if (what & NIO_SEEN_ZEROCOPY && !(what & (NIO_SEEN_PINS | NIO_SEEN_FOREIGN)))
		add_to(&e->zc_without_option, nio_weight);
}

#define EAGAIN      11
#define EFAULT      14
#define EPIPE       32
#define ECONNRESET  104
#define ENOBUFS     105
#define EINPROGRESS 115

static __always_inline enum nio_refusal refusal_of(int err)
{
	switch (-err) {
	case ENOBUFS:
		return NIO_REFUSAL_ENOBUFS;
	case EAGAIN:
		return NIO_REFUSAL_EAGAIN;
	case EPIPE:
		return NIO_REFUSAL_EPIPE;
	case ECONNRESET:
		return NIO_REFUSAL_ECONNRESET;
	case EFAULT:
		return NIO_REFUSAL_EFAULT;
	default:
		return NIO_REFUSAL_OTHER;
	}
}

/*
 * A send call failed, or sent 0 bytes. sendfile and splice send in pieces, and io_uring tries
 * again: EAGAIN of one of their tries is not the result of a call.
 */
static __always_inline void book_refused(struct sock_state *s, int err, __u32 what)
{
	struct sock_events *e = err != -EINPROGRESS ? events_of(s) : NULL;

	if (!e)
		return;
	if (!err)
		add_to(&e->empty, nio_weight);
	else if (err == -EAGAIN && ((what & NIO_SEEN_SPLICE) || uses_io_uring()))
		add_to(&e->inner_eagain, nio_weight);
	else
		add_to(&e->refused[refusal_of(err)], nio_weight);
}

/*
 * Should this call be booked? Not if its message was missed. Bytes sent with the SYN may have no
 * loop iteration that shows their message.
 */
static __always_inline bool is_known(const struct sock_state *s, const struct sock *sk, __u32 what)
{
	return !nio_sees_calls || (what & NIO_SEEN_CALL) || s->syn_bytes ||
	       kernel_read(struct sock_common, sk, skc_state) == TCP_SYN_SENT;
}

/*
 * A send call of kTLS returns. It may be of a part of a record, which is in the number already: the
 * next reading has the rest.
 */
static __always_inline void read_records(struct sock_state *s, const struct sock *sk)
{
	struct nio_numbers n;
	struct nio_tcp t;

	read_tcp(&t, sk, s);
	n = nio_numbers_of(&t);
	read_tls(s, sk, &n, false);
}

/* A send call queued ret bytes, or failed. what: flags known from the hook. */
static __always_inline void on_call_return(struct sock *sk, int ret, __u32 what)
{
	bool adopted = false;
	struct sock_state *s = state_in_use(sk, &adopted);
	struct nio_message message;

	if (!s || nio_over)
		return;
	count_watched(s);
	message = consume_message(s);
	what |= message.what;
	if (!nio_sees_calls && s->message.tid != tid_now()) {
		/* One hand-over is normal: one thread connects, another sends. */
		if (s->message.tid && s->several < 2)
			s->several++;
		s->message.tid = tid_now();
	}
	if (restores_received(sk))
		return;
	if (ret <= 0) {
		book_refused(s, ret, what);
		return;
	}
	touch(s, sk);
	if (is_uncovered(s, sk, NIO_SIDE_SENDER, ret)) {
		if (is_of_tls(s))
			read_records(s, sk);
		return;
	}
	if (!is_known(s, sk, what))
		return;
	if (adopted && s->begun == 1)
		drop_past(s, ret);
	if (message.uarg)
		note_request_sent(s, message.uarg);
	book_send(s, sk, ret, what);
}

/*
 * A notification of the error queue: the kernel reports it, and the application reads it, perhaps
 * at the same time on another CPU.
 */
static __always_inline void on_notice(struct sock_state *s, const struct sk_buff *skb)
{
	struct zc_notification n;
	struct sock_events *e;
	__u32 sends;

	if (!read_notification(skb, &n))
		return;
	note_zerocopy();
	e = nio_completions ? NULL : events_of(s);
	sends = e ? nio_claim_until(&s->zc_next, n.lo + n.sends) : 0;
	if (!sends)
		return;
	/* `copied` first: a reader between the two finds too few that were not copied. */
	if (n.copied)
		add_to(&e->copied, sends);
	add_to(&e->completed, sends);
}

/* The socket of a MSG_ZEROCOPY send (see cookie_of_uarg()). */
static __always_inline const struct sock *sock_of_zerocopy(const char *uarg)
{
	return kernel_read(struct sk_buff, uarg - bpf_core_field_offset(struct sk_buff, cb), sk);
}

/* The socket that sent with this ubuf_info, by MSG_ZEROCOPY. */
static __always_inline struct sock_state *state_of_uarg(const char *uarg)
{
	return uarg && is_msg_zerocopy(uarg) ? state_of(sock_of_zerocopy(uarg)) : NULL;
}

/* The same, by MSG_ZEROCOPY or by io_uring. */
static __always_inline struct sock_state *state_of_sender(const char *uarg)
{
	bool zerocopy = uarg && is_msg_zerocopy(uarg);
	struct sock_state *s = NULL;

	if (!uarg)
		return NULL;
	/* Without the kernel's addresses, is_msg_zerocopy() holds for both. */
	if (!zerocopy || !nio_zerocopy_end)
		s = state_of_request_at(uarg);
	return s || !zerocopy ? s : state_of(sock_of_zerocopy(uarg));
}

/* The kernel completes a range of sends: the last reference to their pages is gone. */
static __always_inline void on_sends_completed(const char *uarg, bool copied)
{
	struct sock_state *s = state_of_uarg(uarg);
	struct zc_notification n;
	struct sock_events *e;

	/* Not an id issued before the socket was watched. `zckey` may be behind. */
	if (!s || nio_over || read_uarg(uarg, &n) ||
	    (nio_seq_delta(n.lo, s->zckey) > (__s64)s->zc_ids))
		return;
	note_zerocopy();
	e = events_of(s);
	if (n.copied || copied)
		add_to(&e->copied, n.sends); /* first, as in on_notice() */
	add_to(&e->completed, n.sends);
}

/* Zero-copy pages are copied for a local receiver (skb_copy_ubufs), or will be. */
static __always_inline void on_deferred_copy(const struct sk_buff *skb, bool known)
{
	__u32 bytes = NIO_FIELD(known, struct sk_buff, skb, data_len);
	struct sock_state *s = bytes ? state_of_sender(uarg_of(skb, known)) : NULL;
	struct sock_events *e = s && !nio_over ? events_of(s) : NULL;

	if (e) {
		add_to(&e->stages[NIO_STAGE_DEFERRED_COPY].bytes, bytes);
		add_to(&e->stages[NIO_STAGE_DEFERRED_COPY].events, 1);
	}
}

/* The kernel reports an error or completed sends: reads the last entry of the error queue. */
static __always_inline void on_report(const struct sock *sk)
{
	struct sock_state *s = state_of(sk);
	const struct sk_buff *last;

	if (!s || nio_over)
		return;
	last = (const void *)BPF_CORE_READ(sk, sk_error_queue.prev);
	if (last && (const void *)last !=
			    (const char *)sk + bpf_core_field_offset(struct sock, sk_error_queue))
		on_notice(s, last);
}

#endif
