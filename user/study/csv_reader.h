/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CSV file of results while it is read: csv_columns.c finds out what its columns are,
 * dataset_csv.c makes rows of it. For these two only.
 */
#ifndef NETIOTRACE_CSV_READER_H
#define NETIOTRACE_CSV_READER_H

#include "csv_text.h"
#include "dataset.h"

enum column_kind {
	COLUMN_IGNORED,
	COLUMN_METRIC,
	COLUMN_MODE,
	COLUMN_SIZE,
	COLUMN_THREADS,
	COLUMN_ROUND,
	COLUMN_INTERRUPTED,
	COLUMN_CAUSE,
	COLUMN_VERDICT,
	COLUMN_ENVIRONMENT,
	COLUMN_FIELDS,
};

#define NAME_LEN 128

struct column {
	enum column_kind kind;
	enum metric metric;
	double scale;
	char *name;
};

struct csv_reader {
	struct dataset *d;
	const char *name;
	struct csv_text text;
	struct column *columns;
	size_t columns_nr;
	char *message;
};

/* Says why the file is refused, with its name and line: always -EINVAL. */
__attribute__((format(printf, 2, 3))) int csv_reader__refuse(struct csv_reader *r,
							     const char *format, ...);

/* To the next record: 1, 0 at the end, or -errno, a file that ends in a quoted cell said. */
int csv_reader__next(struct csv_reader *r);

/* Reads the first record: what each column is. 0 or -errno, said. */
int csv_reader__header(struct csv_reader *r);

bool csv_reader__has(const struct csv_reader *r, enum column_kind kind);

/*
 * Looks a word up in a list of pairs "mode=impl,size=msg_size", on its left or right side, and puts
 * the other side into other. False: it is not in the list.
 */
bool csv_reader__look_up(const char *list, bool left, const char *word, char other[NAME_LEN]);

#endif
