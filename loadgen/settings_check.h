/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of settings.c: whether what was asked for goes together. */
#ifndef LOADGEN_SETTINGS_CHECK_H
#define LOADGEN_SETTINGS_CHECK_H

#include "settings.h"

/* Fills in what follows from the rest. 0, or -EINVAL with one sentence in why. */
int settings__check(struct settings *s, char *why);

/* Do the messages leave half of this memory free? 0, or -EINVAL with one sentence in why. */
int settings__check_memory(const struct settings *s, uint64_t memory, char *why);

/* Writes the sentence; returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int settings__refuse(char *why, const char *fmt, ...);

#endif
