/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The contract between the BPF programs and user space: stages, map keys and values. Both sides
 * include this file; nothing else is shared but the histogram layout. Fixed-width types, explicit
 * padding, and every size asserted, so that one compiler cannot disagree with the other in silence.
 *
 * Two channels, never mixed. nio_conns says which sockets are watched, by socket cookie, and is
 * filled by user space before the traffic. All other maps that user space reads are statistics by
 * CPU that only grow: it reads and subtracts, never resets. "By CPU" is an array with rows for each
 * CPU (percpu.bpf.h), which user space maps and reads without a system call, and so at any time;
 * only the hash maps are read by system call, while nothing moves.
 *
 * How an update cannot be lost. Two runs can meet at one counter of one CPU in two ways:
 *
 * - a softirq on top of a program. What may run in softirq context, on any kernel, is therefore
 * added atomically (book_shared(), add()): nio_cells of the stages that are booked as packets leave
 * or arrive (transmit, deferred_copy, other_copy), completions in nio_zc, nio_places, nio_others,
 *   nio_uncovered, nio_losses, the window of the deferred copy in nio_perf_cells.
 *   Not what one program of a plan alone books where softirqs are off (on_zerocopy_arrival()).
 * - a program preempted by another task (fentry and fexit from 5.11 on, tracepoints from 7.0 on,
 *   under a preemptible kernel). The kernel refuses the same program to that task and counts it as
 * a recursion miss, which user space publishes as health.missed. So a counter that is written in
 *   process context only, by one program of a plan, is added to plainly: nio_cells of send calls
 * and receive copies, nio_paths, and in nio_zc unseen, enobufs_* and outstanding_hist. Where there
 * is no such guard (fentry on 5.10, tracepoints before 6.1) programs cannot be preempted by tasks.
 *
 * State of a socket (struct nio_conn) is written under the socket's lock; what a completion on
 * another CPU may write meanwhile (completed_total) is added atomically.
 */
#ifndef NETIOTRACE_CONTRACT_H
#define NETIOTRACE_CONTRACT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif
#include "account.h"
#include "hist_layout.h"

/*
 * The stages of the copy ledger, each a row from which everything that lists stages is made: enum
 * suffix; JSON key and CSV column; heading on screen; side whose sockets feed it (SENDER or
 * RECEIVER); whether it is a copy made by a CPU; whose bytes it accounts for (SENT or RECEIVED by
 * the application; NEITHER: they are in another stage already); what was done to them (books);
 * the collector's probe that sees it (enum probe_id; LOADGEN: counted by the load generator);
 * whether the live screen has a histogram of it (HIST or NO_HIST); what it is, in a line.
 */
/* clang-format off */
#define NIO_STAGES(X)                                                                         \
	X(USER_GATHER, "user_gather", "gather", SENDER, 1, NEITHER, "gathered",               \
	  LOADGEN, NO_HIST,                                                                   \
	  "the application packs its fields into one buffer (twocopy only)")                  \
	X(TX_COPY, "tx_copy", "send", SENDER, 1, SENT, "copied", SEND_RETURN, HIST,             \
	  "user memory to socket buffer, inside the send call")                               \
	X(TX_PIN, "tx_pin", "pin", SENDER, 0, SENT, "pinned", SEND_RETURN, HIST,              \
	  "MSG_ZEROCOPY: pages pinned and referenced, no copy")                               \
	X(TX_SPLICE, "tx_splice", "splice", SENDER, 0, SENT, "spliced", SPLICE, NO_HIST,      \
	  "page references: sendfile, splice, MSG_SPLICE_PAGES; no copy")                     \
	X(DEFERRED_COPY, "deferred_copy", "deferred", SENDER, 1, NEITHER, "copied after all", \
	  DEFERRED_COPY, HIST,                                                                \
	  "zero-copy pages copied after all (skb_copy_ubufs)")                                \
	X(RX_COPY, "rx_copy", "receive", RECEIVER, 1, RECEIVED, "copied", RX_COPY, HIST,           \
	  "socket buffer to user memory, inside the receive call")                            \
	X(OTHER_COPY, "other_copy", "other", RECEIVER, 1, NEITHER, "copied besides",          \
	  OTHER_COPY, NO_HIST,                                                                \
	  "unexpected copies: collapse, linearize, skb_copy")

