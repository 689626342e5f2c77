/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Counts how the sockets of attach send (receive: attach.bpf.c); bytes are the sockets' own
 * counters. */
#ifndef BPF_SOCK_EVENTS_BPF_H
#define BPF_SOCK_EVENTS_BPF_H

#include "sock_requests.bpf.h"

/* Programs see the kernel complete sends, so notifications add nothing. */
const volatile bool nio_completions = false;
/* The program at tcp_push is attached. */
const volatile bool nio_by_push = false;
/* 1: a power of two is the largest size of its bucket; 0: the smallest of the next. */
const volatile __u32 nio_sizes_less = 0;

static __always_inline __u32 size_bucket(__u64 bytes)
{
	return nio_size_bucket(bytes > nio_sizes_less ? bytes - nio_sizes_less : 0);
}

/* Messages of further threads that send on one socket at the same time. Key: thread id. */
struct nio_thread_message {
	__u64 key; /* of struct sock_state */
	struct nio_message message;
};

NIO_MAP(nio_messages, LRU_HASH, NIO_MESSAGES_MAX, 0, __u32, struct nio_thread_message);

/* A row per CPU. User space sets max_entries. */
NIO_MAP(nio_event_counts, ARRAY, 1, BPF_F_MMAPABLE, __u32, struct nio_event_counts);

/* NIO_GROUPS rows per CPU, likewise. */
NIO_MAP(nio_group_counts, ARRAY, 1, BPF_F_MMAPABLE, __u32, struct nio_group_counts);

const volatile bool nio_by_group = false; /* groups are counted */
__u32 nio_epoch = 1;                      /* readings of the groups by user space */
__u8 nio_group_used[NIO_GROUPS];          /* 1: a row was used */

static __always_inline struct nio_event_counts *event_counts(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&nio_event_counts, &cpu);
}

static __always_inline void count_event(void)
{
	struct nio_event_counts *c = nio_declared ? NULL : event_counts();

	if (c)
		c->runs++;
}

static __always_inline void count_watched(const struct sock_state *s)
{
	struct nio_event_counts *c = nio_declared ? NULL : event_counts();

	if (c && !(s->flags & SOCK_STATE_FOREIGN))
		c->watched++;
}

/*
 * The counts of the socket's group. A group takes the place of another that was not used since user
 * space read it. NULL: the other one was used.
 */
static __noinline struct nio_group_counts *group_counts(const struct sock_state *s)
{
	struct nio_group group = {.started = s->started, .cgroup = s->cgroup, .tgid = s->tgid};
	struct nio_group_counts *c;
	__u32 row;

	if (s->flags & SOCK_STATE_PLACED)
		group.port = s->flags & SOCK_STATE_CALLER ? s->remote_port : s->local_port;
	row = nio_known_index(group.tgid ^ group.port << 16 ^ (__u32)group.cgroup) &
	      (NIO_GROUPS - 1);
	nio_group_used[row] = 1;
	row += bpf_get_smp_processor_id() * NIO_GROUPS;
	c = bpf_map_lookup_elem(&nio_group_counts, &row);
	if (!c)
		return NULL;
	if (c->group.started != group.started || c->group.cgroup != group.cgroup ||
	    c->group.tgid != group.tgid || c->group.port != group.port) {
		if (c->epoch && nio_epoch - c->epoch < 3)
			return NULL;
		/* In this order: user space believes sums between two equal groups, and no program
		 * on top of this one takes the row. */
		c->epoch = nio_epoch;
		barrier();
		__builtin_memset(&c->group, 0, sizeof(c->group));
		barrier();
		__builtin_memset(&c->sums, 0, sizeof(c->sums));
		barrier();
		c->group = group;
	}
	c->epoch = nio_epoch;
	return c;
}

static __always_inline void add_moved(struct nio_moved_sums *sums, __u32 way, __u64 bytes)
{
	if (way < NIO_MOVED_NR)
		sums->moved[way] += bytes;
}

static __always_inline void count_moved(const struct sock_state *s, __u32 way, __u64 bytes)
{
	bool counts = !nio_declared && !(s->flags & SOCK_STATE_FOREIGN);
	struct nio_event_counts *c = counts ? event_counts() : NULL;
	struct nio_group_counts *g = counts && nio_by_group ? group_counts(s) : NULL;

	if (c)
		add_moved(&c->sums, way, bytes);
	if (g)
		add_moved(&g->sums, way, bytes);
}

