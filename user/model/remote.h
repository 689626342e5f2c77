/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of a run whose receiver is on another machine: the sender's side, and the totals that
 * the receiver confirms at the end (docs/reference/loadgen.md, CONFIRM). Pure.
 */
#ifndef MODEL_REMOTE_H
#define MODEL_REMOTE_H

#include "load_report.h"
#include "result.h"

#define REMOTE_REASON  "the receiver is on another machine"
#define REMOTE_NO_HALF REMOTE_REASON ", and is netio-loadgen or an older netiotrace serve"

/* Makes r a sender's side: all the receiver's numbers are unknown, for this reason. */
void remote__begin(struct run_result *r);

/* Takes out of what ledger__book() filled the stages that happen over there. */
void remote__book(struct run_result *r);

/* Takes the receiver's totals, once it has confirmed them. verify: every byte was checked. */
void remote__app(struct run_result *r, const struct load_report *sender, bool verify);

/*
 * Why what the receiver's machine says of its half cannot be, by what is known here, or NULL. run:
 * with the totals that the receiver confirmed. wall_ns: from the order to measure until now.
 */
const char *remote__contradiction(const struct run_result *run, const struct run_result *half,
				  uint64_t wall_ns);

/*
 * Joins the receiver's half, as half_document__read() fills it, after ledger__book() and before
 * ledger__close(). r is then of both sides if the half has a ledger. Takes the histograms of half.
 * env: of the sender's machine, with the receiver's.
 */
void remote__join(struct run_result *r, struct run_result *half, const struct environment *env);

/* The receiver gives no half: what it is, is the reason that its copies are unknown. */
void remote__no_half(struct run_result *r);

/* Whether a stage of this run happens on the machine that is not watched. */
bool remote__owns_stage(const struct run_result *r, enum nio_stage stage);

#endif
