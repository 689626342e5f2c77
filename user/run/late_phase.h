/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A phase of a round that ends much later than planned, since a phase ends after whole messages and
 * TCP may move a few kB a second (a receive buffer of a few KiB, a slow link): says so once.
 */
#ifndef RUN_LATE_PHASE_H
#define RUN_LATE_PHASE_H

#include "round.h"

/* A phase begins that should take planned_ns; 0: not known. */
void late_phase__begin(struct round *r, const char *phase, uint64_t planned_ns);
void late_phase__end(struct round *r);

/* This process did not run for so long. */
void late_phase__extend(struct round *r, uint64_t ns);

void late_phase__turn(struct round *r, uint64_t now_ns);

/* The next time to call late_phase__turn(); UINT64_MAX: never. */
uint64_t late_phase__due(const struct round *r);

#endif
