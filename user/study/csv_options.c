/* SPDX-License-Identifier: GPL-2.0-only */
/* Options on how CSV files are read; see csv_options.h. */
#include <string.h>

#include "base/command_line.h"
#include "csv_options.h"

void csv_options__column(void *names, const char *arg)
{
	static const char *columns[CSV_COLUMNS_MAX];
	struct dataset_names *n = names;
	const char *equals = strrchr(arg, '=');

	if (n->column_nr == CSV_COLUMNS_MAX)
		usage_error("more than %d times --column.", CSV_COLUMNS_MAX);
	if (!equals || equals == arg)
		usage_error("--column takes NAME=FIELD, not '%s'.", arg);
	n->column = columns;
	columns[n->column_nr++] = arg;
}
