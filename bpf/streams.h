/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The contract between the BPF programs of attach and user space: the sockets of programs that were
 * there before us, each with its own counters for both directions, and the tasks they belong to.
 *
 * nio_streams holds what was seen of each watched socket, by its cookie. The programs insert an
 * entry at the first use by a watched task; user space inserts those it finds in /proc. All its
 * counters only grow, and are added to atomically: two threads may use one socket at a time. User
 * space reads and subtracts; an entry is deleted once its socket is closed and was read.
 */
#ifndef NETIOTRACE_STREAMS_H
#define NETIOTRACE_STREAMS_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif
#include "netiotrace.h"

/*
 * How a send call was made: enum suffix, JSON key, heading. Known where the message is seen; the
 * id that a zero-copy send takes tells that one apart in any case.
 */
/* clang-format off */
#define NIO_SEND_KINDS(X)                                                                      \
	X(PLAIN,    "plain",    "one buffer: send, write")                                     \
	X(VECTORED, "vectored", "several buffers: sendmsg, writev")                            \
	X(SPLICE,   "splice",   "page references: sendfile, splice, MSG_SPLICE_PAGES")         \
	X(ZEROCOPY, "zerocopy", "MSG_ZEROCOPY")                                                \
	X(IO_URING, "io_uring", "io_uring's SEND_ZC")                                          \
	X(UNTOLD,   "untold",   "not zero-copy; else not told by this kernel's hooks")

enum nio_send_call {
#define X(id, ...) NIO_CALL_##id,
	NIO_SEND_KINDS(X)
#undef X
	NIO_CALL_NR,
};
/* clang-format on */

struct nio_amount {
	__u64 bytes;
	__u64 events;
};

/* Bytes per send call and per receive copy: a bucket for each power of two. */
#define NIO_SIZES 32

static inline __u32 nio_size_bucket(__u64 bytes)
{
	return bytes ? hist_log2(bytes) & (NIO_SIZES - 1) : 0;
}

/* The socket's own counters, as tcp_sock has them, at one moment. */
struct nio_numbers {
	__u64 bytes_acked;
	__u64 bytes_received;
	__u64 bytes_retrans;
	__u32 sent;  /* write_seq without the FIN */
	__u32 taken; /* copied_seq without the FIN */
};

/* A send call in progress. */
struct nio_call {
	__u64 cookie; /* of its socket */
	__u32 what;   /* NIO_SEEN_*, NIO_CALL_VECTOR and the like */
	__u32 size;   /* bytes of its message when it was first seen; 0: not known */
	union {
		__u64 place;
		struct {
			__u32 queued; /* bytes, as of the last look */
			__u32 seq;    /* write_seq then */
		};
	};
};

/* Both at once: another thread may read them. */
static inline __u64 nio_place_of(__u32 queued, __u32 seq)
{
	return queued | (__u64)seq << 32;
}

/* Of a call that has returned: what is queued from here on is not its. */
#define NIO_PLACE_OVER (~0ULL)

/* The place of the call that had the last turn, at the next one. */
static inline __u64 nio_place_at(__u64 place, __u32 end)
{
	__u32 queued = (__u32)place, seq = (__u32)(place >> 32);

	return nio_place_of(queued + (end - seq), end);
}

/*
 * Is a turn with `left` bytes to go one of this call, whose place is that of the turn? Else it is
 * another's of its thread, and the return of this one was missed; or what others queued in turns
 * that were missed was taken for this one's.
 */
static inline bool nio_is_turn_of(const struct nio_call *call, __u32 left)
{
	return left == call->size - call->queued;
}

/* Of a call whose return was missed: did it queue all it was given, so that it returned that? */
static inline bool nio_has_queued_all(const struct nio_call *call)
{
	return call->queued == call->size;
}

/*
 * Of the bytes that a call with turns returned, those it queued since the first turn that was seen:
 * one that had begun before returns more than was left then. It was alone from its last turn on
 * (another's would have booked what it queued), in which it queued all that was left, or nothing.
 * end: write_seq when it had returned. No more than was queued since its turns: where one was
 * missed, what it queued then was taken for others'.
 */
