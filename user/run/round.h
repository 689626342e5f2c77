/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a runner and of its present round, and what the files that make a round share.
 * round_phases.c has the phases, round_events.c the events during a round.
 */
#ifndef RUN_ROUND_H
#define RUN_ROUND_H

#include <limits.h>

#include "base/loop.h"
#include "common/time_limit.h"
#include "host/cgroup_cpu.h"
#include "host/environment.h"
#include "host/machine.h"
#include "host/netpath.h"
#include "kernel/attach_probes.h"
#include "kernel/meter.h"
#include "load/driver.h"
#include "model/event_windows.h"
#include "followed_round.h"
#include "serve_token.h"
#include "options.h"
#include "perf/watch.h"
#include "probes/plan.h"
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
	ROUND_FOLLOWED,
};

struct runner {
	const struct options *o;
	struct loop loop;
	struct address connect;         /* with --connect: resolved */
	struct sockaddr_storage remote; /* the same */
	struct netpath *path;
	struct attach_probes *probes;       /* NULL: backend none */
	struct meter *meter;                /* NULL: this kernel has none */
	struct probe_result *probe_results; /* the kernel's hooks, by alternative */
	struct plan plans[MODE_NR];         /* by mode, of the rounds that are compared */
	struct plan_row rows[PLAN_ROWS_MAX];
	struct result result;
	struct serve_token token;    /* with --connect; len 0: none */
	struct workload workload;    /* of the options in use, with the congestion control chosen */
	struct cpu_times cpu_begin;  /* of all processors, when runner__use() was called */
	struct cgroup_cpu cgroup;    /* at the same time */
	struct environment receiver; /* what the receiver's machine says of itself */
	struct display display;      /* zero: shows nothing */
	struct perf_watch perf;
	struct sampling sampling;
	struct timing timing;
	struct following following; /* of a round of this kind */
	enum round_kind kind;
	char loadgen[PATH_MAX];
	int signo;            /* the signal that ended the rounds early, or 0 */
	bool stopped;         /* by a signal, by q, or by the receiver */
	bool stopped_by_peer; /* by the receiver; reason is set */
	bool kernel_refuses;  /* the receiver's kernel cannot receive as asked; reason is set */
	char reason[RUNNER_REASON_MAX]; /* why the last round failed; empty: it did not */
	/* Called at each interval of a measured phase, if set. */
	void (*tick)(struct runner *runner, void *arg);
	void *tick_arg;
};

/* State of sampling send and receive events; see event_sampling.h. */
struct event_sampling {
	bool on;               /* false: events are counted all the time */
	struct plan base_plan; /* what stays attached between windows */
	struct event_windows windows;
};

/* See late_phase__begin(). */
struct late_phase {
	const char *phase; /* in words; NULL: no phase with a planned end is awaited */
	uint64_t end_ns;   /* planned end, moved by pauses of this process */
	uint64_t due_ns;   /* next look at it; UINT64_MAX: none */
	uint64_t asked_ns; /* time of the first look; 0: none yet */
	uint64_t moved;    /* bytes that had arrived by then */
};

struct round {
	struct runner *runner;
	struct event_sampling sampled_events;
	enum mode mode;
	const struct plan *plan; /* whose programs are attached */
	struct driver drivers[NIO_SIDE_NR];
	bool listening, quiesced;
	bool ready[NIO_SIDE_NR], stats[NIO_SIDE_NR], done[NIO_SIDE_NR];
	uint64_t cookies[NIO_SIDE_NR][LOAD_CONNECTIONS_MAX];
	size_t cookies_nr[NIO_SIDE_NR];
	unsigned int port;
	bool measuring;
	uint64_t measure_ns;       /* begin of the measured phase */
	struct cpu_mark cpu_begin; /* at the same time */
	bool asked;                /* statistics were requested, to be shown */
	uint64_t ping_ns, heard_ns[NIO_SIDE_NR];
	struct awake awake; /* of the current wait */
	struct late_phase late;
	bool half_asked, half_taken;         /* the receiver's half */
	char challenge[HALF_CHALLENGE_TEXT]; /* of the receiver; empty: none */
	struct run_result *half;             /* NULL: the receiver sends none */
	uint64_t stop_ns;                    /* when waiting ends after a stop; 0: no stop */
	struct snapshot base, now;
	struct run_result *out;
};

extern const char *const round_side_names[NIO_SIDE_NR];

/* Sets r->runner->reason to why the round fails, unless it is set; returns err. */
__attribute__((format(printf, 3, 4))) int round__fail(struct round *r, int err, const char *format,
						      ...);

bool round__is_remote(const struct round *r); /* the receiver is on another machine */
int round__sides_here(
	const struct round *r);    /* number of sides on this machine, the sender first */
void round__book(struct round *r); /* r->now into r->out */

/* Sends a command. An ended process is no error: DRIVER_EOF reports it. */
int round__send_line(struct round *r, enum nio_side side, const char *line);

/* What a process of the load generator reports, in the order of a round. */
enum round_event {
	ROUND_LISTENING,
	ROUND_READY,
	ROUND_QUIESCED,
	ROUND_DONE,
	ROUND_HALF,
};

bool round__has(const struct round *r, enum round_event event); /* READY, DONE: of both sides */

/*
 * Handles events until round__has() is true. -EINTR: stopped, and the grace period is over.
 * -ETIMEDOUT: a process of the load generator does not answer; r->runner->reason names what was
 * awaited.
 */
int round__await(struct round *r, enum round_event event);

/*
 * A phase of a round that ends much later than planned, since a phase ends after whole messages and
 * TCP may move a few kB a second (a receive buffer of a few KiB, a slow link): says so once.
 */
/* A phase begins that should take planned_ns; 0: not known. */
void late_phase__begin(struct round *r, const char *phase, uint64_t planned_ns);
void late_phase__end(struct round *r);

#endif
