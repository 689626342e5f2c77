/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages to people, on stderr: errors always, warnings and notices unless -q, the rest by -v. */
#ifndef NETIOTRACE_LOG_H
#define NETIOTRACE_LOG_H

#include <stdio.h>

enum log_level {
	LOG_ERROR,
	LOG_WARNING,
	LOG_INFO,
	LOG_DEBUG,
};

void log_set_level(enum log_level level); /* initially LOG_WARNING */
enum log_level log_level(void);

/* Prints "netiotrace: ..." and a newline. Characters that must not be printed become '?'. */
__attribute__((format(printf, 1, 2))) void log_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_warning(const char *format, ...);
/* What a user waits for, unless -q. */
__attribute__((format(printf, 1, 2))) void log_notice(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_info(const char *format, ...);

/*
 * Between these nothing is printed, but kept: while the terminal shows a screen that is about to
 * vanish, or a line that is drawn over. Released, it goes to stderr, in the order it was said.
 */
void log_hold(void);
void log_release(void); /* may be called when nothing is held */

/* Where messages go now: for what a library prints of itself. */
FILE *log_stream(void);

#endif
