/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns how each command parses its command line. */
#ifndef NETIOTRACE_COMMAND_LINE_H
#define NETIOTRACE_COMMAND_LINE_H

#include <argp.h>

/* Calls argp_parse() for command `name`; run may omit the name. Errors and --help exit. */
void command_line__parse(const struct argp *argp, const char *name, int argc, char **argv,
			 void *input);

#endif
