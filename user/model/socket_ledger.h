/* SPDX-License-Identifier: GPL-2.0-only */
/* The copy ledger of sockets: the bytes that they counted, divided as their events. Pure. */
#ifndef MODEL_SOCKET_LEDGER_H
#define MODEL_SOCKET_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/num.h"
#include "bpf/sock_state.h"
#include "seen_groups.h"
#include "unseen_copies.h"

/* Why sums over sockets are unknown. */
#define SOCKET_LEDGER_LEFT_OUT                                                                \
	"sockets or processes were left out: their maps were full (--max-sockets), or their " \
	"begin or end may have been missed"

/* Why a number of calls or of their bytes is unknown. */
#define SOCKET_LEDGER_NOT_SEEN                                                           \
	"none was seen, and calls were not watched all the time; --count-calls watches " \
	"them all"

/* Why the bytes of a way to receive are unknown, or a lower bound. */
#define SOCKET_LEDGER_UNKNOWN_CALL                                                           \
	"bytes were taken without a visible copy by calls that are not known "               \
	"(receives.uncopied): by io_uring, by a 32-bit program, by a reader in the kernel, " \
	"as urgent data, or in an event that no program saw"

/* Why the bytes of a way are unknown where another layer than TCP serves sockets. */
#define SOCKET_LEDGER_OF_LAYERS                                                             \
	"another layer than TCP (MPTCP, a sockmap) moved bytes of this side, and no stage " \
	"has them (uncovered)"

/* Why kTLS records are not counted. */
#define SOCKET_LEDGER_NO_RECORDS                                                                 \
	"the records of kTLS were not counted: the key changed, a network device encrypts, the " \
	"cipher is not known, a record was under way when watching began, the kernel receives "  \
	"ahead of its record numbers (before Linux 6.0), or the connection closed before they "  \
	"were read"

/* What kTLS did in one direction, by the numbers of its records. */
struct tls_ledger {
	uint64_t records;
	uint64_t copied;   /* plaintext of these records, which the cipher read and wrote anew */
	uint64_t overhead; /* bytes of headers, nonces and tags */
	/* Of `copied`: bytes that TCP may have moved before kTLS had its key. */
	uint64_t open;
	uint64_t copied_again; /* of `copied`: also in rx_copy (TLS 1.3) */
};

/* By how many bytes a number may be less than its value, and more. */
struct byte_margin {
	uint64_t below, above;
};

#define SOCK_COUNT_MEMBER(member, ...) uint64_t member;

