/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of --control, one a line on stdin. */
#ifndef LOADGEN_CONSOLE_H
#define LOADGEN_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

enum console_command {
	CONSOLE_NONE, /* no complete line yet */
	CONSOLE_START,
	CONSOLE_MEASURE,
	CONSOLE_STATS,
	CONSOLE_STOP,
	CONSOLE_CLOSE,
	CONSOLE_UNKNOWN, /* the line is in console.line, made printable */
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

/* Whether buf holds a complete line, which poll() does not report. */
bool console__pending(const struct console *c);

/* May read(): call only when fd is readable or console__pending() is true. */
enum console_command console__next(struct console *c);

#endif
