/* SPDX-License-Identifier: GPL-2.0-only */
/* Both sides in one command: a receiver process on loopback, a sender here, one report. */
#ifndef LOADGEN_BOTH_H
#define LOADGEN_BOTH_H

#include "settings.h"

/* Return value as of sender__run(). */
int both__run(const struct settings *s);

#endif
