/* SPDX-License-Identifier: GPL-2.0-only */
/* The summary of a result: the total and the spread of each mode's rounds. */
#ifndef RUN_SUMMARY_H
#define RUN_SUMMARY_H

#include "model/result.h"
#include "options.h"

/* Fills res->summary from res->runs, which are of o's modes and size. */
void summary__make(struct result *res, const struct options *o);

#endif
