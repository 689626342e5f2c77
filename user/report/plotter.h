/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs gnuplot with the templates of scripts/gnuplot, wherever those were installed. */
#ifndef NETIOTRACE_PLOTTER_H
#define NETIOTRACE_PLOTTER_H

#include <limits.h>
#include <stddef.h>

struct plotter {
	char directory[PATH_MAX]; /* of the templates */
};

/* 0, or -errno with a sentence in message: no templates, or no gnuplot. */
int plotter__open(struct plotter *p, char *message, size_t len);

/*
 * Draws one picture: settings and data are files, out is written; term is "svg" or "png". 0, or
 * -errno with a sentence in message.
 */
int plotter__draw(const struct plotter *p, const char *template, const char *settings,
		  const char *data, const char *out, const char *term, char *message, size_t len);

#endif
