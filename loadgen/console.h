/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands as lines on stdin (--control). Knows nothing of what they do. */
#ifndef LOADGEN_CONSOLE_H
#define LOADGEN_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

enum console_command {
	CONSOLE_NONE, /* no whole line yet */
	CONSOLE_START,
	CONSOLE_MEASURE,
	CONSOLE_STATS,
	CONSOLE_STOP,
	CONSOLE_CLOSE,
	CONSOLE_UNKNOWN, /* line holds it, made printable */
	CONSOLE_EOF,
};

#define CONSOLE_LINE_MAX 128

struct console {
	int fd;
	bool eof;
	size_t len; /* bytes in buf */
	char buf[CONSOLE_LINE_MAX];
	char line[CONSOLE_LINE_MAX];
};

void console__init(struct console *c, int fd);

/* A whole line is in the buffer already: poll() would not tell. */
bool console__pending(const struct console *c);

/* Reads when no line is complete: call only when fd is readable or a line is pending. */
enum console_command console__next(struct console *c);

#endif
