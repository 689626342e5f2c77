/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's preemption model, from what the system says of it, and what it means for programs
 * that watch. Pure.
 */
#ifndef MODEL_PREEMPTION_H
#define MODEL_PREEMPTION_H

#include <stdbool.h>

/* What the system says; NULL: it does not. */
struct preemption_signs {
	const char *version; /* of uname: "#1 SMP PREEMPT_DYNAMIC Debian ..." */
	const char *debugfs; /* sched/preempt: "none voluntary (full) lazy" */
	const char *cmdline; /* of the kernel: "... preempt=full ..." */
	const char *config;  /* the option set to y: "CONFIG_PREEMPT_VOLUNTARY" */
};

/*
 * "none", "voluntary", "full", "lazy", "rt", or "none or voluntary" where no more is told; NULL:
 * not known. Static strings. Sources: kernel/sched/core.c (sched_dynamic_mode), init/Makefile.
 */
const char *preemption__model(const struct preemption_signs *signs);

/* Can a task be preempted in the kernel anywhere, a BPF program in it included? */
bool preemption__anywhere(const char *model);

#endif
