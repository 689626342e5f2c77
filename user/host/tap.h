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
 * Adds the open taps to taps, which begins zeroed but for per_netns. Call before the first run and
 * after each run: in_run of a tap then means open before or after the run. Never fails; errors are
 * in taps->reason.
 */
void tap__search(struct taps *taps, const struct netpath *path);

#endif
