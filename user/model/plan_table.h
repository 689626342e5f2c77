/* SPDX-License-Identifier: GPL-2.0-only */
/* What the probes of a plan are; the alternatives themselves are in plan.h, for who tries them. */
#ifndef NETIOTRACE_PLAN_TABLE_H
#define NETIOTRACE_PLAN_TABLE_H

#include "plan.h"

struct probe_row {
	const char *name;
	const char *stage;   /* what it feeds; NULL: the stages whose rows name it */
	const char *event;   /* what one event is */
	const char *nothing; /* why a kernel with tracepoints only cannot have it; NULL: it can */
};

extern const struct probe_row plan_probes[PROBE_NR];

/* Does an alternative of this probe take times, which a round can be without? */
bool plan_probe__takes_times(enum probe_id probe);

/* Is the stage fed by this probe, by its row of NIO_STAGES? */
bool plan__feeds(enum probe_id probe, enum nio_stage stage);

/* The program that sees notifications of zero-copy sends and nothing else. */
extern const char plan_notifications_apart[];

/* The program of receive copies by their tracepoint, for the function backends; see plan.c. */
extern const char plan_rx_in_slices[];

/* Why tracepoints take no time: the reason of all probes that do. */
extern const char plan_no_mark[];

/* What helps where a hook was refused with -errno; NULL: nothing is to be done. */
const char *plan__remedy(int err);

#endif
