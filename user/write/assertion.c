/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions on JSON objects, and assertions on results; see assertion.h. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertion.h"
#include "base/printable.h"
#include "common/units.h"
#include "common/word.h"
#include "common/xalloc.h"
#include "json.h"

/* Two-character operators first: "<" is the beginning of "<=". */
static const struct {
	const char *text;
	unsigned int holds_if;
} operators[] = {
	{"==", CONDITION_EQUAL},
	{"!=", CONDITION_BELOW | CONDITION_ABOVE},
	{"<=", CONDITION_BELOW | CONDITION_EQUAL},
	{">=", CONDITION_ABOVE | CONDITION_EQUAL},
	{"<", CONDITION_BELOW},
	{">", CONDITION_ABOVE},
};

static const struct {
	const char *name, *path;
} aliases[] = {
	{"copied_fraction", "verdict.copied_fraction"},
	{"copies_per_byte", "ledger.copies_per_byte"},
	{"unaccounted_tx", "ledger.unaccounted_tx"},
	{"unaccounted_rx", "ledger.unaccounted_rx"},
};

/* A JSON number, the whole of text: strtod would take "nan", "0x10" and the locale's comma. */
static int parse_number(const char *text, double *number)
{
	json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);

	if (!json_is_real(value)) {
		json_decref(value);
		return -EINVAL;
	}
	*number = json_real_value(value);
	json_decref(value);
	return 0;
}

/* The text for messages: printable, and a long one is cut with a mark. */
static char *quotable(const char *text)
{
	char buf[128] = "";

	append__text(buf, sizeof(buf), "%s", text);
	return xstrdup(printable__in_place(buf));
}

int condition__parse(struct condition *c, const char *text, char *message, size_t len)
{
	const char *at = text + strcspn(text, "=!<>"), *path = text + strspn(text, " \t\n\v\f\r");
	const char *wrong = NULL;
	char *number;
	size_t i = 0, path_len = path < at ? (size_t)(at - path) : 0;

	*c = (struct condition){.text = quotable(text)};
	while (i < ARRAY_SIZE(operators) &&
	       strncmp(at, operators[i].text, strlen(operators[i].text)))
		i++;
	while (path_len && isspace((unsigned char)path[path_len - 1]))
		path_len--;
	if (i == ARRAY_SIZE(operators))
		wrong = "no comparison: one of == != <= >= < > is needed";
	else if (!path_len)
		wrong = "no field before the comparison";
	else if (path_len >= sizeof(c->path))
		wrong = "the name of the field is too long";
	if (wrong) {
		snprintf(message, len, "--assert '%s': %s", c->text, wrong);
		return -EINVAL;
	}
	c->holds_if = operators[i].holds_if;
	memcpy(c->path, path, path_len);
	printable__in_place(c->path);
	at += strlen(operators[i].text);
	if (!parse_number(at, &c->number))
		return 0;
	number = quotable(at);
	snprintf(message, len, "--assert '%s': '%s' is not a plain number", c->text, number);
	free(number);
	return -EINVAL;
}

void condition__clear(struct condition *c)
{
	free(c->text);
	memset(c, 0, sizeof(*c));
}

const char *condition__long_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(name, aliases[i].name))
			return aliases[i].path;
	return name;
}

bool condition__finds(const struct condition *c, json_t *object)
{
	return json_value__at(object, c->path, NULL, NULL);
}

static bool is_numeric(const char *name, const json_t *value)
{
	return !json_key__is_reason(name) &&
	       (json_is_number(value) || json_is_null(value) || json_is_boolean(value));
}

struct paths {
	char **list;
	size_t nr;
};

/* Adds the paths of all numbers in an object; as deep as the schema. */
static void add_paths(struct paths *p, json_t *object, const char *above)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) {
		char *path = xasprintf("%s%s%s", above, *above ? "." : "", key);

		if (is_numeric(key, value)) {
			p->list = xgrow(p->list, p->nr, sizeof(*p->list));
			p->list[p->nr++] = xstrdup(path);
		}
		if (json_is_object(value))
			add_paths(p, value, path);
		free(path);
	}
}

static size_t dots_in(const char *path)
{
	size_t dots = 0;

	for (; (path = strchr(path, '.')); path++)
		dots++;
	return dots;
}

/* The end of a path with so many dots. */
static const char *tail_of(const char *path, size_t dots)
{
	for (size_t more = dots_in(path); more > dots; more--)
		path = strchr(path, '.') + 1;
	return path;
}

/* The short name, path, or end of a path that is nearest to one that does not exist. NULL: none. */
static const char *nearest(const struct paths *p, const char *name)
{
	const char **names = xcalloc(p->nr + ARRAY_SIZE(aliases), sizeof(*names));
	const char *found;

	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		names[i] = aliases[i].name;
	found = choice__nearest(name, names, ARRAY_SIZE(aliases));
	if (!found)
		found = choice__nearest(name, (const char *const *)p->list, p->nr);
	for (size_t i = 0; i < p->nr; i++)
		names[i] = tail_of(p->list[i], dots_in(name));
	if (!found) {
		const char *end = choice__nearest(name, names, p->nr);

		for (size_t i = 0; end && i < p->nr; i++)
			if (names[i] == end)
				found = p->list[i];
	}
	free(names);
	return found;
}

static void describe_no_field(const struct condition *c, json_t *object, char *message, size_t len)
{
	struct paths p = {0};
	const char *near;

	add_paths(&p, object, "");
	near = nearest(&p, c->path);
	if (near)
		snprintf(message, len, "--assert '%s': there is no field '%s' (did you mean '%s'?)",
			 c->text, c->path, near);
	else
		snprintf(message, len, "--assert '%s': there is no field '%s': see docs/reference",
			 c->text, c->path);
	for (size_t i = 0; i < p.nr; i++)
		free(p.list[i]);
	free(p.list);
}

