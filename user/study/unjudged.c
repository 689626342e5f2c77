/* SPDX-License-Identifier: GPL-2.0-only */
/* Cells that a gate could not judge; see unjudged.h. */
#include <math.h>
#include <string.h>

#include "unjudged.h"

static bool failed(const struct dataset *d, const struct cell *cell)
{
	for (size_t i = 0; i < d->failures_nr; i++) {
		const struct dataset_failure *f = &d->failures[i];

		if (f->mode && strcmp(f->mode, mode__name(cell->mode)) == 0 &&
		    f->size == cell->size && f->threads == cell->threads)
			return true;
	}
	return false;
}

/* Was a metric judged, that of the cell before which has a value in it? */
static bool judge_metric(const struct changes *c, struct cell *before, struct cell *after,
			 struct unjudged *u)
{
	struct estimate b = analysis__estimate(c->before, before, u->metric);
	struct estimate a = analysis__estimate(c->after, after, u->metric);

	u->why = a.n ? UNJUDGED_FEW : UNJUDGED_NULL;
	return !b.n || changes__can_tell(c, u->metric, b.n, a.n);
}

static bool judge_cell(const struct changes *c, struct cell *before, struct unjudged *u)
{
	struct cell *after = analysis__cell(c->after, before->mode, before->size, before->threads);

	*u = (struct unjudged){.cell = before};
	if (!after) {
		u->why = failed(c->after->dataset, before) ? UNJUDGED_FAILED : UNJUDGED_ABSENT;
		return false;
	}
	for (int m = 0; m < METRIC_NR; m++) {
		u->metric = (enum metric)m;
		if (c->gates[m] && !judge_metric(c, before, after, u))
			return false;
	}
	return true;
}

bool unjudged__next(const struct changes *c, size_t *at, struct unjudged *u)
{
	while (*at < c->before->cells_nr)
		if (!judge_cell(c, &c->before->cells[(*at)++], u))
			return true;
	return false;
}

enum gate gate__of(const struct changes *c, double limit, const char *across)
{
	struct unjudged u;
	size_t at = 0;

	if (isnan(limit))
		return GATE_NONE;
	if (changes__made_otherwise(c, across) || !changes__gate_can_tell(c))
		return GATE_CANNOT_TELL;
	if (changes__regressions(c, limit))
		return GATE_FAILED;
	return unjudged__next(c, &at, &u) ? GATE_CANNOT_TELL : GATE_PASSED;
}
