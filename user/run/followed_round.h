/* SPDX-License-Identifier: GPL-2.0-only */
/* --follow: runs `netiotrace follow` on the sender during the measured phase of an extra round. */
#ifndef RUN_FOLLOWED_ROUND_H
#define RUN_FOLLOWED_ROUND_H

#include "base/launch.h"
#include "model/result.h"

#define FOLLOWED_NS 10000000000ULL /* the measured phase of its round */

struct following {
	struct launch launch;
	int document, messages; /* files in memory: what it wrote to stdout and stderr */
	char why[192];          /* why it has no result; empty: it was started */
	struct followed sent;   /* its result */
};

/* Of what a process sends; sets why. */
void followed_round__start(struct following *f, pid_t pid);

/* Waits for its end; sets sent. */
void followed_round__stop(struct following *f);

#endif
