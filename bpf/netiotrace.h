/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What the programs of both objects and user space share: stages, and the maps of the meter.
 *
 * nio_conns holds the meter's sockets, by cookie; user space fills it before the traffic. All other
 * maps that user space reads are statistics that only grow: user space reads and subtracts, never
 * resets. "Per CPU" is an mmapable array with rows for each CPU (of_this_cpu()), readable at any
 * time. Hash maps are read by system call, while no traffic flows.
 *
 * Updates of one counter on one CPU (docs/DESIGN.md, "No update is lost"):
 * - Counters that a softirq may update use atomic additions (book_shared(), add()): nio_cells of
 *   deferred_copy and other_copy, completions in nio_zc, nio_places, nio_others, nio_losses,
 *   nio_perf_cells.
 * - Counters of process context with one writing program use plain additions: nio_cells of send
 *   calls and receive copies, nio_paths, and in nio_zc enobufs_* and outstanding_hist. A task that
 *   preempts a program is refused the same program (fentry from 5.11; health.missed). Without this
 *   guard (fentry on 5.10) tasks cannot preempt programs.
 *
 * The socket's lock protects struct nio_conn, except completed_total, which is added to atomically,
 * and pinned_total, which the one thread that sends on the socket writes after it.
 */
#ifndef BPF_NETIOTRACE_H
#define BPF_NETIOTRACE_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif
#include "account.h"
#include "hist_layout.h"

/*
 * The stages of the copy ledger: enum suffix; JSON key and CSV column; heading; SENDER or RECEIVER
 * sockets; 1 if a CPU copies; application bytes covered (SENT, RECEIVED, or NEITHER: in another
 * stage already); probe (enum probe_id; LOADGEN: the load generator counts); whether the live
 * view has a histogram; description.
 */
/* clang-format off */
#define NIO_STAGES(X)                                                                   \
	X(USER_GATHER, "user_gather", "gather", SENDER, 1, NEITHER,                     \
	  LOADGEN, NO_HIST,                                                             \
	  "the application packs its fields into a buffer or a pipe (twocopy, splice)")            \
	X(TX_COPY, "tx_copy", "send", SENDER, 1, SENT, SEND_RETURN, HIST,               \
	  "user memory to socket buffer, inside the send call")                         \
	X(TX_PIN, "tx_pin", "pin", SENDER, 0, SENT, SEND_RETURN, HIST,                  \
	  "MSG_ZEROCOPY, io_uring's SEND_ZC: pages pinned and referenced, no copy")     \
	X(TX_SPLICE, "tx_splice", "splice", SENDER, 0, SENT, SEND_RETURN, NO_HIST,           \
	  "page references: sendfile, splice, MSG_SPLICE_PAGES; no copy")               \
	X(DEFERRED_COPY, "deferred_copy", "deferred", SENDER, 1, NEITHER,               \
	  DEFERRED_COPY, HIST,                                                          \
	  "zero-copy pages copied after all (skb_copy_ubufs)")                          \
	X(RX_COPY, "rx_copy", "receive", RECEIVER, 1, RECEIVED, RX_COPY, HIST,          \
	  "socket buffer to user memory, inside the receive call")                      \
	X(RX_MAP, "rx_map", "map", RECEIVER, 0, RECEIVED, TAKEN, NO_HIST,               \
	  "pages mapped into the application by TCP_ZEROCOPY_RECEIVE; no copy")         \
	X(RX_DISCARD, "rx_discard", "discard", RECEIVER, 0, RECEIVED, TAKEN, NO_HIST,   \
	  "thrown away by a receive call with MSG_TRUNC; no copy")                      \
	X(RX_SPLICE, "rx_splice", "rx splice", RECEIVER, 0, RECEIVED, TAKEN, NO_HIST,   \
	  "page references: received by splice into a pipe; no copy")                   \
	X(OTHER_COPY, "other_copy", "other", RECEIVER, 1, NEITHER,                      \
	  OTHER_COPY, NO_HIST,                                                          \
	  "unexpected copies: collapse, linearize, skb_copy")                           \
	X(TLS_COPY, "tls_copy", "tls", SENDER, 1, NEITHER, SOCKETS, NO_HIST,            \
	  "plaintext that the cipher of kTLS reads or writes")

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

