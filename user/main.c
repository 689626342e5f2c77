/* SPDX-License-Identifier: GPL-2.0-only */
/* netiotrace: command line in, exit code out. */
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "compare/compare.h"
#include "doctor/doctor.h"
#include "run/options.h"
#include "report/report.h"
#include "run/run.h"
#include "run/serve.h"
#include "sweep/sweep.h"

/* Commands with a command line of their own: their name comes first. */
static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} commands[] = {
	{"sweep", sweep__main},
	{"report", report__main},
	{"compare", compare__main},
};

int main(int argc, char **argv)
{
	struct options options;
	int code;

	/* A load generator that is gone is an error to report, not a reason to die. */
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].main(argc, argv);
	options__parse(&options, argc, argv);
	switch (options.command) {
	case COMMAND_DOCTOR:
		code = doctor__main(&options);
		break;
	case COMMAND_SERVE:
		code = serve__main(&options);
		break;
	default:
		code = run__main(&options);
	}
	options__clear(&options);
	return code;
}
