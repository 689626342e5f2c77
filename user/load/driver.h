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

#define DRIVER_CONNECTIONS_MAX 256
#define DRIVER_LINE_MAX        (1 << 20)

/* What one event carries; owned by the driver, valid until the next driver__next(). */
struct driver_report {
	unsigned int port;                        /* LISTENING */
	uint64_t cookies[DRIVER_CONNECTIONS_MAX]; /* READY */
	size_t cookies_nr;
	char message[512]; /* ERROR */
	/* STATS, DONE: only the fields of the process's own side are set in app */
	uint64_t elapsed_ns;
	bool interrupted;
	uint64_t gather_bytes, gather_events, gather_ns, gather_sampled;
	/* DONE of a sender: what the receiver told it over the connection */
	struct {
		bool known;
		uint64_t rx_bytes, rx_messages, verify_errors;
	} confirmed;
	struct app_result app; /* its histograms are owned by the report */
};

struct driver {
	struct child child;
	enum nio_side side;
	char *buf;
	size_t len, start;
	struct driver_report report;
};

void driver__init(struct driver *d, enum nio_side side);
void driver__clear(struct driver *d); /* kills the child if it still runs; takes a cleared driver */

/*
 * The next event, from what the pipe holds now: reads without blocking. -EPROTO for a line that is
 * not the protocol (report.message says what), -E2BIG for a line over DRIVER_LINE_MAX, -errno.
 */
int driver__next(struct driver *d, enum driver_event *event);

/* Decodes one line (no newline). 0, or -EPROTO with report->message set. */
int driver__decode(const char *line, size_t len, enum nio_side side, struct driver_report *report,
		   enum driver_event *event);

/* Frees what a report owns and zeroes it; takes a zeroed one. For callers of driver__decode(). */
void driver_report__clear(struct driver_report *report);

/* Copies the fields a side reports into app (histograms duplicated): sender's or receiver's. */
int driver__copy_app(struct app_result *app, const struct driver_report *report,
		     enum nio_side side);

#endif