/* Histograms in BPF: buckets 12.5 % wide; values from 2^34 on fall into the last bucket. */
#define NIO_HIST_SUB_BITS 3
#define NIO_HIST_BUCKETS  256

/* nio_cells: per CPU, index enum nio_stage. */
struct nio_cell {
	__u64 bytes;
	__u64 events;
	__u64 ns;                        /* sum of the timed events */
	__u64 timed;                     /* events with a time */
	__u64 hist[NIO_HIST_BUCKETS];    /* of bytes per event */
	__u64 ns_hist[NIO_HIST_BUCKETS]; /* of ns per timed event */
};

/* nio_zc: one row per CPU. Sends with MSG_ZEROCOPY, from call to completion. */
struct nio_zc {
	__u64 bytes;           /* pinned by the completed sends */
	__u64 timed;           /* completions with a known begin of the oldest send */
	__u64 ns;              /* from that begin to the completion, sum over `timed` */
	__u64 enobufs_optmem;  /* sends refused: sk_omem_alloc would exceed net.core.optmem_max */
	__u64 enobufs_memlock; /* sends refused otherwise: RLIMIT_MEMLOCK of the user */
	__u64 pad[3];
	__u64 ns_hist[NIO_HIST_BUCKETS];
	__u64 outstanding_hist[NIO_HIST_BUCKETS]; /* bytes pinned by one socket, after each send */
};

/* The parts of a send call (tcp_sendmsg), which add up to its time: suffix, JSON key, heading. */
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

/* nio_paths: one row per CPU. Times of send calls seen from entry to return. */
struct nio_path {
	__u64 calls;
	__u64 ns[NIO_PATH_NR];
	__u64 pad[6]; /* two cache lines, so that no two CPUs share one */
};

enum nio_context {
	NIO_CONTEXT_UNKNOWN, /* not known on this kernel */
	NIO_CONTEXT_PROCESS,
	NIO_CONTEXT_SOFTIRQ,
};

/* nio_places: per-CPU hash. Contexts and devices of deferred copies. */
struct nio_place {
	__u32 context; /* enum nio_context */
	char comm[16]; /* the current task, or the interrupted one */
	char dev[16];  /* name of skb->dev; empty: none */
};

/*
 * nio_others: per-CPU hash of unexpected copies. stack: an entry of nio_stacks, whose frames above
 * skb_copy_bits name the caller; < 0: none.
 */
enum nio_other_kind {
	NIO_OTHER_COPY_BITS, /* skb_copy_bits: collapse, linearize, skb_copy, MTU probe */
	NIO_OTHER_COALESCE,  /* skb_try_coalesce into the tail room of the previous skb */
};

struct nio_other {
	__u32 kind; /* enum nio_other_kind */
	__s32 stack;
};

/* Value of nio_places and nio_others. */
struct nio_sum {
	__u64 bytes;
	__u64 events;
	__u64 ns;
};

#define NIO_PLACES_MAX  256
#define NIO_OTHERS_MAX  256
#define NIO_STACK_DEPTH 12

/* nio_losses: one element per CPU. */
struct nio_loss {
	/* begin or end not seen: time dropped. A late begin subtracts 1: one CPU may be < 0 */
	__u64 unmatched;
	__u64 map_full; /* no free entry for the state of an event: its time was dropped */
	__u64 no_cell;  /* no counter for an event of a watched socket */
};

/* Bytes on watched sockets that no stage covers, by kind: enum suffix, JSON key, description. */
/* clang-format off */
#define NIO_UNCOVERED(X)                                                                          \
	X(MPTCP,    "mptcp",    "through MPTCP, whose subflows are sockets of their own")         \
	X(KTLS,     "ktls",     "through kTLS, which copies and encrypts by itself")              \
	X(SOCKMAP,  "sockmap",  "through a sockmap")                                              \
	X(OTHER,    "other",    "through a protocol layered on TCP")                              \
	X(IO_URING, "io_uring", "sent from pages held by another than MSG_ZEROCOPY (io_uring)")   \
	X(PEEKED,   "peeked",   "copied to an application that only looked (MSG_PEEK)")           \
	X(UNSEEN,   "uncopied", "taken without a copy that was seen, by a call that is not known "\
				"(io_uring, a 32-bit program, a missed event)")                   \
	X(MISSED,   "missed",   "by calls that were not seen, with or without a copy")

