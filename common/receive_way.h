/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways to receive. A new way needs a row here and a struct receive_way in loadgen/. The sender
 * asks for a way; the receiver, on any machine, obeys or refuses the session.
 */
#ifndef COMMON_RECEIVE_WAY_H
#define COMMON_RECEIVE_WAY_H

#include <stdbool.h>

/* The ledger stages that a way can feed, and more. */
enum receive_feature {
	RECEIVE_COPIES = 1,   /* rx_copy */
	RECEIVE_MAPS = 2,     /* rx_map */
	RECEIVE_DISCARDS = 4, /* rx_discard */
	RECEIVE_SPLICES = 8,  /* rx_splice */
	RECEIVE_HIDES = 16,   /* the bytes cannot be read: neither tags nor contents */
	RECEIVE_TRIED = 32,   /* may be missing: the receiver's load generator tries it first */
};

/*
 * The ways: id, whose number the protocol has; name on the command line and in data
 * (receive_way_<name> in loadgen/); features; what a receiver does, in texts.
 */
/* clang-format off */
#define RECEIVE_WAYS(X)                                                                          \
	X(RECV,   recv,   RECEIVE_COPIES, "called recv()")                                       \
	X(MMAP,   mmap,   RECEIVE_MAPS | RECEIVE_COPIES | RECEIVE_TRIED, "mapped whole pages")   \
	X(TRUNC,  trunc,  RECEIVE_DISCARDS | RECEIVE_HIDES, "dropped the bytes unread")          \
	X(SPLICE, splice, RECEIVE_SPLICES | RECEIVE_HIDES, "spliced the bytes to /dev/null")     \
	X(URING,  uring,  RECEIVE_COPIES | RECEIVE_TRIED, "received by io_uring")                \
	X(MULTISHOT, multishot, RECEIVE_COPIES | RECEIVE_TRIED, "received by multishot io_uring") \
	X(BUNDLE, bundle, RECEIVE_COPIES | RECEIVE_TRIED, "received bundles by io_uring")

enum receive {
#define X(id, ...) RECEIVE_##id,
	RECEIVE_WAYS(X)
#undef X
	RECEIVE_NR,
};
/* clang-format on */

const char *receive__name(unsigned int way);                /* "recv", ...; "?" outside the enum */
const char *receive__words(unsigned int way);               /* "mapped whole pages", ... */
bool receive__has(unsigned int way, unsigned int features); /* any of them */

/* "recv|mmap|...": for option rows, in the order of the enum. */
#define RECEIVE_BAR_AND_NAME(id, name, ...) "|" #name
#define RECEIVE_CHOICES                     (RECEIVE_WAYS(RECEIVE_BAR_AND_NAME) + 1)

#endif
