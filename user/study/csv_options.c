/* SPDX-License-Identifier: GPL-2.0-only */
/* Options on how CSV files are read; see csv_options.h. */
#include <argp.h>

#include "base/command_line.h"
#include "csv_options.h"

static void add_column(struct dataset_names *names, const char *arg)
{
	static const char *columns[CSV_COLUMNS_MAX];
	char why[DATASET_MESSAGE_MAX];

	if (names->column_nr == CSV_COLUMNS_MAX)
		usage_error("more than %d times --column.", CSV_COLUMNS_MAX);
	if (!dataset__is_column_option(arg, why))
		usage_error("--column '%s': %s.", arg, why);
	names->column = columns;
	columns[names->column_nr++] = arg;
}

int csv_options__parse(struct dataset_names *names, int key, const char *arg)
{
	switch (key) {
	case CSV_OPTION_COLUMNS:
		names->columns = arg;
		return 0;
	case CSV_OPTION_COLUMN:
		add_column(names, arg);
		return 0;
	case CSV_OPTION_MODES:
		names->modes = arg;
		return 0;
	case CSV_OPTION_CONGESTION:
		names->congestion = arg;
		return 0;
	case CSV_OPTION_ROUNDS:
		names->rounds_from_repeats = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
