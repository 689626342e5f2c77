/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which congestion control the senders use. One that paces (bbr) holds packets back by a timer,
 * which can limit a local path long before copying does: loopback was several times slower with it
 * on one machine, and as fast on another, by what it takes the bandwidth for (docs/KERNELS.md).
 * Copy modes cannot be told apart then. So where the path is ours to choose for, it is not used
 * unless asked for. Pure.
 */
#ifndef MODEL_CONGESTION_H
#define MODEL_CONGESTION_H

#include <stddef.h>

#include "base/num.h"

#define CONGESTION_NAME_LEN 16 /* TCP_CA_NAME_MAX, include/net/tcp.h */

/* Asked for instead of a name: the system's, whatever it is. */
#define CONGESTION_OF_SYSTEM "system"

enum congestion_choice {
	CONGESTION_SYSTEM,  /* the system's, as it is */
	CONGESTION_ASKED,   /* --congestion NAME */
	CONGESTION_UNPACED, /* the system's paces, and the path is on this machine */
};

struct congestion {
	char system[CONGESTION_NAME_LEN]; /* net.ipv4.tcp_congestion_control; empty: not read */
	char allowed[256];                /* to programs without privileges, apart by spaces */
	char chosen[CONGESTION_NAME_LEN]; /* to be set on the senders; empty: the system's */
	char used[CONGESTION_NAME_LEN];   /* as a sender's socket says; empty: not known yet */
	enum congestion_choice choice;
};

/*
 * Does a congestion control pace its packets by itself (tcp_sock's sk_pacing_status)? Known of
 * those in the kernel tree: of them bbr does (net/ipv4/tcp_bbr.c, bbr_init).
 */
struct flag congestion__paces(const char *name);

/*
 * Chooses, and forgets which one a socket said it uses. asked: a name, "system", or NULL for the
 * default; local: both ends are on this machine. 0; -EPERM with *why set when the name asked for is
 * not allowed to programs without privileges, which the load generator is.
 */
int congestion__choose(struct congestion *c, const char *asked, bool local, char *why, size_t len);

/* The name in force, or expected to be: used, else chosen, else the system's; "" when not known. */
const char *congestion__name(const struct congestion *c);

#endif
