/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `netiotrace attach`. */
#ifndef ATTACH_ATTACH_OPTIONS_H
#define ATTACH_ATTACH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/target_options.h"
#include "bpf/sock_state.h"
#include "kernel/attach_probes.h"
#include "table.h"

#define ATTACH_ASSERTIONS_MAX 32

/* In the order of the enum. */
#define BY_WORDS "process|connection|port|cgroup"

enum by {
	BY_PROCESS,
	BY_CONNECTION,
	BY_PORT,
	BY_CGROUP,
	BY_NR,
};

const char *by__name(enum by by);

_Static_assert(TARGET_COMMS_MAX == NIO_COMMS_MAX, "names in the programs");

struct attach_options {
	struct target_options target;
	const char *cgroup;   /* NULL: none */
	uint64_t duration_ns; /* 0: until stopped */
	uint64_t until_pid;   /* stops when this process ends; 0: none */
	uint64_t interval_ns;
	enum sort sort;
	enum by by;
	uint64_t top; /* rows shown */
	uint64_t sockets_max;
	bool count_calls;
	double budget; /* percent of one CPU; 0: the default */
	enum backend backend;
	const char *without[ATTACH_WITHOUT_MAX];
	size_t without_nr;
	const char *baseline;                          /* results of a sweep; NULL: none */
	const char *follow_result;                     /* document of follow; NULL: none */
	const char *json, *json_lines, *csv, *folded;  /* file names; NULL: none */
	const char *ready_file;                        /* NULL: none */
	const char *assertions[ATTACH_ASSERTIONS_MAX]; /* of --assert, as given */
	size_t assertions_nr;
	bool no_cpu;
	bool quiet;
	bool to_stdout; /* a document is written there */
	int verbose;
	int argc;
	char **argv;
};

/* Prints errors and exits with EXIT_USAGE. */
void attach_options__parse(struct attach_options *o, int argc, char **argv);

/* Is any process selected, by any option? */
bool attach_options__by_task(const struct attach_options *o);

#endif