/* Counts of 64 bits, which add up, and the time of the sockets' events at the end. */
struct socket_ledger {
	uint64_t connections;
	uint64_t unconnected; /* sockets without a connection: connect() failed, or is not done */
	/* By the sockets' counters since watching began: queued, and read by the applications. */
	uint64_t socket_tx, socket_rx;
	uint64_t received; /* from the peers, read or not */
	uint64_t readable; /* the same with what was queued when watching began */
	/* Bytes of connections with partly seen calls: scaled from the seen part. */
	uint64_t divided[NIO_SIDE_NR];
	/* Of the bytes that were scaled, by stage and by kind of call. Each socket has its own. */
	struct byte_margin stage_margin[NIO_STAGE_NR], call_margin[NIO_CALL_NR];
	uint64_t seen_tx, seen_rx; /* bytes of calls and copies that were seen */
	uint64_t left_out;         /* sockets and processes that are missing in these sums */
	uint64_t refused_runs;     /* program runs that the kernel refused, at any socket */
	uint64_t unmeasured;  /* connections of another layer, with bytes that were not counted */
	uint64_t unwatched;   /* connections whose calls were not watched all the time */
	uint64_t pins_hidden; /* of these, where requests of io_uring pin: they have no ids */
	uint64_t hidden_pins; /* bytes that these may have pinned, and have not in deferred_copy */
	uint64_t partly_seen; /* MPTCP connections with unseen calls: their bytes are a minimum */
	uint64_t mptcp; /* MPTCP connections: what their peers sent is known by copies alone */
	/* Connections that a sockmap served, whose bytes TCP does not count: they are a minimum. */
	uint64_t sockmap_open[NIO_SIDE_NR];
	/* Bytes of kTLS and, received, of a sockmap without a seen call: TCP may have copied them.
	 */
	uint64_t layer_open[NIO_SIDE_NR];
	struct tls_ledger tls[NIO_SIDE_NR];
	uint64_t retrans;
	uint64_t looks, tail_waits; /* as of struct sock_state */
	struct nio_amount calls[NIO_CALL_NR];
	struct nio_amount stages[NIO_STAGE_NR];
	__u64 uncovered[NIO_SIDE_NR][NIO_UNCOVERED_NR];
	uint64_t ids; /* zero-copy ids issued */
	NIO_SOCK_COUNTS(SOCK_COUNT_MEMBER)
	uint64_t requests[NIO_REQUEST_NR]; /* of io_uring, completed */
	/* Copies of pinned pages beyond the stage, at most. */
	uint64_t unseen;
	uint64_t under_xdp;      /* connections of which native XDP may have copied pinned pages */
	uint64_t deferred_again; /* deferred copies of pinned bytes that were sent again */
	/* Of may_copy[UNSEEN_TAP]: of sockets whose own device has a tap. */
	uint64_t tapped;
	uint64_t may_copy[UNSEEN_NR];                /* bytes; see socket_ledger__may_copy() */
	uint64_t deferred_doubts[DOUBT_DEFERRED_NR]; /* connections */
	uint64_t pinned_open; /* unclassified bytes of sockets with ids whose calls were not seen */
	uint64_t refused[NIO_REFUSAL_NR]; /* send calls, by error */
	/* By weights but for connections within one window, and by weights: socket_ledger__sizes().
	 */
	uint64_t tx_sizes[NIO_SIZES], rx_sizes[NIO_SIZES];
	uint64_t weighted_sizes[NIO_SIDE_NR][NIO_SIZES];
	uint64_t shared; /* bytes sent and read on sockets that several processes use */
	uint64_t tx_sizes_sum, rx_sizes_sum; /* bytes of the calls and copies in the sizes */
	uint64_t local;                      /* connections whose peer address is of this machine */
	uint64_t zerocopy, zerocopy_local; /* connections that sent with MSG_ZEROCOPY; local ones */
	uint64_t first_ns, last_ns;        /* CLOCK_MONOTONIC; 0: none */
	struct copy_evidence evidence;     /* no sum */
	/* Of these connections, where calls were watched in windows; NULL: not known. No sum. */
	const struct seen_bytes *seen;
};

/* The ledger of one connection. */
struct socket_ledger socket_ledger__of(const struct sock_state *s);

/*
 * The same where calls were watched in windows, but for sums over many connections: each event
 * counts for the time that its window stands for, also for connections that no window met. So
 * counts of calls, sizes and bytes of stages only grow, and are not scaled to the bytes of this
 * connection. Bytes of connections without a seen event are in no stage and in no uncovered kind.
 */
struct socket_ledger socket_ledger__weighted(const struct sock_state *s);

/* Requests of io_uring, which have no ids, may have pinned bytes in calls that were not watched. */
void socket_ledger__hide_pins(struct socket_ledger *d, const struct sock_state *s);

/*
 * Native XDP on a veth device copies pinned pages before they arrive, and the sends complete as not
 * copied: pinned bytes that were not seen to be copied may have been.
 */
void socket_ledger__mark_unknown_by_xdp(struct socket_ledger *d);

/*
 * Sets ledger->seen. Bytes of connections without a seen call are divided as all bytes of the group
 * were in windows, if the intervals of its shares are of use (SAMPLED_WIDE). Once for each sum.
 */
void socket_ledger__divide_missed(struct socket_ledger *ledger, const struct seen_bytes *seen);

void socket_ledger__add(struct socket_ledger *ledger, const struct socket_ledger *other);

/* Did the sockets pin pages: by MSG_ZEROCOPY, or by requests of io_uring whose messages were seen?
 */
bool socket_ledger__pins(const struct socket_ledger *ledger);

/* Requests of io_uring that completed. */
uint64_t socket_ledger__requests(const struct socket_ledger *ledger);

