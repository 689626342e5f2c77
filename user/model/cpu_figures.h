/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU time by class as a run has it: shares of its sampled round, times of its own. Pure. */
#ifndef MODEL_CPU_FIGURES_H
#define MODEL_CPU_FIGURES_H

#include "result.h"

/* A class in ns per KiB of payload, between which values in 95 of 100 cases. */
struct cpu_figure {
	struct real value;
	double low, high; /* meaningless unless value is known */
};

/*
 * The CPU time that is divided, ns: of a side the run's own, which was not sampled; of elsewhere
 * that of its samples, which is all there is.
 */
struct num cpu_figures__total(const struct run_result *r, enum nio_sample_whose w);

/* Of class c; per KiB of what the run moved (elsewhere: of what its sampled round moved). */
struct cpu_figure cpu_figures__per_kib(const struct run_result *r, enum nio_sample_whose w,
				       enum cpu_class c);

/* All classes together: the CPU time of the side, ns per KiB. */
struct real cpu_figures__sum(const struct run_result *r, enum nio_sample_whose w);

/* Of sender and receiver together: their sum, its interval from both (independent samples). */
struct cpu_figure cpu_figures__both(const struct run_result *r, enum cpu_class c);

#endif
