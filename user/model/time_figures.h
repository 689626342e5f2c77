/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Figures of time in the final text and the live view: parts of a send call, and time per payload
 * of a stage. Pure: no layout, no I/O. Unmeasured values never enter a figure as 0; an unknown
 * figure always has a reason.
 */
#ifndef MODEL_TIME_FIGURES_H
#define MODEL_TIME_FIGURES_H

#include "result.h"

/*
 * Mean ns of a send call: PATH_SEND_TOTAL the whole, by the load generator's clock around its
 * system calls; else the time in that part, over the calls that were followed.
 */
struct real time_figures__part(const struct run_result *run, enum path_part part);

/*
 * Mean ns of a send call outside tcp_sendmsg: the whole less the parts. Unknown also when only some
 * calls were followed: then the means are of different calls and do not subtract.
 */
struct real time_figures__outside(const struct run_result *run);

/* Send calls that the load generator timed, of the round that the times are of. */
uint64_t time_figures__calls(const struct run_result *run);

/* Bytes that a stage's ns is of; with some events timed, their share. Of the times' round. */
struct real time_figures__timed_bytes(const struct run_result *run, enum nio_stage stage);

/* ns of a stage for each KiB it moved, also if only some events were timed; 0: it moved nothing. */
struct real time_figures__per_kib(const struct run_result *run, enum nio_stage stage);

#endif
