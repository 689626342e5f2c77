/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far a sweep is, on stderr: on a terminal one line that is drawn again, elsewhere a line for
 * each run. The layout is pure; progress__show() and its like write.
 */
#ifndef SWEEP_PROGRESS_H
#define SWEEP_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_LINE_MAX 512

struct progress {
	bool shown, terminal;
	size_t done, total; /* runs; done includes failed runs and runs of an earlier sweep */
	size_t failed;
	size_t timed;          /* runs made since the start */
	uint64_t timed_ns;     /* that they took, with all that came around them */
	uint64_t expected_ns;  /* of a run, while none was timed */
	uint64_t under_way_ns; /* time of the current run so far */
	char now[64];          /* current run: "onecopy 4k t2"; empty: none */
	char last[128];        /* result of the last run: "twocopy 64k t8 31.2 Gbit/s" */
};

/* Nanoseconds until the end, if the rest takes as long as the timed runs. */
uint64_t progress__left_ns(const struct progress *p);

/* "0:07", "12:30", "3:05:00". Returns buf. */
char *progress__clock(char *buf, size_t len, uint64_t ns);

/*
 * The progress line for a terminal with that many columns; items that do not fit are left out from
 * the end. Returns buf, of PROGRESS_LINE_MAX bytes.
 */
char *progress__bar(char *buf, const struct progress *p, unsigned int columns);

/* The line of a finished run: "[17/144] twocopy 64k t8 31.2 Gbit/s, 1:20 left". Returns buf. */
char *progress__line(char *buf, const struct progress *p);

/* quiet: shows nothing. */
void progress__open(struct progress *p, bool quiet);
void progress__show(const struct progress *p);     /* draws the line of a terminal */
void progress__finished(const struct progress *p); /* a run is over: its line elsewhere */
void progress__clear(const struct progress *p);    /* leaves the terminal's line empty */

#endif
