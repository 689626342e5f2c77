/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draws with gnuplot and the templates of scripts/gnuplot, which the program has. gnuplot reads
 * everything from its standard input and writes the picture to its standard output. It opens no
 * file by name, works in /, has no environment except locale and PATH, has its own session, and
 * ends with this process, or after two minutes.
 */
#ifndef REPORT_PLOTTER_H
#define REPORT_PLOTTER_H

#include <limits.h>
#include <signal.h>
#include <stddef.h>

#include "figure.h"

struct plotter {
	char program[PATH_MAX];
	int program_fd;                    /* -1: not found */
	int err;                           /* of plotter__find(); reported by plotter__open() */
	const volatile sig_atomic_t *stop; /* set by a signal: gnuplot is ended */
};

#define PLOTTER_INIT              \
	{                         \
		.program_fd = -1, \
	}

/* Opens gnuplot: before root is given up, since it may be root's. */
void plotter__find(struct plotter *p, const volatile sig_atomic_t *stop);

/* 0, or -errno with a sentence in message: no gnuplot that runs. */
int plotter__open(struct plotter *p, char *message, size_t len);

/*
 * The script that draws a picture by itself, for `gnuplot NAME.plot`: templates, settings and data
 * in one text. The caller frees it.
 */
char *plotter__script(const struct figure *figure);

/*
 * Draws a picture; term is "svg", "png" or "pdf". The picture, which the caller frees and which
 * ends with an additional NUL, or NULL with the reason in message.
 */
char *plotter__draw(const struct plotter *p, const struct figure *figure, const char *term,
		    size_t *size, char *message, size_t len);

void plotter__close(struct plotter *p);

#endif
