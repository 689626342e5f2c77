/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The contract between the BPF programs of attach and user space: watched sockets and tasks.
 *
 * Bytes are the socket's own counters. Events count how calls send and receive, possibly in windows
 * only; user space splits the bytes in proportion to the events.
 */
#ifndef BPF_SOCK_STATE_H
#define BPF_SOCK_STATE_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif
#include "account.h"
#include "netiotrace.h"
#include "socket_sums.h"

/* How a send call was made: enum suffix, JSON key, description. */
/* clang-format off */
#define NIO_SEND_KINDS(X)                                                                      \
	X(PLAIN,    "plain",    "one buffer: send, write")                                     \
	X(VECTORED, "vectored", "several buffers: sendmsg, writev")                            \
	X(SPLICE,   "splice",   "page references: sendfile, splice, MSG_SPLICE_PAGES")         \
	X(ZEROCOPY, "zerocopy", "MSG_ZEROCOPY")                                                \
	X(IO_URING, "io_uring", "io_uring's SEND_ZC")                                          \
	X(UNKNOWN,  "untold",   "not zero-copy; else not told by this kernel's hooks")

enum nio_send_call {
#define X(id, ...) NIO_CALL_##id,
	NIO_SEND_KINDS(X)
#undef X
	NIO_CALL_NR,
};
/* clang-format on */

/* Completed zero-copy requests of io_uring, by what their notifications say. */
enum nio_request_end {
	NIO_REQUEST_COPIED,
	NIO_REQUEST_NOT_COPIED,
	NIO_REQUEST_MISREPORTED, /* of NOT_COPIED: the kernel tells the program that it copied */
	NIO_REQUEST_UNREPORTED,  /* nothing: no report was asked for, or its flags leave it open */
	NIO_REQUEST_NR,
};

struct nio_amount {
	__u64 bytes;
	__u64 events;
};

/* Histograms of bytes per send call (no splice) and receive copy, by powers of two. */
#define NIO_SIZES 32

static inline __u32 nio_size_bucket(__u64 bytes)
{
	return bytes ? hist_log2(bytes) & (NIO_SIZES - 1) : 0;
}

/* Since when the records of one direction of kTLS are counted. */
enum nio_tls_how {
	NIO_TLS_OFF,     /* not seen */
	NIO_TLS_NO_KEY,  /* kTLS has no key for this direction: TCP serves it */
	NIO_TLS_STARTED, /* since the key was set: TCP moved bytes before */
	NIO_TLS_ADOPTED, /* since watching began */
	NIO_TLS_UNKNOWN, /* not counted: a NIC encrypts, the key changed, the cipher is unknown, ...
			  */
};

/* Numbers of records of one direction of kTLS. */
struct nio_tls_side {
	__u64 at; /* nio_numbers.sent or .read */
	__u64 first;
	__u64 next; /* of the next record, when the socket had moved `at` bytes */
	__u32 iv;   /* begin of the key's IV, which changes with the key */
	__u32 how;  /* enum nio_tls_how */
};

struct nio_tls {
	__u64 context;  /* struct tls_context; 0: none seen */
	__u32 overhead; /* bytes that a record adds to its plaintext */
	__u16 direct;   /* kTLS may decrypt into the application's memory */
	__u16 ahead;    /* it has taken bytes of a record that it does not have as a whole */
	struct nio_tls_side side[NIO_SIDE_NR];
};

/* The message of a send call in progress. */
struct nio_message {
	__u32 tid;
	__u32 what;   /* NIO_SEEN_*, NIO_CALL_* */
	__u64 uarg;   /* ubuf_info of a zero-copy request of io_uring; 0: none */
	__u64 queued; /* bytes, before the call last waited for memory: by the program at tcp_push
		       */
};

/*
 * Plain counts of one socket's events: of BPF, of struct socket_ledger, and of sums of export. A
 * row is X(member, in_windows); in_windows: of calls, which are seen in windows.
 */
/* clang-format off */
#define NIO_SOCK_COUNTS(X)                                                                      \
	X(completed, false)         /* zero-copy sends completed */                             \
	X(copied, false)            /* of these, reported as copied */                          \
	X(zc_without_option, true)  /* calls with MSG_ZEROCOPY on a socket without SO_ZEROCOPY */ \
	X(empty, true)              /* send calls of 0 bytes */                                 \
	X(inner_eagain, true)       /* tries within one call of sendfile, splice or io_uring */
#define NIO_COUNT_MEMBER(member, ...) __u64 member;
/* clang-format on */

