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

#include <limits.h>

#include "base/loop.h"
#include "host/environment.h"
#include "host/netpath.h"
#include "kernel/session.h"
#include "probes/plan.h"
#include "options.h"
#include "perf/watch.h"
#include "screen/display.h"

#define RUNNER_REASON_MAX 512

/* Resources of rounds that sample CPU time; see aux_round.h. */
struct sampling {
	struct sampler *sampler;
	bool tried;         /* to open the sampler */
	char none[192];     /* why there is no sampler */
	unsigned int every; /* one round of this many is sampled, from the first on; 0: all */
	int err;            /* of the last sampled round */
	char why[192];      /* the same in words */
};

/* Resources of timed rounds; see aux_round.h. */
struct timing {
	struct plan plans[MODE_NR]; /* by mode: of a timed round */
	bool any[MODE_NR];          /* whether a timed round can measure a time of this mode */
	const char *none;           /* why there can be no timed rounds; NULL: there can */
	unsigned int every;         /* one round of this many is timed, as above; 0: all */
};

/* The purpose of the current round. Only the first kind is compared. */
enum round_kind {
	ROUND_COMPARED,
	ROUND_SAMPLED,
	ROUND_TIMED,
};

struct runner {
	const struct options *o;
	struct loop loop;
	struct address connect;         /* with --connect: resolved */
	struct sockaddr_storage remote; /* the same */
	struct netpath *path;
	struct session *session;     /* NULL: backend none */
	struct probe_result *offers; /* the kernel's hooks, by alternative */
	struct plan plans[MODE_NR];  /* by mode, of the rounds that are compared */
	struct plan_row rows[PLAN_ROWS_MAX];
	struct result result;
	struct workload traffic;    /* of the options in use, with the congestion control chosen */
	struct cpu_times cpu_begin; /* of all processors, when the path was made */
	struct display display;     /* zero: shows nothing */
	struct perf_watch perf;
	struct sampling sampling;
	struct timing timing;
	enum round_kind kind;
	char loadgen[PATH_MAX];
	int signo;                      /* the signal that ended the rounds early, or 0 */
	bool stopped;                   /* by a signal, by q, or by the receiver */
	bool stopped_by_peer;           /* by the receiver; reason is set */
	char reason[RUNNER_REASON_MAX]; /* why the last round failed; empty: it did not */
	/* Called at each interval of a measured phase, if set. */
	void (*tick)(struct runner *e, void *arg);
	void *tick_arg;
};

/* EXIT_PRIVILEGES, reported with the remedy, if these options need missing privileges. */
int runner__check_privileges(const struct options *o);

/*
 * Makes the path, loads the programs for rounds with these options and messages of these sizes,
 * then calls runner__use(). Call runner__init() before, and runner__close() after, also after a
 * failure. Returns an exit code.
 */
void runner__init(struct runner *e);
int runner__open(struct runner *e, const struct options *o, const uint64_t *sizes, size_t sizes_nr);
void runner__close(struct runner *e);

/* With --connect: resolves the address while Ctrl-C still ends the program directly. Exit code. */
int runner__resolve(struct runner *e, const struct options *o);

/*
 * Sets the options of the next rounds, which must outlive them. The path and the backend must be
 * the same as before, the size one of runner__open(), and the congestion control one that
 * runner__check_congestion() accepted.
 */
void runner__use(struct runner *e, const struct options *o);

/* Can the senders use this congestion control? For an open runner; returns an exit code. */
int runner__check_congestion(const struct runner *e, const char *asked);

/*
 * Makes a round and adds it to e->result if anything was measured. 0 or -errno with the reason in
 * e->reason. A stopped round is no failure.
 */
int runner__round(struct runner *e, enum mode mode, unsigned int index);

/* Fills the summary of e->result from its runs. */
void runner__summarise(struct runner *e);

/* Empties e->result of runs and their summary. */
void runner__forget(struct runner *e);

#endif
