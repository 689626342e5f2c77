/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run is asked to be: the options that commands share, each a row of one table, every rule
 * about them checked before anything starts. A command picks its rows (options__pick()).
 */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/address.h"
#include "base/exit_code.h"
#include "common/limits.h"
#include "write/assertion.h"
#include "host/netpath.h"
#include "perf/names.h"
#include "model/plan.h"
#include "model/result.h"
#include "model/workload.h"
#include "write/output.h"

#define ASSERTIONS_MAX 64
#define WITHOUT_MAX    32

struct options {
	enum mode modes[MODE_NR];
	size_t modes_nr;
	struct workload traffic;
	enum netpath_kind path;
	bool path_given;
	bool remote;            /* the receiver is on another machine, at: */
	struct address connect; /* as given: not resolved */
	struct address listen;  /* serve; host empty: not given */
	unsigned int mtu;       /* 0: the device's */
	bool ipv6;
	enum backend backend;
	bool count_calls;
	bool no_cpu;            /* no samples of CPU time */
	const char *congestion; /* a name, "system", or NULL: by the path */
	enum times times;
	const char *without[WITHOUT_MAX]; /* hooks that are not to be used */
	size_t without_nr;
	uint64_t interval_ns;
	struct perf_spec perf_events[PERF_EVENTS_MAX]; /* those of --perf-events */
	size_t perf_events_nr;
	bool perf_none;                /* no counters at all */
	const char *output[OUTPUT_NR]; /* file names, by enum output; NULL: none */
	struct assertion *assertions[ASSERTIONS_MAX];
	size_t assertions_nr;
	const char *ready_file; /* NULL: none */
	bool quiet;
	bool details; /* the text says all there is */
	int verbose;
	int argc;
	char **argv;
};

/* An option of the table as a command has it, or a title above the next ones. */
struct options_pick {
	const char *name; /* NULL: a title, which is in help */
	const char *help; /* if it differs from the table's; NULL: the table's */
};

/* A command whose options are all of the table. */
struct options_command {
	const char *name;
	const char *doc; /* as of struct argp */
	const struct options_pick *picks;
	size_t picks_nr;
};

/* Rows that fit a table of struct argp_option, titles and end included. */
#define OPTIONS_TABLE_MAX 64

/*
 * Parses and checks. An error, or an option that the command lacks, is reported, and the program
 * exits with EXIT_USAGE.
 */
void options__parse(struct options *o, const struct options_command *c, int argc, char **argv);
/* The same for `netiotrace run`, which is also `netiotrace` without a command. */
void options__parse_run(struct options *o, int argc, char **argv);
void options__clear(struct options *o);

/*
 * For commands with further options of their own. __init: the defaults; __pick: copies picks and an
 * end marker to `to`, the first title with group number `group`; __take: applies a row's key and
 * argument, ARGP_ERR_UNKNOWN for other keys; __finish: completes and checks. They report errors and
 * exit, as above.
 */
void options__init(struct options *o, int argc, char **argv);
void options__pick(struct argp_option *to, const struct options_pick *picks, size_t n, int group);
error_t options__take(struct options *o, int key, const char *arg);
void options__finish(struct options *o);

#endif
