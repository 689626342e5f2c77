/* SPDX-License-Identifier: GPL-2.0-only */
/* The paths of all values in a result document, and a full and an empty document. */
#ifndef SUPPORT_JSON_NAMES_H
#define SUPPORT_JSON_NAMES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/full_result.h"
#include "support/test.h"
#include "write/json.h"

#define NAMES_MAX 4096

struct names {
	char *name[NAMES_MAX];
	size_t nr;
};

static inline bool names__has(const struct names *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->nr; i++)
		if (!strcmp(names->name[i], name))
			return true;
	return false;
}

static inline void names__add(struct names *names, const char *name)
{
	if (names__has(names, name))
		return;
	assert_true(names->nr < NAMES_MAX);
	names->name[names->nr++] = strdup(name);
}

static inline void names__clear(struct names *names)
{
	while (names->nr)
		free(names->name[--names->nr]);
}

/* Paths of all leaves below value; lists of objects as "key[]", other lists are leaves. */
static inline void collect(struct names *names, json_t *value, const char *path)
{
	char name[256];
	const char *key;
	json_t *member;
	size_t i;

	if (json_is_object(value)) {
		json_object_foreach(value, key, member) {
			snprintf(name, sizeof(name), "%s%s%s", path, *path ? "." : "", key);
			collect(names, member, name);
		}
	} else if (json_is_object(json_array_get(value, 0))) {
		snprintf(name, sizeof(name), "%s[]", path);
		for (i = 0; i < json_array_size(value); i++)
			collect(names, json_array_get(value, i), name);
	} else {
		names__add(names, path);
	}
}

/* An empty session with one run and one summary, initialised and never filled. */
static inline void empty_result__init(struct full_result *f)
{
	memset(f, 0, sizeof(*f));
	f->plan[0] = (struct plan_row){.probe = "p", .stage = "s"};
	f->result.plan = f->plan;
	f->result.plan_nr = 1;
	f->result.env.taps.nr = 1; /* a list has a shape only if it has an element */
	f->result.runs = f->runs;
	f->result.runs_nr = 1;
	f->result.summary_nr = 1;
	run_result__init(&f->runs[0]);
	run_result__init(&f->result.summary[0].total);
	f->runs[0].verdict.causes_nr = f->result.summary[0].total.verdict.causes_nr = 1;
	/* The list has an element per requested event, counted or not. */
	f->runs[0].perf_asked_nr = f->result.summary[0].total.perf_asked_nr = 1;
	f->runs[0].perf_asked[0].name = f->result.summary[0].total.perf_asked[0].name = "e";
}

static inline json_t *document_of(bool full)
{
	struct full_result f;
	json_t *document;

	if (full)
		full_result__init(&f);
	else
		empty_result__init(&f);
	document = json_document__result(&f.result);
	assert_non_null(document);
	full_result__clear(&f);
	return document;
}

/* Member at a dotted path; digits index a list. */

#endif
