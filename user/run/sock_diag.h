/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns reading TCP sockets by sock_diag, for kernels without the socket iterator. The kernel does
 * not read the counters under one lock: they are consistent only while the connection is idle.
 */
#ifndef RUN_SOCK_DIAG_H
#define RUN_SOCK_DIAG_H

#include "bpf/sockets.h"

/*
 * Passes each TCP socket of the caller's network namespace to handle(), but for those in LISTEN or
 * TIME_WAIT. write_seq counts from snd_una, rcv_nxt from copied_seq; zckey and scatter_gather are
 * 0. 0 or -errno. Each socket gets a cookie by this.
 */
int sock_diag__pass(void (*handle)(void *arg, const struct nio_socket *socket), void *arg);

#endif