/*
 * Event counters of one socket, valid from its first event on. Calls, copies and refusals seen in a
 * window count nio_weight times: for the time that the window stands for. Zero-copy completions and
 * deferred copies, whose programs stay attached, count once.
 */
/* clang-format off */
#define NIO_SOCK_EVENTS                                                                        \
	struct nio_amount calls[NIO_CALL_NR];                                                  \
	struct nio_amount stages[NIO_STAGE_NR];                                                \
	__u64 uncovered_bytes[NIO_SIDE_NR][NIO_UNCOVERED_NR];                                  \
	__u64 added[NIO_SIDE_NR]; /* bytes of calls and copies beyond those seen: by weights */\
	__u64 requests[NIO_REQUEST_NR];                                                        \
	__u64 refused[NIO_REFUSAL_NR];                                                         \
	NIO_SOCK_COUNTS(NIO_COUNT_MEMBER)                                                      \
	__u64 weight; /* nio_weight at the first event; 0: 1 */                                \
	__u64 tx_sizes[NIO_SIZES];                                                             \
	__u64 rx_sizes[NIO_SIZES];
/* clang-format on */

struct sock_events {
	NIO_SOCK_EVENTS
};

/* A watched socket. Its events are the end: most short connections have none, and send none. */
struct sock_state {
	__u64 key;       /* address of the struct sock; with first_ns it identifies a connection */
	__u64 first_ns;  /* CLOCK_MONOTONIC, as all *_ns: begin of watching */
	__u64 last_ns;   /* when the socket was last seen to move a byte */
	__u64 closed_ns; /* 0: open */
	__u64 started;   /* nio_task.started of process tgid */
	__u32 tgid;      /* the owner, if `owned`; 0: in no PID namespace of the collector */
	__u32 netns;     /* inode number */
	__u16 family;
	__u16 local_port;
	__u16 remote_port;
	__u16 uncovered; /* 0: TCP; else enum nio_uncovered_kind + 1 of the layer in its place */
	__u8 local[16];
	__u8 remote[16];
	char comm[16];
	union {
		__u64 flags; /* SOCK_STATE_*, for reading */
		__u8 flag[8];
	};
	struct nio_message message; /* of one thread; other threads: nio_messages */
	__u16 state;                /* after the last change seen; 0: none seen */
	__u8 met;                   /* NIO_MET_*; 0: nothing lacks */
	__u8 declared;              /* of a run: NIO_DECLARED_*, NIO_SEEN_* of each send call */
	__u32 write_seq;            /* at the change to TCP_CLOSE */
	__u32 born_window;          /* nio_window when the state was created */
	__u32 window;    /* nio_window at the last iteration, or at the end; declared: last send */
	__u32 rx_window; /* nio_window at the last receive copy */
	__u8 orphan; /* 1: both directions shut down, and nothing left to read: `now` is final */
	__u8 owned;  /* 1: tgid, started and comm are of a process that has used or opened it */
	__u8 path;   /* NIO_PATH_*, of every reading */
	__u8 stamps; /* TX timestamps of a packet that may return it, at most; of every reading */
	__u32 push_seq;    /* end of the payload queued at the last tcp_push, or before a call */
	__u32 push_window; /* nio_window then */
	__u32 syn_bytes;   /* bytes sent with the SYN by a call that has not returned */
	__u32 shared_with; /* the last process seen that is not the owner (SOCK_STATE_SHARED) */
	__u64 read_seen;   /* bytes read (nio_numbers.read) at the end of the last receive copy */
	__u64 zc_ids;      /* zero-copy ids issued since watching began */
	__u32 zckey;       /* id of the next zero-copy send, as last seen */
	__u32 zc_next;     /* the id after the last one reported complete */
	__u32 looks;       /* iterations that could tell whether its last bytes wait for more */
	__u32 tail_waits;  /* of these, those that found it: see waits_for_more() */
	struct nio_numbers base;      /* when watching began; 0: since the connection began */
	struct nio_numbers now;       /* at the end of the connection */
	struct nio_numbers last_read; /* at the last iteration; user space reports it as `now` */
	struct nio_tls tls;
	__u64 cgroup;        /* id of the cgroup that created the socket; 0: unknown */
	__u8 several;        /* 2: several threads send in turns, and their messages are not seen */
	__u8 begun;          /* connected: `base` and read_seen are valid; 2: `base` is 0 */
	__u8 given;          /* an iteration has reported the end to user space */
	__u8 has_events;     /* there was an event */
	__u32 closed_window; /* nio_window at the change to TCP_CLOSE */
	NIO_SOCK_EVENTS
};

