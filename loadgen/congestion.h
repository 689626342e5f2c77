/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a congestion control asked for can be had, in words. */
#ifndef LOADGEN_CONGESTION_H
#define LOADGEN_CONGESTION_H

#include "herald.h"

/* 0 for an empty name or one that sockets can be given; else -errno, reported. */
int congestion__check(struct herald *report, const char *name);

#endif
