/* SPDX-License-Identifier: GPL-2.0-only */
/* A full and an empty result document. */
#ifndef SUPPORT_RESULT_DOCUMENTS_H
#define SUPPORT_RESULT_DOCUMENTS_H

#include <string.h>

#include "support/full_result.h"
#include "support/test.h"
#include "write/json.h"

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

#endif
