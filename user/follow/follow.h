/* SPDX-License-Identifier: GPL-2.0-only */
/* The follow command: which code of a program copies the payload that it receives and sends. */
#ifndef FOLLOW_FOLLOW_H
#define FOLLOW_FOLLOW_H

#include "follow_limits.h"
#include "follow_options.h"

/*
 * Can follow work on this machine now? Loads its programs and watches a byte of this process.
 * Returns EXIT_DONE and *slots, the number of bytes that can be watched at a time; or another exit
 * code and in why the reason, a sentence without a full stop.
 */
int follow__examine(char why[FOLLOW_WHY], unsigned int *slots);

/* Follows bytes for the time of the command, and writes what was found. Its exit code. */
int follow_session__run(const struct follow_options *o);

#endif
