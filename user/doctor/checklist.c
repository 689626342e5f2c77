/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of checks; see checklist.h. Pure. */
#include "checklist.h"

struct check *checklist__add(struct checklist *l, const char *name, enum check_state state)
{
	struct check *c = &l->checks[l->nr < CHECKS_MAX ? l->nr++ : CHECKS_MAX - 1];

	*c = (struct check){.group = l->group, .state = state};
	snprintf(c->name, sizeof(c->name), "%s", name);
	return c;
}

struct check *checklist__unknown(struct checklist *l, const char *name, const char *reason)
{
	struct check *c = checklist__add(l, name, CHECK_UNKNOWN);

	SET(c->value, "n/a");
	SET(c->means, "%s", reason ? reason : "could not be read");
	return c;
}
