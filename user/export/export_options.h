/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the command line of `netiotrace export`. */
#ifndef EXPORT_EXPORT_OPTIONS_H
#define EXPORT_EXPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/plan.h"

enum export_by {
	EXPORT_BY_CGROUP,
	EXPORT_BY_COMM,
	EXPORT_BY_PORT,
};

#define EXPORT_FILTERS_MAX 64

struct export_options {
	const char *listen; /* ADDR:PORT or unix:PATH */
	enum export_by by;
	const char *filters[EXPORT_FILTERS_MAX]; /* patterns of group names, fnmatch(3) */
	size_t filters_nr;
	uint64_t groups;
	bool this_netns; /* leave out sockets of other network namespaces */
	uint64_t interval_ns;
	bool once;
	const char *textfile; /* NULL: none */
	const char *ready_file;
	uint64_t sockets_max;
	enum backend backend;
	bool count_calls;
	bool quiet;
	int verbose;
};

/* Prints errors and exits with EXIT_USAGE. */
void export_options__parse(struct export_options *o, int argc, char **argv);

#endif
