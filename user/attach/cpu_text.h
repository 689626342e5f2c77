/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the watched processes' CPU time goes, in a sentence. Pure. */
#ifndef NETIOTRACE_ATTACH_CPU_TEXT_H
#define NETIOTRACE_ATTACH_CPU_TEXT_H

#include <stdio.h>

#include "cpu_split.h"

/* The classes by their share; what the program itself copies; or why it is not known. */
void cpu_text__say(FILE *f, const struct cpu_found *found);

#endif
