/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables with a row per mode, made of groups of columns. Groups that do not fit beside each other
 * go below each other, the mode repeated. Knows the layout only: groups bring their own cells.
 */
#ifndef NETIOTRACE_TEXT_TABLE_H
#define NETIOTRACE_TEXT_TABLE_H

#include <stdio.h>

#include "model/result.h"

#define TEXT_CELL_LEN 32

struct text_column {
	const char *head;
	unsigned int width; /* with the space before it */
};

struct text_group {
	const char *title;
	const struct text_column *columns;
	size_t columns_nr;
	void (*cell)(char buf[TEXT_CELL_LEN], const struct mode_summary *s, size_t column);
};

/* Prints the n groups in order, in as few tables of at most width columns as that takes. */
void text_table__print(FILE *f, unsigned int width, const struct result *r,
		       const struct text_group *groups, size_t n);

#endif
