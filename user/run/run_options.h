/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `netiotrace run`, which is also `netiotrace` without a command. */
#ifndef NETIOTRACE_RUN_OPTIONS_H
#define NETIOTRACE_RUN_OPTIONS_H

#include "options.h"

/* Says what is wrong and exits with EXIT_USAGE. */
void run_options__parse(struct options *o, int argc, char **argv);

#endif