static __always_inline void add_sent(struct nio_moved_sums *sums, __u32 kind, __u32 way,
				     __u32 bytes, __u32 syn)
{
	if (kind >= NIO_CALL_NR || way >= NIO_MOVED_NR)
		return;
	sums->sent[kind] += bytes;
	sums->moved[way] += bytes - syn;
	sums->moved[NIO_MOVED_COPIED] += syn;
}

/* syn: how many of the bytes went with the SYN, copied. */
static __always_inline void count_sent(const struct sock_state *s, __u32 kind, __u32 way,
				       __u32 bytes, __u32 syn)
{
	bool counts = !nio_declared && !(s->flags & SOCK_STATE_FOREIGN);
	struct nio_event_counts *c = counts ? event_counts() : NULL;
	struct nio_group_counts *g = counts && nio_by_group ? group_counts(s) : NULL;

	if (c)
		add_sent(&c->sums, kind, way, bytes, syn);
	if (g)
		add_sent(&g->sums, kind, way, bytes, syn);
}

/* Adds a call or copy seen in a window. It counts nio_weight times: for the whole period. */
static __always_inline void add_weighted(struct nio_amount *a, __u64 bytes)
{
	__u64 weight = nio_weight;

	add_to(&a->bytes, bytes * weight);
	add_to(&a->events, weight);
}

static __always_inline void add_seen(struct sock_events *e, __u32 stage, __u64 bytes)
{
	if (nio_declared)
		add_declared(e, stage, bytes);
	else
		add_weighted(&e->stages[stage], bytes);
}

static __always_inline void add_uncovered(struct sock_events *e, enum nio_side side, __u32 kind,
					  __u64 bytes)
{
	add_to(&e->uncovered_bytes[side][kind], bytes);
	if (nio_declared)
		add_to(&seen_with(e)->uncovered_events[kind], 1);
}

/* Bytes that were seen count nio_weight times in the stages of this side. */
static __always_inline void note_weight(struct sock_events *e, __u32 side, __s64 bytes)
{
	__u32 weight = nio_weight;

	if (weight > 1)
		add_to(&e->added[side], bytes * (weight - 1));
}

/* CLOCK_MONOTONIC, at most a tick ago: the clock costs more than the rest of an event. */
static __always_inline __u64 tick_ns(struct nio_event_counts *c)
{
	__u64 tick = bpf_jiffies64();

	if (c->tick != tick) {
		c->tick = tick;
		c->tick_ns = bpf_ktime_get_ns();
	}
	return c->tick_ns;
}