int condition__check_path(const struct condition *c, json_t *object, char *message, size_t len)
{
	const json_t *parent, *found;
	const char *name;

	found = json_value__at(object, c->path, &parent, &name);
	if (!found)
		describe_no_field(c, object, message, len);
	else if (!is_numeric(name, found))
		snprintf(message, len, "--assert '%s': field '%s' is not a number", c->text,
			 c->path);
	else
		return 0;
	return -EINVAL;
}

int condition__holds(const struct condition *c, json_t *object, const char *where, char *message,
		     size_t len)
{
	const json_t *found, *parent;
	const char *name, *reason;
	double value;

	found = json_value__at(object, c->path, &parent, &name);
	if (json_is_boolean(found)) {
		value = json_is_true(found);
	} else if (json_is_number(found)) {
		value = json_number_value(found);
	} else {
		reason = json_value__reason(parent, name);
		snprintf(message, len, "assertion '%s' does not hold: unknown in %s: %s", c->text,
			 where, reason ? reason : "not measured");
		return 0;
	}
	if (c->holds_if & (value < c->number   ? CONDITION_BELOW
			   : value > c->number ? CONDITION_ABOVE
					       : CONDITION_EQUAL))
		return 1;
	snprintf(message, len, "assertion '%s' does not hold: found %.12g in %s", c->text, value,
		 where);
	return 0;
}

/* Assertions on results. */

struct assertion {
	struct condition condition; /* on a run, or on a summary, without the mode's name */
	bool any_mode;
	enum mode mode;
	bool of_summary; /* path is in the mode's summary, not in each run */
};

/* The document of a mode that was not run: says which paths there are. */
static json_t *empty_object(bool of_summary)
{
	struct mode_summary empty = {0};

	run_result__init(&empty.total);
	return of_summary ? json_document__summary(&empty) : json_document__run(&empty.total);
}

static int check_path(const struct assertion *a, char *message, size_t len)
{
	json_t *object = empty_object(a->of_summary);
	int err = condition__check_path(&a->condition, object, message, len);

	json_decref(object);
	return err;
}

/* The value of a path in a run: throughput has the mode's median. */
static const char *long_name(const char *path)
{
	if (!strcmp(path, "throughput_gbps") || !strcmp(path, "app.throughput_gbps"))
		return "summary.throughput_gbps.median";
	return condition__long_name(path);
}

/* Takes "MODE." off the path, replaces a short name, and takes "summary." off. */
static void resolve_path(struct assertion *a)
{
	static const char summary[] = "summary.";
	char path[CONDITION_PATH_MAX];
	const char *p = path;
	char *dot;

	memcpy(path, a->condition.path, sizeof(path));
	a->any_mode = true;
	dot = strchr(path, '.');
	if (dot) {
		*dot = '\0';
		a->any_mode = mode__parse(path, &a->mode) != 0;
		*dot = '.';
	}
	if (!a->any_mode)
		p = dot + 1;
	p = long_name(p);
	a->of_summary = !strncmp(p, summary, sizeof(summary) - 1);
	if (a->of_summary)
		p += sizeof(summary) - 1;
	snprintf(a->condition.path, sizeof(a->condition.path), "%s", p);
}

int assertion__parse(struct assertion **out, const char *text, char *message, size_t len)
{
	struct assertion *a = xcalloc(1, sizeof(*a));
	int err = condition__parse(&a->condition, text, message, len);

	if (!err) {
		resolve_path(a);
		err = check_path(a, message, len);
	}
	if (err)
		assertion__free(a);
	else
		*out = a;
	return err;
}

void assertion__free(struct assertion *a)
{
	if (!a)
		return;
	condition__clear(&a->condition);
	free(a);
}

/* Holds it against the i-th run, or summary, of the result. */
static int check_item(const struct assertion *a, const struct result *r, size_t i, char *message,
		      size_t len)
{
	char where[96], size[UNITS_BUF];
	json_t *object;
	int holds;

	if (a->of_summary) {
		const struct mode_summary *s = &r->summary[i];

		object = json_document__summary(s);
		snprintf(where, sizeof(where), "the summary of %s (%u round%s)",
			 mode__name(s->mode), s->rounds, plural(s->rounds));
	} else {
		const struct run_result *run = &r->runs[i];

		object = json_document__run(run);
		snprintf(where, sizeof(where), "%s round %u (%s, %u thread%s)",
			 mode__name(run->mode), run->round,
			 format_size(size, sizeof(size), run->size), run->threads,
			 plural(run->threads));
	}
	holds = condition__holds(&a->condition, object, where, message, len);
	json_decref(object);
	return holds;
}

int assertion__check(const struct assertion *a, const struct result *r, char *message, size_t len)
{
	size_t nr = a->of_summary ? r->summary_nr : r->runs_nr;
	bool checked = false;

	for (size_t i = 0; i < nr; i++) {
		enum mode mode = a->of_summary ? r->summary[i].mode : r->runs[i].mode;

		if (!a->any_mode && mode != a->mode)
			continue;
		if (!check_item(a, r, i, message, len))
			return 0;
		checked = true;
	}
	if (checked)
		return 1;
	if (a->any_mode)
		snprintf(message, len, "assertion '%s' does not hold: nothing was run",
			 a->condition.text);
	else
		snprintf(message, len, "assertion '%s' does not hold: mode %s did not run",
			 a->condition.text, mode__name(a->mode));
	return 0;
}
