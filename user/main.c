/* SPDX-License-Identifier: GPL-2.0-only */
/* netiotrace: command line in, exit code out. */
#include <signal.h>
#include <string.h>

#include "doctor.h"
#include "options.h"
#include "report.h"
#include "run.h"

int main(int argc, char **argv)
{
	struct options options;
	int code;

	/* A load generator that is gone is an error to report, not a reason to die. */
	signal(SIGPIPE, SIG_IGN);
	if (argc > 1 && !strcmp(argv[1], "report"))
		return report__main(argc - 1, argv + 1);
	options__parse(&options, argc, argv);
	code = options.command == COMMAND_DOCTOR ? doctor__main(&options) : run__main(&options);
	options__clear(&options);
	return code;
}
