/* SPDX-License-Identifier: GPL-2.0-only */
/* How every command of the program parses its command line. */
#ifndef NETIOTRACE_COMMAND_LINE_H
#define NETIOTRACE_COMMAND_LINE_H

#include <argp.h>

/*
 * argp_parse() for the command of this name: what follows it in argv, or all of argv where it is
 * not named (run). argv stays as it is, in order. --help, --version and mistakes exit.
 */
void command_line__parse(const struct argp *argp, const char *name, int argc, char **argv,
			 void *input);

#endif
