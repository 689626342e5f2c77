/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the refusal of a command line: one sentence and EXIT_USAGE, before anything starts. */
#ifndef NETIOTRACE_REFUSE_H
#define NETIOTRACE_REFUSE_H

/* Prints "netiotrace: ..." and a newline on stderr, and exits with EXIT_USAGE. */
__attribute__((format(printf, 1, 2), noreturn)) void refuse(const char *format, ...);

#endif
