/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a side's main thread: commands, signals, frames, wake-ups by threads. */
#ifndef LOADGEN_CONTROL_LOOP_H
#define LOADGEN_CONTROL_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "control_conn.h"
#include "common/pause_watch.h"
#include "common/time_limit.h"

/* The commands of --control, one a line on stdin. */
enum control_stdin_command {
	CONTROL_STDIN_NONE, /* no complete line yet */
	CONTROL_STDIN_START,
	CONTROL_STDIN_MEASURE,
	CONTROL_STDIN_STATS,
	CONTROL_STDIN_STOP,
	CONTROL_STDIN_CLOSE,
	CONTROL_STDIN_REFUSE,  /* with a number */
	CONTROL_STDIN_PROVE,   /* with a text, control_stdin.argument */
	CONTROL_STDIN_HALF,    /* with a number: so many bytes of text were read after the line */
	CONTROL_STDIN_UNKNOWN, /* the line is in control_stdin.line, made printable */
	CONTROL_STDIN_EOF,
};

#define CONTROL_STDIN_LINE_MAX 128

struct control_stdin {
	int fd;
	size_t len; /* bytes in buf */
	char buf[CONTROL_STDIN_LINE_MAX];
	char line[CONTROL_STDIN_LINE_MAX];
	const char *argument;  /* in line, after `prove` */
	uint64_t number;       /* after `measure` or `half`; 0: none */
	char *text;            /* after `half N`; owned */
	size_t text_len, have; /* of the text: its length, and the bytes read so far */
};

enum control_loop_event {
	CONTROL_LOOP_COMMAND = 1,
	CONTROL_LOOP_SIGNAL = 2,
	CONTROL_LOOP_FRAME = 4,
	CONTROL_LOOP_WAKE = 8,
	CONTROL_LOOP_EXTRA = 16, /* the caller's descriptor */
};

struct control_loop {
	bool has_commands;
	struct control_stdin commands;
	int signal_fd; /* SIGINT and SIGTERM; -1: default action */
	struct control_conn conn;
	int wake_fd;
	struct awake awake;
	bool in_phase; /* pauses are watched */
	struct pause_watch pause;
	uint64_t paused; /* ns, in this phase: at least */
	uint64_t missed; /* ns that this process did not run, since control_loop__missed() */
};

/* signals: receive SIGINT and SIGTERM as events. Call before any thread starts. 0 or -errno. */
int control_loop__open(struct control_loop *p, bool commands, bool signals);
void control_loop__close(struct control_loop *p);

/*
 * Waits until `deadline` (clock__now(); UINT64_MAX: none). extra: one more descriptor, or -1.
 * Returns a set of control_loop_event, or -errno. 0: the deadline, or this process did not run for
 * a time.
 */
int control_loop__wait(struct control_loop *p, uint64_t deadline, int extra);

/* A phase begins or ends: pauses of this process are added up meanwhile. */
void control_loop__begin_phase(struct control_loop *p);
void control_loop__end_phase(struct control_loop *p);

/* Takes the ns that this process did not run; the silence of peers in that time does not count. */
uint64_t control_loop__missed(struct control_loop *p);

/* May read(): call only when control_loop__wait() reports a command. */
enum control_stdin_command control_stdin__next(struct control_stdin *c);

#endif
