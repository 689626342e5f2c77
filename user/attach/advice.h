/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a program could have for less, from the ledger of some of its sockets and samples of its CPU
 * time. One rule: an advice names the CPU time that it would spare, as an interval, and is given
 * only if the lower end is worth a sentence (ADVICE_COST_MIN). Pure.
 */
#ifndef ATTACH_ADVICE_H
#define ATTACH_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/cpu_time.h"
#include "model/socket_ledger.h"
#include "write/followed_document.h"

/* Share of the program's CPU time: no advice is given below it. */
#define ADVICE_COST_MIN 0.01
/* From this lower end on, a wide interval is an answer as well. */
#define ADVICE_COST_SURE 0.1

#define BASELINE_SIZES_MAX 64

/* Zero-copy compared with one-copy at one message size, in a sweep of this machine. */
struct baseline_point {
	uint64_t size;
	int order;     /* CPU time per KiB against one-copy: 1 more, -1 less; 0: no difference */
	double change; /* 0.35: 35 % more */
};

struct baseline {
	const char *path;
	struct baseline_point points[BASELINE_SIZES_MAX]; /* sizes ascend */
	size_t nr;
};

/* The processes of a row. All but cpu was read in one iteration. */
struct advice_program {
	struct cpu_samples cpu; /* none: its CPU time is unknown, and nothing is advised */
	uint64_t encrypted;     /* samples in a library that encrypts */
	struct num read;        /* bytes by read() and sendfile (rchar): files, pipes, sockets */
	uint64_t copied, spliced, received; /* of all sockets of the processes */
	uint64_t completed;                 /* zero-copy sends, as of the end */
};

/* A part of the sockets of a program: a port, a connection, a process, or all. */
struct advice_row {
	const char *name;                   /* "port 443"; NULL: not to be named */
	const struct socket_ledger *ledger; /* as of the end */
	uint64_t copied;                    /* sent by copy when the program was read */
	bool sees_kinds;                    /* sendfile and splice are distinguished from copies */
	bool encrypts; /* the service's protocol encrypts: see advice__encrypts() */
	const struct advice_program *program;
	const struct baseline *baseline; /* NULL: none */
};

/* Does the protocol of this port encrypt by convention (ssh, https, ...)? */
bool advice__encrypts(uint16_t port);

/*
 * Appends the advice for a row, each sentence with a space after it, to text of len bytes. Returns
 * the lower end of the largest cost; 0: no advice.
 */
double advice__describe(char *text, size_t len, const struct advice_row *row);

/* Where the estimate carries an advice, but its interval does not: how to get a better one. */
void advice__ask_for_calls(char *text, size_t len, const struct advice_row *row);

/*
 * Appends what follow found: the copies in user space, beside the share of CPU time that they are
 * part of. path: of its document; cpu: of the program. Writes nothing if follow found no copy.
 */
void advice__print_own_copies(char *text, size_t len, const struct followed_document *found,
			      const char *path, const struct cpu_samples *cpu);

/*
 * Reads from a sweep which of the two costs less, by the rule of base/rank_test.h. -EINVAL: the
 * reason was reported. path is kept. In baseline.c.
 */
int baseline__read(struct baseline *b, const char *path);

#endif