enum nio_stage {
#define X(id, ...) NIO_STAGE_##id,
	NIO_STAGES(X)
#undef X
	NIO_STAGE_NR,
};
/* clang-format on */

enum nio_side {
	NIO_SIDE_SENDER,
	NIO_SIDE_RECEIVER,
	NIO_SIDE_NR,
};

/*
 * A slot is one ledger: the collector gives each copy mode its own. Slots let one session watch
 * several kinds of traffic at once without mixing them.
 */
#define NIO_SLOT_MAX 8

/* Sizes and times of the kernel side: buckets 12.5 % wide, values below 2^34 apart, above clamped.
 */
#define NIO_HIST_SUB_BITS 3
#define NIO_HIST_BUCKETS  256

/*
 * nio_cells: by CPU, index nio_cell_index(slot, side, stage). Bytes and times of one event may be
 * written by two programs, each its own fields.
 */
struct nio_cell {
	__u64 bytes;
	__u64 events;
	__u64 ns;                        /* spent in the timed events */
	__u64 timed;                     /* events whose time was taken */
	__u64 hist[NIO_HIST_BUCKETS];    /* of bytes per event */
	__u64 ns_hist[NIO_HIST_BUCKETS]; /* of ns per timed event */
};

static inline __u32 nio_cell_index(__u32 slot, __u32 side, __u32 stage)
{
	return (slot * NIO_SIDE_NR + side) * NIO_STAGE_NR + stage;
}

/*
 * nio_zc: by CPU, indexed by slot. Completions of MSG_ZEROCOPY sends, counted as the kernel ends
 * them, or as the application takes their notifications from the error queue: the plan says which.
 */
struct nio_zc {
	__u64 notifications;   /* each stands for one or more sends */
	__u64 sends;           /* sends completed */
	__u64 copied;          /* of these, with SO_EE_CODE_ZEROCOPY_COPIED */
	__u64 bytes;           /* pinned by the completed sends */
	__u64 timed;           /* notifications whose oldest send's begin is known */
	__u64 ns;              /* from that begin to the completion, summed over the timed */
	__u64 enobufs_optmem;  /* sends refused: sk_omem_alloc would pass net.core.optmem_max */
	__u64 enobufs_memlock; /* sends refused for another cause: RLIMIT_MEMLOCK of the user */
	__u64 missed;          /* of sends: their end was not seen, a notification told of it */
	__u64 repeated;        /* sends reported complete again; not in sends */
	__u64 unseen;          /* ids taken by send calls whose return was not seen */
	__u64 pad;
	__u64 ns_hist[NIO_HIST_BUCKETS];
	__u64 outstanding_hist[NIO_HIST_BUCKETS]; /* bytes of one socket pinned, after each send */
};

/*
 * The parts of a send call, from the entry of tcp_sendmsg to its return: enum suffix, JSON key,
 * heading. At any moment a call is in exactly one of them, so they add up to its time.
 */
/* clang-format off */
#define NIO_PATH_PARTS(X)                                     \
	X(LOCK,           "lock",           "lock")           \
	X(COPY,           "copy",           "copy")           \
	X(PIN,            "pin",            "pin")            \
	X(WAIT,           "wait",           "wait")           \
	X(TRANSMIT,       "transmit",       "transmit")       \
	X(INLINE_RECEIVE, "inline_receive", "inline receive") \
	X(RELEASE,        "release",        "release")        \
	X(PREEMPTED,      "preempted",      "preempted")      \
	X(OTHER,          "other",          "other")

enum nio_path_part {
#define X(id, ...) NIO_PATH_##id,
	NIO_PATH_PARTS(X)
#undef X
	NIO_PATH_NR,
};
/* clang-format on */

/* nio_paths: by CPU, indexed by slot. Times of the send calls that were followed from end to end.
 */
struct nio_path {
	__u64 calls;
	__u64 ns[NIO_PATH_NR];
	__u64 pad[6]; /* two cache lines: no line has the calls of two CPUs */
};

/* Where a copy ran. */
enum nio_context {
	NIO_CONTEXT_UNKNOWN, /* this kernel does not tell */
	NIO_CONTEXT_PROCESS,
	NIO_CONTEXT_SOFTIRQ,
};

