/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of --control, one a line on stdin. */
#ifndef LOADGEN_CONTROL_STDIN_H
#define LOADGEN_CONTROL_STDIN_H

#include <stdbool.h>
#include <stddef.h>

enum control_stdin_command {
	CONTROL_STDIN_NONE, /* no complete line yet */
	CONTROL_STDIN_START,
	CONTROL_STDIN_MEASURE,
	CONTROL_STDIN_STATS,
	CONTROL_STDIN_STOP,
	CONTROL_STDIN_CLOSE,
	CONTROL_STDIN_UNKNOWN, /* the line is in control_stdin.line, made printable */
	CONTROL_STDIN_EOF,
};

#define CONTROL_STDIN_LINE_MAX 128

struct control_stdin {
	int fd;
	bool eof;
	size_t len; /* bytes in buf */
	char buf[CONTROL_STDIN_LINE_MAX];
	char line[CONTROL_STDIN_LINE_MAX];
};

void control_stdin__init(struct control_stdin *c, int fd);

/* Whether buf holds a complete line, which poll() does not report. */
bool control_stdin__pending(const struct control_stdin *c);

/* May read(): call only when fd is readable or control_stdin__pending() is true. */
enum control_stdin_command control_stdin__next(struct control_stdin *c);

#endif