/*
 * The sockets of a run are declared by their cookies (nio_cookies), each with what is known of all
 * its send calls: NIO_SEEN_CALL and more of NIO_SEEN_OF_CALL, or nothing. Their events are counted
 * by side and CPU, and their states have none.
 */
#define NIO_DECLARED_RECEIVER 1u /* so it is also enum nio_side */
#define NIO_DECLARED_MESSAGES 2u /* the message of each call is seen */

/* What a declared socket has in the place of its events. */
struct nio_declared_rest {
	struct nio_socket base; /* when the phase began */
	__u64 pass;             /* nio_pass of the last reading */
};

/* What the events of the declared sockets of one side showed on one CPU. */
struct nio_seen {
	struct sock_events events; /* without sizes and weights */
	__u64 uncovered_events[NIO_UNCOVERED_NR];
	__u64 notifications; /* of completed sends with MSG_ZEROCOPY */
	__u64 ids_unseen;    /* taken by send calls whose return was not seen */
	__u64 sizes[NIO_STAGE_NR][NIO_HIST_BUCKETS]; /* of bytes per event */
};

/*
 * What may lack of a connection that was first met in use, after bytes had moved. BIRTH: it began
 * before watching, or later, in a run that the kernel refused. CALLS: the send and
 * receive programs were not attached all the time, so an earlier use may have been missed.
 */
#define NIO_MET_BIRTH 1
#define NIO_MET_CALLS 2

/* sock_state.path: what may copy the socket's bytes without an event (docs/KERNELS.md). */
#define NIO_PATH_NO_CHECKSUM (1U << 0) /* to a device without TX checksums */
#define NIO_PATH_NO_GATHER   (1U << 1) /* to a device without scatter-gather */
#define NIO_PATH_ONWARD      (1U << 2) /* to a virtual device, so perhaps on to others */
#define NIO_PATH_TAP         (1U << 3) /* to a device with a packet tap */
#define NIO_PATH_IPSEC       (1U << 4)
#define NIO_PATH_ARRIVALS    (1U << 5) /* deferred copies are counted by arrivals */

/* One byte per flag, set by a plain store: two CPUs may set two. An atomic OR needs Linux 5.12. */
#define SOCK_STATE_ENDED   (1ULL << 0)  /* now.sent is final */
#define SOCK_STATE_CLOSED  (1ULL << 8)  /* now is final, except for what is read */
#define SOCK_STATE_UNSENT  (1ULL << 16) /* ended while the ring buffer was full */
#define SOCK_STATE_SHARED  (1ULL << 24) /* several processes use the socket */
#define SOCK_STATE_PLACED  (1ULL << 32) /* addresses are filled in */
#define SOCK_STATE_CALLER  (1ULL << 40) /* it called connect(): its numbers include a SYN */
#define SOCK_STATE_FOREIGN (1ULL << 48) /* belongs to an unwatched process */
#define SOCK_STATE_MAYBE \
	(1ULL << 56) /* its local port is unknown, so the filter is still to check */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "flag[i] is the i-th byte of flags");

static inline void sock_state_flag(struct sock_state *s, __u64 flag, bool on)
{
	*(volatile __u8 *)&s->flag[__builtin_ctzll(flag) / 8] = on;
}

/*
 * Did the send and receive programs see the whole life of the socket? nio_window is odd while they
 * are attached, and grows at each change.
 */
static inline bool sock_state_saw_all(const struct sock_state *s)
{
	return (s->born_window & 1) && s->born_window == s->window;
}

/* nio_message.what, in addition to NIO_SEEN_*. */
#define NIO_SEEN_VECTORED (1u << 16) /* the message has several buffers */
#define NIO_SEEN_PINS     (1u << 17) /* MSG_ZEROCOPY, and the socket has SO_ZEROCOPY */
#define NIO_SEEN_FASTOPEN (1u << 18) /* MSG_FASTOPEN: no route yet, so the kernel copies */

/* Bytes of watched sockets: how they were queued and read. */
enum nio_moved {
	NIO_MOVED_COPIED,
	NIO_MOVED_PINNED,
	NIO_MOVED_SPLICED,
	NIO_MOVED_FOREIGN,
	NIO_MOVED_READ, /* copied to the application; from here on as the stages from RX_COPY on */
	NIO_MOVED_MAPPED,
	NIO_MOVED_DISCARDED,
	NIO_MOVED_READ_SPLICED,
	NIO_MOVED_UNCOPIED, /* taken without a copy by an unknown call */
	NIO_MOVED_NR,
};

