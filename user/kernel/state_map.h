/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the map of watched sockets where no iterator over its elements is allowed. */
#ifndef KERNEL_STATE_MAP_H
#define KERNEL_STATE_MAP_H

#include "loader.h"

/*
 * Appends to *out, for each state that user space is to take, SOCK_STATE_HEAD bytes and, if
 * has_events, a struct sock_events. After the program that updates them. 0 or -errno.
 */
int state_map__read(int sockets_fd, int events_fd, struct loader_records *out);

#endif
