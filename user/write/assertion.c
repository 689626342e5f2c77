/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --assert: parsing `MODE.PATH OP NUMBER` and holding it against a result. Paths are those of the
 * result document, looked up in the very objects that are written as JSON: what is documented can
 * be asserted. Knows no command line and prints nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertion.h"
#include "condition.h"
#include "json.h"
#include "common/units.h"
#include "common/xalloc.h"

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

/* What a path stands for in a run: throughput has its figure for a mode, the median. */
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
