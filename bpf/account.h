/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Arithmetic on sequence numbers, zero-copy ids and send calls. No maps or helpers: unit-tested. */
#ifndef BPF_ACCOUNT_H
#define BPF_ACCOUNT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#endif

/* Distance of two nearby sequence numbers of one socket (< 2^31). Negative: `to` is first. */
static inline __s32 nio_seq_delta(__u32 from, __u32 to)
{
	return (__s32)(to - from);
}

/* write_seq without the FIN, which takes one sequence number. */
static inline __u32 nio_payload_end(__u32 write_seq, __u8 state)
{
	bool fin = state == TCP_FIN_WAIT1 || state == TCP_FIN_WAIT2 || state == TCP_LAST_ACK ||
		   state == TCP_CLOSING;

	return write_seq - fin;
}

struct nio_send_facts {
	bool known;    /* the message was seen: msg_ubuf, zerocopy and splice are known */
	bool msg_ubuf; /* the message carries its own ubuf_info (io_uring SEND_ZC) */
	bool by_uring; /* the message was not seen, and the thread uses io_uring */
	bool zerocopy; /* MSG_ZEROCOPY */
	bool splice;   /* MSG_SPLICE_PAGES */
	bool sg;       /* the route does scatter-gather; without it the kernel copies */
	bool took_id;  /* sk_zckey moved since the last call seen */
};

enum nio_send_kind {
	NIO_SEND_COPIED,
	NIO_SEND_PINNED,
	NIO_SEND_SPLICED,
	NIO_SEND_IO_URING,
};

/*
 * How a send call queued its bytes. The kernel chooses once per call (zc in tcp_sendmsg_locked). If
 * the message was not seen, a call without an id either copied or was io_uring's SEND_ZC. Calls of
 * a thread that uses io_uring then count as IO_URING.
 */
static inline enum nio_send_kind nio_send_kind(struct nio_send_facts f)
{
	if (!f.sg)
		return NIO_SEND_COPIED;
	if (f.known && f.msg_ubuf)
		return NIO_SEND_IO_URING;
	if (f.took_id && (!f.known || f.zerocopy))
		return NIO_SEND_PINNED;
	if (!f.known && f.by_uring)
		return NIO_SEND_IO_URING;
	return f.known && f.splice ? NIO_SEND_SPLICED : NIO_SEND_COPIED;
}

/* Ids taken by other sends, whose return was not seen. An aborted send gives its id back. */
static inline __u32 nio_ids_unseen(__u32 before, __u32 now, bool pinned)
{
	__s32 taken = nio_seq_delta(before, now) - pinned;

	return taken > 0 ? taken : 0;
}

/* Tries of nio_claim_until(): each failed one means that another CPU has claimed ids. */
#define NIO_CLAIM_TRIES 8

/*
 * Claims the ids from *next up to, not including, `until`, for one of the CPUs that see the same
 * range or an overlapping one at the same time. Returns how many ids were claimed. Linux 5.12 or
 * later (atomic compare-and-exchange in BPF).
 */
static inline __u32 nio_claim_until(__u32 *next, __u32 until)
{
	__u32 seen = *(volatile __u32 *)next;

	for (int i = 0; i < NIO_CLAIM_TRIES && nio_seq_delta(seen, until) > 0; i++) {
		__u32 current = __sync_val_compare_and_swap(next, seen, until);

		if (current == seen)
			return until - seen;
		seen = current;
	}
	return 0;
}

/* As nio_claim_until(), for a counter that no other CPU changes: it needs no atomic instruction. */
static inline __u32 nio_claim_alone(__u32 *next, __u32 until)
{
	__s32 ids = nio_seq_delta(*next, until);

	if (ids <= 0)
		return 0;
	*next = until;
	return ids;
}

/* A zero-copy send: an entry of nio_zc_sends. */
struct nio_zc_send {
	__u64 cookie; /* of the sending socket */
	__u64 begin;  /* ns, when the send call began; 0: unknown */
	__u32 id;
	__u32 bytes; /* bytes pinned; NIO_ZC_DONE is set once the send is complete */
};

#define NIO_ZC_DONE 0x80000000u /* free: a send call returns an int */

static inline bool nio_zc_is(const struct nio_zc_send *e, __u64 cookie, __u32 id)
{
	return e->cookie == cookie && e->id == id;
}

/* Notes a send. True: it was reported complete before its call was seen to return. */
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
 * Marks send `id` as complete. *bytes: what the send pinned; 0 unless its entry is known, which is
 * returned. An unknown id gets an entry, for nio_zc_note(). An entry of a later send stays.
 */
static inline bool nio_zc_complete(struct nio_zc_send *e, __u64 cookie, __u32 id, __u32 *bytes)
{
	bool noted = nio_zc_is(e, cookie, id);

	*bytes = noted && !(e->bytes & NIO_ZC_DONE) ? e->bytes : 0;
	if (noted)
		e->bytes |= NIO_ZC_DONE;
	else if (e->cookie != cookie || nio_seq_delta(e->id, id) > 0)
		*e = (struct nio_zc_send){.cookie = cookie, .id = id, .bytes = NIO_ZC_DONE};
	return noted;
}

#endif
