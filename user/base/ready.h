/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Says to scripts and to systemd that the program has begun: by a file that is there while the
 * program is ready (--ready-file), and by READY=1 to $NOTIFY_SOCKET, see sd_notify(3).
 */
#ifndef NETIOTRACE_READY_H
#define NETIOTRACE_READY_H

#include <stdbool.h>

/* All zero: no file, and nothing was said yet. */
struct ready {
	const char *file; /* NULL: none; the caller's */
	bool said;        /* the file is there, and ours */
};

/*
 * Before anything begins: removes a file that a killed program left. A file that netiotrace did not
 * write is not touched. file: NULL, or its name, which must outlive r. An exit code; says what
 * failed.
 */
int ready__open(struct ready *r, const char *file);

/*
 * The program is ready now. The file appears whole, with one line: "netiotrace PID" and, where
 * detail is not NULL, a space and detail. An exit code; says what failed. A service manager that
 * cannot be told is a warning.
 */
int ready__say(struct ready *r, const char *detail);

/* The program ends: removes the file, and tells the service manager. */
void ready__close(struct ready *r);

#endif
