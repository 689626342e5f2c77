/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --assert: parsing `MODE.PATH OP NUMBER` and holding it against a result. Paths are those of the
 * result document, looked up in the very objects that are written as JSON: what is documented can
 * be asserted. Knows no command line and prints nothing.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertion.h"
#include "base/printable.h"
#include "json.h"
#include "common/units.h"

#define PATH_LEN_MAX 128

enum comparison {
	OP_EQ,
	OP_NE,
	OP_LE,
	OP_GE,
	OP_LT,
	OP_GT,
};

struct assertion {
	char *text; /* as given, printable, for messages */
	bool any_mode;
	enum mode mode;
	bool of_summary; /* path is in the mode's summary, not in each run */
	char path[PATH_LEN_MAX];
	enum comparison op;
	double number;
};

/* Two-character operators first: "<" is the beginning of "<=". */
static const struct {
	const char *text;
	enum comparison op;
} operators[] = {
	{"==", OP_EQ}, {"!=", OP_NE}, {"<=", OP_LE}, {">=", OP_GE}, {"<", OP_LT}, {">", OP_GT},
};

/* Short names. A path that begins with "summary." is looked up in the mode's summary. */
static const struct {
	const char *name, *path;
} aliases[] = {
	{"copied_fraction", "verdict.copied_fraction"},
	{"copies_per_byte", "ledger.copies_per_byte"},
	{"unaccounted_tx", "ledger.unaccounted_tx"},
	{"unaccounted_rx", "ledger.unaccounted_rx"},
	{"throughput_gbps", "summary.throughput_gbps.median"},
	{"app.throughput_gbps", "summary.throughput_gbps.median"},
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static bool compare(double found, enum comparison op, double number)
{
	switch (op) {
	case OP_EQ:
		return found == number;
	case OP_NE:
		return found != number;
	case OP_LE:
		return found <= number;
	case OP_GE:
		return found >= number;
	case OP_LT:
		return found < number;
	case OP_GT:
		return found > number;
	}
	return false;
}

/* Member at a dotted path, and the object it is in; NULL when there is none. Borrowed references.
 */
static json_t *member_at(json_t *object, const char *path, json_t **parent, const char **name)
{
	char key[PATH_LEN_MAX];
	const char *dot;

	while ((dot = strchr(path, '.'))) {
		snprintf(key, sizeof(key), "%.*s", (int)(dot - path), path);
		object = json_object_get(object, key);
		path = dot + 1;
	}
	*parent = object;
	*name = path;
	return json_object_get(object, path);
}

/* The document of a mode that was not run: says which paths there are. */
static json_t *empty_object(bool of_summary)
{
	struct mode_summary empty = {0};

	run_result__init(&empty.total);
	return of_summary ? json_document__summary(&empty) : json_document__run(&empty.total);
}

static int check_path(const struct assertion *a, char *message, size_t len)
{
	json_t *object = empty_object(a->of_summary), *parent, *found;
	const char *name;
	int err = -EINVAL;

	if (!object) {
		snprintf(message, len, "--assert: out of memory");
		return -ENOMEM;
	}
	found = member_at(object, a->path, &parent, &name);
	if (!found)
		snprintf(message, len, "--assert '%s': there is no field '%s': see docs/OUTPUT.md",
			 a->text, a->path);
	else if (json_key__is_reason(name) ||
		 !(json_is_number(found) || json_is_null(found) || json_is_boolean(found)))
		snprintf(message, len, "--assert '%s': field '%s' is not a number", a->text,
			 a->path);
	else
		err = 0;
	json_decref(object);
	return err;
}

/* Takes "MODE." off the path, replaces a short name, and takes "summary." off. */
static void resolve_path(struct assertion *a)
{
	static const char summary[] = "summary.";
	char path[PATH_LEN_MAX];
	const char *p = path;
	char *dot;
	size_t i;

	memcpy(path, a->path, sizeof(path));
	a->any_mode = true;
	dot = strchr(path, '.');
	if (dot) {
		*dot = '\0';
		a->any_mode = mode__parse(path, &a->mode) != 0;
		*dot = '.';
	}
	if (!a->any_mode)
		p = dot + 1;
	for (i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(p, aliases[i].name))
			p = aliases[i].path;
	a->of_summary = !strncmp(p, summary, sizeof(summary) - 1);
	if (a->of_summary)
		p += sizeof(summary) - 1;
	snprintf(a->path, sizeof(a->path), "%s", p);
}

/* A JSON number, the whole of text: strtod would take "nan", "0x10" and the locale's comma. */
static int parse_number(const char *text, double *number)
{
	json_t *value;

	value = json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
	if (!json_is_real(value)) {
		json_decref(value);
		return -EINVAL;
	}
	*number = json_real_value(value);
	json_decref(value);
	return 0;
}

static size_t trimmed_len(const char *s, size_t len)
{
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	return len;
}

/* Splits text at its operator; 0 or -EINVAL with a message, which has the printable copy. */
static int parse_text(struct assertion *a, const char *text, char *message, size_t len)
{
	const char *at = text + strcspn(text, "=!<>"), *path = text + strspn(text, " \t");
	size_t i, path_len;

	for (i = 0; i < ARRAY_SIZE(operators); i++)
		if (!strncmp(at, operators[i].text, strlen(operators[i].text)))
			break;
	if (i == ARRAY_SIZE(operators)) {
		snprintf(message, len,
			 "--assert '%s': no comparison: one of == != <= >= < > is needed", a->text);
		return -EINVAL;
	}
	a->op = operators[i].op;
	path_len = path < at ? trimmed_len(path, (size_t)(at - path)) : 0;
	if (!path_len || path_len >= sizeof(a->path)) {
		snprintf(message, len, "--assert '%s': no field before the comparison", a->text);
		return -EINVAL;
	}
	memcpy(a->path, path, path_len);
	printable__in_place(a->path);
	at += strlen(operators[i].text);
	if (parse_number(at, &a->number)) {
		snprintf(message, len, "--assert '%s': '%s' is not a plain number", a->text,
			 a->text + (at - text));
		return -EINVAL;
	}
	return 0;
}

int assertion__parse(struct assertion **out, const char *text, char *message, size_t len)
{
	struct assertion *a;
	int err = -ENOMEM;

	snprintf(message, len, "--assert: out of memory");
	a = calloc(1, sizeof(*a));
	if (!a)
		return err;
	a->text = strdup(text);
	if (!a->text)
		goto err_out;
	printable__in_place(a->text);
	err = parse_text(a, text, message, len);
	if (err)
		goto err_out;
	resolve_path(a);
	err = check_path(a, message, len);
	if (err)
		goto err_out;
	*out = a;
	return 0;

err_out:
	assertion__free(a);
	return err;
}

void assertion__free(struct assertion *a)
{
	if (!a)
		return;
	free(a->text);
	free(a);
}

/* Why a member is null: its own reason, or that of the object it is in. */
static const char *reason_of(const json_t *parent, const char *name)
{
	char key[PATH_LEN_MAX];
	const char *reason;

	snprintf(key, sizeof(key), "%s_reason", name);
	reason = json_string_value(json_object_get(parent, key));
	if (!reason)
		reason = json_string_value(json_object_get(parent, "reason"));
	return reason ? reason : "not measured";
}

/* Holds the assertion against one run or summary; where: "zerocopy round 1". */
static int check_object(const struct assertion *a, json_t *object, const char *where, char *message,
			size_t len)
{
	const char *name;
	json_t *found, *parent;
	double value;

	found = member_at(object, a->path, &parent, &name);
	if (json_is_boolean(found)) {
		value = json_is_true(found);
	} else if (json_is_number(found)) {
		value = json_number_value(found);
	} else {
		snprintf(message, len, "assertion '%s' does not hold: unknown in %s: %s", a->text,
			 where, reason_of(parent, name));
		return 0;
	}
	if (compare(value, a->op, a->number))
		return 1;
	snprintf(message, len, "assertion '%s' does not hold: found %.12g in %s", a->text, value,
		 where);
	return 0;
}

/* Checks the object and gives up its reference, which may be NULL. */
static int consume_object(const struct assertion *a, json_t *object, const char *where,
			  char *message, size_t len)
{
	int holds = 0;

	if (object)
		holds = check_object(a, object, where, message, len);
	else
		snprintf(message, len, "assertion '%s' was not checked: out of memory", a->text);
	json_decref(object);
	return holds;
}

static int check_run(const struct assertion *a, const struct run_result *run, char *message,
		     size_t len)
{
	char where[96], size[UNITS_BUF];

	snprintf(where, sizeof(where), "%s round %u (%s, %u thread%s)", mode__name(run->mode),
		 run->round, format_size(size, sizeof(size), run->size), run->threads,
		 run->threads == 1 ? "" : "s");
	return consume_object(a, json_document__run(run), where, message, len);
}

static int check_summary(const struct assertion *a, const struct mode_summary *s, char *message,
			 size_t len)
{
	char where[96];

	snprintf(where, sizeof(where), "the summary of %s (%u round%s)", mode__name(s->mode),
		 s->rounds, s->rounds == 1 ? "" : "s");
	return consume_object(a, json_document__summary(s), where, message, len);
}

/* How many it was held against, or -1 when it failed one. */
static int check_runs(const struct assertion *a, const struct result *r, char *message, size_t len)
{
	int checked = 0;
	size_t i;

	for (i = 0; i < r->runs_nr; i++) {
		if (!a->any_mode && r->runs[i].mode != a->mode)
			continue;
		if (!check_run(a, &r->runs[i], message, len))
			return -1;
		checked++;
	}
	return checked;
}

static int check_summaries(const struct assertion *a, const struct result *r, char *message,
			   size_t len)
{
	int checked = 0;
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		if (!a->any_mode && r->summary[i].mode != a->mode)
			continue;
		if (!check_summary(a, &r->summary[i], message, len))
			return -1;
		checked++;
	}
	return checked;
}

int assertion__check(const struct assertion *a, const struct result *r, char *message, size_t len)
{
	int checked;

	checked = a->of_summary ? check_summaries(a, r, message, len)
				: check_runs(a, r, message, len);
	if (checked)
		return checked > 0;
	if (a->any_mode)
		snprintf(message, len, "assertion '%s' does not hold: nothing was run", a->text);
	else
		snprintf(message, len, "assertion '%s' does not hold: mode %s did not run", a->text,
			 mode__name(a->mode));
	return 0;
}
