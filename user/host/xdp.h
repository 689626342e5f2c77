/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns finding native XDP programs on veth devices. Such a device copies zero-copy packets before
 * they arrive, and the kernel reports their sends as not copied (docs/KERNELS.md).
 */
#ifndef HOST_XDP_H
#define HOST_XDP_H

#include <stdbool.h>

/*
 * Does a veth device have one, in this network namespace or in another that can be visited? Never
 * fails: namespaces that cannot be read count as without. For single-threaded callers.
 * copies: set if it has, or if any device has a generic program (netif_receive_generic_xdp() copies
 * a packet that is shared or has pages).
 */
bool xdp__on_veth(bool *copies);

#endif
