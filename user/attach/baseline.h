/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a sweep of this machine found of zero-copy against copying, by message size: which of the
 * two costs less CPU time. Only what its rounds bear out by the rule of base/rank_test.h.
 */
#ifndef ATTACH_BASELINE_H
#define ATTACH_BASELINE_H

#include "advice.h"

/* 0, or -errno with a sentence in message, of len bytes. path is kept. */
int baseline__read(struct baseline *b, const char *path, char *message, size_t len);

#endif
