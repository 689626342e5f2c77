/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the table of the capabilities that commands need, and lowers the effective set to them while
 * a command watches. docs/SECURITY.md has the same table, systemd units and manifests the rows of
 * the start (tests/unit/base/test_capabilities.c). Nothing protects against code that an attacker
 * executes in the process: what stays permitted can be raised again.
 */
#ifndef BASE_CAPABILITIES_H
#define BASE_CAPABILITIES_H

#include <stddef.h>
#include <stdint.h>

/* X(constant, commands) */
#define CAPABILITY_COMMANDS(X) \
	X(EXPORT, "export")    \
	X(SERVE, "serve")      \
	X(ATTACH, "attach")    \
	X(RUN, "run, sweep")

/* X(constant, words): systemd units give BEGIN, the DaemonSet BEGIN_AS_ROOT, too. */
#define CAPABILITY_MOMENTS(X)             \
	X(BEGIN, "begin")                 \
	X(BEGIN_AS_ROOT, "begin as root") \
	X(WATCHING, "watching")

/* X(command, moment, capability, reason) */
#define CAPABILITY_ROWS(X)                                                                  \
	X(EXPORT, BEGIN, BPF, "loads and attaches programs")                                \
	X(EXPORT, BEGIN, PERFMON, "the programs read the kernel's memory")                  \
	X(EXPORT, BEGIN_AS_ROOT, SETUID, "becomes nobody")                                  \
	X(EXPORT, BEGIN_AS_ROOT, SETGID, "becomes nobody, without groups")                  \
	X(EXPORT, BEGIN_AS_ROOT, SETPCAP, "empties the bounding set")                       \
	X(EXPORT, WATCHING, BPF, "reads maps, where the kernel asks for it (before 5.19)")  \
	X(EXPORT, WATCHING, PERFMON, "attaches kprobes again, where these are in use")      \
	X(SERVE, BEGIN, BPF, "loads and attaches programs")                                 \
	X(SERVE, BEGIN, PERFMON, "the programs read the kernel's memory; perf events")      \
	X(SERVE, WATCHING, BPF, "attaches programs for each session; loads the sampler")    \
	X(SERVE, WATCHING, PERFMON, "perf events of each session")                          \
	X(SERVE, WATCHING, SYS_PTRACE, "/proc/PID/maps of the load generator")              \
	X(SERVE, WATCHING, SYS_ADMIN,                                                       \
	  "as for run; a mount of sysfs, for queues of the sender's device")                \
	X(SERVE, WATCHING, SYS_RESOURCE,                                                    \
	  "RLIMIT_NOFILE for perf events of many threads; RLIMIT_MEMLOCK (before 5.11)")    \
	X(SERVE, WATCHING, SYSLOG, "addresses in /proc/kallsyms, which name samples")       \
	X(ATTACH, WATCHING, BPF, "reads maps; attaches programs for each window")           \
	X(ATTACH, WATCHING, PERFMON, "attaches kprobes for each window")                    \
	X(ATTACH, WATCHING, SYS_PTRACE, "/proc/PID/{io,maps,ns} of other users' processes") \
	X(ATTACH, WATCHING, SYS_ADMIN, "enters network namespaces of watched sockets")      \
	X(ATTACH, WATCHING, DAC_READ_SEARCH,                                                \
	  "paths of cgroups by id; /proc/PID/io of other users")                            \
	X(RUN, WATCHING, BPF, "reads maps; attaches programs for each window")              \
	X(RUN, WATCHING, PERFMON, "perf events, and kprobes for each window")               \
	X(RUN, WATCHING, SYS_PTRACE, "/proc/PID/maps of the load generator")                \
	X(RUN, WATCHING, SYS_ADMIN, "perf events where perf_event_paranoid is above 2 (Debian)")

enum capability_command {
#define ROW(constant, words) CAPABILITY_OF_##constant,
	CAPABILITY_COMMANDS(ROW)
#undef ROW
};

enum capability_moment {
#define ROW(constant, words) CAPABILITY_##constant,
	CAPABILITY_MOMENTS(ROW)
#undef ROW
};

struct capability_row {
	enum capability_command command;
	enum capability_moment moment;
	unsigned int number;       /* of <linux/capability.h> */
	const char *name, *reason; /* name: without CAP_ */
};

/* The table; *nr: its rows. */
const struct capability_row *capabilities__rows(size_t *nr);

/* What a command needs at a moment, a bit for each. */
uint64_t capabilities__needed(enum capability_command command, enum capability_moment moment);

/*
 * The command watches from now on: of what is effective, only what it then needs stays so. If
 * CAP_BPF or CAP_PERFMON is missing, CAP_SYS_ADMIN stays too, since it replaces them. For
 * single-threaded callers.
 */
void capabilities__lower(enum capability_command command);

/* Undoes capabilities__lower(), also in a child process. Calls only the kernel. */
void capabilities__raise(void);

#endif
