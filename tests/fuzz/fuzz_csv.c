/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CSV file and the options to read it: the first line is --columns, the second --modes, the third
 * NAME=FIELD for --column, or "rounds" for --rounds-from-repeats. A line "--" separates two files
 * of one experiment.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "study/dataset.h"

static void check_rows(const struct dataset *d)
{
	for (size_t i = 0; i < d->rows_nr; i++) {
		const struct dataset_row *row = &d->rows[i];

		FUZZ_CHECK((int)row->mode >= 0 && row->mode < MODE_NR);
		for (int m = 0; m < METRIC_READ_NR; m++)
			FUZZ_CHECK(!isinf(row->value[m]));
	}
}

/* Rows with equal settings are rounds only if an option or a column says so. */
static void check_apart(const struct dataset *d)
{
	for (size_t i = 1; i < d->rows_nr; i++) {
		const struct dataset_row *a = &d->rows[i - 1], *b = &d->rows[i];

		FUZZ_CHECK(a->ours || a->mode != b->mode || a->size != b->size ||
			   a->threads != b->threads || a->round != b->round);
	}
}

static void check_text(const char *text)
{
	for (; *text; text++)
		FUZZ_CHECK((unsigned char)*text >= ' ' || *text == '\n');
}

static void check_words(const struct dataset *d)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	FUZZ_CHECK(f);
	dataset__put_columns(d, f);
	fclose(f);
	check_text(text);
	free(text);
}

static int add(struct dataset *d, const struct dataset_names *names, const uint8_t *data,
	       size_t size)
{
	uint8_t *text = fuzz__bytes(data, size);
	char message[DATASET_MESSAGE_MAX] = "";
	int err;

	*d = (struct dataset){.names = *names};
	err = dataset__add_csv(d, "x.csv", (const char *)text, size, message);
	FUZZ_CHECK(!err || (message[0] && strlen(message) < DATASET_MESSAGE_MAX));
	free(text);
	return err;
}

/* Reads another file of the experiment. False if it was refused. */
static bool join(struct dataset *d, const struct dataset_names *names, const uint8_t *data,
		 size_t size)
{
	char message[DATASET_MESSAGE_MAX] = "";
	struct dataset part;
	int err = add(&part, names, data, size);

	if (!err && part.rows_nr) {
		err = dataset__join(d, &part, "y.csv", message);
		FUZZ_CHECK(!err || message[0]);
	}
	dataset__clear(&part);
	return !err;
}

static void try_files(const struct dataset_names *names, const uint8_t *data, size_t size)
{
	const uint8_t *cut = size ? memmem(data, size, "\n--\n", 4) : NULL;
	size_t len = cut ? (size_t)(cut - data) + 1 : size;
	struct dataset d;

	if (!add(&d, names, data, len) && d.rows_nr &&
	    (!cut || join(&d, names, cut + 4, size - len - 3))) {
		dataset__complete(&d);
		dataset__finish(&d, 5);
		check_rows(&d);
		check_apart(&d);
		check_words(&d);
	}
	dataset__clear(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *columns = fuzz__line(&data, &size), *modes = fuzz__line(&data, &size);
	char *column = fuzz__line(&data, &size), why[DATASET_MESSAGE_MAX];
	struct dataset_names names = {.columns = *columns ? columns : NULL,
				      .modes = *modes ? modes : NULL,
				      .rounds_from_repeats = !strcmp(column, "rounds")};
	const char *told[] = {column};

	if (dataset__is_column_option(column, why)) {
		names.column = told;
		names.column_nr = 1;
	}
	try_files(&names, data, size);
	free(columns);
	free(modes);
	free(column);
	return 0;
}
