/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of doctor as plain data: facts about the machine, their meaning for a run, and the
 * hook of each stage. examine.c gathers, checks.c and stages.c check (pure, for unit tests),
 * diagnosis_text.c and diagnosis_json.c write.
 */
#ifndef DOCTOR_DIAGNOSIS_H
#define DOCTOR_DIAGNOSIS_H

#include <jansson.h>
#include <stdio.h>

#include "base/resource_limits.h"
#include "follow/follow.h"
#include "run/options.h"
#include "probes/plan.h"
#include "model/result.h"

#define DOCTOR_SCHEMA "netiotrace.doctor/1"

/* Capabilities a run may need, in the order of doctor_capabilities. */
#define DOCTOR_CAPABILITIES 6

struct doctor_capability {
	unsigned int number; /* CAP_... */
	const char *name;
	const char *use;     /* its purpose */
	const char *without; /* what is missing without it */
};

extern const struct doctor_capability doctor_capabilities[DOCTOR_CAPABILITIES];

/* The remedy if capabilities are held in a user namespace only. */
extern const char doctor__leave_namespace[];

/* Facts, not checked yet. */
struct facts {
	struct environment env;
	struct limits limits;
	struct num btf_size; /* bytes of /sys/kernel/btf/vmlinux */
	bool held[DOCTOR_CAPABILITIES];
	bool root;              /* the effective user is root */
	bool no_sys;            /* /sys is not mounted */
	bool namespaced;        /* in a user namespace: capabilities do not apply to the machine */
	bool has_tls;           /* the module of kTLS is loaded */
	bool loaded;            /* the kernel took at least one of the programs */
	char clocksources[128]; /* available clocksources, separated by spaces; empty: unknown */
	struct real clock_ns;   /* what reading CLOCK_MONOTONIC once takes */
	struct num unprivileged_bpf_disabled, bpf_jit_enable;
	struct real perf_event_paranoid; /* -1 to 4 */
	const char *path;                /* name of the path examined */
	int path_err;                    /* 0: it was made; else -errno */
	const char *path_step;           /* what failed */
	char no_follow[FOLLOW_WHY];      /* why follow cannot work here; empty: it can */
	unsigned int follow_slots;       /* bytes that it can watch at a time */
};

enum check_state {
	CHECK_OK,
	CHECK_LIMITED, /* a run works, with limits */
	CHECK_MISSING, /* something a run needs is not there */
	CHECK_UNKNOWN, /* could not be probed */
};

const char *check_state__key(enum check_state s); /* "ok", "limited", "missing", "unknown" */

struct check {
	const char *group; /* "kernel", "confounders", ...: those of doctor__check() */
	char name[32];
	enum check_state state;
	char value[512];
	char means[256];  /* its purpose, or the consequence; empty: obvious */
	char remedy[256]; /* empty: none needed */
};

#define CHECKS_MAX 64

/* How one quantity is measured: a stage of the ledger, or what else probes feed. */
struct stage_line {
	const char *stage;
	enum quality quality;
	const char *backend; /* NULL: not by a probe, or not at all */
	const char *hook;    /* NULL: none; else a hook, or the load generator */
	unsigned int modes;  /* a mask of 1 << mode; 0: all */
	const char *reason;  /* why less than exact; NULL when exact */
	char remedy[256];
};

/* Every row may feed every stage, or something else; and two are the load generator's. */
#define STAGE_LINES_MAX ((NIO_STAGE_NR + 1) * PLAN_ROWS_MAX + 2)

struct diagnosis {
	struct facts facts;
	struct check checks[CHECKS_MAX];
	size_t checks_nr;
	struct plan plans[MODE_NR];
	struct plan_row rows[PLAN_ROWS_MAX];
	size_t rows_nr;
	struct plan_row attach_rows[PLAN_ROWS_MAX];
	size_t attach_rows_nr;
	bool attach_usable;                 /* attach has every probe that it needs */
	struct probe_result *probe_results; /* of plan_alternatives; owned */
	bool tried;                         /* false: privileges are missing */
	struct stage_line stages[STAGE_LINES_MAX];
	size_t stages_nr;
	struct stage_line attach_lines[PLAN_ROWS_MAX];
	bool usable; /* the bytes sent and received can be seen in every mode */
	/* Why hooks could not be probed: -errno; 0: they were. */
	int probe_err;
};

/* The command line. Prints errors and exits with EXIT_USAGE. */
void doctor_options__parse(struct options *o, int argc, char **argv);

/* Examines everything; the diagnosis has the reason for what could not be read. */
void diagnosis__make(struct diagnosis *d, const struct options *o);
void diagnosis__clear(struct diagnosis *d);

/* Pure. Returns how many checks were written. */
size_t doctor__check(const struct facts *f, struct check checks[CHECKS_MAX]);

/*
 * Pure: fills stages from rows, plan_alternatives and probe_results (NULL: none was tried).
 * instead: the remedy for every stage without a hook; NULL: that of the rows.
 */
size_t doctor__stages(const struct plan_row *rows, size_t rows_nr,
		      const struct probe_result *probe_results, const char *instead,
		      struct stage_line stages[STAGE_LINES_MAX]);

/* Pure: one line for each row of attach's plan. probe_results and instead as of doctor__stages().
 */
void doctor__attach_lines(const struct plan_row *rows, size_t rows_nr,
			  const struct probe_result *probe_results, const char *instead,
			  struct stage_line lines[PLAN_ROWS_MAX]);

/* width: columns to wrap at. more: prints a further section in front of the sum; NULL: none. */
void doctor__print(FILE *f, unsigned int width, const struct diagnosis *d, const struct options *o,
		   void (*more)(FILE *f, unsigned int width, const struct environment *env));

/* What can run, what is not seen and what to do, in a few lines. */
void doctor__print_summary(FILE *f, unsigned int width, const struct diagnosis *d);

/* Can a run watch the kernel? A part of a sentence. */
const char *doctor__answer(const struct diagnosis *d);

/* Prints text in lines that begin at a column; the cursor is at `from`. */
void doctor__wrap(FILE *f, unsigned int width, int from, int column, const char *text);

/* The document of docs/reference/doctor.md; a new reference. */
json_t *doctor__document(const struct diagnosis *d);

#endif
