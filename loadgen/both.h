/* SPDX-License-Identifier: GPL-2.0-only */
/* Both sides in one command: a receiver process over loopback, a sender in this one, one report. */
#ifndef LOADGEN_BOTH_H
#define LOADGEN_BOTH_H

#include "settings.h"

/* As sender__run(). */
int both__run(const struct settings *s);

#endif
