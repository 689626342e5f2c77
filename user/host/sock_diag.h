/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ss shows of the TCP sockets of a network namespace, in the form of the socket pass: for
 * kernels whose iterator cannot be had, and as a witness that needs neither BPF nor root. The
 * counters are not read under one lock, so they are of one moment only while nothing moves.
 */
#ifndef NETIOTRACE_SOCK_DIAG_H
#define NETIOTRACE_SOCK_DIAG_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/sockets.h"

/* A TCP socket by what names it. */
struct sock_name {
	uint64_t cookie;
	uint32_t inode; /* 0: no longer a process's */
	uint16_t local_port, remote_port;
	bool listens;
};

/*
 * Gives each TCP socket of the caller's network namespace to take(), but for those that listen or
 * are in TIME_WAIT. write_seq counts from snd_una, rcv_nxt from copied_seq; zckey and
 * scatter_gather are not told: 0. 0 or -errno. Every socket gets a cookie by being asked for it.
 */
int sock_diag__pass(void (*take)(void *arg, const struct nio_socket *socket), void *arg);

/* The same sockets, and those that listen, by their names. */
int sock_diag__names(void (*take)(void *arg, const struct sock_name *name), void *arg);

#endif
