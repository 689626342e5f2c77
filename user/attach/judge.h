/* SPDX-License-Identifier: GPL-2.0-only */
/* What the books say in words: was zero-copy zero-copy, and what could be had for less. Pure. */
#ifndef NETIOTRACE_JUDGE_H
#define NETIOTRACE_JUDGE_H

#include "baseline.h"
#include "books.h"
#include "cpu_split.h"

struct judgement {
	struct real copied_fraction; /* of the zero-copy sends that completed */
	const char *cause; /* "local", "delivered here", "unknown"; NULL: nothing was copied */
	char text[1024];   /* sentences; empty: no zero-copy sends */
	char advice[1024]; /* empty: none that the evidence carries */
};

/* What a judgement rests on. */
struct grounds {
	const struct books *books;
	bool told;                   /* how a send was made is seen: probe "message" */
	bool notices;                /* completions are told */
	const struct cpu_split *cpu; /* NULL: not sampled */
	/* What the processes took by read() and sendfile: of files, pipes, and by read() of
	 * sockets. */
	struct num read_bytes;
	const struct baseline *baseline; /* NULL: none was given */
};

void judge__give(struct judgement *j, const struct grounds *e);

/* Its part in judge__give(): fills j->advice of what else there is. */
void advice__give(struct judgement *j, const struct grounds *e);

/* Adds to a text of len bytes. Internal to both. */
__attribute__((format(printf, 3, 4))) void judgement__say(char *text, size_t len,
							  const char *format, ...);

#endif
