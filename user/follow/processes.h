/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes that follow watches, found in /proc again and again. */
#ifndef FOLLOW_PROCESSES_H
#define FOLLOW_PROCESSES_H

#include "follow_options.h"
#include "watchpoints.h"

struct processes {
	struct watchpoints *watch;
	const struct follow_options *o;
	uint64_t started[TARGET_PIDS_MAX]; /* of --pid; 0: not seen yet */
	pid_t command;                     /* 0: none */
	struct process_followed {
		pid_t pid;
		uint64_t started;
		bool seen; /* in this scan */
	} all[NIO_FOLLOW_TGIDS];
	size_t nr, traced, left_out;
	bool found;    /* any, so far */
	char comm[16]; /* of the first one */
};

/* Takes in new processes and drops dead ones. Traced ones are left out, with a message. */
void processes__scan(struct processes *p);

/* None of --pid and no command is left: there is nothing to wait for. */
bool processes__are_over(const struct processes *p);

#endif
