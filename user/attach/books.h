/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The books of one watched connection, or of several together: what the events booked, held against
 * what the socket itself counted. Pure.
 */
#ifndef NETIOTRACE_BOOKS_H
#define NETIOTRACE_BOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/num.h"
#include "bpf/streams.h"

/* Why the bytes that sockets sent are not known to the byte. */
#define BOOKS_UNTOLD                                                                              \
	"several threads send on one socket, and this kernel's hooks do not show their calls in " \
	"progress"

/* Why of such connections the bytes and calls by kind are not known. */
#define BOOKS_UNTOLD_PINS                                                                         \
	"several threads send on one socket, some with MSG_ZEROCOPY, and this kernel's hooks do " \
	"not show which of their calls took a zero-copy id"

struct books {
	size_t connections;
	/* By the sockets' own sequence numbers, since they were taken in. */
	uint64_t socket_tx, socket_rx;
	/* Connections whose bytes are no measure: another layer than TCP serves them. */
	size_t unmeasured;
	/*
	 * Connections on which several threads send, where calls in progress are not shown: all,
	 * since what others had queued when the first call returned is not told from its own, and
	 * those that send with MSG_ZEROCOPY, too.
	 */
	size_t untold, untold_pins;
	uint64_t retrans;
	struct nio_amount calls[NIO_CALL_NR];
	struct nio_amount stages[NIO_STAGE_NR];
	uint64_t spliced; /* received by splice, where that is seen */
	__u64 uncovered[NIO_SIDE_NR][NIO_UNCOVERED_NR];
	uint64_t ids; /* of zero-copy sends, given out */
	uint64_t completed, copied;
	uint64_t unseen; /* copies of pinned pages that nobody saw, at most */
	uint64_t tx_sizes[NIO_SIZES], rx_sizes[NIO_SIZES];
	/* Bytes whose kind of send cannot be told apart: see books__untold(). */
	size_t local; /* connections whose other end is this machine, by its address */
	size_t zerocopy, zerocopy_local; /* connections that sent with MSG_ZEROCOPY; of these */
	uint64_t first_ns, last_ns;      /* CLOCK_MONOTONIC; 0: none */
};

/* Adds what was seen of one connection. */
void books__add_stream(struct books *b, const struct nio_stream *s);

/* Adds books to books. */
void books__add(struct books *b, const struct books *other);

/*
 * Bytes of the sockets' own count less those booked: 0 when nothing was missed. Unknown, with the
 * reason, where a socket's numbers count something else than what is sent.
 */
struct real books__unaccounted(const struct books *b, enum nio_side side);

/* Sum of what the send calls returned, or of what was copied to the application and taken. */
uint64_t books__booked(const struct books *b, enum nio_side side);

/*
 * Bytes received by splice, which copies nothing: as they were seen (seen: probe "splice_read"), or
 * 0 where nothing was taken without a copy.
 */
struct num books__spliced(const struct books *b, bool seen);

/* Copies made of each byte that was sent and received here; unknown without bytes. */
struct real books__copies_per_byte(const struct books *b);

/* The same with the copies that nobody saw. */
struct real books__copies_per_byte_at_most(const struct books *b);

/* Share of the bytes that went through events; unknown without bytes. */
struct real books__coverage(const struct books *b);

/* Share of the completed zero-copy sends that were copied after all. */
struct real books__copied_fraction(const struct books *b);

/*
 * Bytes that were sent by calls whose events were missed: what was done to them, copied, pinned or
 * spliced, is not known, and these stages are lower bounds.
 */
uint64_t books__missed_sends(const struct books *b);

/*
 * Are there copies of pinned pages that were not seen, by what the kernel reports of the sends of a
 * connection? Of packets that no program was shown as they arrived, or that were copied elsewhere
 * (in front of a tun device, or of one without scatter-gather).
 */
bool books__arrivals_missed(const struct books *b);

/* Are the stage's bytes known? Not where sends that pin cannot be told from others:
 * BOOKS_UNTOLD_PINS. */
bool books__tells(const struct books *b, enum nio_stage stage);

/* Calls with MSG_ZEROCOPY; where they are not told, ids given out: one each, but for merged pieces.
 */
uint64_t books__zerocopy_sends(const struct books *b);

uint64_t books__copied_bytes(const struct books *b); /* all copies made by a CPU */
uint64_t books__bytes(const struct books *b);        /* sent and received */

/* Is the address (network order) one of the machine's own, by its form alone: 127/8, ::1? */
bool books__is_loopback(uint16_t family, const uint8_t address[16]);

#endif
