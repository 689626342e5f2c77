/* SPDX-License-Identifier: GPL-2.0-only */
/* The rounds of a result: how many were made. Pure. */
#ifndef MODEL_ROUNDS_H
#define MODEL_ROUNDS_H

#include "result.h"

/* Rounds that every mode completed: "2 of 5 rounds" of a run that ended early. */
unsigned int rounds__complete(const struct result *r);

/* Has each mode made all its rounds, to their end? Also while auxiliary rounds follow. */
bool rounds__all(const struct result *r);

/* Did the run end before all rounds were made? */
bool rounds__ended_early(const struct result *r);

/* "1 round", "5 rounds"; "3 to 5 rounds" where modes differ. Fills buf, returns it. */
char *rounds__words(char *buf, size_t len, const struct result *r);

#endif
