/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the call of argp for one command; see command_line.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "common/xalloc.h"
#include "describe.h"
#include "exit_code.h"
#include "option_check.h"
#include "refuse.h"

/* Works on a copy: argp reorders its arguments and names the program by the first. */
void command_line__parse(const struct argp *argp, const char *name, int argc, char **argv,
			 void *input)
{
	int named = argc > 1 && strcmp(argv[1], name) == 0;
	char **copy;
	char program[64];

	if (argc == 2 + named && strcmp(argv[1 + named], DESCRIBE_OPTION) == 0) {
		describe__print(argp);
		exit(EXIT_DONE);
	}
	copy = xcalloc((size_t)argc + 1, sizeof(*copy));
	memcpy(copy, argv + named, (size_t)(argc - named) * sizeof(*copy));
	snprintf(program, sizeof(program), "netiotrace%s%s", named ? " " : "", named ? name : "");
	copy[0] = program;
	argp_program_version = "netiotrace " NETIOTRACE_VERSION;
	argp_err_exit_status = EXIT_USAGE;
	option_check__line(argp, name, argc - named, copy);
	/* ARGP_IN_ORDER: a command that takes no operand reports the first one in its place. */
	argp_parse(argp, argc - named, copy, option_check__takes_operands(argp) ? 0 : ARGP_IN_ORDER,
		   NULL, input);
	free(copy);
}
