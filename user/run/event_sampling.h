/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events a part of the time. Bytes come from sequence numbers. Zero-copy ids and the load
 * generator's counts say how many of them were pinned, and how many were copied later. Events tell
 * their number and sizes, for which thousands are as good as millions, and are a third witness. So
 * in rounds that are compared their programs look for a slice of each period, or longer where
 * events are few. All of the time where they are to be counted (--messages, --count-calls,
 * --times), where a completion is looked up by the send that it ends (zero-copy by functions), and
 * where there are no sequence numbers.
 */
#ifndef RUN_EVENT_SAMPLING_H
#define RUN_EVENT_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#define EVENT_SAMPLING_PERIOD_NS 500000000ULL
#define EVENT_SAMPLING_SLICE_NS  50000000ULL
#define EVENT_SAMPLING_EVENTS    2000 /* that a slice lasts for at least, up to the next */

struct runner;
struct round;
struct snapshot;

/* May events be looked at a part of the time, if the plan can do without them? */
bool event_sampling__fits(const struct runner *e);

/* The measured phase begins, with all of the plan attached. */
void event_sampling__begin(struct round *r);

/* What is due is done. 0 or -errno, said: the programs could not be attached again. */
int event_sampling__turn(struct round *r, uint64_t now_ns);

/* When event_sampling__turn() is to be called; UINT64_MAX: not at all. */
uint64_t event_sampling__due(const struct round *r);

/* Notes in s for how long of the phase events were looked at. */
void event_sampling__note(const struct round *r, struct snapshot *s);

#endif
