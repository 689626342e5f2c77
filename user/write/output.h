/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The output formats of a result. Each is one row: a new format needs its row, and a file here with
 * its output__<name>(); options, help, files and stdout rules follow (run/run.c).
 */
#ifndef WRITE_OUTPUT_H
#define WRITE_OUTPUT_H

#include <stdio.h>

#include "model/result.h"

/* clang-format off */
/* Outputs: id; name, which is the option's; its help. */
#define OUTPUTS(X)                                                            \
	X(JSON, json, "write the result document (- for stdout)")             \
	X(CSV,  csv,  "write a row per run (- for stdout)")                   \
	X(FOLDED, folded, "write the sampled stacks, as flame-graph tools read them (- for stdout)")

enum output {
#define X(id, ...) OUTPUT_##id,
	OUTPUTS(X)
#undef X
	OUTPUT_NR,
};

/*
 * output__json: the document of docs/reference/run.md, pretty-printed, newline at the end. output__csv:
 * header and a row per run; an unknown value is an empty cell. All: 0 or -errno.
 */
#define X(id, name, help) int output__##name(const struct result *r, FILE *f);
OUTPUTS(X)
#undef X
/* clang-format on */

/* `help --tables`: names of modes, stages and others; columns of output__csv. 0 or -errno. */
int output__tables(FILE *f);

/*
 * Flushes the output. 0, or -errno: of an earlier failed write, if the caller had set errno to 0.
 */
int output__flush(FILE *f);

/* A line of --folded: the frames, a blank, how often. */
void folded__write(FILE *f, const struct profile_stack *stack);

#endif
