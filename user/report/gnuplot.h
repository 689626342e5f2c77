/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gnuplot as a process: its script in, its picture out, both as memory. It works in /, with no
 * environment but locale and PATH, in a session of its own; it ends when this process does, or
 * after two minutes.
 */
#ifndef NETIOTRACE_GNUPLOT_H
#define NETIOTRACE_GNUPLOT_H

#include <signal.h>
#include <stddef.h>

#define GNUPLOT_ERRORS 4096

struct gnuplot_call {
	const char *program;
	int program_fd; /* of it, where its directory may not be entered */
	const char *option;
	const char *script;
	size_t script_len;
	const volatile sig_atomic_t *stop; /* ends it once set; NULL: nothing does */
};

struct gnuplot_output {
	char *picture; /* what it wrote, and a NUL; NULL if it failed */
	size_t picture_len;
	char errors[GNUPLOT_ERRORS]; /* what it said, its end */
};

/* 0 or -errno: -EIO: it failed; -ETIMEDOUT; -EINTR: stopped. output is to be cleared in any case.
 */
int gnuplot__run(const struct gnuplot_call *call, struct gnuplot_output *output);
void gnuplot_output__clear(struct gnuplot_output *output);

#endif
