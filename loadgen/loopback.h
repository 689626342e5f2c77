/* SPDX-License-Identifier: GPL-2.0-only */
/* Both sides in one command: a receiver process on loopback, a sender here, one report. */
#ifndef LOADGEN_LOOPBACK_H
#define LOADGEN_LOOPBACK_H

#include "settings.h"

/* Return value as of sender__run(). */
int loopback__run(const struct settings *s);

#endif
