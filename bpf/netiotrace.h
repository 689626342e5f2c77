/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The contract between the BPF programs and user space: stages, map keys and values. Both sides
 * include this file; nothing else is shared but the histogram layout. Fixed-width types, explicit
 * padding, and every size asserted, so that one compiler cannot disagree with the other in silence.
 *
 * Two channels, never mixed. nio_conns says which sockets are watched, by socket cookie, and is
 * filled by user space before the traffic. All other maps that user space reads are per-CPU
 * statistics that only grow: it reads and subtracts, never resets.
 *
 * How an update cannot be lost (a softirq may interrupt a program on the same CPU): each statistic
 * has exactly one writing program, its map is per CPU, and the kernel never runs a program inside
 * itself on one CPU; a run refused for that reason is counted by the kernel as a recursion miss,
 * which user space publishes as health.missed. What is written from process and from softirq
 * context alike is added atomically, for Linux 5.10, which has no such refusal.
 */
#ifndef NETIOTRACE_CONTRACT_H
#define NETIOTRACE_CONTRACT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif
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
	X(TX_COPY, "tx_copy", "tx", SENDER, 1, SENT, "copied", SEND_RETURN, HIST,             \
	  "user memory to socket buffer, inside the send call")                               \
	X(TX_PIN, "tx_pin", "pin", SENDER, 0, SENT, "pinned", SEND_RETURN, HIST,              \
	  "MSG_ZEROCOPY: pages pinned and referenced, no copy")                               \
	X(TX_SPLICE, "tx_splice", "splice", SENDER, 0, SENT, "spliced", SPLICE, NO_HIST,      \
	  "page references: sendfile, splice, MSG_SPLICE_PAGES; no copy")                     \
	X(DEFERRED_COPY, "deferred_copy", "deferred", SENDER, 1, NEITHER, "copied after all", \
	  DEFERRED_COPY, HIST,                                                                \
	  "zero-copy pages copied after all (skb_copy_ubufs)")                                \
	X(RX_COPY, "rx_copy", "rx", RECEIVER, 1, RECEIVED, "copied", RX_COPY, HIST,           \
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
 * nio_cells: per CPU, index nio_cell_index(slot, side, stage). Bytes and times of one event may be
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
 * nio_zc: per CPU, indexed by slot. Completions of MSG_ZEROCOPY sends, counted as the kernel ends
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
	__u64 enobufs_memlock; /* sends refused: RLIMIT_MEMLOCK of the user */
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
	X(OTHER,          "other",          "other")

enum nio_path_part {
#define X(id, ...) NIO_PATH_##id,
	NIO_PATH_PARTS(X)
#undef X
	NIO_PATH_NR,
};
/* clang-format on */

/* nio_paths: per CPU, indexed by slot. Times of the send calls that were followed from end to end.
 */
struct nio_path {
	__u64 calls;
	__u64 ns[NIO_PATH_NR];
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
 * nio_others: per-CPU hash. Copies nobody ordered, by who made them: stack is an entry of
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

#define NIO_ZC_SENDS    65536 /* elements of nio_zc_sends when completions are watched */
#define NIO_PLACES_MAX  256
#define NIO_OTHERS_MAX  256
#define NIO_STACK_DEPTH 12

/* nio_losses: per CPU, one element. */
struct nio_loss {
	__u64 unmatched; /* an end without its beginning, or the reverse: the time was dropped */
	__u64 map_full;  /* no room for the state of an event: its time was dropped */
};

/*
 * nio_conns: the watched sockets, by socket cookie (SO_COOKIE; 0 in sockets nobody asked, so the
 * traffic of others is turned away by one load). An open-addressed table in an array: an entry
 * stands at nio_conn_index(cookie, i) for the lowest i that was free. A look-up is then a load or
 * two without a call, where that of a hash map costs 40 ns with cold caches, several times a
 * message. Each CPU gives out consecutive cookies from batches of 4096 (COOKIE_LOCAL_BATCH,
 * include/linux/cookie.h), so that their low bits are the same on many CPUs: the index is taken
 * from the high bits of a product with 2^64 / golden ratio, which spreads consecutive numbers
 * evenly. User space alone inserts and deletes, the cookie last and first; slot, side and number
 * are its to fill. The rest is state of the programs, written only under the socket's own
 * serialisation (socket lock, or one sender).
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
	__u32 slot;
	__u32 side;   /* enum nio_side */
	__u32 number; /* of the socket among those of its side */
	__u32 pad;
	__u32 zckey;           /* sk_zckey at the last send seen */
	__u32 write_seq;       /* tcp_sock.write_seq at the last transmit seen */
	__u32 seen;            /* NIO_SEEN_* */
	__u32 pinned;          /* by skb_zerocopy_iter_stream in the call in progress */
	__u64 rx_begin;        /* when the copy in progress began; 0: none */
	__u64 pinned_total;    /* bytes pinned so far; written by the sender only */
	__u64 completed_total; /* the value of pinned_total that has completed */
};

/* write_seq holds a value. Until then a transmit takes snd_nxt for it: all earlier bytes are out.
 */
#define NIO_SEEN_WRITE_SEQ 1u
/* skb_zerocopy_iter_stream is being watched, so that pinned counts. */
#define NIO_SEEN_PIN 2u
/* The call in progress takes page references. */
#define NIO_SEEN_SPLICE 4u

#ifndef __VMLINUX_H__
_Static_assert(sizeof(struct nio_cell) == 32 + 2 * 8 * NIO_HIST_BUCKETS, "nio_cell layout");
_Static_assert(sizeof(struct nio_zc) == 64 + 2 * 8 * NIO_HIST_BUCKETS, "nio_zc layout");
_Static_assert(sizeof(struct nio_path) == 8 + 8 * NIO_PATH_NR, "nio_path layout");
_Static_assert(sizeof(struct nio_place) == 40, "nio_place layout");
_Static_assert(sizeof(struct nio_other) == 16, "nio_other layout");
_Static_assert(sizeof(struct nio_sum) == 24, "nio_sum layout");
_Static_assert(sizeof(struct nio_loss) == 16, "nio_loss layout");
_Static_assert(sizeof(struct nio_conn) == 64, "nio_conn layout");
#endif

#endif
