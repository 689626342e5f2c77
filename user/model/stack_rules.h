/* SPDX-License-Identifier: GPL-2.0-only */
/* The class of a sample by its kernel stack: rules on function names. Pure. */
#ifndef MODEL_STACK_RULES_H
#define MODEL_STACK_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu_time.h"

struct stack_class {
	enum cpu_class class;
	/*
	 * The innermost frame is one in which interrupts are let in again: a sample by timer that
	 * was due while they were off lands there, and counts for the caller.
	 */
	bool shifted;
};

/*
 * frames: names of functions, innermost first, each up to its end or a ';'; compiler suffixes
 * (.isra.0) allowed. The first frame with a rule decides; a copy belongs to the stage of its first
 * caller with one. CPU_CLASS_OTHER without any rule.
 */
struct stack_class stack_rules__class(const char *const *frames, size_t n);

/* Does this file have the C library's copying functions? */
bool stack_rules__is_libc(const char *object);

/* For a sample in user mode: in a copying library or not, in a mode that gathers or not. */
enum cpu_class stack_rules__user(const char *object, bool gathers);

#endif
