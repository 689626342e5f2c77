/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receiver's half of a round between two machines: what netiotrace serve measures of its side
 * (docs/reference/loadgen.md, "The receiver's half"). The load generators carry it.
 */
#ifndef COMMON_HALF_H
#define COMMON_HALF_H

/*
 * Bytes of the document, JSON in printable ASCII. With each quote escaped, it still fits a line of
 * the load generator's events (1 MiB).
 */
#define HALF_MAX (500u << 10)

/* What the sender's netiotrace asks for. The numbers are of the protocol: never change them. */
enum half_kind {
	HALF_NONE,    /* no half */
	HALF_SHARE,   /* send and receive events in windows */
	HALF_CALLS,   /* each of them */
	HALF_SAMPLES, /* samples of CPU time, and no events */
	HALF_TIMES,   /* times in the kernel */
	HALF_COUNTS,  /* nothing in the kernel: counts of the load generator and of its process */
	HALF_KIND_NR,
};

#define HALF_KIND_MAX 15 /* of later versions */

/*
 * With serve --token: what the sender proves its token for, and the proof, in hexadecimal with the
 * final zero. The challenge is the sender's first hello and a random number of the receiver.
 */
#define HALF_CHALLENGE_TEXT 161
#define HALF_PROOF_SIZE     16
#define HALF_PROOF_TEXT     (2 * HALF_PROOF_SIZE + 1)

#endif
