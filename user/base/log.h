/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages to people, on stderr: errors always, warnings unless -q, the rest by -v and -vv. */
#ifndef NETIOTRACE_LOG_H
#define NETIOTRACE_LOG_H

#include <stddef.h>

enum log_level {
	LOG_ERROR,
	LOG_WARNING,
	LOG_INFO,
	LOG_DEBUG,
};

void log_set_level(enum log_level level); /* initially LOG_WARNING */
enum log_level log_level(void);

/* Prints "netiotrace: ..." and a newline. */
__attribute__((format(printf, 1, 2))) void log_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_warning(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_info(const char *format, ...);

/*
 * From here on errors are not printed: the first is kept in buf, which must live until
 * log_keep_errors(NULL, 0). For who records them, or has a line of his own on the screen.
 */
void log_keep_errors(char *buf, size_t len);

#endif
