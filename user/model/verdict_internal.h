/* SPDX-License-Identifier: GPL-2.0-only */
/* How causes and texts of verdicts are written: for verdict.c and verdict_sockets.c. */
#ifndef MODEL_VERDICT_INTERNAL_H
#define MODEL_VERDICT_INTERNAL_H

#include "base/printable.h"
#include "verdict.h"

/* Bytes booked beyond those pinned that are too few to speak of: headers, rounding of totals. */
#define SURPLUS_MIN(pinned) ((pinned) / 1000)

/* The kernel's action by cause: clauses shared by runs and sockets. */
extern const char *const verdict_clauses[];

/* Returns the evidence of the next cause. At most six apply at once: no list is full. */
char *verdict__begin_cause(struct verdict *v, enum zc_cause cause);

/* add() a cause; extend() the evidence of the last one; say() something in the text. */
#define EVIDENCE_LEN       sizeof(((struct cause *)0)->evidence)
#define add(v, cause, ...) append__text(verdict__begin_cause(v, cause), EVIDENCE_LEN, __VA_ARGS__)
#define extend(v, ...) \
	append__text((v)->causes[(v)->causes_nr - 1].evidence, EVIDENCE_LEN, __VA_ARGS__)
#define append(v, ...) append__text((v)->text, sizeof((v)->text), __VA_ARGS__)

/* The text of the causes from the given one on, one sentence each. */
void verdict__append_causes(struct verdict *v, unsigned int from);

#endif
