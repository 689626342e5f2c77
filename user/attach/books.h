/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The books of one watched connection, or of several together: the bytes that the sockets counted,
 * divided by what the events of calls and copies showed. Pure.
 */
#ifndef NETIOTRACE_BOOKS_H
#define NETIOTRACE_BOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/num.h"
#include "bpf/sock_state.h"

/* Why sums over all sockets are not known. */
#define BOOKS_LEFT_OUT                                                                          \
	"sockets were left out: there was no room for them (--max-sockets), or no program saw " \
	"their end"

struct books {
	size_t connections;
	/* By the sockets' own counters, since they were taken in: queued, and read by the
	 * applications. */
	uint64_t socket_tx, socket_rx;
	uint64_t received; /* from the peers, read or not */
	/*
	 * Bytes of connections of which not every call was seen: divided by kind as those calls
	 * were that were seen.
	 */
	uint64_t divided[NIO_SIDE_NR];
	uint64_t seen_tx, seen_rx; /* bytes of calls and copies that were seen */
	size_t left_out;           /* sockets that are not in these books at all */
	/* Connections whose bytes are no measure: another layer than TCP serves them. */
	size_t unmeasured;
	uint64_t retrans;
	struct nio_amount calls[NIO_CALL_NR];
	struct nio_amount stages[NIO_STAGE_NR];
	uint64_t spliced; /* received by splice, where that is seen */
	__u64 uncovered[NIO_SIDE_NR][NIO_UNCOVERED_NR];
	uint64_t ids; /* of zero-copy sends, given out */
	uint64_t completed, copied;
	uint64_t unseen;                  /* copies of pinned pages that nobody saw, at most */
	uint64_t refused[NIO_REFUSAL_NR]; /* send calls, by error */
	uint64_t zc_without_option;       /* calls with MSG_ZEROCOPY without SO_ZEROCOPY */
	uint64_t tx_sizes[NIO_SIZES], rx_sizes[NIO_SIZES];
	size_t local; /* connections whose other end is this machine, by its address */
	size_t zerocopy, zerocopy_local; /* connections that sent with MSG_ZEROCOPY; of these */
	uint64_t first_ns, last_ns;      /* CLOCK_MONOTONIC; 0: none */
};

/* Adds what was seen of one connection. */
void books__add_socket(struct books *b, const struct sock_state *s);

/*
 * Bytes of the sockets' own count less those booked: 0 when nothing was missed. Unknown, with the
 * reason, where a socket's numbers count something else than what is sent.
 */
struct real books__unaccounted(const struct books *b, enum nio_side side);

/* Sum over the stages, and what no stage covers: of bytes sent, or of bytes that were taken. */
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

/* Bytes sent of which no call was seen: copied, pinned or spliced, which is not known. */
uint64_t books__unclassified(const struct books *b);

/*
 * Are there copies of pinned pages that were not seen, by what the kernel reports of the sends of a
 * connection? Of packets that no program was shown as they arrived, or that were copied elsewhere
 * (in front of a tun device, or of one without scatter-gather).
 */
bool books__arrivals_missed(const struct books *b);

uint64_t books__zerocopy_sends(const struct books *b); /* calls with MSG_ZEROCOPY */
uint64_t books__copied_bytes(const struct books *b);   /* all copies made by a CPU */
uint64_t books__bytes(const struct books *b);          /* sent and received */

/* Is the address (network order) one of the machine's own, by its form alone: 127/8, ::1? */
bool books__is_loopback(uint16_t family, const uint8_t address[16]);

#endif
