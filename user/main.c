/* SPDX-License-Identifier: GPL-2.0-only */
/* netiotrace: command line in, exit code out. */
#include <signal.h>

#include "doctor.h"
#include "options.h"
#include "run.h"
#include "serve.h"

int main(int argc, char **argv)
{
	struct options options;
	int code;

	/* A load generator that is gone is an error to report, not a reason to die. */
	signal(SIGPIPE, SIG_IGN);
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