static __always_inline void touch(struct sock_state *s, const struct sock *sk)
{
	struct nio_event_counts *c = nio_declared ? NULL : event_counts();
	__u64 now = c ? tick_ns(c) : 0;

	if (nio_declared)
		return;
	s->last_ns = now > s->first_ns ? now : s->first_ns;
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
	struct sock_events *e;

	if (path >= NIO_COVERED || side >= NIO_SIDE_NR)
		return false;
	s->uncovered = path + 1;
	if (path == NIO_UNCOVERED_KTLS)
		s->tls.context = (__u64)kernel_read(struct inet_connection_sock, sk, icsk_ulp_data);
	e = events_of(s);
	if (e)
		add_uncovered(e, side, path, bytes);
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

/* The message that keep_message() kept for this thread; NULL: none. */
static __always_inline struct nio_message *kept_message(struct sock_state *s)
{
	struct nio_thread_message *m;
	__u32 tid = tid_now();

	if (s->message.tid == tid)
		return &s->message;
	m = bpf_map_lookup_elem(&nio_messages, &tid);
	return m && m->key == s->key ? &m->message : NULL;
}

/* Takes that message. All 0: it was not seen. */
static __always_inline struct nio_message consume_message(struct sock_state *s)
{
	struct nio_message message = {0}, *kept;
	__u32 tid;

	if (!nio_sees_calls || (nio_declared && !(s->declared & NIO_DECLARED_MESSAGES)))
		return message;
	kept = kept_message(s);
	if (!kept)
		return message;
	message = *kept;
	tid = message.tid;
	if (s->message.tid == tid)
		s->message.tid = 0;
	else
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
	if (nio_declared && !nio_by_push && !(s->declared & NIO_DECLARED_MESSAGES))
		return;
	if (begins)
		count_event();
	count_watched(s);
	what = call_of(sk, msg, !nio_declared && (begins ? is_vector(msg) : was_vector(msg)));
	if (what & NIO_SEEN_MSG_UBUF)
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
	/* A declared call tells all; the others take ids. */
	bool took_id = (!nio_declared || !known) && note_ids(s, sk);

	if (took_id)
		note_zerocopy();
	return nio_send_kind((struct nio_send_facts){
		.known = known,
		.msg_ubuf = what & NIO_SEEN_MSG_UBUF,
		.by_uring = !known && uses_io_uring(),
		.zerocopy = what & NIO_SEEN_ZEROCOPY,
		.splice = what & NIO_SEEN_SPLICE,
		.sg = routed && (kernel_read(struct sock, sk, sk_route_caps) & NETIF_F_SG),
		/* If the message was seen, its flags decide: other threads may have taken ids. */
		.took_id = known ? (what & NIO_SEEN_PINS) != 0 : took_id,
	});
}

/* NIO_SEEN_MSG_UBUF comes first: SEND_ZC of io_uring also sets MSG_ZEROCOPY. */
static __always_inline __u32 kind_of(__u32 call, enum nio_send_kind how)
{
	if (call & NIO_SEEN_MSG_UBUF)
		return NIO_CALL_IO_URING;
	if (how == NIO_SEND_PINNED || (call & NIO_SEEN_ZEROCOPY))
		return NIO_CALL_ZEROCOPY;
	if (call & NIO_SEEN_SPLICE)
		return NIO_CALL_SPLICE;
	if (!(call & NIO_SEEN_CALL))
		return NIO_CALL_UNKNOWN;
	return call & NIO_SEEN_VECTORED ? NIO_CALL_VECTORED : NIO_CALL_PLAIN;
}

static __always_inline void book_sent(struct sock_events *e, enum nio_send_kind how, __u32 bytes)
{
	switch (how) {
	case NIO_SEND_PINNED:
		add_seen(e, NIO_STAGE_TX_PIN, bytes);
		return;
	case NIO_SEND_SPLICED:
		add_seen(e, NIO_STAGE_TX_SPLICE, bytes);
		return;
	case NIO_SEND_IO_URING:
		/* Requests pin. A thread that uses io_uring may also copy: user space decides. */
		if (nio_declared)
			add_seen(e, NIO_STAGE_TX_PIN, bytes);
		else
			add_uncovered(e, NIO_SIDE_SENDER, NIO_UNCOVERED_IO_URING,
				      (__u64)bytes * nio_weight);
		return;
	default:
		add_seen(e, NIO_STAGE_TX_COPY, bytes);
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

/*
 * Programs of a run were detached for a while, in which other calls took ids: whether this call,
 * whose message is not seen, took one is unknown.
 */
static __always_inline bool id_is_unknown(struct sock_state *s, const struct sock *sk, __u32 what)
{
	__u32 window = s->window;

	if (!nio_declared || (what & NIO_SEEN_CALL))
		return false;
	s->window = nio_window;
	return window != nio_window && note_ids(s, sk);
}

/* A send call queued ret bytes. what: NIO_SEEN_* and NIO_CALL_* of its message. */
static __always_inline void book_send(struct sock_state *s, const struct sock *sk, __u32 ret,
				      __u32 what)
{
	__u32 zckey = s->zckey, syn, kind;
	enum nio_send_kind how = how_sent(s, sk, what);
	struct sock_events *e = events_of(s);

	if (!e)
		return;
	if (nio_declared && s->zckey != zckey)
		add_to(&seen_with(e)->ids_unseen,
		       nio_ids_unseen(zckey, s->zckey, how == NIO_SEND_PINNED));
	syn = nio_declared ? 0 : consume_syn_bytes(s, sk, ret);
	/* The kernel copies data of a SYN in any mode (tcp_send_syn_data). */
	if (syn && how != NIO_SEND_COPIED)
		book_sent(e, NIO_SEND_COPIED, syn);
	else
		syn = 0;
	if (ret > syn)
		book_sent(e, how, ret - syn);
	if (nio_declared)
		return;
	note_weight(e, NIO_SIDE_SENDER, ret);
	kind = kind_of(what, how);
	add_weighted(&e->calls[kind], ret);
	/* enum nio_moved begins with the values of enum nio_send_kind. */
	count_sent(s, kind, how, ret, syn);
	/* sendfile and splice send in pieces: no hook sees the size of the call. */
	if (kind != NIO_CALL_SPLICE)
		add_to(&e->tx_sizes[size_bucket(ret)], nio_weight);
	if (what & NIO_SEEN_ZEROCOPY && !(what & (NIO_SEEN_PINS | NIO_SEEN_MSG_UBUF)))
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
	bool failed = err != -EINPROGRESS;
	struct sock_events *e = failed ? events_of(s) : NULL;

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
	       (nio_declared && !(s->declared & NIO_DECLARED_MESSAGES)) ||
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

/*
 * A send call queued ret bytes, or failed. what: flags known from the hook. counted: the program
 * is.
 */
static __always_inline void on_call_return(struct sock *sk, int ret, __u32 what, bool counted)
{
	bool adopted = false;
	struct sock_state *s = state_in_use(sk, &adopted);
	struct nio_message message;

	if (!s || nio_over)
		return;
	if (!counted)
		count_event();
	count_watched(s);
	message = consume_message(s);
	what |= message.what;
	if (nio_declared)
		what |= s->declared & NIO_SEEN_OF_CALL;
	else if (!nio_sees_calls && s->message.tid != tid_now()) {
		/* One hand-over is normal: one thread connects, another sends. */
		if (s->message.tid && s->several < 2)
			s->several++;
		s->message.tid = tid_now();
	}
	if (!nio_declared && restores_received(sk))
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
	if (!is_known(s, sk, what) || id_is_unknown(s, sk, what))
		return;
	if (adopted && s->begun == 1)
		drop_past(s, ret);
	if (message.uarg)
		note_request_sent(s, message.uarg);
	book_send(s, sk, ret, what);
}

/*
 * A notification of the error queue: the kernel reports it, and the application reads it, perhaps
 * at the same time on another CPU. alone: only this program sees notifications.
 */
static __always_inline void on_notice(struct sock_state *s, const struct sk_buff *skb, bool alone)
{
	struct zc_notification n;
	struct sock_events *e;
	__u32 sends;

	if (!read_notification(skb, &n))
		return;
	note_zerocopy();
	e = nio_completions ? NULL : events_of(s);
	if (!e)
		return;
	sends = alone ? nio_claim_alone(&s->zc_next, n.lo + n.sends)
		      : nio_claim_until(&s->zc_next, n.lo + n.sends);
	if (!sends)
		return;
	/* `copied` first: a reader between the two finds too few that were not copied. */
	if (n.copied)
		add_to(&e->copied, sends);
	add_to(&e->completed, sends);
	/* Others are sends that the kernel merged into a notification which counts already. */
	if (nio_declared && sends == n.sends)
		add_to(&seen_with(e)->notifications, 1);
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
	if (!e)
		return;
	if (n.copied || copied)
		add_to(&e->copied, n.sends); /* first, as in on_notice() */
	add_to(&e->completed, n.sends);
	if (nio_declared)
		add_to(&seen_with(e)->notifications, 1);
}

/*
 * Zero-copy pages are copied for a local receiver (skb_copy_ubufs), or will be. times: 1, or -1 for
 * a copy that failed after all, which leaves the packet as it was. False: not of a watched socket.
 */
static __always_inline bool count_deferred(const struct sk_buff *skb, __u64 times, bool known)
{
	__u32 bytes = NIO_FIELD(known, struct sk_buff, skb, data_len);
	struct sock_state *s = bytes ? state_of_sender(uarg_of(skb, known)) : NULL;
	struct sock_events *e = s && !nio_over ? events_of(s) : NULL;
	__u64 bucket = bucket_of(bytes);

	if (!e)
		return false;
	add_to(&e->stages[NIO_STAGE_DEFERRED_COPY].bytes, bytes * times);
	add_to(&e->stages[NIO_STAGE_DEFERRED_COPY].events, times);
	if (nio_declared && bucket < NIO_HIST_BUCKETS)
		add_to(&seen_with(e)->sizes[NIO_STAGE_DEFERRED_COPY][bucket], times);
	return true;
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
		on_notice(s, last, false);
}

#endif
