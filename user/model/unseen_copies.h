/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What may copy payload bytes without an event of attach, and what bounds it. docs/KERNELS.md
 * ("Copies that no event of attach shows") has the whole list with its sources.
 */
#ifndef MODEL_UNSEEN_COPIES_H
#define MODEL_UNSEEN_COPIES_H

#include <stdbool.h>
#include <stdint.h>

/* Copies besides those of the calls: enum suffix, reason. */
/* clang-format off */
#define UNSEEN_COPIES(X)                                                                       \
	X(CHECKSUM, "a device without TX checksums copies what sendfile, splice and MSG_ZEROCOPY send") \
	X(GATHER,   "a device without scatter-gather copies each packet into one piece")       \
	X(IPSEC,    "IPsec copies packets before it encrypts or decrypts them")                \
	X(ONWARD_CHECKSUM, "packets may have passed another device of this machine that has no TX checksums and copies what sendfile and splice send") \
	X(ONWARD_GATHER,   "packets may have passed another device of this machine that has no scatter-gather and copies each packet") \
	X(TAP,      "a packet capture has the kernel copy pinned pages once more")             \
	X(STAMPS,   "TX timestamps that return the packet (without SOF_TIMESTAMPING_OPT_TSONLY) copy its pinned pages") \
	X(XDP,      "XDP programs that run on socket buffers have packets copied")             \
	X(COLLAPSE, "the kernel merged packets of receive queues that were full (TCPRcvCollapsed), and so copied them")

enum unseen_copy {
#define X(id, ...) UNSEEN_##id,
	UNSEEN_COPIES(X)
#undef X
	UNSEEN_NR,
};

/* Why deferred copies are a range: enum suffix, reason. */
#define DEFERRED_DOUBTS(X)                                                                     \
	X(MISSED,   "a lower bound: the kernel reports every send of a connection as copied, yet fewer bytes were seen to arrive than it pinned: they were copied on the way out, or in events that no program saw") \
	X(MIXED,    "a range: the kernel reports some sends of a connection as copied and others as not copied, without their bytes") \
	X(UNCOPIED, "an upper bound: packets were seen to arrive, but the kernel reports no send of their connection as copied: they left the machine again") \
	X(AGAIN,    "a lower bound: bytes that were sent again were copied once more, or had been dropped after they arrived") \
	X(TWICE,    "an upper bound: packets were seen to arrive more often than they were sent") \
	X(DEVICE,   "a range: the device has no TX checksums or no scatter-gather, or IPsec copies; the completions do not tell")

enum deferred_doubt {
#define X(id, ...) DOUBT_DEFERRED_##id,
	DEFERRED_DOUBTS(X)
#undef X
	DOUBT_DEFERRED_NR,
};
/* clang-format on */

/* What the machine showed while attach watched. It holds for every connection. */
struct copy_evidence {
	uint64_t tap_devices; /* devices with a tap of every packet */
	/* Bytes that devices without TX checksums, or without scatter-gather, have sent. */
	uint64_t no_checksum_bytes, no_gather_bytes;
	bool collapsed;  /* in a network namespace of a watched socket */
	bool native_xdp; /* on a veth device: see socket_ledger__mark_unknown_by_xdp() */
	bool xdp;        /* a program runs on socket buffers: generic XDP, or a veth's */
};

#endif
