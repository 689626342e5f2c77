/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Contract between follow.bpf.c and user/follow: one payload byte at a time is followed through the
 * memory of one process. x86-64 only.
 */
#ifndef BPF_FOLLOW_EVENT_H
#define BPF_FOLLOW_EVENT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define NIO_FOLLOW_PLACES  4    /* debug registers of x86 */
#define NIO_FOLLOW_TGIDS   4096 /* followed processes */
#define NIO_FOLLOW_PORTS   64
#define NIO_FOLLOW_IOVECS  1024 /* UIO_MAXIOV */
#define NIO_FOLLOW_RETURNS 64   /* the last holds that ended without a stop */

enum nio_follow_direction {
	NIO_FOLLOW_RECEIVED,
	NIO_FOLLOW_SENT,
	NIO_FOLLOW_DIRECTIONS,
};

enum nio_follow_kind {
	NIO_FOLLOW_SAMPLE = 1, /* a call returned that had the chosen byte; its thread is held */
	NIO_FOLLOW_TOUCH,      /* an instruction touched a watched byte; its thread is held */
	NIO_FOLLOW_COVER,      /* a later call read or wrote watched bytes */
	NIO_FOLLOW_MOVE,       /* mremap() moved watched bytes */
	NIO_FOLLOW_CHILD,      /* a process that began after the sample touched a watched address */
};

struct nio_follow_event {
	__u32 kind;
	__u32 tid, tgid;
	__u32 sample; /* nio_follow.sample when it happened */
	__u32 id;     /* of the hold; 0: not held */
	__u32 places; /* COVER, MOVE: mask of the watched bytes in the buffer */
	__u32 fills;  /* COVER: the call wrote the buffer (a receive or a read) */
	__u32 tcp;    /* COVER: the descriptor is a followed TCP socket */
	__u64 ns;
	__u64 address; /* of the byte */
	__u64 ip, sp;  /* of the thread in user mode */
};

/* Shared memory. User space writes the upper part, programs the lower. */
struct nio_follow {
	__s64 bytes_left; /* bytes of the direction until the sample */
	__u32 wanted;     /* a sample is wanted */
	__u32 direction;  /* of it: received or sent bytes */
	__u32 sample;     /* its number */
	__u32 tgid;       /* process of the watched bytes; 0: none */
	__u32 stepped;    /* thread that user space single-steps: its touches are known */
	__u64 place[NIO_FOLLOW_PLACES];
	__u64 hold_ns; /* longest time that a program holds a thread */

	/* Of the sample: its address space, which exec changes, and its time. */
	__u64 mm, chosen_ns;

	/* Received and sent by the followed processes. */
	__u64 bytes[NIO_FOLLOW_DIRECTIONS], calls[NIO_FOLLOW_DIRECTIONS];
	__u64 largest[NIO_FOLLOW_DIRECTIONS]; /* call */
	__u64 holds, held_ns, timeouts;
	__u64 touches, touches_elsewhere, lost;
	__u32 killed;                /* followed processes that ended by a signal */
	__u32 killed_pid, killed_by; /* of the first */
	__u32 ids;
	__u32 returned[NIO_FOLLOW_RETURNS]; /* ids of holds that ended without a stop */
};

#endif
