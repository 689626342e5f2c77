/* SPDX-License-Identifier: GPL-2.0-only */
/* The final text on what no stage of the ledger covers. */
#ifndef NETIOTRACE_TEXT_UNCOVERED_H
#define NETIOTRACE_TEXT_UNCOVERED_H

#include <stdio.h>

#include "model/result.h"

/* A sentence for each mode and kind that occurred; nothing when none did. 0 or -errno. */
int text_uncovered__print(FILE *f, unsigned int width, const struct result *r);

#endif