/* The ways to read, as a mask. */
#define NIO_MOVED_READS ((1U << NIO_MOVED_NR) - (1U << NIO_MOVED_READ))

/* Sockets of one process, service port and cgroup. */
struct nio_group {
	__u64 started, cgroup; /* as in struct sock_state */
	__u32 tgid;
	__u32 port; /* the remote one if connect() chose the local one */
};

/* Groups of sockets, by hash: a power of two. */
#define NIO_GROUPS 256

/* Bytes that the send and receive programs saw. */
struct nio_moved_sums {
	__u64 sent[NIO_CALL_NR]; /* by kind of call */
	__u64 moved[NIO_MOVED_NR];
};

/* What they saw of a group on one CPU. */
struct nio_group_counts {
	struct nio_group group;
	__u64 epoch; /* nio_epoch at the last use by the group */
	struct nio_moved_sums sums;
};

/* What they saw of all sockets on one CPU. */
struct nio_event_counts {
	__u64 runs;
	__u64 watched; /* of them, on watched sockets */
	struct nio_moved_sums sums;
	/* The last receive copy: sock_state.key, and copied_seq after it. Their sums mean nothing.
	 */
	__u64 last_key, last_copied_seq;
	__u64 tick, tick_ns; /* jiffies, and CLOCK_MONOTONIC at the first event since */
	__u64 pad[3];        /* three cache lines, so that no two CPUs share one */
};

/* Entries of nio_messages. */
#define NIO_MESSAGES_MAX 16384

/* Default and maximum of --max-sockets. */
#define NIO_SOCKETS_DEFAULT 32768
#define NIO_SOCKETS_MAX     (1 << 20)

/* Size of the ring buffer nio_ends, and the distance between wakeups of user space, in bytes. */
#define NIO_ENDS_BYTES (1 << 23)
#define NIO_ENDS_WAKE  (1 << 19)

/* Entries of nio_left_out. With more sockets left out, one may be counted twice. */
#define NIO_LEFT_OUT_MAX 65536

/* /proc counts start times in USER_HZ: 100 on x86 and arm64. */
#define NIO_TICKS_PER_S 100
#define NIO_TICK_NS     (1000000000ULL / NIO_TICKS_PER_S)

/* A watched process. Key: process id. */
struct nio_task {
	__u64 started; /* ticks since boot; 0: unknown */
	__u64 first_ns;
	__u64 exit_ns; /* 0: alive */
	__u32 parent;  /* tgid */
	__u16 asked;   /* 1: added by user space at the beginning */
	__u16 named;   /* 1: watched for its name only, so until it changes its name */
	char comm[16];
};

#define NIO_TASKS_MAX     16384
#define NIO_LISTENERS_MAX 4096

#define NIO_COMMS_MAX 8

/* Losses of attach: in .bss, shared by all CPUs, added to atomically. */
struct nio_attach_loss {
	__u64 sockets_full; /* sockets that did not fit into nio_sockets */
	__u64 tasks_full;
	__u64 changes_missed; /* changes that may have moved bytes, and that no program saw */
	__u64 ends_missed;    /* connections whose end, or perhaps beginning, no program saw */
	__u64 calls_unknown;  /* of a run: copies of unknown calls, perhaps of a declared socket */
};

/* Filters of one load before a map lookup: not 0 for each key. Keys may share an index. */
#define NIO_KNOWN_BITS 16
#define NIO_KNOWN_NR   (1 << NIO_KNOWN_BITS)

static inline __u32 nio_known_index(__u32 key)
{
	return (key * 0x9E3779B9U) >> (32 - NIO_KNOWN_BITS);
}

#define SOCK_STATE_HEAD __builtin_offsetof(struct sock_state, calls)

_Static_assert(SOCK_STATE_HEAD + sizeof(struct sock_events) == sizeof(struct sock_state),
	       "the events are the rest of a state");
_Static_assert(sizeof(struct nio_event_counts) == 192, "nio_event_counts layout");
_Static_assert(sizeof(struct nio_seen) % 8 == 0, "nio_seen is made of u64 only");
_Static_assert(sizeof(struct nio_tls) == 80, "nio_tls layout");
_Static_assert(sizeof(struct nio_task) == 48, "nio_task layout");
_Static_assert(sizeof(struct sock_state) % 8 == 0, "sock_state has no padding at its end");

#endif