/*
 * Are there requests of io_uring that nothing reports, or packets of requests that were not seen?
 * So it is until the first notification, and if the socket ends before.
 */
bool socket_ledger__hides_requests(const struct socket_ledger *ledger);

/*
 * May there be requests of io_uring whose end is not counted? Between windows no message ties a
 * request to its socket. Sends with MSG_ZEROCOPY are all counted.
 */
bool socket_ledger__misses_requests(const struct socket_ledger *ledger);

/* A number of requests of io_uring: at least, if some may be missed; then unknown if it is 0. */
struct num socket_ledger__requests_ended(const struct socket_ledger *ledger, uint64_t seen);

/*
 * Zero-copy sends of which the kernel said whether they were copied, and those that were: sends
 * with MSG_ZEROCOPY and reported requests of io_uring.
 */
uint64_t socket_ledger__ended(const struct socket_ledger *ledger);
uint64_t socket_ledger__ended_copied(const struct socket_ledger *ledger);

/*
 * Bytes that the sockets counted minus booked bytes: 0 when nothing was missed. Unknown, with the
 * reason, where a socket counts something else than payload, or sockets were left out.
 */
struct real socket_ledger__unaccounted(const struct socket_ledger *ledger, enum nio_side side);

/* Sum over the stages and the uncovered kinds: of bytes sent, or of bytes read. */
uint64_t socket_ledger__booked(const struct socket_ledger *ledger, enum nio_side side);

/* The same without what kTLS adds to the plaintext. */
uint64_t socket_ledger__payload(const struct socket_ledger *ledger, enum nio_side side);

/*
 * Plaintext that kTLS copied, in both directions. Unknown if kTLS served sockets, and none of their
 * records could be counted, or if sockets were left out.
 */
struct num socket_ledger__tls_copy(const struct socket_ledger *ledger);

/* A number of this direction of kTLS: unknown likewise. */
struct num socket_ledger__of_records(const struct socket_ledger *ledger, enum nio_side side,
				     uint64_t number);

/* Copies per byte sent and received here; unknown without bytes. */
struct real socket_ledger__copies_per_byte(const struct socket_ledger *ledger);

/* Was how this side's bytes moved estimated from a part of the calls and copies? */
bool socket_ledger__is_estimate(const struct socket_ledger *ledger, enum nio_side side);

/*
 * A number of calls. Unknown if none was seen, and not every call of these connections was watched,
 * or if sockets were left out.
 */
struct num socket_ledger__count(const struct socket_ledger *ledger, uint64_t seen);

/* Bytes read that were peeked at, or taken without a copy: unknown if none was seen, likewise. */
struct num socket_ledger__read_bytes(const struct socket_ledger *ledger,
				     enum nio_uncovered_kind kind);

/*
 * Sizes of calls or copies, NIO_SIZES counts. Where some connections were not watched all the time,
 * each call counts for the time of its window, for connections that no window met as well.
 */
const uint64_t *socket_ledger__sizes(const struct socket_ledger *ledger, enum nio_side side);

/* Why the sizes of calls or copies are unknown: none was seen, and some were made. Else NULL. */
const char *socket_ledger__no_sizes(const struct socket_ledger *ledger, enum nio_side side);

/* Bytes of a kind of call, or of a stage: unknown if none was seen and some could have been. */
struct num socket_ledger__call_bytes(const struct socket_ledger *ledger, enum nio_send_call kind);
struct num socket_ledger__stage_bytes(const struct socket_ledger *ledger, enum nio_stage stage);

/* Bytes of copies that were not seen, at most. */
uint64_t socket_ledger__copies_open(const struct socket_ledger *ledger);

/* The same with the copies that were not seen. */
struct real socket_ledger__copies_per_byte_at_most(const struct socket_ledger *ledger);

/* Share of the bytes that went through events; unknown without bytes. */
struct real socket_ledger__coverage(const struct socket_ledger *ledger);

/*
 * Share of the completed zero-copy sends and requests that were copied after all. Unknown if a
 * request ended without a report.
 */
struct real socket_ledger__copied_fraction(const struct socket_ledger *ledger);

/*
 * Bytes without a seen call: copied or not. Where runs were refused, also bytes that were received
 * without a visible copy by an unknown call.
 */