static inline __u32 nio_since_first_turn(const struct nio_call *call, __u32 ret, __u32 end,
					 bool alone)
{
	__s32 further = alone ? nio_seq_delta(call->seq, end) : 0;
	__u32 most = call->queued + (further > 0 ? further : 0);

	if (ret <= call->size)
		return ret < most ? ret : most;
	return most >= call->size ? call->size : call->queued;
}

/* A change of a socket's state, of which two programs are told: see nio_at_state. */
enum nio_change {
	NIO_CHANGE_NEW,
	NIO_CHANGE_DONE,       /* by the other program */
	NIO_CHANGE_AFTER_MISS, /* new, and the one before was seen by neither */
};

/* *seen: the state that the last change made, 0 if none was seen; the new one then. */
static inline enum nio_change nio_change_state(__u32 *seen, __u32 oldstate, __u32 newstate)
{
	__u32 before = *seen;

	if (before == newstate)
		return NIO_CHANGE_DONE;
	*seen = newstate;
	return before && before != oldstate ? NIO_CHANGE_AFTER_MISS : NIO_CHANGE_NEW;
}

/* Did the kernel refuse events of send calls? */
enum nio_refused {
	NIO_REFUSED_NONE,
	NIO_REFUSED_BOOKED, /* perhaps: where turns are shown, what that left over is booked */
	NIO_REFUSED_SOME,   /* by its own count */
};

struct nio_stream {
	__u64 cookie;    /* or a key above all: of a socket of MPTCP that has none, of a past
			    connection */
	__u64 first_ns;  /* CLOCK_MONOTONIC: adopted */
	__u64 last_ns;   /* the last event */
	__u64 closed_ns; /* 0: open */
	__u64 started;   /* nio_task.started of tgid */
	__u32 tgid;      /* whose use it was adopted at; 0: not known */
	__u32 netns;     /* inode number */
	__u16 family;
	__u16 local_port;
	__u16 remote_port;
	__u16 uncovered; /* enum nio_uncovered_kind + 1 of what serves it in TCP's place; 0: TCP */
	__u8 local[16];
	__u8 remote[16];
	char comm[16];
	union {
		__u64 flags; /* NIO_STREAM_*, as they are read */
		__u8 flag[8];
	};
	struct nio_call call; /* of the thread `caller` */
	__u32 caller;         /* 0: no call is in progress but those in nio_calls */
	__u32 crowd;          /* 1: there may be some in nio_calls */
	__u32 turner;         /* the thread whose call was looked at last */
	__u32 sent_seen;      /* nio_numbers.sent at the last send event */
	__u32 taken_seen;     /* where copied_seq stands if the last receive copy was taken */
	__u32 zckey_base;
	__u32 zckey;
	__u32 zc_next;   /* the id after the last that was reported complete */
	__u32 syn_bytes; /* sent with the SYN, of a call that has not returned */
	__u16 untold;    /* 1: several threads send, and calls in progress are not shown */
	__u16 refused;   /* enum nio_refused. User space's */
	__u32 handed;    /* 1: another thread sends than the one that began, where they are not */
	__u32 state;     /* that the last change made; 0: none was seen */
	__u32 earlier;   /* calls in progress that had begun before the numbers did (earlier.h) */
	__u32 beside;    /* calls in progress that began while there were some of these */
	struct nio_numbers base_tx, base_rx; /* at the first event of each direction */
	struct nio_numbers now;              /* at the last pass, or at the end */
	struct nio_amount calls[NIO_CALL_NR];
	struct nio_amount stages[NIO_STAGE_NR];
	__u64 uncovered_bytes[NIO_SIDE_NR][NIO_UNCOVERED_NR];
	__u64 cgroup;    /* id of the socket's; 0: not known */
	__u64 spliced;   /* bytes received by splice, where its returns are seen */
	__u64 completed; /* zero-copy sends */
	__u64 copied;    /* of these */
	__u32 tx_sizes[NIO_SIZES];
	__u32 rx_sizes[NIO_SIZES];
};

/*
 * Each flag has a byte of its own and is set by a store: two CPUs may set two of them at a time,
 * and an atomic OR takes Linux 5.12.
 */
