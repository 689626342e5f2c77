/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON that is read back: result documents, one a line, as a data set; documents of failed runs;
 * the settings of a sweep compared with the previous sweep.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "study/dataset.h"
#include "sweep/sweep_document.h"

static void check_hists(const struct dataset *d)
{
	for (size_t i = 0; i < d->hists_nr; i++) {
		const struct dataset_hist *h = &d->hists[i];

		FUZZ_CHECK(h->kind >= 0 && h->kind < DATASET_HIST_NR);
		for (size_t b = 0; b < h->buckets_nr; b++)
			FUZZ_CHECK(h->buckets[b].low <= h->buckets[b].high);
		for (size_t b = 1; b < h->buckets_nr; b++)
			FUZZ_CHECK(h->buckets[b - 1].low <= h->buckets[b].low);
	}
}

static void take(struct dataset *d, const json_t *document)
{
	char message[DATASET_MESSAGE_MAX] = "";

	dataset__add_failure(d, document);
	if (dataset__add_document(d, "x.json", document, message))
		FUZZ_CHECK(message[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dataset d = {0};
	json_t *before = NULL;
	char differs[64];

	while (size) {
		char *line = fuzz__line(&data, &size);
		json_t *document = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

		if (document)
			take(&d, document);
		if (before && document)
			sweep_document__differ(before, document, differs, sizeof(differs));
		json_decref(before);
		before = document;
		free(line);
	}
	json_decref(before);
	dataset__finish(&d, 5);
	check_hists(&d);
	dataset__clear(&d);
	return 0;
}
