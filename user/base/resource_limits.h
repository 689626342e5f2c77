/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the resource limits of this process (setrlimit(2)) as reasons of failures. */
#ifndef BASE_RESOURCE_LIMITS_H
#define BASE_RESOURCE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum limit {
	LIMIT_FILES,   /* RLIMIT_NOFILE */
	LIMIT_MEMORY,  /* RLIMIT_AS */
	LIMIT_DATA,    /* RLIMIT_DATA */
	LIMIT_LOCKED,  /* RLIMIT_MEMLOCK */
	LIMIT_THREADS, /* RLIMIT_NPROC */
	LIMIT_NR,
};

struct limit_facts {
	const char *name; /* "RLIMIT_NOFILE" */
	const char *key;  /* "open_files": key in doctor */
	const char *what; /* "open files" */
	const char *remedy;
	bool bytes;
	uint64_t enough; /* enough for a run and attach; 0: depends on the workload */
};

extern const struct limit_facts limit_facts[LIMIT_NR];

/* The soft limits. */
struct limits {
	uint64_t value[LIMIT_NR]; /* UINT64_MAX: unlimited */
	bool locked_counts;       /* BPF maps count against RLIMIT_MEMLOCK (before Linux 5.11) */
};

void limits__read(struct limits *l);

/* Do BPF maps count against RLIMIT_MEMLOCK in this release of the kernel? false: unreadable. Pure.
 */
bool limits__locked_counts(const char *release);

/* The limit behind err, or any below `enough`: libraries hide errors. LIMIT_NR: none. Pure. */
enum limit limits__culprit(const struct limits *l, int err);

/* Writes the limit, its value and its remedy to buf, without a full stop. Returns buf. Pure. */
char *limits__describe(char *buf, size_t len, const struct limits *l, enum limit which);

/* limits__culprit() and limits__describe() of the present limits. NULL: no limit explains err. */
const char *limits__blame(char *buf, size_t len, int err);

/* strerror() of err (-errno), and the limit that err points to. Static, until the next call. */
const char *limits__strerror(int err);

/* Raises the soft limit of open files to the hard limit; spawn.h restores the old one. */
void limits__raise(void);

#endif
