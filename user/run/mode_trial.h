/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the load generator can send and receive here as asked: it tries, and ends. */
#ifndef RUN_MODE_TRIAL_H
#define RUN_MODE_TRIAL_H

#include "common/mode.h"
#include "options.h"

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