uint64_t socket_ledger__unclassified(const struct socket_ledger *ledger, enum nio_side side);

/*
 * Bytes that MPTCP, a sockmap or another protocol on TCP moved: copied or not, and no stage has
 * them. kTLS has a stage of its own.
 */
uint64_t socket_ledger__of_layers(const struct socket_ledger *ledger, enum nio_side side);

/* Are the bytes sent or received a minimum: were calls of MPTCP or of a sockmap not seen? */
bool socket_ledger__is_least(const struct socket_ledger *ledger, enum nio_side side);

/*
 * Bytes that no stage has. Unknown for MPTCP and sockmaps where their calls were not seen: unlike
 * other layers, they have no byte counters that the programs read.
 */
struct num socket_ledger__uncovered(const struct socket_ledger *ledger, enum nio_side side,
				    enum nio_uncovered_kind kind);

/* Is this share of the side's bytes an estimate from the calls and copies that were seen? */
bool socket_ledger__is_divided(const struct socket_ledger *ledger, enum nio_side side,
			       enum nio_uncovered_kind kind);

/* The most that a stage can have: its bytes (the least), and bytes whose events were missed. */
uint64_t socket_ledger__at_most(const struct socket_ledger *ledger, enum nio_stage stage);

/* May more pinned bytes have been copied than the stage has? Why: socket_ledger__deferred_reason().
 */
bool socket_ledger__arrivals_missed(const struct socket_ledger *ledger);
const char *socket_ledger__deferred_reason(const struct socket_ledger *ledger);

/* Bytes that may have been copied in this way, at most: by the sockets and ledger->evidence. */
uint64_t socket_ledger__may_copy(const struct socket_ledger *ledger, enum unseen_copy copy);

/* Of these: copies of pinned pages. All. */
uint64_t socket_ledger__may_copy_pins(const struct socket_ledger *ledger);
uint64_t socket_ledger__copied_unseen(const struct socket_ledger *ledger);

/*
 * The first reason why bytes of a stage may have been copied without an event; NIO_STAGE_NR: of any
 * byte. NULL: none.
 */
const char *socket_ledger__unseen_reason(const struct socket_ledger *ledger, enum nio_stage stage);

/* Why more bytes may have been copied than the stages have, calls apart that were not watched;
 * NULL: no such cause is known. */
const char *socket_ledger__copies_reason(const struct socket_ledger *ledger);

struct num
socket_ledger__zerocopy_sends(const struct socket_ledger *ledger); /* with MSG_ZEROCOPY */
uint64_t
socket_ledger__copied_bytes(const struct socket_ledger *ledger);   /* all copies made by a CPU */
uint64_t socket_ledger__bytes(const struct socket_ledger *ledger); /* sent and received */

/*
 * Bytes of zero-copy calls of a connection (MSG_ZEROCOPY, io_uring's SEND_ZC) that the calls
 * copied, since nothing could be pinned: its route does no scatter-gather, or the calls made the
 * connection (TCP Fast Open).
 */
uint64_t socket_ledger__copied_in_calls(const struct socket_ledger *d, const struct sock_state *s);

/* Does the connection stay on this machine: to 127/8 or ::1, or between equal addresses? */
bool socket_ledger__is_local(const struct sock_state *s);

#define SOCKET_LEDGER_INNER_EAGAIN                                                         \
	"sendfile, splice and io_uring try several times in one call, and not every call " \
	"of which a try would have blocked fails"

/* Names of enum nio_send_call ("plain") and of enum nio_refusal ("enobufs", "ENOBUFS"). */
const char *socket_ledger__call_key(unsigned int kind);
const char *socket_ledger__refusal_key(unsigned int refusal);
const char *socket_ledger__refusal_name(unsigned int refusal);

/*
 * Send calls that would have blocked (EAGAIN). Unknown where sendfile, splice or io_uring got
 * EAGAIN: they try several times in a call, and only some of these calls fail.
 */
struct num socket_ledger__would_block(const struct socket_ledger *ledger);

/* Send calls that the kernel refused, with any error but EAGAIN. */
uint64_t socket_ledger__refused(const struct socket_ledger *ledger);

#endif
