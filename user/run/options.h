/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line: what was asked, with every rule checked before anything starts. */
#ifndef NETIOTRACE_OPTIONS_H
#define NETIOTRACE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/address.h"
#include "base/exit_code.h"
#include "write/assertion.h"
#include "host/netpath.h"
#include "perf/names.h"
#include "model/plan.h"
#include "model/result.h"
#include "model/traffic.h"
#include "write/output.h"

enum command {
	COMMAND_RUN,
	COMMAND_DOCTOR,
	COMMAND_SERVE,
};

#define ASSERTIONS_MAX 64
#define WITHOUT_MAX    32
#define SIZE_BYTES_MIN 64 /* of a message */
#define SIZE_BYTES_MAX (16 << 20)
#define THREADS_MAX    256

struct options {
	enum command command;
	enum mode modes[MODE_NR];
	size_t modes_nr;
	struct traffic traffic;
	enum netpath_kind path;
	bool path_given;
	bool remote;            /* the receiver is on another machine, at: */
	struct address connect; /* as given: not resolved */
	struct address listen;  /* serve; host empty: not given */
	unsigned int mtu;       /* 0: the device's */
	bool ipv6;
	enum backend backend;
	bool count_calls;
	const char *congestion; /* a name, "system", or NULL: by the path */
	enum times times;
	const char *without[WITHOUT_MAX]; /* hooks that are not to be used */
	size_t without_nr;
	uint64_t interval_ns;
	struct perf_spec perf_events[PERF_EVENTS_MAX]; /* asked for besides those of every run */
	size_t perf_events_nr;
	bool perf_none;                /* no counters at all */
	const char *output[OUTPUT_NR]; /* file names, by enum output; NULL: none */
	struct assertion *assertions[ASSERTIONS_MAX];
	size_t assertions_nr;
	bool quiet;
	int verbose;
	int argc;
	char **argv;
};

/* Parses and checks. Prints the sentence and exits with EXIT_USAGE by itself when it is wrong. */
void options__parse(struct options *o, int argc, char **argv);
void options__clear(struct options *o);

/*
 * For commands that have some of these options and parse the rest themselves. __init: the defaults;
 * __row: an option's row of the table (NULL: no such name), to be copied; __take: what a row's key
 * does with its argument, ARGP_ERR_UNKNOWN for foreign keys; __finish: completes and checks. Those
 * that find a mistake print the sentence and exit, as above.
 */
void options__init(struct options *o, int argc, char **argv);
const struct argp_option *options__row(const char *name);
error_t options__take(struct options *o, int key, const char *arg);
void options__finish(struct options *o);

#endif
