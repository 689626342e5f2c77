/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a sweep may go on in a directory that has one: results of other settings, machines,
 * kernels or versions of ours do not belong into it. Both return an exit code, the refusal said,
 * and EXIT_DONE for a directory without a sweep.
 */
#ifndef NETIOTRACE_RESUME_H
#define NETIOTRACE_RESUME_H

#include <jansson.h>

#include "results_dir.h"
#include "sweep_options.h"

/* Before anything starts: was the sweep there asked for with the same words? */
int resume__check_settings(const struct sweep_dir *dir, const struct sweep_options *o);

/* sweep: the document of the one that would go on. */
int resume__check_surroundings(const struct sweep_dir *dir, const json_t *sweep);

#endif
