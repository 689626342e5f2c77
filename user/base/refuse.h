/* SPDX-License-Identifier: GPL-2.0-only */
/* What a command line is refused with: one sentence and EXIT_USAGE, before anything starts. */
#ifndef NETIOTRACE_REFUSE_H
#define NETIOTRACE_REFUSE_H

/* Prints "netiotrace: ..." and a newline on stderr, and exits with 2. */
__attribute__((format(printf, 1, 2), noreturn)) void refuse(const char *format, ...);

#endif
