/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resources that every command with rounds opens once (path, plan, programs, counters, event loop),
 * and the rounds made with them. Uses struct options, but no command line and no output.
 *
 * Functions that return an exit code have reported failures. runner__round() leaves that to its
 * caller, who may have a screen, a record or further rounds.
 */
#ifndef RUN_RUNNER_H
#define RUN_RUNNER_H

#include "round.h"

/* EXIT_PRIVILEGES, reported with the remedy, if these options need missing privileges. */
int runner__check_privileges(const struct options *o);

/*
 * Makes the path, loads the programs for rounds with these options and messages of these sizes,
 * then calls runner__use(). Call runner__init() before, and runner__close() after, also after a
 * failure. Returns an exit code.
 */
void runner__init(struct runner *runner);
int runner__open(struct runner *runner, const struct options *o, const uint64_t *sizes,
		 size_t sizes_nr);
void runner__close(struct runner *runner);

/* With --connect: resolves the address while Ctrl-C still ends the program directly. Exit code. */
int runner__resolve(struct runner *runner, const struct options *o);

/*
 * Sets the options of the next rounds, which must outlive them. The path and the backend must be
 * the same as before, the size one of runner__open(), and the congestion control one that
 * runner__check_congestion() accepted.
 */
void runner__use(struct runner *runner, const struct options *o);

/* Can the senders use this congestion control? For an open runner; returns an exit code. */
int runner__check_congestion(const struct runner *runner, const char *asked);

/*
 * Makes a round and adds it to runner->result if anything was measured. 0 or -errno with the reason
 * in runner->reason. A stopped round is no failure.
 */
int runner__round(struct runner *runner, enum mode mode, unsigned int index);

/* Fills the summary of runner->result from its runs. */
void runner__summarise(struct runner *runner);

/* Empties runner->result of runs and their summary. */
void runner__forget(struct runner *runner);

#endif
