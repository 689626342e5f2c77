/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks the congestion control of --congestion and reports why it is unavailable. */
#ifndef LOADGEN_CONGESTION_H
#define LOADGEN_CONGESTION_H

#include "reporter.h"

/* 0 if sockets can use the congestion control, or if name is empty; else -errno, reported. */
int congestion__check(struct reporter *report, const char *name);

#endif
