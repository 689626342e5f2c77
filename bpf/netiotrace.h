/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The contract between the BPF programs and user space: stages, map keys and values. Both sides
 * include this file; nothing else is shared but the histogram layout. Fixed-width types, explicit
 * padding, and every size asserted, so that one compiler cannot disagree with the other in silence.
 *
 * Two channels, never mixed. nio_conns says which sockets are watched, by socket cookie, and is
 * filled by user space before the traffic. nio_cells and nio_zc are per-CPU statistics that only
 * grow: user space reads and subtracts, never resets.
 *
 * How an update cannot be lost (a softirq may interrupt a program on the same CPU): each statistic
 * has exactly one writing program, its map is per CPU, and the kernel never runs a program inside
 * itself on one CPU; a run refused for that reason is counted by the kernel as a recursion miss,
 * which user space publishes as health.missed.
 */
#ifndef NETIOTRACE_CONTRACT_H
#define NETIOTRACE_CONTRACT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif
#include "hist_layout.h"

/*
 * The stages of the copy ledger, each named once: enum suffix, JSON key and CSV column, heading on
 * screen, side whose sockets feed it (SENDER or RECEIVER), whether it is a copy made by a CPU.
 */
/* clang-format off */
#define NIO_STAGES(X)                                                    \
	X(USER_GATHER,   "user_gather",   "gather",   SENDER,   1)       \
	X(TX_COPY,       "tx_copy",       "tx",       SENDER,   1)       \
	X(TX_PIN,        "tx_pin",        "pin",      SENDER,   0)       \
	X(TX_SPLICE,     "tx_splice",     "splice",   SENDER,   0)       \
	X(DEFERRED_COPY, "deferred_copy", "deferred", SENDER,   1)       \
	X(RX_COPY,       "rx_copy",       "rx",       RECEIVER, 1)       \
	X(OTHER_COPY,    "other_copy",    "other",    RECEIVER, 1)

enum nio_stage {
#define X(id, key, head, side, copies) NIO_STAGE_##id,
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

/* nio_cells: per CPU, index nio_cell_index(slot, side, stage). */
struct nio_cell {
	__u64 bytes;
	__u64 events;
	__u64 ns;
	__u64 pad;
	__u64 hist[NIO_HIST_BUCKETS]; /* of bytes per event */
};

static inline __u32 nio_cell_index(__u32 slot, __u32 side, __u32 stage)
{
	return (slot * NIO_SIDE_NR + side) * NIO_STAGE_NR + stage;
}

/*
 * nio_zc: per CPU, indexed by slot. Completions of MSG_ZEROCOPY sends, counted as the application
 * takes their notifications from the error queue.
 */
struct nio_zc {
	__u64 notifications; /* each stands for one or more sends */
	__u64 sends;         /* sends completed */
	__u64 copied;        /* of these, with SO_EE_CODE_ZEROCOPY_COPIED */
	__u64 pad;
};

/*
 * nio_conns: the watched sockets, by socket cookie (SO_COOKIE; 0 in sockets nobody asked, so the
 * traffic of others is turned away by one load). An open-addressed table in an array: an entry
 * stands at nio_conn_index(cookie, i) for the lowest i that was free. A look-up is then a load or
 * two without a call, where that of a hash map costs 40 ns with cold caches, several times a
 * message. Cookies are consecutive numbers, so that nearly all stand at i = 0. User space alone
 * inserts and deletes, the cookie last and first; slot and side are its to fill. The rest is state
 * of the programs, written only under the socket's own serialisation (socket lock, or one sender).
 */
#define NIO_CONN_SLOTS  4096
#define NIO_CONN_PROBES 4

static inline __u32 nio_conn_index(__u64 cookie, __u32 i)
{
	return (__u32)(cookie + i) & (NIO_CONN_SLOTS - 1);
}

struct nio_conn {
	__u64 cookie; /* 0: free */
	__u32 slot;
	__u32 side;      /* enum nio_side */
	__u32 zckey;     /* sk_zckey at the last send seen */
	__u32 write_seq; /* tcp_sock.write_seq at the last transmit seen */
	__u32 seen;      /* NIO_SEEN_* */
	__u32 pad;
};

/* write_seq holds a value. Until then a transmit takes snd_nxt for it: all earlier bytes are out.
 */
#define NIO_SEEN_WRITE_SEQ 1u

#ifndef __VMLINUX_H__
_Static_assert(sizeof(struct nio_cell) == 32 + 8 * NIO_HIST_BUCKETS, "nio_cell layout");
_Static_assert(sizeof(struct nio_zc) == 32, "nio_zc layout");
_Static_assert(sizeof(struct nio_conn) == 32, "nio_conn layout");
#endif

#endif
