/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes that an application queued on TCP sockets and read from them, exactly, from the
 * kernel's 64-bit counters and sequence numbers (docs/DESIGN.md, "Bytes"). Pure.
 */
#ifndef MODEL_TCP_SEQ_H
#define MODEL_TCP_SEQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/netiotrace.h"
#include "bpf/sockets.h"

/* Most sockets of one side in a pass. */
#define TCP_SEQ_SOCKETS_MAX 4096

/* One iteration over the watched sockets of a side, in the order of its cookies. */
struct socket_snapshot {
	struct nio_socket sockets[TCP_SEQ_SOCKETS_MAX]; /* cookie 0: the pass did not meet it */
	size_t nr;
	const char *source; /* "iter/task_file", "sock_diag": static; NULL: no pass, see reason */
	const char *reason; /* static */
	bool zckeys;        /* the source tells zckey and scatter_gather */
	bool ordered;       /* order is filled: from the first socket taken */
	uint16_t order[TCP_SEQ_SOCKETS_MAX]; /* of the cookies, ascending */
};

/* Makes pass an empty one over n sockets, at most TCP_SEQ_SOCKETS_MAX. */
void tcp_seq__begin(struct socket_snapshot *pass, size_t n);

/* Stores a socket's counters if its cookie belongs to the pass. */
void tcp_seq__add_socket(struct socket_snapshot *pass, const uint64_t *cookies,
			 const struct nio_socket *socket);

/* How many of its sockets the pass has not met. */
size_t tcp_seq__unmet(const struct socket_snapshot *pass);

/*
 * Bytes that the application has queued on the socket, acknowledged or not. Without the FIN, but
 * with the SYN of the side that connected: only the difference of two values is payload.
 */
uint64_t tcp_seq__queued(const struct nio_socket *socket);

/* Bytes that the application has read from the socket, without the FIN. */
uint64_t tcp_seq__read(const struct nio_socket *socket);

/* Records of kTLS in one direction of sockets. */
struct records_sum {
	uint64_t records;
	uint64_t overhead; /* bytes that they add to the plaintext */
	bool partial;      /* a record has not gone to TCP as a whole */
	bool direct;       /* received ones may have been decrypted into the application's memory */
	/* Not NULL: not counted, or kTLS does not serve this direction of every socket. */
	const char *reason;
};

/* Changes of the sockets of one side between two iterations. */
struct sequence_sum {
	uint64_t queued, taken, retrans; /* bytes; of kTLS with the overhead of its records */
	struct records_sum sent, received;
	uint64_t ids; /* of zero-copy sends given out; only with zckeys */
	bool zckeys;
	bool pinning; /* a zero-copy send pins, on every socket, at both passes; only with zckeys */
	/*
	 * Every zero-copy send between the passes has completed, and the application has read its
	 * notification: no socket is charged with other option memory than before. Only with
	 * zckeys.
	 */
	bool completed;
};

/*
 * The sum over the sockets of two passes over the same sockets. NULL, or the reason why there is
 * none, a static string: a socket that a pass did not meet, a closed socket, a counter that went
 * backward.
 */
const char *tcp_seq__between(const struct socket_snapshot *base, const struct socket_snapshot *now,
			     struct sequence_sum *sum);

#endif
