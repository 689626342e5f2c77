/* SPDX-License-Identifier: GPL-2.0-only */
/* The list that the checks of doctor are written into. */
#ifndef NETIOTRACE_CHECKLIST_H
#define NETIOTRACE_CHECKLIST_H

#include <stdio.h>

#include "diagnosis.h"

struct checklist {
	struct check *checks; /* CHECKS_MAX of them */
	size_t nr;
	const char *group;
};

/* Writes to an array of a check: value, means, remedy. */
#define SET(field, ...) snprintf((field), sizeof(field), __VA_ARGS__)

struct check *checklist__add(struct checklist *l, const char *name, enum check_state state);

/* One that could not be made, for this reason; NULL: could not be read. */
struct check *checklist__unknown(struct checklist *l, const char *name, const char *reason);

/* checks_machine.c: what moves figures besides copying. */
void doctor__check_machine(struct checklist *l, const struct facts *f);

#endif
