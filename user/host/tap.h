/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns finding the packet taps of a path (tcpdump, lldpd, a DHCP client). For a tap the kernel
 * copies zero-copy pages (skb_orphan_frags_rx()), so taps are evidence for the verdict.
 */
#ifndef HOST_TAP_H
#define HOST_TAP_H

#include "netpath.h"
#include "model/result.h"

/*
 * The taps that are open before the first run. per_netns: a tap sees its own namespace's packets
 * only. path NULL: there is none. Never fails; errors are in taps->reason.
 */
void tap__begin(struct taps *taps, const struct netpath *path, struct flag per_netns);

/* The same after each run: in_run of a tap then means open before or after the run. */
void tap__search(struct taps *taps, const struct netpath *path);

#endif
