/* SPDX-License-Identifier: GPL-2.0-only */
/* How the program ends: documented in the README and the man page. */
#ifndef NETIOTRACE_EXIT_CODE_H
#define NETIOTRACE_EXIT_CODE_H

enum exit_code {
	EXIT_DONE = 0,
	EXIT_RUN_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_KERNEL = 3,
	EXIT_PRIVILEGES = 4,
	EXIT_ASSERTION = 5,
	/* A signal ended the run early: 128 + its number, as shells have it. */
	EXIT_SIGNAL_BASE = 128,
};

#endif
