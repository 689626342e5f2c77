/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the exit statuses, which the README and the man page document. */
#ifndef BASE_EXIT_CODE_H
#define BASE_EXIT_CODE_H

enum exit_code {
	EXIT_DONE = 0,
	EXIT_RUN_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_KERNEL = 3,
	EXIT_PRIVILEGES = 4,
	EXIT_ASSERTION = 5,
	/* Ended early by a signal: 128 + its number, as in shells. */
	EXIT_SIGNAL_BASE = 128,
};

#endif
