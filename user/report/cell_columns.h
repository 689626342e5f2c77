/* SPDX-License-Identifier: GPL-2.0-only */
/* Which numbers are columns of the table of all cells. Pure. */
#ifndef REPORT_CELL_COLUMNS_H
#define REPORT_CELL_COLUMNS_H

#include "study/analysis.h"

/* Those that the data has; each of its counters, as a figure or as its count. Returns how many. */
size_t cell_columns__find(const struct analysis *a, enum metric metrics[METRIC_NR]);

#endif
