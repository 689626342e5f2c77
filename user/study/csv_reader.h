/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CSV file of results while it is read. In order: csv_reader.c finds the separator and the
 * header, inspects the values, and decides what each column is; csv_mode.c has the names of modes;
 * dataset_csv.c makes rows and refuses indistinguishable rows. For these files only.
 */
#ifndef STUDY_CSV_READER_H
#define STUDY_CSV_READER_H

#include "csv_field.h"
#include "csv_text.h"
#include "dataset.h"
#include "item_list.h"

#define NAME_LEN   128
#define LEVELS_MAX 8 /* values of a column that are kept */

/* The values of a column. */
struct levels {
	char *value[LEVELS_MAX]; /* the first different ones */
	size_t nr;
	bool more;        /* there are others */
	double low, high; /* of its numbers, as written; NaN: it has none */
	size_t unknown;   /* cells that say that nothing was measured */
};

struct column {
	struct csv_match as;
	char *name;
	bool told;               /* --columns or --column names it */
	bool one_based;          /* modes are numbered 1, 2, 3 */
	char why[NAME_LEN + 64]; /* it is not read; "": no field has its name */
	struct levels levels;
};

struct csv_reader {
	struct dataset *d;
	const char *name;
	struct csv_text text;
	struct column *columns;
	size_t columns_nr;
	enum csv_comma comma;
	bool ours;        /* one of our own files: read to the letter */
	const char *body; /* the first record after the header, and its line */
	unsigned long body_line, header_line;
	size_t field_sizes; /* rows whose message size is a number of fields of this size */
	size_t stopped;     /* rows in which counters stood at 0 */
	char *message;
};

/* Says why the file is refused, with its name and line: always -EINVAL. */
__attribute__((format(printf, 2, 3))) int csv_reader__refuse(struct csv_reader *r,
							     const char *format, ...);

/*
 * Reads the next record in which a cell is not empty: 1, 0 at the end, or -errno with a message.
 */
int csv_reader__next_row(struct csv_reader *r);

/* A cell of the record; "": it has fewer. */
const char *csv_reader__cell(const struct csv_reader *r, size_t i);

/* Finds the separator and reads the names of the columns. 0 or -errno with a message. */
int csv_reader__find_header(struct csv_reader *r);

/* Reads the whole file: its values and notation of numbers. 0 or -errno with a message. */
int csv_reader__find_levels(struct csv_reader *r);

/* Decides what each column is. 0 or -errno with a message. */
int csv_reader__classify(struct csv_reader *r);

/* Hands what the columns are, and hold, to the data set. */
void csv_reader__keep_columns(struct csv_reader *r);

/* The column of this kind; NULL: there is none. */
const struct column *csv_reader__column(const struct csv_reader *r, enum column_kind kind);

/* Is it the column that NAME=FIELD, from --column, names? NAME ends at the last '='. */
bool csv_reader__is_named(const char *option, const char *name);

/*
 * Looks a word up in a list of pairs "mode=impl,size=msg_size", on its left or right side, and puts
 * the other side into other. False: it is not in the list.
 */
bool csv_reader__look_up(const char *list, bool left, const char *word, char other[NAME_LEN]);

/* The values of a column for a message: "a, b, c and others". */
struct item_list csv_reader__values(const struct column *c);

/* The mode that a cell of the column means, by its words or number. 0 or -EINVAL. */
int csv_mode__parse(const struct csv_reader *r, const struct column *c, const char *text,
		    enum mode *mode);
/* Are all values of the column modes? */
bool csv_mode__is_column(const struct csv_reader *r, const struct column *c);
/* And none is a mere number, as many a column holds. */
bool csv_mode__has_words(const struct csv_reader *r, const struct column *c);
/* Are they numbered 1, 2, 3? */
bool csv_mode__one_based(const struct column *c);

#endif
