/* SPDX-License-Identifier: GPL-2.0-only */
/* The one-line form of a live frame, apart from where it is written. */
#ifndef NETIOTRACE_VIEW_LINE_H
#define NETIOTRACE_VIEW_LINE_H

#include <stddef.h>

#include "live.h"

/* A line without newline. Fills buf (cut to len) and returns it. */
char *view_line__format(char *buf, size_t len, const struct live_frame *f);

#endif
