/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks for packet taps on a path: who is handed every packet of its devices (tcpdump, lldpd, a
 * DHCP client). A tap makes the kernel copy zero-copy pages (skb_orphan_frags_rx before it is
 * called), so whether there was one belongs to the verdict.
 */
#ifndef NETIOTRACE_TAP_H
#define NETIOTRACE_TAP_H

#include "netpath.h"
#include "model/result.h"

/*
 * Looks once more and adds what it finds to taps, which begins zeroed but for per_netns, which the
 * caller knows (kernel/kernel_btf.h). After each look, in_run of a
 * tap says whether it was open now or at the look before: called at the beginning of a session and
 * at the end of each run, that is whether it was open in that run, as far as two looks can tell.
 * Nothing here fails: what cannot be read is said in taps->reason.
 */
void tap__look(struct taps *taps, const struct netpath *path);

/* in_run of all that any look of the session found: for totals over all runs. */
void tap__recall(struct taps *taps);

#endif
