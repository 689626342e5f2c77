/* SPDX-License-Identifier: GPL-2.0-only */
/* A CSV file and what --columns and --modes say of it: the first two lines, then the file. */
#include <math.h>
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *columns = fuzz__line(&data, &size), *modes = fuzz__line(&data, &size);
	struct dataset d = {
		.names = {.columns = *columns ? columns : NULL, .modes = *modes ? modes : NULL}};
	uint8_t *text = fuzz__bytes(data, size);
	char message[DATASET_MESSAGE_MAX] = "";

	if (dataset__add_csv(&d, "x.csv", (const char *)text, size, message)) {
		FUZZ_CHECK(message[0] && strlen(message) < DATASET_MESSAGE_MAX);
	} else {
		dataset__finish(&d, 5);
		check_rows(&d);
	}
	dataset__clear(&d);
	free(text);
	free(columns);
	free(modes);
	return 0;
}
