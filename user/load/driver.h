/* SPDX-License-Identifier: GPL-2.0-only */
/* One load generator process as a source of events (docs/reference/loadgen.md). Never waits. */
#ifndef LOAD_DRIVER_H
#define LOAD_DRIVER_H

#include <stddef.h>

#include "child.h"
#include "model/load_report.h"
#include "model/result.h"

enum driver_event {
	DRIVER_NOTHING, /* no whole line yet */
	DRIVER_USABLE,  /* of a trial: the mode can run here */
	DRIVER_LISTENING,
	DRIVER_READY,
	DRIVER_QUIESCED,
	DRIVER_PHASE, /* of a receiver of netiotrace serve: the measured phase is asked for */
	DRIVER_STATS,
	DRIVER_DONE,
	DRIVER_HALF,    /* of a sender: what the receiver's machine measured */
	DRIVER_ERROR,   /* message is set; the process is ending */
	DRIVER_REFUSED, /* of a sender: the same error; the receiver cannot receive as asked */
	DRIVER_EOF,     /* stdout closed */
};

#define DRIVER_LINE_MAX (1 << 20) /* bytes, without the newline */

struct driver {
	struct child child;
	enum nio_side side;
	char *buf;
	size_t len, start;
	struct load_report report;
};

void driver__init(struct driver *d, enum nio_side side);
void driver__clear(struct driver *d); /* kills a running child; takes a cleared driver */

/* The name of an event in the protocol: "ready". */
const char *driver_event__name(enum driver_event event);

/*
 * Returns the next event in the pipe without blocking. 0; -EPROTO: not a line of the protocol;
 * other -errno: the pipe cannot be read. report.message says why.
 */
int driver__next(struct driver *d, enum driver_event *event);

/* Decodes one line without newline. 0 or -errno; -EPROTO sets report->message. Pure. */
int driver__decode(const char *line, size_t len, enum nio_side side, struct load_report *report,
		   enum driver_event *event);

#endif
