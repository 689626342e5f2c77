/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options that commands share: one table of rows, and the rules about them, which are checked
 * before anything starts. Each row says which commands have it.
 */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/address.h"
#include "base/exit_code.h"
#include "base/option_command.h"
#include "write/assertion.h"
#include "host/netpath.h"
#include "perf/names.h"
#include "probes/plan.h"
#include "model/result.h"
#include "common/workload.h"
#include "write/output.h"

#define ASSERTIONS_MAX 64
#define WITHOUT_MAX    32

struct options {
	enum mode modes[MODE_NR];
	size_t modes_nr;
	struct workload workload; /* congestion: a name, "system", or NULL: by the path */
	enum netpath_kind path;
	bool path_given;
	bool remote;            /* the receiver is on another machine, at: */
	struct address connect; /* as given: not resolved */
	struct address listen;  /* serve; host empty: not given */
	unsigned int mtu;       /* 0: the device's */
	bool ipv6;
	enum backend backend;
	bool count_calls;
	bool no_cpu; /* no samples of CPU time */
	bool follow; /* the sender is followed in an extra round of each mode */
	enum times times;
	const char *without[WITHOUT_MAX]; /* hooks not to use */
	size_t without_nr;
	uint64_t interval_ns;
	struct perf_spec perf_events[PERF_EVENTS_MAX]; /* of --perf-events */
	size_t perf_events_nr;
	bool perf_none;                /* no counters at all */
	const char *output[OUTPUT_NR]; /* file names, by enum output; NULL: none */
	struct assertion *assertions[ASSERTIONS_MAX];
	size_t assertions_nr;
	const char *ready_file; /* NULL: none */
	bool insecure;          /* serve needs no token, on any address */
	const char *token;      /* file; NULL: none */
	bool quiet;
	bool details; /* print every field */
	int verbose;
	int argc;
	char **argv;
};

/* Bits of option_row.commands: the commands with options of the table. */
enum options_command_bit {
	OPTIONS_RUN = 1,
	OPTIONS_SWEEP = 2,
	OPTIONS_SERVE = 4,
	OPTIONS_DOCTOR = 8,
};

/* A command whose options are all of the table. */
struct options_command {
	const char *name;
	const char *doc; /* as in struct option_command */
	enum options_command_bit bit;
	const struct option_help *helps; /* ends with {0}; NULL: none */
};

/*
 * Parses and checks. An error, or an option that the command lacks, is reported, and the program
 * exits with EXIT_USAGE.
 */
void options__parse(struct options *o, const struct options_command *c, int argc, char **argv);
/* The same for `netiotrace run`, which is also `netiotrace` without a command. */
void options__parse_run(struct options *o, int argc, char **argv);
void options__clear(struct options *o);

/*
 * For commands with further options of their own, in a struct that begins with struct options.
 * __init: the defaults; __rows: copies the command's rows and titles, and returns their number;
 * __finish: completes and checks, reports errors and exits, as above.
 */
void options__init(struct options *o, int argc, char **argv);
size_t options__rows(const struct options_command *c, struct option_row *to);
void options__finish(struct options *o);

/* The options of sweep in the table that a document has (option_row.key): row i, or NULL. */
const struct option_row *options__of_sweep(size_t i);

#endif
