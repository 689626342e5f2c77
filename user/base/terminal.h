/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the size of the terminal behind a descriptor. */
#ifndef NETIOTRACE_TERMINAL_H
#define NETIOTRACE_TERMINAL_H

/* Columns or rows; `otherwise` if fd is no terminal or has none. */
unsigned int terminal__columns(int fd, unsigned int otherwise);

unsigned int terminal__rows(int fd, unsigned int otherwise);

#endif
