/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The six answers on any data set, and its changes against another one. Two result documents,
 * separated by a line "--".
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "study/answer.h"
#include "compare/compare.h"
#include "compare/changes.h"
#include "study/test_family.h"

#define ROWS_MAX 64 /* tests of many rounds are slow */

static bool load(struct dataset *d, struct analysis *a, const uint8_t *data, size_t size)
{
	char message[DATASET_MESSAGE_MAX];
	json_t *document;
	int err;

	*d = (struct dataset){0};
	*a = (struct analysis){0};
	document = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	err = document ? dataset__add_document(d, "x", document, message) : -EINVAL;
	json_decref(document);
	if (err || !d->rows_nr || d->rows_nr > ROWS_MAX)
		return false;
	dataset__finish(d, 5);
	analysis__init(a, d);
	return true;
}

static void check_answers(struct analysis *a)
{
	struct answer_text answers[QUESTION_NR];

	answers__make(a, answers);
	for (int q = 0; q < QUESTION_NR; q++)
		FUZZ_CHECK(answers[q].headline && answers[q].headline[0]);
	answers__clear(answers);
}

static void check_changes(const struct analysis *before, const struct analysis *after)
{
	static const struct compared names = {"before", "after", NULL};
	FILE *sink = fopen("/dev/null", "we");
	bool metrics[METRIC_NR];
	struct changes c;

	FUZZ_CHECK(sink);
	memset(metrics, true, sizeof(metrics));
	changes__find(&c, before, after, metrics, NULL);
	changes__regressions(&c, 0.05);
	compare_output__text(&c, &names, 0.05, true, sink);
	json_decref(compare_output__json(&c, &names, 0.05));
	changes__clear(&c);
	fclose(sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *cut = size ? memmem(data, size, "\n--\n", 4) : NULL;
	size_t len = cut ? (size_t)(cut - data) : size;
	struct dataset d, other_d = {0};
	struct analysis a, other = {0};

	if (load(&d, &a, data, len)) {
		check_answers(&a);
		if (cut && load(&other_d, &other, cut + 4, size - len - 4))
			check_changes(&a, &other);
	}
	analysis__clear(&other);
	analysis__clear(&a);
	dataset__clear(&other_d);
	dataset__clear(&d);
	return 0;
}
