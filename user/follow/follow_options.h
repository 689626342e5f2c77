/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `netiotrace follow`. */
#ifndef FOLLOW_FOLLOW_OPTIONS_H
#define FOLLOW_FOLLOW_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/target_options.h"
#include "bpf/follow_event.h"

_Static_assert(TARGET_PORTS_MAX == NIO_FOLLOW_PORTS, "ports in the program");

struct follow_options {
	struct target_options target;
	uint64_t duration_ns;
	uint64_t rate; /* samples per second; 0: by the number of CPUs */
	uint64_t top;
	const char *json, *folded; /* file names; NULL: none */
	bool quiet;
	bool to_stdout; /* a document is written there */
	int verbose;
	int argc;
	char **argv;
};

/* Prints errors and exits with EXIT_USAGE. */
void follow_options__parse(struct follow_options *o, int argc, char **argv);

#endif
