/* SPDX-License-Identifier: GPL-2.0-only */
/* Follows bytes for the time of the command, and writes what was found. */
#ifndef FOLLOW_FOLLOW_SESSION_H
#define FOLLOW_FOLLOW_SESSION_H

#include "follow_options.h"

/* The exit code of the command. */
int follow_session__run(const struct follow_options *o);

#endif
