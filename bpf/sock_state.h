/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The contract between the BPF programs of attach and user space: one struct sock_state for each
 * watched socket, and the tasks that sockets belong to.
 *
 * Bytes are the socket's own: read when user space iterates over the watched sockets, and once more
 * when the connection ends. No event is needed for them. How calls send and receive is counted by
 * events, which may be watched part of the time only; user space divides the socket's bytes by it.
 */
#ifndef NETIOTRACE_SOCK_STATE_H
#define NETIOTRACE_SOCK_STATE_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif
#include "account.h"
#include "netiotrace.h"

/* How a send call was made: enum suffix, JSON key, heading. */
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

/* Why the kernel refused a send call: enum suffix, JSON key. */
#define NIO_REFUSALS(X)      \
	X(ENOBUFS, "enobufs") \
	X(EAGAIN,  "eagain")  \
	X(EPIPE,   "epipe")   \
	X(OTHER,   "other")

enum nio_refusal {
#define X(id, ...) NIO_REFUSAL_##id,
	NIO_REFUSALS(X)
#undef X
	NIO_REFUSAL_NR,
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

/* What tcp_sock says of a socket at one moment. */
struct nio_tcp {
	__u64 bytes_acked;
	__u64 bytes_received;
	__u64 bytes_retrans;
	__u32 write_seq;
	__u32 snd_una;
	__u32 rcv_nxt;
	__u32 copied_seq;
	__u8 state; /* in which the FIN, if one was queued, is in write_seq */
	bool syn;   /* the socket sent a SYN of its own, which counts as one byte acknowledged */
	bool done;  /* SOCK_DONE: the peer's FIN was received, and counts as one byte */
};

/* The payload bytes of a connection since it began. */
struct nio_numbers {
	__u64 sent;     /* queued by the application */
	__u64 received; /* from the peer, in order */
	__u64 read;     /* taken by the application */
	__u64 retrans;
	__u32 taken; /* sequence number up to which the application has read; no FIN */
	__u32 pad;
};

static inline struct nio_numbers nio_numbers_of(const struct nio_tcp *t)
{
	__u32 fin = t->write_seq - nio_payload_end(t->write_seq, t->state);
	__u64 fin_read = t->done && t->rcv_nxt == t->copied_seq;

	return (struct nio_numbers){
		.sent = t->bytes_acked + (__u32)(t->write_seq - t->snd_una) - t->syn - fin,
		.received = t->bytes_received - t->done,
		.read = t->bytes_received - (__u32)(t->rcv_nxt - t->copied_seq) - fin_read,
		.retrans = t->bytes_retrans,
		.taken = t->copied_seq - (__u32)fin_read,
	};
}

/* A change of a socket's state, which two programs report: see nio_at_state. */
enum nio_change {
	NIO_CHANGE_NEW,
	NIO_CHANGE_DONE,       /* by the other program */
	NIO_CHANGE_AFTER_MISS, /* new, and neither program ran at the one before */
};

/* *seen: the state after the last change that was seen, 0 if none was; the new one then. */
static inline enum nio_change nio_change_state(__u32 *seen, __u32 oldstate, __u32 newstate)
{
	__u32 before = *seen;

	if (before == newstate)
		return NIO_CHANGE_DONE;
	*seen = newstate;
	return before && before != oldstate ? NIO_CHANGE_AFTER_MISS : NIO_CHANGE_NEW;
}

/* A send call in progress: what its message said. */
struct nio_message {
	__u32 tid;
	__u32 what; /* NIO_SEEN_*, NIO_CALL_VECTOR and the like */
};

/* How one socket sends and receives, as far as events told: an entry is made at the first. */
/* clang-format off */
#define NIO_SOCK_EVENTS                                                                        \
	struct nio_amount calls[NIO_CALL_NR];                                                  \
	struct nio_amount stages[NIO_STAGE_NR];                                                \
	__u64 uncovered_bytes[NIO_SIDE_NR][NIO_UNCOVERED_NR];                                  \
	__u64 spliced;   /* bytes received by splice, where its returns are seen */            \
	__u64 completed; /* zero-copy sends */                                                 \
	__u64 copied;    /* of these */                                                        \
	__u32 refused[NIO_REFUSAL_NR];                                                         \
	__u32 zc_without_option; /* calls with MSG_ZEROCOPY on a socket without SO_ZEROCOPY */ \
	__u32 pad3;                                                                            \
	__u32 tx_sizes[NIO_SIZES];                                                             \
	__u32 rx_sizes[NIO_SIZES];
/* clang-format on */

struct sock_events {
	NIO_SOCK_EVENTS
};

/*
 * The programs keep the part in front of NIO_SOCK_EVENTS by itself, since most short connections
 * have no events.
 */
struct sock_state {
	__u64 key;       /* address of the struct sock; with first_ns it names one connection */
	__u64 first_ns;  /* CLOCK_MONOTONIC: watched from then on */
	__u64 last_ns;   /* the last time that it was seen to move a byte */
	__u64 closed_ns; /* 0: open */
	__u64 started;   /* nio_task.started of tgid */
	__u32 tgid;      /* the first process that was seen to use it; 0: not known */
	__u32 netns;     /* inode number */
	__u16 family;
	__u16 local_port;
	__u16 remote_port;
	__u16 uncovered; /* enum nio_uncovered_kind + 1 of what serves it in TCP's place; 0: TCP */
	__u8 local[16];
	__u8 remote[16];
	char comm[16];
	union {
		__u64 flags; /* SOCK_STATE_*, as they are read */
		__u8 flag[8];
	};
	struct nio_message message; /* of one thread; those of others are in nio_messages */
	__u32 state;                /* after the last change that was seen; 0: none was */
	__u32 write_seq;            /* at the change to TCP_CLOSE */
	__u32 born_window;          /* nio_window when it was taken in */
	__u32 window;               /* nio_window at the last iteration, or at the end */
	__u32 rx_window;            /* nio_window at the last receive copy */
	__u32 orphan;               /* 1: its application has closed it, so that `now` is final */
	__u32 taken_seen;           /* where copied_seq stands if the last receive copy was taken */
	__u32 syn_bytes;            /* sent with the SYN, of a call that has not returned */
	__u32 zckey_base;
	__u32 zckey;
	__u32 zc_next; /* the id after the last that was reported complete */
	__u32 pad;
	struct nio_numbers base;   /* when it was taken in */
	struct nio_numbers now;    /* at the end */
	struct nio_numbers looked; /* at the last iteration. User space gives it as `now` */
	__u64 cgroup;              /* id of that of the task that created it; 0: not known */
	__u8 several;    /* 2: threads take turns at sending, whose messages are not seen */
	__u8 begun;      /* `base` and taken_seen hold */
	__u8 given;      /* an iteration gave its end to user space */
	__u8 has_events; /* it has an entry in nio_sock_events */
	__u32 pad2;
	NIO_SOCK_EVENTS /* user space's: see struct sock_events */
};

/*
 * Each flag has a byte of its own and is set by a store: two CPUs may set two of them at a time,
 * and an atomic OR takes Linux 5.12.
 */
#define SOCK_STATE_ENDED   (1ULL << 0)  /* now.sent is final: no more can be sent */
#define SOCK_STATE_CLOSED  (1ULL << 8)  /* now is final but for what is read */
#define SOCK_STATE_UNSENT  (1ULL << 16) /* ended, and the ring buffer was full: read it here */
#define SOCK_STATE_SHARED  (1ULL << 24) /* used by more than one process */
#define SOCK_STATE_PLACED  (1ULL << 32) /* addresses are filled in */
#define SOCK_STATE_CALLER  (1ULL << 40) /* it called connect(): its SYN is in the numbers */
#define SOCK_STATE_FOREIGN (1ULL << 48) /* of a process that is not watched */
#define SOCK_STATE_MAYBE                                                         \
	(1ULL << 56) /* its port is not known yet, which has to be a watched one \
		      */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "flag[i] is the i-th byte of flags");

