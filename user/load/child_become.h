/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the state that child.c prepares before fork and child_become.c uses after it. */
#ifndef NETIOTRACE_CHILD_BECOME_H
#define NETIOTRACE_CHILD_BECOME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Steps of a start; the child sends the number of a failed step through a pipe. */
/* clang-format off */
#define CHILD_STEPS(X)                                                  \
	X(PIPE,  "create pipes")                                        \
	X(OPEN,  "open the program")                                    \
	X(FORK,  "start a process")                                     \
	X(FDS,   "arrange file descriptors")                            \
	X(NETNS, "enter the network namespace")                         \
	X(DROP,  "drop privileges (this needs CAP_SETUID, CAP_SETGID)") \
	X(DEATH, "tie the process to ours")                             \
	X(EXEC,  "execute the program")

enum child_step {
#define X(id, text) CHILD_STEP_##id,
	CHILD_STEPS(X)
#undef X
	CHILD_STEP_NR,
};
/* clang-format on */

struct child_failure {
	int32_t err;
	uint32_t step;
};

enum pipe_end {
	PIPE_READ,
	PIPE_WRITE,
};

/* State of a start until its success or failure. */
struct child_start {
	char *const *argv;
	int netns;
	bool root; /* become uid:gid */
	uid_t uid;
	gid_t gid;
	pid_t parent;
	int exe;
	int in[2], out[2], status[2];
};

/* Call after fork, all signals blocked. Runs the program, or reports the failed step and exits. */
_Noreturn void child__become(struct child_start *s);

#endif