enum nio_uncovered_kind {
#define X(id, key, text) NIO_UNCOVERED_##id,
	NIO_UNCOVERED(X)
#undef X
	NIO_UNCOVERED_NR,
	NIO_COVERED = NIO_UNCOVERED_NR,
};

/*
 * Why a send call failed: enum suffix, JSON key, the error as people know it. EAGAIN is no refusal: a
 * call that must not block would have blocked.
 */
#define NIO_REFUSALS(X)                              \
	X(ENOBUFS,    "enobufs",    "ENOBUFS")       \
	X(EAGAIN,     "eagain",     "EAGAIN")        \
	X(EPIPE,      "epipe",      "EPIPE")         \
	X(ECONNRESET, "econnreset", "ECONNRESET")    \
	X(EFAULT,     "efault",     "EFAULT")        \
	X(OTHER,      "other",      "other errors")

enum nio_refusal {
#define X(id, ...) NIO_REFUSAL_##id,
	NIO_REFUSALS(X)
#undef X
	NIO_REFUSAL_NR,
};
/* clang-format on */

/* PEEKED bytes are also in rx_copy. */
struct nio_uncovered {
	__u64 bytes;
	__u64 events;
};

/*
 * nio_zc_sends: a ring of zero-copy sends for each watched sender: 1024 entries with 256 senders,
 * 64 with 4096. User space assigns the rings. A socket with more outstanding sends loses the
 * oldest: they count as completed and unmatched, without time and bytes.
 */
#define NIO_ZC_SENDS    (1 << 18)
#define NIO_ZC_RING_MAX 1024

/* A run: io_uring zero-copy requests in flight. */
#define NIO_REQUESTS_MAX (1 << 17)

/* The ring size of n sockets that share `left` entries: a power of two; 0: none left. */
static inline __u32 nio_ring_size(__u32 left, __u64 n)
{
	__u32 size = NIO_ZC_RING_MAX;

	while (size > 1 && size * n > left)
		size /= 2;
	return size > 1 ? size : 0;
}

/*
 * nio_conns: the watched sockets by cookie (SO_COOKIE; 0 until the cookie is first read). An
 * open-addressed table: one or two loads, where a lookup in a hash map costs 40 ns with cold
 * caches. Each CPU issues cookies in batches of 4096 (COOKIE_LOCAL_BATCH, include/linux/cookie.h),
 * so low bits repeat: Fibonacci hashing spreads them. Only user space inserts and deletes: it
 * writes the cookie last and clears it first. It fills the fields up to ring_mask; the rest is
 * state of the programs.
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
	__u64 cookie;    /* 0: free entry */
	__u32 side;      /* enum nio_side */
	__u32 ring;      /* first entry of the socket's ring in nio_zc_sends */
	__u32 ring_mask; /* size of the ring - 1; 0: no ring */
	__u32 pad;
	__u64 rx_begin;        /* ns, begin of the receive copy in progress; 0: none */
	__u64 pinned_total;    /* bytes pinned so far; written as send calls return */
	__u64 completed_total; /* of these, bytes of completed sends */
};

/* What is known of a send call, by its message or by declaration. */
#define NIO_SEEN_CALL     4u
#define NIO_SEEN_SPLICE   8u
#define NIO_SEEN_ZEROCOPY 16u
#define NIO_SEEN_MSG_UBUF 32u
#define NIO_SEEN_OF_CALL  (NIO_SEEN_CALL | NIO_SEEN_SPLICE | NIO_SEEN_ZEROCOPY | NIO_SEEN_MSG_UBUF)

_Static_assert(sizeof(struct nio_cell) == 32 + 2 * 8 * NIO_HIST_BUCKETS, "nio_cell layout");
_Static_assert(sizeof(struct nio_zc) == 64 + 2 * 8 * NIO_HIST_BUCKETS, "nio_zc layout");
_Static_assert(sizeof(struct nio_path) == 128, "nio_path layout");
_Static_assert(sizeof(struct nio_place) == 36, "nio_place layout");
_Static_assert(sizeof(struct nio_other) == 8, "nio_other layout");
_Static_assert(sizeof(struct nio_sum) == 24, "nio_sum layout");
_Static_assert(sizeof(struct nio_loss) == 24, "nio_loss layout");
_Static_assert(sizeof(struct nio_zc_send) == 24, "nio_zc_send layout");
_Static_assert(sizeof(struct nio_conn) == 48, "nio_conn layout");

#endif
