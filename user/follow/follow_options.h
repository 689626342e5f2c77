/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `netiotrace follow`. */
#ifndef FOLLOW_FOLLOW_OPTIONS_H
#define FOLLOW_FOLLOW_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/follow_event.h"

#define FOLLOW_TARGETS_MAX 64

struct follow_options {
	pid_t pids[FOLLOW_TARGETS_MAX];
	size_t pids_nr;
	const char *comms[FOLLOW_TARGETS_MAX];
	size_t comms_nr;
	uint16_t ports[NIO_FOLLOW_PORTS];
	size_t ports_nr;
	bool children;
	char **command; /* NULL: none; ends with NULL */
	uint64_t duration_ns;
	uint64_t rate; /* samples per second; 0: by the number of CPUs */
	uint64_t top;
	const char *json, *folded; /* file names; NULL: none */
	bool quiet;
	int verbose;
	int argc;
	char **argv;
};

/* Prints errors and exits with EXIT_USAGE. */
void follow_options__parse(struct follow_options *o, int argc, char **argv);

/* Is a document written to stdout? */
bool follow_options__to_stdout(const struct follow_options *o);

#endif
