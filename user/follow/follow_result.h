/* SPDX-License-Identifier: GPL-2.0-only */
/* What follow found: copies per received byte with an interval, and where they are made. */
#ifndef FOLLOW_FOLLOW_RESULT_H
#define FOLLOW_FOLLOW_RESULT_H

#include <jansson.h>
#include <stdio.h>

#include "base/num.h"
#include "follow_options.h"
#include "frames.h"
#include "sample.h"
#include "write/json.h"

#define FOLLOW_NEEDED    15   /* followed bytes of an estimate */
#define FOLLOW_SITES_MAX 1024 /* further ones are counted in sites_left_out */

/* Copies at one place: kind, instruction, stack and kinds of memory. */
struct follow_site {
	enum link_kind kind;
	char insn[32];
	char from[FOLLOW_REGION], to[FOLLOW_REGION]; /* as in struct follow_place */
	struct frames frames;
	unsigned int nr;
};

/* Of received, or of sent bytes. */
struct follow_copies {
	const char *unseen;    /* why bytes may go unseen; NULL: no reason known */
	uint64_t bytes, calls; /* while bytes were chosen */

	unsigned int ends[CHAIN_ENDS_NR];
	/* Known samples by their copies; at_least: those that may have had more, unseen. */
	unsigned int counts[CHAIN_LINKS_MAX + 1], at_least[CHAIN_LINKS_MAX + 1];
	unsigned int copies, transforms, looks;

	struct follow_site *sites; /* most frequent first, after follow_result__sort() */
	size_t sites_nr, sites_left_out;
};

struct follow_result {
	const struct follow_options *o;
	char comm[16]; /* of a followed process; "": none was seen */
	uint64_t duration_ns;
	bool interrupted;
	const char *ended_early; /* why; NULL: it was not */
	struct follow_copies of[NIO_FOLLOW_DIRECTIONS];

	unsigned int slots;
	uint64_t stops, steps, stopped_ns, longest_ns, polled_ns;
	unsigned int killed; /* followed processes that ended by a signal */
	uint32_t killed_pid; /* the first, and its signal */
	int killed_by;
	uint64_t holds, held_ns, late, touches_elsewhere, lost;
};

/* Adds a sample. places are of its links. */
void follow_result__add(struct follow_result *r, const struct sample *s,
			const struct follow_place places[CHAIN_LINKS_MAX]);
void follow_result__sort(struct follow_result *r);
void follow_result__clear(struct follow_result *r);

unsigned int follow_copies__followed(const struct follow_copies *c); /* known samples */
unsigned int follow_copies__unknown(const struct follow_copies *c);

/* Known samples that may have had further copies: the byte was still in memory, or had more places
 * than there are watchpoints. */
unsigned int follow_copies__at_least(const struct follow_copies *c);

/*
 * A 95 % interval for bytes that differ, since it assumes nothing but that a byte has 0 to
 * CHAIN_LINKS_MAX copies: the seen values and one more, the largest for the upper end and 0 for the
 * lower, have random weights (Gaffke 2005). Of shares it is the one of Clopper and Pearson 1934.
 * Unknown samples, and those that may have had further copies, count for each end at their worst.
 */
struct follow_range {
	double low, high;
};

/* What the intervals say of what is received or sent. */
enum follow_answer {
	FOLLOW_UNKNOWN,
	FOLLOW_DOES_NOT_COPY, /* no byte was seen to be copied, and 10 % at most are */
	FOLLOW_COPIES_SOME,
	FOLLOW_COPIES_MOST, /* at least half */
	FOLLOW_COPIES,      /* at least 90 % */
};

struct follow_estimate {
	struct real per_byte;       /* copies */
	struct follow_range mean;   /* of copies per byte */
	struct follow_range copied; /* share of the bytes with at least one copy */
	enum follow_answer answer;
	unsigned int times;       /* that the answer's bytes are copied; 0: not said */
	struct follow_range said; /* share of the answer's bytes */
};

/*
 * The same. Unknown also if the program sends what it receives and the intervals of both directions
 * exclude each other.
 */
struct follow_estimate follow_result__estimate(const struct follow_result *r,
					       enum nio_follow_direction d);
bool follow_result__disagrees(const struct follow_result *r);

void follow_result__print(FILE *f, unsigned int columns, const struct follow_result *r);
void follow_result__print_progress(FILE *f, const struct follow_result *r, unsigned int expected);
json_t *follow_result__document(const struct follow_result *r);
const struct field *follow_result__fields(void);
void follow_result__write_folded(FILE *f, const struct follow_result *r);

#endif
