/* SPDX-License-Identifier: GPL-2.0-only */
/* What the terminal behind a descriptor is like. */
#ifndef NETIOTRACE_TERMINAL_H
#define NETIOTRACE_TERMINAL_H

/* Its width in columns; otherwise where fd is no terminal, or does not say. */
unsigned int terminal__columns(int fd, unsigned int otherwise);

/* Its height in rows, likewise. */
unsigned int terminal__rows(int fd, unsigned int otherwise);

#endif