/* nio_places: per-CPU hash. Where the deferred copies of a slot ran, and on which device. */
struct nio_place {
	__u32 slot;
	__u32 context; /* enum nio_context */
	char comm[16]; /* of the task it ran in, or on top of */
	char dev[16];  /* name of skb->dev; empty: none */
};

/*
 * nio_others: per-CPU hash. Unexpected copies, by who made them: stack is an entry of
 * nio_stacks, whose frames above skb_copy_bits name the caller; < 0 when it was not taken, then
 * kind alone says what it was.
 */
enum nio_other_kind {
	NIO_OTHER_COPY_BITS, /* skb_copy_bits: collapse, linearize, skb_copy, mtu probe */
	NIO_OTHER_COALESCE,  /* skb_try_coalesce into the tail room of the skb before */
};

struct nio_other {
	__u32 slot;
	__u32 kind; /* enum nio_other_kind */
	__s32 stack;
	__u32 pad;
};

/* Value of both. */
struct nio_sum {
	__u64 bytes;
	__u64 events;
	__u64 ns;
};

#define NIO_PLACES_MAX  256
#define NIO_OTHERS_MAX  256
#define NIO_STACK_DEPTH 12

/* nio_losses: by CPU, one element. */
struct nio_loss {
	/* an end without its beginning, or the reverse: the time was dropped; goes down when a
	 * beginning is seen late, so that of one CPU it can be below 0 */
	__u64 unmatched;
	__u64 map_full;  /* no room for the state of an event: its time was dropped */
	__u64 backwards; /* a sequence number below the one before: nothing was booked */
	__u64 no_cell;   /* no counter for an event of a watched socket */
};

/*
 * What the stages do not cover, by kind: enum suffix, JSON key, what it is. Events on watched
 * sockets that are recognised and booked here, never as a stage.
 */
/* clang-format off */
#define NIO_UNCOVERED(X)                                                                        \
	X(MPTCP,   "mptcp",    "through MPTCP, whose subflows are sockets of their own")        \
	X(KTLS,    "ktls",     "through kTLS, which copies and encrypts by itself")             \
	X(SOCKMAP, "sockmap",  "through a sockmap")                                             \
	X(OTHER,   "other",    "through a protocol layered on TCP")                             \
	X(FOREIGN, "io_uring", "sent from pages held by another than MSG_ZEROCOPY (io_uring)")  \
	X(PEEKED,  "peeked",   "copied to an application that only looked (MSG_PEEK)")          \
	X(UNSEEN,  "uncopied", "taken without a copy that was seen (splice, MSG_TRUNC, "        \
			       "TCP_ZEROCOPY_RECEIVE, or a missed event)")                      \
	X(MISSED,  "missed",   "by calls whose events were missed: copied, pinned or spliced")

enum nio_uncovered_kind {
#define X(id, key, text) NIO_UNCOVERED_##id,
	NIO_UNCOVERED(X)
#undef X
	NIO_UNCOVERED_NR,
	NIO_COVERED = NIO_UNCOVERED_NR,
};
/* clang-format on */

/*
 * nio_uncovered: by CPU, index nio_uncovered_index(slot, side, kind). PEEKED bytes are in
 * rx_copy, too: the copy was made, and will be made again. Of all other kinds no stage has any.
 */
struct nio_uncovered {
	__u64 bytes;
	__u64 events;
};

static inline __u32 nio_uncovered_index(__u32 slot, __u32 side, __u32 kind)
{
	return (slot * NIO_SIDE_NR + side) * NIO_UNCOVERED_NR + kind;
}

/*
 * nio_zc_sends: the zero-copy sends of each watched sender, NIO_ZC_SENDS in all. User space gives
 * each socket a ring of its own, a power of two: as many as it watches at once share what is left,
 * with NIO_ZC_RING_MAX each at most. 256 sockets have rings of 1024, 4096 of 64. No two sockets
 * share an entry. A socket with more sends outstanding than its ring holds loses the oldest: these
 * still count as completed, without their time and bytes, and as unmatched.
 */
#define NIO_ZC_SENDS    (1 << 18)
#define NIO_ZC_RING_MAX 1024

