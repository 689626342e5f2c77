/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stops threads that a BPF program holds, by ptrace and without a signal. The calling thread is the
 * tracer: when it ends, the kernel detaches all threads and they go on.
 */
#ifndef FOLLOW_TRACER_H
#define FOLLOW_TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#define TRACER_THREADS 1024

struct tracer {
	uint32_t seized[TRACER_THREADS];
	unsigned int seized_nr;
	uint64_t stopped_ns; /* since when the thread is held or stopped */
	int status;          /* of its stop, as of waitpid() */
	bool pending;        /* its step has not ended */
};

/* Stops the thread. false: it cannot be traced, or did not stop. */
bool tracer__stop(struct tracer *t, uint32_t tid, struct user_regs_struct *regs);

/* The thread goes on, with the signal that it may have stopped for. */
void tracer__continue(struct tracer *t, uint32_t tid);

enum tracer_step {
	TRACER_STEPPED,
	TRACER_SIGNAL, /* another event came */
	TRACER_FAULT,  /* the instruction waited for a page of memory */
	TRACER_SLOW,   /* it waited for a CPU for 0.1 s */
};

/*
 * Executes one instruction of a stopped thread. After 0.1 s the step may be pending: a thread that
 * is left then gets SIGTRAP when it steps, which ends the program. tracer__await_step() waits, for
 * as long as it takes, and lets the thread go on.
 */
enum tracer_step tracer__step(struct tracer *t, uint32_t tid, struct user_regs_struct *regs);
void tracer__await_step(struct tracer *t, uint32_t tid);

/* Passes on the signals of threads that run. false: there is no traced thread any more. */
bool tracer__pass_signals(struct tracer *t);

/* false: not all of it is mapped and in memory. */
bool tracer__read(uint32_t tgid, uint64_t address, void *to, size_t len);

#endif
