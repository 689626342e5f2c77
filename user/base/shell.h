/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the quoting of words for a shell. */
#ifndef NETIOTRACE_SHELL_H
#define NETIOTRACE_SHELL_H

#include <stdio.h>

/* Writes a word, in single quotes unless every character is safe. */
void shell__put_word(FILE *f, const char *word);

#endif
