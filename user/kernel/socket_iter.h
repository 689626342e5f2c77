/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what the program nio_sockets writes: a pass over the TCP sockets of a network namespace. */
#ifndef KERNEL_SOCKET_ITER_H
#define KERNEL_SOCKET_ITER_H

#include "bpf/sockets.h"

/*
 * Passes each record of a descriptor of session__open_pass() to take(), to its end. Works from any
 * network namespace. 0 or -errno.
 */
int socket_iter__read(int fd, void (*take)(void *arg, const struct nio_socket *socket), void *arg);

#endif
