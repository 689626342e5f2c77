/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which hooks a command uses on this kernel: one table of probes and their alternatives, for run
 * and attach, and a pure function from (what the kernel has, what the user asked for) to the chosen
 * alternative of each probe, or the reason why there is none. Knows nothing of libbpf.
 */
#ifndef PROBES_PLAN_H
#define PROBES_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/netiotrace.h"
#include "common/mode.h"
#include "plan_row.h"

enum backend {
	BACKEND_FENTRY,
	BACKEND_KPROBE,
	BACKEND_TRACEPOINT,
	BACKEND_NR,
	BACKEND_AUTO = BACKEND_NR,
	BACKEND_NONE,
	BACKEND_ITERATOR, /* in addition to any other; users cannot choose it */
};

const char *backend__name(enum backend b);
int backend__parse(const char *s, enum backend *out); /* -EINVAL; not BACKEND_ITERATOR */
void backend__store(void *backend, const char *word); /* the same, of one that is known */

/*
 * The BPF objects: bpf/meter.bpf.c, for run only, and bpf/attach.bpf.c, which sees the events of
 * both. Also who plans: a run, which declares its sockets, or attach, which finds them.
 */
enum bpf_object_id {
	OBJECT_RUN,
	OBJECT_ATTACH,
	OBJECT_NR,
};

/* Probes by purpose, in the order in which plan__make() chooses. A stage may have several. */
enum probe_id {
	PROBE_SEND_RETURN,
	PROBE_MESSAGE,
	PROBE_SENDPAGE,
	PROBE_DEFERRED_COPY,
	PROBE_RX_COPY,
	PROBE_TAKEN,
	PROBE_COMPLETION,
	PROBE_REQUEST,
	PROBE_PLACES,
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
	PROBE_COMPLETION_TIME,
	PROBE_SOCKETS,
	PROBE_MPTCP_SEND, /* from here on: of attach only */
	PROBE_RINGS,
	PROBE_SOCKET_END,
	PROBE_TASKS,
	PROBE_EARLIER_SOCKETS,
	PROBE_NR,
};

/* Whether a probe takes times, which a round can do without. */
static inline bool probe__measures_times(enum probe_id probe)
{
	return probe >= PROBE_CALL_TIME && probe <= PROBE_COMPLETION_TIME;
}

struct probe_row {
	const char *name;
	const char *stage;        /* what the probe feeds; NULL: the rows of NIO_STAGES */
	const char *attach_stage; /* the same for attach; NULL: no difference */
	const char *event;        /* what one event is */
	const char *nothing; /* why a kernel with tracepoints only cannot have it; NULL: it can */
	bool attach_needs;   /* attach cannot work without it */
};

extern const struct probe_row plan_probes[PROBE_NR];

/* One way to serve a probe. Of the rows of a probe and an object, the first that works is used. */
struct alternative {
	enum bpf_object_id object;
	enum probe_id probe;
	enum backend backend;
	const char *hook;     /* "fexit/tcp_sendmsg_locked" */
	const char *programs; /* names of the BPF programs, separated by spaces */
	enum quality quality;
	const char *caveat;   /* why less than exact; NULL if exact */
	const char *function; /* a kernel function that must exist; NULL: the programs' own */
	unsigned int args;    /* its number of arguments, or the tracepoint's; 0: any */
	bool declared;        /* of attach's object, and only for the sockets that a run declares */
};

extern const struct alternative plan_alternatives[];
extern const size_t plan_alternatives_nr;

/* Whether name is one of the programs of an alternative. */
bool alternative__has_program(const struct alternative *alt, const char *name);

enum answer {
	ANSWER_UNKNOWN, /* not tried, or the error says nothing about the kernel */
	ANSWER_YES,
	ANSWER_NO,
};

/* Whether the kernel has an alternative. */
struct probe_result {
	enum answer answer;
	int err; /* negative errno behind NO or UNKNOWN; 0: not tried */
};

/* The result of trying an alternative: 0 or -errno. */
struct probe_result probe_result__from_error(int err);

/* Why a hook cannot be used, from the result of trying it (-errno; 0: not tried): a clause. */
const char *plan__refusal(int err);

/*
 * Marks what run or attach could use as refused: alternatives with this hook
 * ("fexit/tcp_sendmsg_locked"), or on the function or tracepoint of this name. Returns how many
 * exist; probe_results NULL: only counts.
 */
size_t plan__withhold(enum bpf_object_id object, struct probe_result *probe_results,
		      const char *hook);

/* 0 if the kernel has an alternative of this backend (fentry, kprobe); else the first -errno. */
int plan__backend_error(enum bpf_object_id object, const struct probe_result *probe_results,
			enum backend backend);

/* When the time inside send calls and stages is taken. It costs several percent of the CPU. */
enum times {
	TIMES_APART, /* in an auxiliary round after each round: the default */
	TIMES_ON,    /* in each round */
	TIMES_OFF,
};

