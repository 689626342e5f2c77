/* SPDX-License-Identifier: GPL-2.0-only */
/* One word out of a list: the word that a mistyped one was meant to be, and the refusal. */
#ifndef NETIOTRACE_CHOICE_H
#define NETIOTRACE_CHOICE_H

#include <stddef.h>

/*
 * The name nearest to `word`: the only one that begins with it, else the one with the fewest
 * differing, missing, additional or swapped letters (optimal string alignment distance), at most
 * one in three. NULL: none is near, or two are equally near. Pure; upper and lower case are the
 * same.
 */
const char *choice__nearest(const char *word, const char *const *names, size_t n);

/*
 * Ends the program with a usage error: "OPTION takes A, B or C, not 'WORD'", and the nearest name
 * where there is one.
 */
_Noreturn void choice__refuse(const char *option, const char *word, const char *const *names,
			      size_t n);

#endif
