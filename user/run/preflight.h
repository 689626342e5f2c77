/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks options against this machine before anything starts: CPUs, and the memory of messages. An
 * impossible option is reported and gives EXIT_USAGE.
 */
#ifndef RUN_PREFLIGHT_H
#define RUN_PREFLIGHT_H

#include "common/mode.h"
#include "options.h"
#include "run_order.h"

/* Exit codes. __check_cpus(): the CPUs alone. A sweep checks every cell: it does not begin if one
 * is impossible. */
int preflight__check(const struct options *o);
int preflight__check_cells(const struct options *o, const struct sweep_grid *g);

int preflight__check_cpus(const struct workload *t);

/*
 * The load generator, with its own rights, tries the modes, and the way to receive on this machine,
 * that may be missing. An exit code, reported: EXIT_KERNEL if the kernel or a seccomp filter
 * refuses one, EXIT_USAGE if the directory of --file-dir is refused, EXIT_RUN_FAILED if memory or
 * files were short or nothing could be tried.
 */
int mode_trial__run(const struct options *o, const enum mode *modes, size_t n);

/* Whether an errno is a property of a kernel or its rules, not of the moment. */
bool mode_trial__is_of_kernel(int64_t error);

#endif
