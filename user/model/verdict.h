/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Was zero-copy zero-copy, and if not, why: text from the evidence of the run. Pure.
 *
 * Causes of a copied zero-copy send, and their evidence (Linux 5.10 to 7.1):
 * - local delivery: skb_orphan_frags_rx copies before a local socket gets the packet.
 *   deferred_copy, on a path that ends on this machine.
 * - a packet tap: the same function, before the tap is called (dev_queue_xmit_nit, deliver_skb).
 *   deferred_copy on a path that leaves this machine; on a local one a second copy, of the clone
 *   that the tap gets as the packet leaves. The number of taps makes no difference: they share that
 *   clone. A tap on the receiving device only takes the copy that delivery would have made.
 * - a route without scatter-gather: nothing is pinned, the send call copies (tcp_sendmsg_locked);
 *   or, since TCP accepts a route with software segmentation (sk_setup_caps), pages are pinned and
 *   copied before the device (skb_linearize, skb_segment): no deferred_copy.
 * - ENOBUFS: the send was repeated without MSG_ZEROCOPY; such sends are never completions.
 */
#ifndef MODEL_VERDICT_H
#define MODEL_VERDICT_H

#include "result.h"
#include "socket_ledger.h"

/*
 * Completions of zero-copy sends as the kernel side saw them, which counts merged ones separately;
 * or as the application read them, if the kernel side saw none, a sample, or fewer.
 */
const struct zc_counts *verdict__completions(const struct run_result *r);

/* Fills r->verdict from the ledger of r and its path, with the taps in env. */
void verdict__give(struct run_result *r, const struct environment *env);

/*
 * Fills v from the ledger of sockets whose program is not the load generator. notices: completions
 * are seen on this kernel. Without zero-copy sends v->text is empty and v->cause ZC_CAUSE_NONE.
 */
void verdict__of_sockets(struct verdict *v, const struct socket_ledger *ledger, bool notices);

/* Bytes of a way to send, from the least to the most. */
struct verdict_bytes {
	uint64_t value, least, most;
};

/* Appends "Port 80: 2 MB sent by reference, port 81: ..." if services send in different ways. */
struct verdict_service {
	const char *name; /* "port 80" */
	struct verdict_bytes copied, pinned, spliced;
	struct verdict_bytes encrypted; /* plaintext that kTLS copied */
	bool estimate;    /* copied, pinned and spliced are divided as the calls that were seen */
	uint64_t unknown; /* bytes of calls that were not seen, and of records not counted */
};
void verdict__describe_services(char *text, size_t len, const struct verdict_service *list,
				size_t nr);

#endif
