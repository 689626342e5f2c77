/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resource limits of this process (setrlimit(2), ulimit): which one explains a failure, so that it
 * is not taken for something that the kernel cannot do.
 */
#ifndef NETIOTRACE_RESOURCE_LIMITS_H
#define NETIOTRACE_RESOURCE_LIMITS_H

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
	const char *key;  /* "open_files": in doctor */
	const char *what; /* "open files" */
	const char *remedy;
	bool bytes;
	uint64_t enough; /* a run and attach need less; 0: it depends on what is run */
};

extern const struct limit_facts limit_facts[LIMIT_NR];

/* The limits as they are, each soft one. */
struct limits {
	uint64_t value[LIMIT_NR]; /* UINT64_MAX: none */
	bool locked_counts;       /* BPF maps count against RLIMIT_MEMLOCK (before Linux 5.11) */
};

void limits__read(struct limits *l);

/*
 * The limit that explains a failure with err (-errno), or with whatever error where one is below
 * what is enough: libraries hide errors. LIMIT_NR: none does. Pure.
 */
enum limit limits__culprit(const struct limits *l, int err);

/*
 * A sentence without its full stop, in buf: the limit, its value, the remedy. Returns buf. Pure.
 */
char *limits__say(char *buf, size_t len, const struct limits *l, enum limit which);

/* The two of the present moment: NULL where no limit explains err. */
const char *limits__blame(char *buf, size_t len, int err);

/*
 * As strerror() of err (-errno), and the limit behind it where there is one: by the error alone,
 * not because it is low. In a static buffer, until the next call.
 */
const char *limits__strerror(int err);

/*
 * Raises the soft limit of open files to the hard one, which any process may. A command that is
 * started for the user gets its own back: inherited.h.
 */
void limits__raise(void);

#endif