/* The request. Bytes fall back from a named backend to tracepoints, times do not. */
struct plan_request {
	enum bpf_object_id object;
	enum backend backend; /* AUTO: the first alternative that the kernel has */
	enum mode mode;
	uint64_t size;    /* bytes a message */
	bool count_calls; /* count every send call, at any cost */
	enum times times;
	/*
	 * run: the stages that the receiver's calls feed besides RX_COPY, 1U << enum nio_stage. A
	 * program at each receive call tells them apart. 0: the receiver only copies.
	 */
	unsigned int takes;
	/* kTLS may decrypt into the receiver's memory: events show the bytes that it copies. */
	bool decrypts_directly;
};

/* Programs on functions count send calls of messages of this size and above: less than 1 % then. */
#define PLAN_COUNT_CALLS_SIZE (16 * 1024)

struct plan {
	enum bpf_object_id object;
	enum mode mode;
	const struct alternative *chosen[PROBE_NR]; /* NULL: none */
	const char *reason[PROBE_NR];               /* why none: a clause; NULL if chosen */
	const char *remedy[PROBE_NR];               /* what to do about it; or NULL */
	unsigned int takes;                         /* of the request */
	bool without_seconds; /* attach: without the second programs at changes of state */
};

/*
 * Fills plan from probe_results (plan_alternatives_nr, in the order of the table). 0, or
 * -EOPNOTSUPP: run has no hook of the backend asked for, or a probe that is needed has none
 * (plan__missing()). Where trying to read the sockets failed: -EPERM, or an error of this moment
 * (-ENOMEM).
 */
int plan__make(struct plan *plan, const struct probe_result *probe_results,
	       const struct plan_request *req);

/* The first probe that is needed and has no alternative; PROBE_NR: none. */
enum probe_id plan__first_needed(const struct plan *plan);

/* The same in words: "nothing shows STAGE; it would take HOOK or HOOK"; empty: none. */
void plan__missing(const struct plan *plan, char *buf, size_t len);

/* Whether the plan needs a program of this name. */
bool plan__wants(const struct plan *plan, const char *program);

/* How events feed a stage of the ledger. */
struct stage_source {
	enum quality quality; /* of bytes */
	const char *reason;   /* why less than exact; NULL when exact */
	const char *event;    /* what one event is: "send call", "transmit", "skb" */
};

/* Bytes of the socket iteration replace bytes of events: user/model/ledger_bytes.h. */
struct stage_source plan__stage(const struct plan *plan, enum nio_stage stage);

unsigned int plan__probes(const struct plan *plan); /* probes with an alternative chosen */

/*
 * plan: made with TIMES_APART; timed: the same with TIMES_ON, for the auxiliary round. Says in plan
 * why it takes no times: the auxiliary round takes them, or cannot either. none: why there is no
 * such round, a static clause; or NULL. Returns whether such a round could measure anything.
 */
bool plan__set_apart(struct plan *plan, const struct plan *timed, const char *none);

extern const char
	plan__reason_timed_separately[]; /* the reason of what an auxiliary round measures */

/* The reason of a stage that is exactly 0 in this mode: nothing is attached for it. */
extern const char plan__by_construction[];
extern const char plan__by_receiver[]; /* likewise: the receiver takes nothing without a copy */

/* The reason of an event that is not attached in mode ktls. */
extern const char plan__records_only[];

/*
 * Whether event programs can be detached part of the time, because sockets count the bytes.
 * *base_plan: the plan without those events. run: not in zero-copy mode by functions, which count
 * completions and copies exactly. attach: if tracepoints show the returns of send calls.
 */
bool plan__can_detach(const struct plan *plan, struct plan *base_plan);

/* Whether programs at trampolines (fentry, fexit) take one of the times. */
bool plan__times_by_fentry(const struct plan *plan);

/* Why plan does not take the time of a stage or of a part of the send call; NULL: it does. */
const char *plan__no_stage_time(const struct plan *plan, enum nio_stage stage);
const char *plan__no_path_time(const struct plan *plan, enum nio_path_part part);

/* Why plan does not see a probe's events; NULL: it does. */
const char *plan__no_probe(const struct plan *plan, enum probe_id probe);

/* The backend of rows that sees the most: fentry, else kprobe, else tracepoint; "none" without. */
const char *plan__backend(const struct plan_row *rows, size_t n);

/* What each send call of the mode's senders is, for declared_probes__declare(). */
uint32_t plan__calls(const struct plan *plan);

/* Whether completions are seen as the kernel ends them, not as the application reads of them. */
bool plan__completions_by_kernel(const struct plan *plan);

/* Why plan does not see the completions of zero-copy sends or requests; NULL: it does, or the mode
 * has none. */
const char *plan__no_completions(const struct plan *plan);

/* Whether the meter keeps events in a map from their begin to their end, and pairs the two. */
bool plan__keeps_events(const struct plan *plan);

/*
 * The rows that documents show, of up to MODE_NR plans of one object (NULL: not used), each row
 * once, with the modes it serves if not all. timed: of auxiliary rounds, for probes that the plans
 * lack. Returns the number of rows.
 */
#define PLAN_ROWS_MAX PROBE_NR
size_t plan__rows(const struct plan *const plans[MODE_NR], const struct plan *const timed[MODE_NR],
		  struct plan_row rows[PLAN_ROWS_MAX]);

/* Of plan_table.c, for plan.c and plan_queries.c. */
extern const char plan_by_mode[];  /* the mode says what its calls are: spliced */
extern const char plan_requests[]; /* the same: zero-copy requests of io_uring */

#endif