static inline void sock_state_flag(struct sock_state *s, __u64 flag, bool on)
{
	*(volatile __u8 *)&s->flag[__builtin_ctzll(flag) / 8] = on;
}

/*
 * Were the programs of send and receive events attached all the time that the socket was watched?
 * nio_window is odd while they are attached, and grows at each change.
 */
static inline bool sock_state_saw_all(const struct sock_state *s)
{
	return (s->born_window & 1) && s->born_window == s->window;
}

/* nio_message.what, besides NIO_SEEN_*. */
#define NIO_CALL_VECTOR   (1u << 16) /* its message is of several pieces */
#define NIO_CALL_PINS     (1u << 17) /* MSG_ZEROCOPY, and the socket has SO_ZEROCOPY */
#define NIO_CALL_FASTOPEN (1u << 18) /* MSG_FASTOPEN: there is no route yet, so all is copied */

/* Of each CPU: what the programs of send and receive events saw, of all sockets. */
struct nio_event_counts {
	__u64 runs;
	__u64 sent[NIO_CALL_NR]; /* bytes on watched sockets, by kind of call */
};

/* Messages of threads that send on one socket at a time. */
#define NIO_MESSAGES_MAX 16384

/* Default room of nio_sockets, and what a user may ask for. */
#define NIO_SOCKETS_DEFAULT 32768
#define NIO_SOCKETS_MAX     (1 << 20)

/* The ring buffer of ended connections: bytes, and from how many on user space is woken. */
#define NIO_ENDS_BYTES (1 << 23)
#define NIO_ENDS_WAKE  (1 << 20)

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

/* A socket that was there before, by its cookie, and the process that has it. */
struct nio_owner {
	__u64 started;
	__u32 tgid; /* 0: not known */
	__u32 pad;
	char comm[16];
};

/* What attach lost, or could not take in: in .bss, one for all CPUs, added to atomically. */
struct nio_attach_loss {
	__u64 sockets_full; /* sockets that found no room */
	__u64 tasks_full;
	__u64 changes_missed; /* of sockets' states: see nio_change_state() */
	__u64 ends_missed;    /* connections whose end no program saw */
};

/*
 * Two tables in .bss that turn others away by one load: a byte is set for what may be in
 * nio_sockets or nio_tasks. A byte may be several's: the map has the last word.
 */
#define NIO_KNOWN_BITS 16
#define NIO_KNOWN_NR   (1 << NIO_KNOWN_BITS)

static inline __u32 nio_known_index(__u32 key)
{
	return (key * 0x9E3779B9U) >> (32 - NIO_KNOWN_BITS);
}

#define SOCK_STATE_HEAD __builtin_offsetof(struct sock_state, calls)

_Static_assert(SOCK_STATE_HEAD + sizeof(struct sock_events) == sizeof(struct sock_state),
	       "the events are the rest of a state");
_Static_assert(sizeof(struct nio_numbers) == 40, "nio_numbers layout");
_Static_assert(sizeof(struct nio_task) == 48, "nio_task layout");
_Static_assert(sizeof(struct sock_state) % 8 == 0, "sock_state has no padding at its end");

#endif
