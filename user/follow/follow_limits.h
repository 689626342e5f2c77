/* SPDX-License-Identifier: GPL-2.0-only */
/* Where follow cannot work or would do harm. */
#ifndef FOLLOW_FOLLOW_LIMITS_H
#define FOLLOW_FOLLOW_LIMITS_H

#include <stdbool.h>
#include <sys/types.h>

#define FOLLOW_WHY 512 /* bytes of the longest reason */

/* What this machine is like. */
struct follow_machine {
	unsigned int cpus;    /* that this process may use */
	bool realtime;        /* PREEMPT_RT */
	unsigned int yama;    /* kernel.yama.ptrace_scope */
	bool confidentiality; /* kernel lockdown */
	bool own_pids;        /* netiotrace is in a PID namespace of its own */
	bool may_trace;       /* CAP_SYS_PTRACE */
};

void follow_machine__read(struct follow_machine *m);

/* Why follow refuses this machine, a sentence without a full stop; NULL: it does not. Pure. */
const char *follow_machine__refusal(const struct follow_machine *m);

/* Does it use io_uring, whose receives follow does not see? */
bool follow_uses_io_uring(pid_t pid);

#endif
