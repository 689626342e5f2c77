/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns messages on stderr: errors always, warnings and notices unless -q, the rest with -v. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdio.h>

enum log_level {
	LOG_ERROR,
	LOG_WARNING,
	LOG_INFO,
	LOG_DEBUG,
};

enum log_level log_level(void);
void log_set_verbosity(bool quiet, int verbose); /* -q, and how many -v */

/*
 * The width of the terminal that messages go to, 0 if there is none. Read once, before a process
 * confines itself: asking a terminal is a system call.
 */
#define LOG_COLUMNS_MIN 20 /* below this, messages are not wrapped */
void log_set_columns(unsigned int n);

/* Prints "netiotrace: ..." and a newline. Unprintable characters become '?'. */
__attribute__((format(printf, 2, 3))) void log_print(enum log_level level, const char *format, ...);

#define log_error(...)   log_print(LOG_ERROR, __VA_ARGS__)
#define log_warning(...) log_print(LOG_WARNING, __VA_ARGS__)
#define log_notice(...)  log_print(LOG_WARNING, __VA_ARGS__) /* an event that the user waits for */
#define log_info(...)    log_print(LOG_INFO, __VA_ARGS__)

/* Keeps messages in memory while a screen covers the terminal; release prints them in order. */
void log_hold(void);
void log_release(void); /* no effect if nothing is held */

/* The present destination of messages, for a library's own output. */
FILE *log_stream(void);

#endif
