/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The contract of both sides of sampling: what a sample is, and whose. */
#ifndef NETIOTRACE_SAMPLES_H
#define NETIOTRACE_SAMPLES_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* Frames of a kernel stack: PERF_MAX_STACK_DEPTH, the kernel's own limit unless it is raised. */
#define NIO_SAMPLE_FRAMES 127

/* Whose CPU time a sample is of; the first two are enum nio_side. */
enum nio_sample_whose {
	NIO_SAMPLE_SENDER,
	NIO_SAMPLE_RECEIVER,
	NIO_SAMPLE_ELSEWHERE, /* of no task watched, but TCP's work in softirq */
	NIO_SAMPLE_WHOSE_NR,
};

/* Of attach, whose tasks have no sides: all are the first. */
#define NIO_SAMPLE_TASK NIO_SAMPLE_SENDER

/* A sample as it goes through the ring buffer: only the frames it has. */
struct nio_sample {
	__u32 tgid;                  /* of the task it was taken in; of a run 0 */
	__u16 whose;                 /* enum nio_sample_whose */
	__u16 frames;                /* of the kernel; 0: it was in user mode */
	__u64 started;               /* with tgid: nio_task.started */
	__u64 user_ip;               /* where in user mode; 0: not known, or in the kernel */
	__u64 ip[NIO_SAMPLE_FRAMES]; /* innermost first */
};

#define NIO_SAMPLE_HEAD 24 /* bytes before ip */
_Static_assert(__builtin_offsetof(struct nio_sample, ip) == NIO_SAMPLE_HEAD, "no padding");

/* The code of one kernel function: [from, to). */
struct nio_code {
	__u64 from, to;
};

#define NIO_TCP_CODES 4 /* functions that only TCP's softirq work passes through */

#endif
