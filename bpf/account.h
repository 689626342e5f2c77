/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The arithmetic of the BPF programs: what sequence numbers, zero-copy ids and the facts of a call
 * mean. Knows neither maps nor helpers, so that it is unit-tested (tests/unit/bpf/).
 */
#ifndef NETIOTRACE_ACCOUNT_H
#define NETIOTRACE_ACCOUNT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#endif

/*
 * Sequence numbers. They are 32 bits wide and wrap; two of one socket, seen one after the other,
 * are less than 2^31 apart, since so much fits into no queue. Differences are signed: a negative
 * one is an anomaly to be counted, not 4 GiB.
 */
static inline __s32 nio_seq_delta(__u32 from, __u32 to)
{
	return (__s32)(to - from);
}

/*
 * Does a socket in this state have a stream, so that write_seq tells the bytes queued on it? Not
 * a TIME_WAIT or request socket, which is no tcp_sock (since 6.13 an skb's sk may be one), and not
 * a closed one: whether its last number was a FIN is no longer to be seen.
 */
static inline bool nio_state_has_stream(__u8 state)
{
	switch (state) {
	case TCP_ESTABLISHED:
	case TCP_SYN_SENT:
	case TCP_SYN_RECV:
	case TCP_FIN_WAIT1:
	case TCP_FIN_WAIT2:
	case TCP_CLOSE_WAIT:
	case TCP_LAST_ACK:
	case TCP_CLOSING:
		return true;
	default:
		return false;
	}
}

/* write_seq without the FIN, which takes a number and is no payload. */
static inline __u32 nio_payload_end(__u32 write_seq, __u8 state)
{
	bool fin = state == TCP_FIN_WAIT1 || state == TCP_FIN_WAIT2 || state == TCP_LAST_ACK ||
		   state == TCP_CLOSING;

	return write_seq - fin;
}

/*
 * Where the bytes of a socket begin that has not been looked at before, by its state: those that
 * left are old. While it connects, snd_una is the number of its SYN, which is no payload.
 */
static inline __u32 nio_payload_begin(__u32 snd_una, __u32 snd_nxt, __u8 state)
{
	return state == TCP_SYN_SENT ? snd_una + 1 : snd_nxt;
}

/*
 * A receive copy of `len` bytes took place at copied_seq = seq; the next one, at `now`, tells what
 * became of it: taken (moved by len), only looked at (moved by less: MSG_PEEK), or followed by
 * bytes that went without a copy that was seen (moved by more: splice, MSG_TRUNC,
 * TCP_ZEROCOPY_RECEIVE, or a missed run). Urgent data moves it by one, too.
 */
struct nio_taken {
	__u32 peeked;
	__u32 unseen;
	bool backwards;
};

static inline struct nio_taken nio_judge_taken(__u32 seq, __u32 len, __u32 now)
{
	__s32 forward = nio_seq_delta(seq, now);
	struct nio_taken taken = {0};

	if (forward < 0)
		taken.backwards = true;
	else if ((__u32)forward < len)
		taken.peeked = len - forward;
	else
		taken.unseen = forward - len;
	return taken;
}

/* What is known of a send call that queued bytes. */
struct nio_send_facts {
	bool told;     /* its message was seen: the next three are known */
	bool foreign;  /* it carries a ubuf_info of its own (io_uring's SEND_ZC) */
	bool by_uring; /* its message was not seen, and its thread sends through io_uring, too */
	bool zerocopy; /* MSG_ZEROCOPY */
	bool splice;   /* MSG_SPLICE_PAGES */
	bool sg;       /* its route does scatter-gather; else everything is copied */
	bool took_id;  /* sk_zckey moved since the last call that was seen */
};

enum nio_send_kind {
	NIO_SEND_COPIED,
	NIO_SEND_PINNED,
	NIO_SEND_SPLICED,
	NIO_SEND_FOREIGN,
};

/*
 * The kernel chooses how to queue once per call (zc in tcp_sendmsg_locked), so all that a call
 * returned went one way. Nothing but sk_zckey is held against an earlier call, and that only
 * where the message was not seen. There, a call that took no id can have copied, or be a SEND_ZC of
 * io_uring, whose pages are its own: of a thread that uses io_uring it is not taken for a copy.
 */
static inline enum nio_send_kind nio_send_kind(struct nio_send_facts f)
{
	if (!f.sg)
		return NIO_SEND_COPIED;
	if (f.told && f.foreign)
		return NIO_SEND_FOREIGN;
	if (f.took_id && (!f.told || f.zerocopy))
		return NIO_SEND_PINNED;
	if (!f.told && f.by_uring)
		return NIO_SEND_FOREIGN;
	return f.told && f.splice ? NIO_SEND_SPLICED : NIO_SEND_COPIED;
}

/*
 * Zero-copy ids that were taken between two looks at sk_zckey, besides the one of the call at
 * hand: sends whose return was not seen. An aborted send gives its id back.
 */
static inline __u32 nio_ids_unseen(__u32 before, __u32 now, bool pinned)
{
	__s32 taken = nio_seq_delta(before, now) - pinned;

	return taken > 0 ? taken : 0;
}

/* A zero-copy send, as it stands in nio_zc_sends. */
struct nio_zc_send {
	__u64 cookie; /* of its socket */
	__u64 begin;  /* when its call began; 0: not known */
	__u32 id;
	__u32 bytes; /* pinned; with NIO_ZC_DONE once it is complete */
};

#define NIO_ZC_DONE 0x80000000u /* a call returns an int, so the bit is free */

enum nio_zc_step {
	NIO_ZC_FIRST,   /* complete now */
	NIO_ZC_AGAIN,   /* was complete before */
	NIO_ZC_UNKNOWN, /* complete now, of a send that was not noted, or no longer is */
};

/* Is this the entry of send `id` of the socket? */
static inline bool nio_zc_is(const struct nio_zc_send *e, __u64 cookie, __u32 id)
{
	return e->cookie == cookie && e->id == id;
}

/*
 * Notes a send of `bytes`. True: it is complete already, reported before its call was seen to
 * return. Entries are used again by later sends of the same socket only.
 */
static inline bool nio_zc_note(struct nio_zc_send *e, __u64 cookie, __u32 id, __u32 bytes,
			       __u64 begin)
{
	bool done = nio_zc_is(e, cookie, id) && (e->bytes & NIO_ZC_DONE);

	e->cookie = 0;
	e->id = id;
	e->begin = begin;
	e->bytes = done ? bytes | NIO_ZC_DONE : bytes;
	e->cookie = cookie;
	return done;
}

/*
 * Send `id` of the socket is reported complete, and *bytes set to what it pinned; each send once,
 * however often it is reported. An id that was not noted is, so that a second report is known;
 * an entry that a later send has taken is left to that.
 */
static inline enum nio_zc_step nio_zc_complete(struct nio_zc_send *e, __u64 cookie, __u32 id,
					       __u32 *bytes)
{
	*bytes = 0;
	if (nio_zc_is(e, cookie, id)) {
		if (e->bytes & NIO_ZC_DONE)
			return NIO_ZC_AGAIN;
		*bytes = e->bytes;
		e->bytes |= NIO_ZC_DONE;
		return NIO_ZC_FIRST;
	}
	if (e->cookie != cookie || nio_seq_delta(e->id, id) > 0)
		*e = (struct nio_zc_send){.cookie = cookie, .id = id, .bytes = NIO_ZC_DONE};
	return NIO_ZC_UNKNOWN;
}

#endif
