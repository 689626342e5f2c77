/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU time of a run by class: shares from its sampled round, times from the run itself. Pure. */
#ifndef MODEL_CPU_FIGURES_H
#define MODEL_CPU_FIGURES_H

#include "result.h"

/* A class in ns per KiB of payload, between which values in 95 of 100 cases. */
struct cpu_figure {
	struct real value;
	double low, high; /* meaningless unless value is known */
};

/* The CPU time to divide, ns: the run's own of a side; elsewhere, the time of the samples. */
struct num cpu_figures__total(const struct run_result *r, enum nio_sample_owner w);

/* Why the time of a class of sampled CPU time is unknown; NULL: it is known. */
const char *cpu_figures__hidden(const struct cpu_result *cpu, enum nio_sample_owner w,
				enum cpu_class c);

/* For class c, per KiB moved by the run (elsewhere: by its sampled round). */
struct cpu_figure cpu_figures__per_kib(const struct run_result *r, enum nio_sample_owner w,
				       enum cpu_class c);

/* All classes together: the CPU time of the side, ns per KiB. */
struct real cpu_figures__sum(const struct run_result *r, enum nio_sample_owner w);

/* Sender and receiver together: the sum, its interval from both (independent samples). */
struct cpu_figure cpu_figures__both(const struct run_result *r, enum cpu_class c);

#endif
