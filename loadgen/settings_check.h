/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of the settings, for settings.c only. */
#ifndef LOADGEN_SETTINGS_CHECK_H
#define LOADGEN_SETTINGS_CHECK_H

#include "settings.h"

/* Checks s and sets dependent defaults. 0; -EINVAL with one sentence in why. */
int settings__check(struct settings *s, char *why);

/* Messages must fit half of `memory`, bytes. 0; -EINVAL with one sentence in why. */
int settings__check_memory(const struct settings *s, uint64_t memory, char *why);

/* Formats the sentence into why[SETTINGS_WHY]. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int settings__refuse(char *why, const char *fmt, ...);

#endif
