/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampling of events. Bytes come from sequence numbers. Zero-copy ids and the load generator's
 * counts show how many bytes were pinned, and how many copied later. Events add numbers and sizes,
 * for which thousands are as good as millions, and are a third, independent count. So compared
 * rounds attach the event programs for a window of each period (model/event_windows.h). Events are
 * not sampled if all must be counted (--messages, --count-calls, --times), or if functions show
 * each completion and deferred copy.
 */
#ifndef RUN_EVENT_SAMPLING_H
#define RUN_EVENT_SAMPLING_H

#include "round.h"

/* May events be sampled, if the plan allows it? */
bool event_sampling__fits(const struct runner *runner);

/* The measured phase begins, with all of the plan attached. */
void event_sampling__begin(struct round *r);

/* Attaches or detaches when due. 0 or -errno, reported: they could not be attached again. */
int event_sampling__turn(struct round *r, uint64_t now_ns);

/* The next time to call event_sampling__turn(); UINT64_MAX: never. */
uint64_t event_sampling__due(const struct round *r);

/* Records in s for how long of the phase events were attached. */
void event_sampling__note(const struct round *r, struct snapshot *s);

#endif
