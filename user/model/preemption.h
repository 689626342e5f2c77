/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's preemption model, and its effect on BPF programs. Pure. */
#ifndef MODEL_PREEMPTION_H
#define MODEL_PREEMPTION_H

#include <stdbool.h>

/* Texts from the system; NULL: unavailable. */
struct preemption_signs {
	const char *version; /* of uname: "#1 SMP PREEMPT_DYNAMIC Debian ..." */
	const char *debugfs; /* sched/preempt: "none voluntary (full) lazy" */
	const char *cmdline; /* of the kernel: "... preempt=full ..." */
	const char *config;  /* the option set to y: "CONFIG_PREEMPT_VOLUNTARY" */
};

/*
 * "none", "voluntary", "full", "lazy", "rt", or "none or voluntary" if undecidable; NULL: unknown.
 * Static strings. Sources: kernel/sched/core.c (sched_dynamic_mode), init/Makefile.
 */
const char *preemption__model(const struct preemption_signs *signs);

/* Can a task be preempted anywhere in the kernel, including in a BPF program? */
bool preemption__anywhere(const char *model);

#endif
