/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the command line of a sweep. */
#ifndef SUPPORT_SWEEP_CASE_H
#define SUPPORT_SWEEP_CASE_H

#include <stdio.h>
#include <string.h>

#include "sweep/sweep_options.h"

/* words: separated by blanks. The options point into memory that the next call reuses. */
static inline void parse(struct sweep_options *o, const char *words)
{
	static char buf[512];
	static char *argv[64];
	char *rest = buf;
	int argc = 0;

	snprintf(buf, sizeof(buf), "%s", words);
	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	sweep_options__parse(o, argc, argv);
}

#endif
