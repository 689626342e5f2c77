/* SPDX-License-Identifier: GPL-2.0-only */
/* What else than copying decided the figures of a run: a sentence each, or nothing. */
#ifndef SCREEN_TEXT_LIMITS_H
#define SCREEN_TEXT_LIMITS_H

#include <stdio.h>

#include "model/result.h"

void text_limits__emulator(FILE *f, const struct result *r);
void text_limits__pacing(FILE *f, const struct result *r);
void text_limits__throttling(FILE *f, const struct result *r);
void text_limits__others(FILE *f, const struct result *r);
void text_limits__steal(FILE *f, const struct result *r);
void text_limits__congestion(FILE *f, const struct result *r);

#endif
