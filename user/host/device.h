/* SPDX-License-Identifier: GPL-2.0-only */
/* What a network device can do for zero-copy sends, as ethtool would say. */
#ifndef NETIOTRACE_DEVICE_H
#define NETIOTRACE_DEVICE_H

#include <stdbool.h>

struct device_features {
	const char *device;  /* in: its name, in the caller's network namespace */
	bool ipv6;           /* in: which checksum is asked about */
	bool scatter_gather; /* NETIF_F_SG is in force: packets may have their payload in pages */
	bool tx_checksum;    /* it sums TCP itself; the kernel allows no scatter-gather without */
	bool tso, gso, gro;
};

/*
 * Asks for the features in force (ETHTOOL_GFEATURES, by name: their numbers differ between
 * kernels). arg is a struct device_features: the form netns__visit() takes. 0 or -errno:
 * -EOPNOTSUPP when the kernel knows no feature of these names, -ENODEV when there is no device.
 * Needs no privileges.
 */
int device__read_features(void *arg);

#endif
