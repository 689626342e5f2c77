/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the ready file (--ready-file) and READY=1 to $NOTIFY_SOCKET; see sd_notify(3). */
#ifndef BASE_READY_H
#define BASE_READY_H

#include <stdbool.h>

#include "path_walk.h"

/* Zeroed: no file, not announced. */
struct ready {
	const char *file;       /* NULL: none; owned by the caller, outlives this */
	struct path_walk entry; /* the file in its directory, which stays open */
	bool notified;          /* announced; entry's object is ours to remove */
};

/*
 * Opens the directory of the file and removes the file of a killed program, no other. Prints
 * errors; returns an exit code. Close r after EXIT_DONE.
 */
int ready__open(struct ready *r, const char *file);

/*
 * Announces that the program is ready. The file appears whole with one line: "netiotrace PID" and,
 * if detail is not NULL, a space and detail. Prints errors; returns an exit code. A failed
 * notification is only a warning.
 */
int ready__notify(struct ready *r, const char *detail);

/* Removes the file and notifies the service manager of the end. */
void ready__close(struct ready *r);

#endif