/* How large a ring is when n sockets share `left` entries: a power of two; 0: there is none. */
static inline __u32 nio_ring_size(__u32 left, __u64 n)
{
	__u32 size = NIO_ZC_RING_MAX;

	while (size > 1 && size * n > left)
		size /= 2;
	return size > 1 ? size : 0;
}

/*
 * nio_conns: the watched sockets, by socket cookie (SO_COOKIE; 0 in sockets nobody asked, so the
 * traffic of others is turned away by one load). An open-addressed table in an array: an entry
 * stands at nio_conn_index(cookie, i) for the lowest i that was free. A look-up is then a load or
 * two without a call, where that of a hash map costs 40 ns with cold caches, several times a
 * message. Each CPU gives out consecutive cookies from batches of 4096 (COOKIE_LOCAL_BATCH,
 * include/linux/cookie.h), so that their low bits are the same on many CPUs: the index is taken
 * from the high bits of a product with 2^64 / golden ratio, which spreads consecutive numbers
 * evenly. User space alone inserts and deletes, in the map's memory: the cookie is written last,
 * and taken away first. The fields up to ring_mask are its to fill. The rest is state of the
 * programs.
 */
#define NIO_CONN_BITS   17
#define NIO_CONN_SLOTS  (1 << NIO_CONN_BITS)
#define NIO_CONN_PROBES 4

static inline __u32 nio_conn_index(__u64 cookie, __u32 i)
{
	return ((__u32)((cookie * 0x9E3779B97F4A7C15ULL) >> (64 - NIO_CONN_BITS)) + i) &
	       (NIO_CONN_SLOTS - 1);
}

struct nio_conn {
	__u64 cookie; /* 0: free */
	__u16 slot;
	__u16 side;            /* enum nio_side */
	__u32 ring;            /* first entry of its ring in nio_zc_sends */
	__u32 ring_mask;       /* size of the ring - 1 */
	__u32 zckey;           /* sk_zckey at the last send seen */
	__u32 write_seq;       /* payload end at the last transmit or push seen */
	__u32 copied_seq;      /* at the last receive copy seen */
	__u32 rx_len;          /* bytes of that copy; 0: none yet */
	__u32 seen;            /* NIO_SEEN_* */
	__u64 rx_begin;        /* when the copy in progress began; 0: none */
	__u64 pinned_total;    /* bytes pinned so far; written by the sender only */
	__u64 completed_total; /* of these, completed */
};

/* write_seq holds a value. Until then all bytes that have left are old. */
#define NIO_SEEN_WRITE_SEQ 1u
/* zckey holds a value. */
#define NIO_SEEN_ZCKEY 2u
/* Nobody looked for a while: the next look at write_seq tells where the socket's bytes begin anew.
 */
#define NIO_SEEN_AWAY 64u
/* Of the call in progress, where its entry is another program than its end: its message was seen,
 * and what it said. */
#define NIO_SEEN_CALL     4u
#define NIO_SEEN_SPLICE   8u
#define NIO_SEEN_ZEROCOPY 16u
#define NIO_SEEN_FOREIGN  32u
#define NIO_SEEN_OF_CALL  (NIO_SEEN_CALL | NIO_SEEN_SPLICE | NIO_SEEN_ZEROCOPY | NIO_SEEN_FOREIGN)

_Static_assert(sizeof(struct nio_cell) == 32 + 2 * 8 * NIO_HIST_BUCKETS, "nio_cell layout");
_Static_assert(sizeof(struct nio_zc) == 96 + 2 * 8 * NIO_HIST_BUCKETS, "nio_zc layout");
_Static_assert(sizeof(struct nio_path) == 128, "nio_path layout");
_Static_assert(sizeof(struct nio_place) == 40, "nio_place layout");
_Static_assert(sizeof(struct nio_other) == 16, "nio_other layout");
_Static_assert(sizeof(struct nio_sum) == 24, "nio_sum layout");
_Static_assert(sizeof(struct nio_loss) == 32, "nio_loss layout");
_Static_assert(sizeof(struct nio_uncovered) == 16, "nio_uncovered layout");
_Static_assert(sizeof(struct nio_zc_send) == 24, "nio_zc_send layout");
_Static_assert(sizeof(struct nio_conn) == 64, "nio_conn layout");

#endif
