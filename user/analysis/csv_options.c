/* SPDX-License-Identifier: GPL-2.0-only */
/* Options on how CSV files are read; see csv_options.h. */
#include "csv_options.h"

#include "base/command_line.h"
#include "common/xalloc.h"

void csv_options__column(void *names, const char *arg)
{
	struct csv_names *n = names;

	if (n->column_nr == CSV_COLUMNS_MAX)
		usage_error("more than %d times --column.", CSV_COLUMNS_MAX);
	n->column[n->column_nr++] = arg;
}

void csv_options__add_words(struct words *w, const struct csv_names *names)
{
	for (size_t i = 0; i < names->column_nr; i++)
		words__add(w, xasprintf("--column=%s", names->column[i]));
}
