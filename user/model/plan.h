/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which hook feeds which stage: one table of logical probes and their alternatives, and a pure
 * function from (what this kernel offers, what was asked) to the chosen alternative of each probe,
 * or the reason there is none. Knows nothing of libbpf: unit tests feed it invented kernels.
 */
#ifndef NETIOTRACE_PLAN_H
#define NETIOTRACE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result.h"

enum backend {
	BACKEND_TRAMPOLINE,
	BACKEND_KPROBE,
	BACKEND_TRACEPOINT,
	BACKEND_NR,
	BACKEND_AUTO = BACKEND_NR,
	BACKEND_NONE,
	BACKEND_ITERATOR, /* read when wanted, beside any of the others: no choice of the user's */
};

const char *backend__name(enum backend b);
int backend__parse(const char *s, enum backend *out); /* -EINVAL; not BACKEND_ITERATOR */

/*
 * What a probe is for. A stage may have several probes (tx_copy: one at the return of each send
 * call, one at each transmit), of which a plan uses one. In the order in which they are chosen.
 */
enum probe_id {
	PROBE_SEND_RETURN,
	PROBE_TRANSMIT,
	PROBE_SPLICE,
	PROBE_DEFERRED_COPY,
	PROBE_RX_COPY,
	PROBE_COMPLETION,
	PROBE_REFUSAL,
	PROBE_OTHER_COPY,
	PROBE_CHECKSUM_COPY,
	PROBE_COALESCE,
	PROBE_CALL_TIME,
	PROBE_COPY_TIME,
	PROBE_PIN_TIME,
	PROBE_WAIT_TIME,
	PROBE_TRANSMIT_TIME,
	PROBE_INLINE_TIME,
	PROBE_PREEMPTED_TIME,
	PROBE_RX_TIME,
	PROBE_SOCKETS,
	PROBE_NR,
};

/* One way to feed a probe: a row of the table. */
struct alternative {
	enum probe_id probe;
	enum backend backend;
	const char *hook;     /* "fexit/tcp_sendmsg_locked": what a user can look up */
	const char *programs; /* names of the BPF programs, apart by a space */
	enum quality quality;
	const char *caveat;   /* why less than exact; NULL when exact */
	const char *function; /* a kernel function that has to exist; NULL: the programs' own */
	unsigned int args;    /* how many arguments it has to have; 0: any number */
};

extern const struct alternative plan_alternatives[];
extern const size_t plan_alternatives_nr;

/* What trying an alternative on this kernel said. */
enum answer {
	ANSWER_UNKNOWN, /* not tried, or an error that tells nothing about the kernel */
	ANSWER_YES,
	ANSWER_NO,
};

struct offer {
	enum answer answer;
	int err; /* negative errno behind NO or UNKNOWN; 0: not tried */
};

/*
 * Whether the time inside send calls and stages is taken: a call has some twenty events then, which
 * costs several percent.
 */
enum times {
	TIMES_APART, /* in a short round of its own after each round: the default */
	TIMES_ON,    /* in each round, all of the time */
	TIMES_OFF,
};

/* Why a hook cannot be had, by what trying it gave (-errno; 0: not tried): a static clause. */
const char *plan__refusal(int err);

/*
 * Withdraws from offers, as if the kernel had refused them, the alternatives whose hook is `hook`
 * ("fexit/tcp_sendmsg_locked") or is on the function or tracepoint of that name. Returns how many
 * there are in the table; offers may be NULL, to only ask.
 */
size_t plan__withhold(struct offer *offers, const char *hook);

/* What is to be watched. */
struct plan_request {
	enum backend backend; /* AUTO: the first alternative that the kernel offers */
	enum mode mode;
	uint64_t size;    /* bytes a message */
	bool count_calls; /* every send call is to be counted, whatever it costs */
	bool in_slices;   /* events may be looked at a part of the time: plan__can_rest() */
	enum times times;
};

/* Messages at least this large are counted call by call: the probe then costs under 1 %. */
#define PLAN_COUNT_CALLS_SIZE (16 * 1024)

struct plan {
	enum mode mode;
	const struct alternative *chosen[PROBE_NR]; /* NULL: none */
	const char *reason[PROBE_NR];               /* why none: a sentence; NULL when chosen */
	const char *remedy[PROBE_NR];               /* what to do about it; or NULL */
};

/*
 * Fills plan from the offers (plan_alternatives_nr of them, same order as the table). 0, or
 * -EOPNOTSUPP when the backend asked for has no hook here at all, or the bytes sent and received
 * can be seen neither by events nor by the socket pass: then reason[] says why.
 */
int plan__make(struct plan *plan, const struct offer *offers, const struct plan_request *req);

/*
 * How the events of plan feed a stage of the ledger: quality, reason and what an event is, into
 * out. Bytes of the socket pass replace those of events: user/model/ledger_bytes.h.
 */
void plan__stage(const struct plan *plan, enum nio_stage stage, struct stage_result *out);

unsigned int plan__probes(const struct plan *plan); /* probes with an alternative chosen */

/*
 * Of a plan made with TIMES_APART, and of the same made with TIMES_ON, whose times are taken in a
 * round of its own: says in plan why it takes no times, which is that they are taken there, or why
 * they cannot be had there either. none: why there is no such round at all, a static sentence;
 * NULL: there can be. Returns whether there is anything that such a round could tell.
 */
bool plan__set_apart(struct plan *plan, const struct plan *timed, const char *none);

/* The reason of what is told by a round of its own. */
extern const char plan__apart[];

/*
 * Can events be left for a while, since sequence numbers tell the bytes, and in zero-copy mode the
 * ids taken and the application's counts how they went? Events of sending, receiving, deferred
 * copies and completions. Not in zero-copy mode by functions: there each completion is looked up by
 * the send that it ends. *rest: plan without those events.
 */
bool plan__can_rest(const struct plan *plan, struct plan *rest);

/* Is one of the times that plan takes taken by programs at trampolines (fentry, fexit)? */
bool plan__times_by_trampoline(const struct plan *plan);

/*
 * Why plan does not take the time of a stage, or of a part of the send call; NULL: it does. Static
 * strings.
 */
const char *plan__no_stage_time(const struct plan *plan, enum nio_stage stage);
const char *plan__no_path_time(const struct plan *plan, enum nio_path_part part);

/* The reason of a stage that this mode cannot feed: exactly 0, and nothing is attached to see it.
 */
extern const char plan__by_construction[];

/* Why plan does not see a probe's events; NULL: it does. */
const char *plan__no_probe(const struct plan *plan, enum probe_id probe);

/* Are completions seen as the kernel ends them (true), or as the application reads of them? */
bool plan__completions_by_kernel(const struct plan *plan);

/* Has it a program for notifications that are read, beside that of receive copies? */
bool plan__notifications_apart(const struct plan *plan);

/*
 * Does plan keep the beginning of an event in a map until its end, where there can be no room for
 * it? And does it pair beginnings with ends at all, these or sends with their completions as
 * the kernel ends them (which have a ring of their own), so that something can be unmatched?
 */
bool plan__keeps_events(const struct plan *plan);
bool plan__pairs_events(const struct plan *plan);

/*
 * The rows that doctor and the result document show, of up to MODE_NR plans (NULL: not used), each
 * row once, with the modes it serves when not all; of what these lack, those of the timed plans.
 * Returns how many were written to rows.
 */
#define PLAN_ROWS_MAX PROBE_NR
size_t plan__rows(const struct plan *const plans[MODE_NR], const struct plan *const timed[MODE_NR],
		  struct plan_row rows[PLAN_ROWS_MAX]);

#endif
