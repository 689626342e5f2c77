/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the features of a network device that matter to zero-copy sends, by ethtool. */
#ifndef NETIOTRACE_DEVICE_H
#define NETIOTRACE_DEVICE_H

#include <stdbool.h>

struct device_features {
	const char *device;  /* in: name in the caller's network namespace */
	bool ipv6;           /* in: address family of tx_checksum and tso */
	bool scatter_gather; /* NETIF_F_SG is active: payload may be in pages */
	bool tx_checksum;    /* TCP checksum offload is active */
	bool tso, gso, gro;
};

/*
 * Reads the active features by name (ETHTOOL_GFEATURES; numbers differ between kernels). arg: a
 * struct device_features. 0 or -errno; -EOPNOTSUPP: the kernel lacks these names.
 */
int device__read_features(void *arg);

#endif
