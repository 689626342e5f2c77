/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of the table of all cells; see cell_columns.h. */
#include <string.h>

#include "cell_columns.h"

static bool is_shown(const struct analysis *a, enum metric m)
{
	return metric__shown(m, VISIBILITY_REPORT) && analysis__has(a, m);
}

/* Is a counter there as a figure, "L1D misses per KiB"? */
static bool has_figure(const struct analysis *a, enum metric counter)
{
	const char *words = metric__words(counter);

	for (enum metric m = 0; m < METRIC_NR; m++)
		if (m != counter && is_shown(a, m) &&
		    !strncmp(metric__words(m), words, strlen(words)))
			return true;
	return false;
}

static bool is_counter(enum metric m)
{
	return m >= METRIC_PERF_BOTH(0) && m <= METRIC_PERF_BOTH(PERF_NR - 1);
}

size_t cell_columns__find(const struct analysis *a, enum metric metrics[METRIC_NR])
{
	size_t nr = 0;

	for (enum metric m = 0; m < METRIC_NR; m++)
		if (is_shown(a, m) || (is_counter(m) && analysis__has(a, m) && !has_figure(a, m)))
			metrics[nr++] = m;
	return nr;
}
