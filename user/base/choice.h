/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the choice of one word from a list: the nearest name for a mistyped word, and the error. */
#ifndef NETIOTRACE_CHOICE_H
#define NETIOTRACE_CHOICE_H

#include <stddef.h>

/*
 * Returns the name nearest to `word`, ignoring case, or NULL. A unique prefix wins. Otherwise the
 * smallest optimal string alignment distance wins, at most a third of the word's length; a tie
 * gives NULL. Pure.
 */
const char *choice__nearest(const char *word, const char *const *names, size_t n);

/* Exits with a usage error: "OPTION takes A, B or C, not 'WORD'", and the nearest name if any. */
_Noreturn void choice__refuse(const char *option, const char *word, const char *const *names,
			      size_t n);

#endif
