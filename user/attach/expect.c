/* SPDX-License-Identifier: GPL-2.0-only */
/* Assertions on the document of attach; see expect.h. */
#include <stdio.h>
#include <string.h>

#include "expect.h"

int expect__parse(struct expect *e, const char *text, json_t *document, char *message, size_t len)
{
	json_t *total = json_object_get(document, "total");
	char path[CONDITION_PATH_MAX];
	int err;

	*e = (struct expect){0};
	err = condition__parse(&e->condition, text, message, len);
	if (err)
		return err;
	memcpy(path, e->condition.path, sizeof(path));
	snprintf(e->condition.path, sizeof(path), "%s", condition__long_name(path));
	e->of_total = condition__finds(&e->condition, total);
	return condition__check_path(&e->condition, e->of_total ? total : document, message, len);
}

void expect__clear(struct expect *e)
{
	condition__clear(&e->condition);
}

int expect__check(const struct expect *e, const json_t *document, char *message, size_t len)
{
	json_t *total = json_object_get(document, "total");

	return e->of_total ? condition__holds(&e->condition, total, "the total", message, len)
			   : condition__holds(&e->condition, (json_t *)document, "the document",
					      message, len);
}

bool expect__counts_connections(const struct expect *e)
{
	return e->of_total && !strcmp(e->condition.path, "connections");
}

void expect__unknown(const struct expect *e, const char *why, char *message, size_t len)
{
	snprintf(message, len, "assertion '%s' does not hold: its value is unknown, since %s",
		 e->condition.text, why);
}
