/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON that a sweep reads back, one document a line: a row of results.csv, and the settings of a
 * sweep compared with the previous sweep.
 */
#include <stdlib.h>

#include "common/xalloc.h"
#include "fuzz.h"
#include "sweep/sweep_document.h"
#include "sweep/sweep_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);
	json_t *before = NULL;
	char differs[64];

	while (size) {
		char *line = fuzz__line(&data, &size);
		json_t *document = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

		if (document)
			sweep_csv__row(f, document);
		if (before && document)
			sweep_document__differ(before, document, differs, sizeof(differs));
		json_decref(before);
		before = document;
		free(line);
	}
	json_decref(before);
	xclose_memstream(f);
	free(text);
	return 0;
}
