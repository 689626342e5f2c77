/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a sweep of this machine for advice on sizes: only what its rounds bear out (study/claim.h).
 */
#ifndef NETIOTRACE_BASELINE_H
#define NETIOTRACE_BASELINE_H

#include "model/advice.h"

/* 0, or -errno with a sentence in message, of len bytes. path is kept. */
int baseline__read(struct baseline *b, const char *path, char *message, size_t len);

#endif
