/* SPDX-License-Identifier: GPL-2.0-only */
/* docs/reference/run.md describes every JSON field and no other. Run from the root of the source
 * tree. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "write/json.h"
#include "model/perf_figures.h"
#include "write/output.h"
#include "support/full_result.h"
#include "support/described.h"
#include "support/result_documents.h"

/* One row documents a figure of several counters. */
static void generalise_figure(char *path, size_t len, const char *key)
{
	const char *rest =
		strstr(key, "_per_kib") ? strstr(key, "_per_kib") : strstr(key, "_per_gib");

	for (int c = 0; rest && c < PERF_NR; c++) {
		const char *counter = perf_counter__key((enum perf_counter)c);

		if (strlen(counter) == (size_t)(rest - key) &&
		    !strncmp(key, counter, strlen(counter))) {
			snprintf(path, len, "runs[].perf.derived.<whose>.<counter>%s", rest);
			return;
		}
	}
	snprintf(path, len, "runs[].perf.derived.<whose>.%s", key);
}

static void check_row(struct description *d, const char *path, const char *unit)
{
	static const char *const alike[] = {"runs[].kernel_zerocopy.completion_ns.",
					    "runs[].kernel_zerocopy.outstanding_bytes."};
	char name[256];

	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++) {
		if (strncmp(path, alike[i], strlen(alike[i])) != 0)
			continue;
		snprintf(name, sizeof(name), "%s<figure>", alike[i]);
		path = name;
		unit = "";
	}
	description__has_around(d, path);
	if (!description__has(d, path, unit))
		fail_msg("run.md does not describe %s", path);
}

TEST(documentation_describes_every_field_and_no_other)
{
	static struct description d;
	char path[256];

	description__read(&d, "run");
	fields__walk(result_fields, "", check_row, &d);
	for (int i = 0; i < DERIVED_NR; i++) {
		generalise_figure(path, sizeof(path), perf_derived__key((enum perf_derived)i));
		check_row(&d, path, "");
	}
	description__check_all_written(&d);
}

static void check_described(const char *page, const char *name)
{
	char quoted[64];

	snprintf(quoted, sizeof(quoted), "`%s`", name);
	if (!strstr(read_reference(page), quoted))
		fail_msg("docs/reference/%s.md does not describe %s", page, quoted);
}

/* Stages, modes, counters and classes: tests/analysis/test_names.py. */
TEST(documentation_explains_every_placeholder)
{
	int i;

	for (i = 0; i < LATENCY_NR; i++)
		check_described("run", latency__key((enum latency_kind)i));
	for (i = 0; i < PATH_NR; i++)
		check_described("run", path_part__key((enum path_part)i));
	for (i = 0; i < NIO_PERF_WINDOW_NR; i++)
		check_described("run", perf_window__key((enum nio_perf_window)i));
	for (i = 0; i < PERF_WHOSE_NR; i++)
		check_described("run", perf_whose__key((enum perf_whose)i));
	for (i = 0; i <= ZC_CAUSE_UNKNOWN; i++)
		check_described("run", zc_cause__key((enum zc_cause)i));
	for (i = 0; i <= QUALITY_SAMPLED; i++)
		check_described("README", quality__name((enum quality)i));
}

/* If the environment asks for them, for tests/validate: the fullest and the emptiest document. */
TEST(documents_are_written_for_the_schema_test)
{
	const char *directory = getenv("NETIOTRACE_DOCUMENTS");
	char path[512];

	for (int full = 0; directory && full < 2; full++) {
		json_t *document = document_of(full);
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s.json", directory, full ? "full" : "empty");
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(json_document__write(f, document), 0);
		fclose(f);
		json_decref(document);
	}
}
