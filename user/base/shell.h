/* SPDX-License-Identifier: GPL-2.0-only */
/* Words of a command line, written so that a shell reads them back. */
#ifndef NETIOTRACE_SHELL_H
#define NETIOTRACE_SHELL_H

#include <stdio.h>

/* In single quotes, unless it is made of what no shell takes for anything else. */
void shell__put_word(FILE *f, const char *word);

#endif
