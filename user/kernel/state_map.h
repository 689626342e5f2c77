/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the copies of watched sockets' states where no iterator over map elements is allowed. */
#ifndef KERNEL_STATE_MAP_H
#define KERNEL_STATE_MAP_H

#include "loader.h"

/*
 * Takes all states out of the map of copies (nio_snapshots). *out gets, for each, SOCK_STATE_HEAD
 * bytes and, if has_events, a struct sock_events. The caller frees out->list. 0 or -errno.
 */
int state_map__drain(int snapshots_fd, struct loader_records *out);

#endif