#define NIO_STREAM_TX_BASE (1ULL << 0)  /* base_tx holds */
#define NIO_STREAM_RX_BASE (1ULL << 8)  /* base_rx holds */
#define NIO_STREAM_ENDED   (1ULL << 16) /* now.sent is final: no more can be sent */
#define NIO_STREAM_SHARED  (1ULL << 24) /* used by more than one process */
#define NIO_STREAM_PLACED  (1ULL << 32) /* addresses are filled in */
#define NIO_STREAM_NOW     (1ULL << 40) /* now holds */
#define NIO_STREAM_IDS     (1ULL << 48) /* zckey, zckey_base and zc_next hold */
#define NIO_STREAM_CALLER  (1ULL << 56) /* connect() chose its port */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "flag[i] is the i-th byte of flags");

static inline void nio_stream_flag(struct nio_stream *s, __u64 flag)
{
	*(volatile __u8 *)&s->flag[__builtin_ctzll(flag) / 8] = 1;
}

/* nio_call.what, besides NIO_SEEN_*. */
#define NIO_CALL_VECTOR   (1u << 16) /* its message is of several pieces */
#define NIO_CALL_PINS     (1u << 17) /* MSG_ZEROCOPY, and the socket has SO_ZEROCOPY */
#define NIO_CALL_FASTOPEN (1u << 18) /* MSG_FASTOPEN: there is no route yet, so all is copied */
#define NIO_CALL_CONNECTS (1u << 19) /* it connects, or waits for that */
#define NIO_CALL_CUT      (1u << 20) /* in progress before it was first seen */
#define NIO_CALL_BESIDE   (1u << 21) /* counted in nio_stream.beside */
#define NIO_CALL_MIXED    (1u << 22) /* what it queued may be in part an earlier call's */

/* Calls that began on a socket while others were in progress on it. */
#define NIO_CALLS_MAX 16384

/* Default room of nio_streams, and what a user may ask for. */
#define NIO_STREAMS_DEFAULT 32768
#define NIO_STREAMS_MAX     (1 << 20)

/* Sockets without room that are known at once: with more of them, one may be counted again. */
#define NIO_LEFT_OUT_MAX 65536

/* Of /proc, which counts a process's beginning in USER_HZ: 100 on x86 and arm64. */
#define NIO_TICKS_PER_S 100
#define NIO_TICK_NS     (1000000000ULL / NIO_TICKS_PER_S)

/* The tasks that are watched, by tgid. */
struct nio_task {
	__u64 started; /* ticks after boot; 0: not known */
	__u64 first_ns;
	__u64 exit_ns; /* 0: alive */
	__u32 parent;  /* tgid */
	__u16 asked;   /* 1: taken in by user space, at the beginning */
	__u16 named;   /* 1: by its name alone: with another it is watched no more */
	char comm[16];
};

#define NIO_TASKS_MAX 16384

/* Names of tasks to look for. */
#define NIO_COMMS_MAX 8

/* What attach lost, or could not take in: in .bss, one for all CPUs, added to atomically. */
struct nio_attach_loss {
	__u64 streams_full; /* sockets that found no room */
	__u64 tasks_full;
	__u64 firsts_full;    /* first receives of sockets that could not be kept */
	__u64 changes_missed; /* of sockets' states: see nio_change_state() */
};

/*
 * What is booked no more, of all CPUs at one moment; in this order, so that what is read then
 * belongs together (watcher__stop()).
 */
enum nio_over {
	NIO_OVER_NOTHING,
	NIO_OVER_ENDS, /* the ends of sockets, and what follows a send: completions, copies */
	NIO_OVER_ALL,  /* sends and receives, and the lives of tasks, too */
};

/*
 * Two tables in .bss that turn others away by one load: a byte is set for what may be in
 * nio_streams or nio_tasks. A byte may be several's: the map has the last word.
 */
#define NIO_KNOWN_BITS 16
#define NIO_KNOWN_NR   (1 << NIO_KNOWN_BITS)

static inline __u32 nio_known_index(__u64 cookie)
{
	return (__u32)((cookie * 0x9E3779B97F4A7C15ULL) >> (64 - NIO_KNOWN_BITS));
}

_Static_assert(sizeof(struct nio_numbers) == 32, "nio_numbers layout");
_Static_assert(sizeof(struct nio_task) == 48, "nio_task layout");
_Static_assert(sizeof(struct nio_call) == 24, "nio_call layout");
_Static_assert(sizeof(struct nio_stream) % 8 == 0, "nio_stream has no padding at its end");

#endif
