/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The contract between the sampling programs and user space. */
#ifndef BPF_SAMPLES_H
#define BPF_SAMPLES_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* Kernel stack depth: PERF_MAX_STACK_DEPTH, the kernel's default limit. */
#define NIO_SAMPLE_FRAMES 127

/* Owner of a sample; the first two equal enum nio_side. */
enum nio_sample_owner {
	NIO_SAMPLE_SENDER,
	NIO_SAMPLE_RECEIVER,
	NIO_SAMPLE_ELSEWHERE,          /* no watched task, but TCP work in softirq of the run */
	NIO_SAMPLE_RECEIVER_ELSEWHERE, /* the same on the receiver's machine; never in a sample */
	NIO_SAMPLE_OWNER_NR,
};

/* attach has no sides: its tasks use the first value. */
#define NIO_SAMPLE_TASK NIO_SAMPLE_SENDER

/* A sample in the ring buffer, cut after its last frame. */
struct nio_sample {
	__u32 tgid;                  /* process id of the current task; 0 in a run */
	__u16 owner;                 /* enum nio_sample_owner */
	__u16 frames;                /* kernel frames; 0: in user mode */
	__u64 started;               /* nio_task.started; 0 in a run */
	__u64 user_ip;               /* user address; 0: unknown, or in the kernel */
	__u64 ip[NIO_SAMPLE_FRAMES]; /* innermost first */
};

#define NIO_SAMPLE_HEAD 24 /* bytes before ip */
_Static_assert(__builtin_offsetof(struct nio_sample, ip) == NIO_SAMPLE_HEAD, "no padding");

/* The address range of a kernel function: [from, to). */
struct nio_code {
	__u64 from, to;
};

#define NIO_TCP_CODES 4 /* functions that only TCP softirq work calls */
#define NIO_CODES     6 /* these, then functions that receive packets */

/* The sockets of a run, by what its packets have. */
struct nio_run {
	__u32 port;      /* the receiver listens on it, in network order; 0: unknown */
	__u32 address;   /* its last 32 bits, in network order; 0: unknown */
	__u32 of_sender; /* address is the sender's, else the receiver's */
};

#endif
