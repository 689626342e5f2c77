/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the sequence numbers of a TCP socket say of the application's bytes: how many it queued and
 * took, exactly, from the kernel's 64-bit counters (docs/DESIGN.md, "Bytes"). Pure.
 */
#ifndef NETIOTRACE_SEQUENCE_H
#define NETIOTRACE_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/netiotrace.h"
#include "bpf/sockets.h"

/* Sockets of one side that a pass can hold. */
#define SEQUENCE_SOCKETS_MAX 4096

/* One look at the watched sockets of a side: those of its cookies, in their order. */
struct socket_pass {
	struct nio_socket sockets[SEQUENCE_SOCKETS_MAX]; /* cookie 0: the pass did not meet it */
	size_t nr;
	const char *source; /* "iter/tcp", "sock_diag": static; NULL: no pass, see reason */
	const char *reason; /* static */
	bool zckeys;        /* the source tells zckey and scatter_gather */
	bool ordered;       /* order is filled: from the first socket taken */
	uint16_t order[SEQUENCE_SOCKETS_MAX]; /* of the cookies, ascending */
};

/* Makes pass an empty one over n sockets, at most SEQUENCE_SOCKETS_MAX. */
void sequence__begin(struct socket_pass *pass, size_t n);

/* Takes a socket's counters if its cookie is one of those of the pass. */
void sequence__take(struct socket_pass *pass, const uint64_t *cookies,
		    const struct nio_socket *socket);

/* How many of its sockets the pass did not meet. */
size_t sequence__unmet(const struct socket_pass *pass);

/*
 * Bytes that the application has queued on the socket since it was made: those acknowledged, and
 * those that are not. Without the FIN; with the SYN of the side that connected, so that only the
 * difference of two values counts payload.
 */
uint64_t sequence__queued(const struct nio_socket *socket);

/* Bytes that the application has taken from the socket since it was made, without the FIN. */
uint64_t sequence__taken(const struct nio_socket *socket);

/* What the sockets of one side did between two passes. */
struct sequence_sum {
	uint64_t queued, taken, retrans; /* bytes */
	uint64_t ids;                    /* of zero-copy sends given out; only with zckeys */
	bool zckeys;
	bool pinning; /* a zero-copy send pins, on every socket, at both passes; only with zckeys */
	/*
	 * Every zero-copy send between the passes has completed and the application has read its
	 * notification: no socket is charged with more option memory than before. Only with zckeys.
	 */
	bool completed;
};

/*
 * The sum over all sockets of base and now, which are passes over the same. NULL, or why there is
 * none, a static string: a socket that one of them did not meet or that was being closed, a counter
 * that went backward.
 */
const char *sequence__between(const struct socket_pass *base, const struct socket_pass *now,
			      struct sequence_sum *sum);

#endif
