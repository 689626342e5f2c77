/* SPDX-License-Identifier: GPL-2.0-only */
/* Sample results and live frames for tests of views: fixed figures, nothing measured. */
#ifndef SUPPORT_FAKE_RESULT_H
#define SUPPORT_FAKE_RESULT_H

#include "screen/live_model.h"
#include "model/result.h"

#define FAKE_OTHER_REASON "no tracepoint shows these copies on this kernel"
#define FAKE_TIME_REASON  "no tracepoint marks its beginning and its end"

/* The books of a run of this mode: 1 GB in 64 KiB messages over loopback. Cleared by the caller. */
void fake_run__fill(struct run_result *run, enum mode mode);

/* Adds the measurements of the fentry backend. */
void fake_run__fentry(struct run_result *run);

/* A finished session of the first n modes, 5 rounds each. */
struct result *fake_result__new(size_t n);
void fake_result__free(struct result *r);

/* Replaces the rounds of a mode: n throughputs from low to high. */
void fake_result__rounds(struct result *r, enum mode mode, double low, double high, size_t n);

/* A live frame with the first n modes, the last of them running. */
struct live_frame *fake_frame__new(size_t n);
void fake_frame__free(struct live_frame *f);

/* Makes all modes of the result or frame measured by the fentry backend. */
void fake_result__fentry(struct result *r);
void fake_frame__fentry(struct live_frame *f);

#endif
