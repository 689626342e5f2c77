/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Drives one load generator process by the protocol of docs/LOADGEN.md: splits its stdout into
 * lines, decodes each into an event, and copies its statistics into an app_result. The decoding is
 * pure (driver__decode) and unit-tested; nothing here waits.
 */
#ifndef NETIOTRACE_DRIVER_H
#define NETIOTRACE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "child.h"
#include "model/load_report.h"
#include "model/result.h"

enum driver_event {
	DRIVER_NOTHING, /* no whole line yet */
	DRIVER_LISTENING,
	DRIVER_READY,
	DRIVER_QUIESCED,
	DRIVER_STATS,
	DRIVER_DONE,
	DRIVER_ERROR, /* message set; the process is ending */
	DRIVER_EOF,   /* stdout closed */
};

#define DRIVER_LINE_MAX (1 << 20)

struct driver {
	struct child child;
	enum nio_side side;
	char *buf;
	size_t len, start;
	struct load_report report;
};

void driver__init(struct driver *d, enum nio_side side);
void driver__clear(struct driver *d); /* kills the child if it still runs; takes a cleared driver */

/* "ready": the name of an event in the protocol. */
const char *driver_event__name(enum driver_event event);

/*
 * The next event, from what the pipe holds now: reads without blocking. -EPROTO for a line that is
 * not the protocol (report.message says what), -E2BIG for a line over DRIVER_LINE_MAX, -errno.
 */
int driver__next(struct driver *d, enum driver_event *event);

/* Decodes one line (no newline). 0, or -EPROTO with report->message set. */
int driver__decode(const char *line, size_t len, enum nio_side side, struct load_report *report,
		   enum driver_event *event);

#endif
