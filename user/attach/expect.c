/* SPDX-License-Identifier: GPL-2.0-only */
/* Assertions on the document of attach; see expect.h. Pure. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};

static const struct {
	const char *name, *path;
} aliases[] = {
	{"copied_fraction", "verdict.copied_fraction"},
	{"copies_per_byte", "ledger.copies_per_byte"},
	{"unaccounted_tx", "ledger.unaccounted_tx"},
	{"unaccounted_rx", "ledger.unaccounted_rx"},
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *find_operator(const char *text, const char **op)
{
	for (; *text; text++)
		for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
			if (!strncmp(text, operators[i], strlen(operators[i]))) {
				*op = operators[i];
				return text;
			}
	return NULL;
}

static int take_path(struct expect *e, const char *from, const char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	if (from == to || (size_t)(to - from) >= sizeof(e->path))
		return -EINVAL;
	memcpy(e->path, from, to - from);
	e->path[to - from] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(e->path, aliases[i].name))
			snprintf(e->path, sizeof(e->path), "%s", aliases[i].path);
	return 0;
}

int expect__parse(struct expect *e, const char *text, char *message, size_t len)
{
	const char *op = NULL, *at = find_operator(text, &op);
	char *end = NULL;

	*e = (struct expect){.text = text};
	if (at) {
		snprintf(e->op, sizeof(e->op), "%s", op);
		e->number = strtod(at + strlen(op), &end);
		while (isspace((unsigned char)*end))
			end++;
	}
	if (at && end != at + strlen(op) && !*end && isfinite(e->number) && !take_path(e, text, at))
		return 0;
	snprintf(message, len,
		 "--assert '%s' is not of the form PATH OP NUMBER, such as 'copied_fraction == 0'",
		 text);
	return -EINVAL;
}

/* The value at a dotted path; borrowed. */
static const json_t *value_at(const json_t *object, const char *path)
{
	char key[128];
	const char *dot;

	while ((dot = strchr(path, '.'))) {
		snprintf(key, sizeof(key), "%.*s", (int)(dot - path), path);
		object = json_object_get(object, key);
		path = dot + 1;
	}
	return json_object_get(object, path);
}

static int compare(double found, const char *op, double number)
{
	switch (op[0]) {
	case '=':
		return found == number;
	case '!':
		return found != number;
	case '<':
		return op[1] ? found <= number : found < number;
	default:
		return op[1] ? found >= number : found > number;
	}
}

int expect__check(const struct expect *e, const json_t *document, char *message, size_t len)
{
	const json_t *value = value_at(json_object_get(document, "total"), e->path);

	if (!value)
		value = value_at(document, e->path);
	if (!value) {
		snprintf(message, len, "--assert '%s': there is no field '%s': see docs/OUTPUT.md",
			 e->text, e->path);
		return 0;
	}
	if (!json_is_number(value)) {
		snprintf(message, len, "--assert '%s' does not hold: %s is %s", e->text, e->path,
			 json_is_null(value) ? "not known" : "no number");
		return 0;
	}
	if (compare(json_number_value(value), e->op, e->number))
		return 1;
	snprintf(message, len, "--assert '%s' does not hold: %s is %.12g", e->text, e->path,
		 json_number_value(value));
	return 0;
}
