/* SPDX-License-Identifier: GPL-2.0-only */
/* netiotrace: command line in, exit code out. */
#include <signal.h>

#include "doctor.h"
#include "options.h"
#include "run.h"

int main(int argc, char **argv)
{
	struct options options;
	int code;

	/* A load generator that is gone is an error to report, not a reason to die. */
	signal(SIGPIPE, SIG_IGN);
	options__parse(&options, argc, argv);
	code = options.command == COMMAND_DOCTOR ? doctor__main(&options) : run__main(&options);
	options__clear(&options);
	return code;
}
