/* SPDX-License-Identifier: GPL-2.0-only */
/* Why a number is missing; see analysis.h. */
#include <math.h>
#include <string.h>

#include "analysis.h"

/* Would any run have the number if it were known how long the run was? */
static bool duration_helps(const struct analysis *a, enum metric m)
{
	double value[METRIC_NR];

	for (size_t i = 0; i < a->dataset->rows_nr; i++) {
		const struct dataset_row *row = &a->dataset->rows[i];

		if (!isnan(row->value[METRIC_DURATION]))
			continue;
		memcpy(value, row->value, sizeof(value));
		value[METRIC_DURATION] = 1;
		metric__derive(value, row->threads);
		if (!isnan(value[m]))
			return true;
	}
	return false;
}

const char *analysis__reason(const struct analysis *a, enum metric m)
{
	const struct dataset *d = a->dataset;

	if (d->reason[m])
		return d->reason[m];
	if (d->reason[metric__source(m)])
		return d->reason[metric__source(m)];
	if (metric__formula(m) && duration_helps(a, m))
		return "the data says neither how many bytes were moved nor for how long: give "
		       "--duration";
	return d->lacking ? d->lacking : "the data set has no such number";
}
