/* SPDX-License-Identifier: GPL-2.0-only */
/* The latencies of a run: each named once, with one meaning. Pure. */
#ifndef NETIOTRACE_LATENCY_H
#define NETIOTRACE_LATENCY_H

#include "bpf/netiotrace.h"

/* clang-format off */
/*
 * What the load generator times, each with one meaning (docs/LOADGEN.md): enum suffix, JSON key,
 * side that reports it, heading on screen, why a run may have none of it, what it is.
 */
#define LATENCIES(X)                                                                       \
	X(SEND_CALL, "send_call", SENDER, "send call", "no event was timed",               \
	  "time inside the send system call")                                              \
	X(SLOT_WAIT, "slot_wait", SENDER, "slot wait",                                     \
	  "no message waited for a zero-copy buffer",                                      \
	  "until a zero-copy buffer was free, of messages that waited")                    \
	X(DELIVERY, "delivery", RECEIVER, "delivery", "no event was timed",                \
	  "from before the send to the last byte read")                                    \
	X(HALF_ROUND_TRIP, "half_round_trip", SENDER, "half round trip",                   \
	  "messages are answered only with --request-response",                            \
	  "half the time until a message was answered")                                    \
	X(COMPLETION, "completion", SENDER, "completion", "no event was timed",            \
	  "zero-copy send to its notification")

enum latency_kind {
#define X(id, ...) LATENCY_##id,
	LATENCIES(X)
#undef X
	LATENCY_NR,
};
/* clang-format on */

const char *latency__key(enum latency_kind k); /* "send_call", ... */
enum nio_side latency__side(enum latency_kind k);
const char *latency__heading(enum latency_kind k); /* "send call", ... */
const char *latency__none(enum latency_kind k);    /* why nothing may have been timed */
const char *latency__help(enum latency_kind k);

#endif
