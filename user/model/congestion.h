/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The congestion control of the senders. One that paces (bbr) delays packets with a timer, which
 * can limit a local path long before copying does: loopback was several times slower with it on one
 * machine, and equally fast on another, depending on its bandwidth estimate (docs/KERNELS.md). Copy
 * modes are then indistinguishable, so on local paths a pacing control is not used unless
 * requested. Pure.
 */
#ifndef MODEL_CONGESTION_H
#define MODEL_CONGESTION_H

#include <stddef.h>

#include "base/num.h"

#define CONGESTION_NAME_LEN 16 /* TCP_CA_NAME_MAX, include/net/tcp.h */

/* Requested instead of a name: the system's default. */
#define CONGESTION_OF_SYSTEM "system"

enum congestion_choice {
	CONGESTION_SYSTEM,  /* the system's default */
	CONGESTION_ASKED,   /* --congestion NAME */
	CONGESTION_UNPACED, /* the system's paces, and the path is on this machine */
};

struct congestion {
	char system[CONGESTION_NAME_LEN]; /* net.ipv4.tcp_congestion_control; empty: not read */
	char allowed[256];                /* for unprivileged programs, separated by spaces */
	char chosen[CONGESTION_NAME_LEN]; /* to be set on the senders; empty: the system's */
	char used[CONGESTION_NAME_LEN];   /* as a sender's socket says; empty: not known yet */
	enum congestion_choice choice;
	char available[256]; /* in the kernel, separated by spaces; empty: not read */
};

/* Does a congestion control pace packets by itself? In the kernel tree only bbr does (bbr_init). */
struct flag congestion__paces(const char *name);

/*
 * Chooses, and discards the control that a socket reported. asked: a name, "system", or NULL for
 * the default; local: both ends are on this machine. 0; -EPERM with *why set if programs without
 * privileges, such as the load generator, may not use the requested control.
 */
int congestion__choose(struct congestion *c, const char *asked, bool local, char *why, size_t len);

/* The name in force, or expected to be: used, else chosen, else the system's; "" when not known. */
const char *congestion__name(const struct congestion *c);

#endif
