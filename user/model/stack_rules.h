/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The class of a sample by its kernel stack: one table of rules on function names, innermost frame
 * first. Pure.
 */
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
 * frames: names of functions, innermost first, each to its end or a ';'; suffixes of the compiler
 * (.isra.0) allowed. The first frame that a rule knows decides; one that copies is of the stage
 * that its first known caller names, if that names one. CPU_CLASS_OTHER where no frame is known.
 */
struct stack_class stack_rules__class(const char *const *frames, size_t n);

/* Of a sample in user mode: in a copying library or not, in a mode that gathers or not. */
enum cpu_class stack_rules__user(const char *object, bool gathers);

#endif
