/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of attach and follow that choose processes and connections. */
#ifndef BASE_TARGET_OPTIONS_H
#define BASE_TARGET_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/option.h"

#define TARGET_PIDS_MAX  64
#define TARGET_COMMS_MAX 8
#define TARGET_PORTS_MAX 64

struct target_options {
	pid_t pids[TARGET_PIDS_MAX];
	size_t pids_nr;
	char comms[TARGET_COMMS_MAX][16];          /* as the kernel has them: 15 bytes at most */
	const char *comms_asked[TARGET_COMMS_MAX]; /* as they were given */
	size_t comms_nr;
	uint16_t ports[TARGET_PORTS_MAX];
	size_t ports_nr;
	bool children;
	bool wait;      /* for processes of names that none has */
	char **command; /* NULL: none; ends with NULL */
};

/* Rows of an option table; at: .offset of the struct in the options, or of its children. */
/* clang-format off */
#define TARGET_PID_ROW(at) \
	{"pid", "PID", "process with all its threads; repeatable", OPTION_OTHER, at, .parse = target_options__parse_pid, .letter = 'p'}
#define TARGET_COMM_ROW(at) \
	{"comm", "NAME", "processes with this name (its first 15 bytes), also those that start later; repeatable", OPTION_OTHER, at, .parse = target_options__parse_comm}
#define TARGET_WAIT_ROW(at) \
	{"wait", NULL, "do not fail if no process has the NAME of --comm yet", OPTION_FLAG, at}
#define TARGET_PORT_ROW(at, help) \
	{"port", "PORT", help, OPTION_OTHER, at, .parse = target_options__parse_port}
#define TARGET_CHILDREN_ROW(at) \
	{"children", NULL, "also child processes, existing and later ones; always on for a command", OPTION_FLAG, at}
/* clang-format on */

/* An argument of an option; target: a struct target_options. Errors exit. */
void target_options__parse_pid(void *target, const char *arg);
void target_options__parse_comm(void *target, const char *arg);
void target_options__parse_port(void *target, const char *arg);

/* An argument that is no option: a name, as of --comm. A number is a usage error. */
void target_options__parse_operand(struct target_options *t, const char *arg);

/*
 * Takes the command, the arguments after --, unchanged, and its children. Returns the number of
 * arguments before it.
 */
int target_options__parse_command(struct target_options *t, int argc, char **argv);

/* One more value of a repeatable option: its index. More than max: exits. */
size_t target_options__one_more(size_t *nr, size_t max, const char *option);

#endif
