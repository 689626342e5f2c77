/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every sentence of a report and of a comparison, on made-up data that answers every question, as
 * golden files. Read the differences when they change (UPDATE_GOLDEN=1 rewrites them).
 */
#include <stdio.h>
#include <stdlib.h>

#include "compare/compare.h"
#include "compare/changes.h"
#include "support/test.h"
#include "write/json.h"
#include "support/golden.c"
#include "support/golden_document.h"
#include "support/made_up.h"

STUDY_TEST(rising_misses_are_named)
{
	make_with(&study, &(struct knobs){1, 4, 1, 1, .rounds = 0});
	SAYS(CACHE, "None: the misses of all levels rise against two-copy in most settings.");
	assert_true(study.answers[QUESTION_CACHE].answered);
	SAYS(CACHE, "lower in 0 of 6 settings, higher in 6, no difference in 0");
}

/* Equal values are no fall and no certain rise. */
STUDY_TEST(equal_misses_are_neither_fall_nor_rise)
{
	for (enum mode m = MODE_TWOCOPY; m <= MODE_ONECOPY; m++)
		for (unsigned int r = 0; r < 7; r++) {
			struct dataset_row *row = study__row(&study, m, 1024, 1, r);

			row->value[METRIC_GBPS] = 8;
			row->value[METRIC_L1D_MISSES] = row->value[METRIC_LLC_MISSES] = 1000 + r;
		}
	study__finish(&study, 1);
	SAYS(CACHE,
	     "None outside the noise: no level has fewer misses than with two-copy in most "
	     "settings. The nearest is L1D with one-copy: lower in 0 of 1 setting, higher in "
	     "0, no difference in 1.");
	assert_false(study.answers[QUESTION_CACHE].answered);
	assert_string_equal(table_cell(&study.answers[QUESTION_CACHE], "LLC misses of one-copy",
				       "1 KiB", "1 thread"),
			    "no difference");
}

TEST(answers_match_their_golden_file)
{
	check_answers("answers", &(struct knobs){1, 1, 1, 1, .rounds = 0});
}

/* One run per cell is a point, three rounds carry no claim, and missing numbers have no sentence.
 */
TEST(answers_on_poorer_data_match_their_golden_files)
{
	check_answers("answers-one-run", &(struct knobs){0.1, 1, 1, 0.2, .rounds = 1});
	check_answers("answers-throughput", &(struct knobs){0.1, 1, 1, 1, .rounds = 3,
							    .no_counters = true, .bare = true});
}

/* Irregular numbers, missing cells, and rounds that differ. */
TEST(answers_on_irregular_data_match_their_golden_files)
{
	check_answers("answers-wild", &(struct knobs){1, 1, 1, 1, .wild = 1});
}

/* Six cells of each mode, by size and threads. */
static struct dataset_row *cell_row(unsigned int cell, unsigned int round)
{
	return study__row(&study, (enum mode)(cell / 6), sizes[cell / 2 % 3], threads[cell % 2],
			  round);
}

/* Of equal cells the first one is named. */
STUDY_TEST(first_of_equal_cells_is_named)
{
	for (unsigned int cell = 0; cell < MODE_ALL_NR * 6; cell++)
		for (unsigned int r = 0; r < 2; r++) {
			struct dataset_row *row = cell_row(cell, r);

			/* Zero-copy is equally far ahead, or behind, at two sizes. */
			row->value[METRIC_GBPS] = row->mode != MODE_ZEROCOPY ? 16
						  : row->size == sizes[0]    ? 8
									     : 32;
		}
	study__finish(&study, (double)NAN);
	SAYS(ZEROCOPY, "Largest deficit, zero-copy, 1 KiB, 1 thread:");
	SAYS(ZEROCOPY,
	     "throughput | 8.000 Gbit/s (8.000 to 8.000) | 16.00 Gbit/s (16.00 to 16.00) | "
	     "-50.0 %");
	SAYS(ZEROCOPY,
	     "Zero-copy is slower than the faster copying mode in 2 of 6 settings, faster "
	     "in 4.");
	SAYS(UNEXPECTED, "Highest throughput of zero-copy | zero-copy, 16 KiB, 1 thread |");
}

/* One size and thread count, with these rounds. */
static void put_gbps(enum mode mode, const double *gbps, unsigned int rounds)
{
	for (unsigned int r = 0; r < rounds; r++) {
		struct dataset_row *row = study__row(&study, mode, 1024, 1, r);

		row->value[METRIC_GBPS] = gbps[r];
		if (mode != MODE_ZEROCOPY)
			continue;
		row->value[METRIC_ZC_COMPLETED] = 100000;
		row->value[METRIC_ZC_COPIED] = r ? 100000 : 99999;
	}
}

/*
 * Faster in two of three rounds, but with the lower median: headline and list both use the change
 * of the medians.
 */
STUDY_TEST(headline_counts_the_cells_of_its_list)
{
	static const double two[] = {0.56, 4.8, 5.2}, one[] = {3.7, 4.4, 5.9};

	put_gbps(MODE_TWOCOPY, two, 3);
	put_gbps(MODE_ONECOPY, one, 3);
	put_gbps(MODE_ZEROCOPY, one, 3);
	study__finish(&study, 1);
	SAYS(ONE_OVER_TWO, "One-copy is faster in 0 of 1 setting, slower in 1.");
	assert_string_equal(table_cell(&study.answers[QUESTION_ONE_OVER_TWO],
				       "Throughput of one-copy", "1 KiB", "1 thread"),
			    "-8.3 %");
	SAYS(ZEROCOPY, "slower than the faster copying mode in 1 of 1 setting");
}

/* A mode that is nowhere slower has no slowest cell; fewer than all is never rounded to all. */
STUDY_TEST(mode_ahead_everywhere_has_no_slowest_cell)
{
	static const double two[] = {10, 10, 10, 10, 10, 10, 10},
			    zero[] = {20, 20, 20, 20, 20, 20, 20};
	const struct answer_text *answer = &study.answers[QUESTION_ZEROCOPY];

	put_gbps(MODE_TWOCOPY, two, 7);
	put_gbps(MODE_ZEROCOPY, zero, 7);
	study__finish(&study, 1);
	check_says(answer, "slower than the faster copying mode in 0 of 1 setting, faster in 1,");
	check_says(answer, "Smallest gain, zero-copy, 1 KiB, 1 thread:");
	check_says(answer, "The kernel copied 699 999 of 700 000 zero-copy "
			   "sends after all.");
	assert_false(says(answer, "deficit"));
}

STUDY_TEST(equal_mode_is_neither_ahead_nor_behind)
{
	static const double same[] = {16};

	for (enum mode m = 0; m < MODE_ALL_NR; m++)
		put_gbps(m, same, 1);
	study__finish(&study, (double)NAN);
	SAYS(ONE_OVER_TWO, "One-copy is faster in 0 of 1 setting");
	SAYS(ZEROCOPY, "slower than the faster copying mode in 0 of 1 setting");
}

/* The other modes are half as fast again as two-copy, except for one cell of each. */
STUDY_TEST(exceptions_are_named_with_their_cells)
{
	unsigned int noise = 1;

	for (unsigned int cell = 0; cell < MODE_ALL_NR * 6; cell++)
		for (unsigned int r = 0; r < ROUNDS; r++) {
			struct dataset_row *row = cell_row(cell, r);
			bool odd = cell == 6 + 3 || cell == 12 + 4;

			fill(row, &noise);
			row->value[METRIC_GBPS] = off(&noise) * (odd ? 12 : cell < 6 ? 20 : 30);
			row->value[METRIC_CPU_SENDER] *= odd ? 5 : 1;
		}
	study__finish(&study, (double)NAN);
	SAYS(UNEXPECTED, "cells against the rule (2 of 18)");
	SAYS(UNEXPECTED, "Against the rule (1 of 6 settings) | one-copy, 16 KiB, 8 threads |");
	SAYS(UNEXPECTED, "Against the rule (1 of 6 settings) | zero-copy, 256 KiB, 1 thread |");
}

/* One-copy is slower except in one cell, where the only measured cost is 0. */
STUDY_TEST(cost_that_falls_to_zero_has_no_factor)
{
	for (unsigned int cell = 0; cell < 12; cell++) {
		struct dataset_row *row = cell_row(cell, 0);

		row->value[METRIC_GBPS] = cell < 6 ? 20 : cell == 6 ? 30 : 10;
		row->value[METRIC_RX_BYTES] = 1e9;
		row->value[METRIC_CONTEXT_SWITCHES] = cell == 6 ? 0 : 1000;
	}
	study__finish(&study, 1);
	SAYS(UNEXPECTED,
	     "Against the rule (1 of 6 settings) | one-copy, 1 KiB, 1 thread | 30.00 Gbit/s "
	     "| two-copy: 20.00 Gbit/s | +50.0 %, one run | none in this direction");
}

/* Eight threads slower than one, large messages slower than smaller ones. */
STUDY_TEST(falls_are_named_with_their_cells)
{
	make_with(&study, &(struct knobs){0.1, 1, 1, 0.2, .rounds = 0});
	SAYS(UNEXPECTED,
	     "collapse with more threads (9 of 9), fall with larger messages (6 of 12)");
	SAYS(UNEXPECTED, "Larger messages, lower throughput | two-copy, 256 KiB, 1 thread |");
}

/*
 * Text in golden/NAME.txt. With base, the document in golden/NAME-document.txt, less what *base has
 * too, and *base becomes this document.
 */
static void check_changes(const char *name, const struct study *before, const struct study *after,
			  bool all, json_t **base)
{
	static const struct compared names = {"old.json", "new.json", NULL};
	static char text[65536], document_name[64];
	FILE *f = fmemopen(text, sizeof(text), "w");
	bool metrics[METRIC_NR] = {0};
	struct changes c;
	json_t *document;

	assert_non_null(f);
	metrics[METRIC_GBPS] = metrics[METRIC_SEND_P50] = metrics[METRIC_COPIED_FRACTION] = true;
	changes__find(&c, &before->a, &after->a, metrics, NULL);
	compare_output__text(&c, &names, 0.05, all, f);
	fprintf(f, "\nregressions over 5 %%: %zu, over 30 %%: %zu\n",
		changes__regressions(&c, 0.05), changes__regressions(&c, 0.3));
	fclose(f);
	golden__check(name, text);
	if (base) {
		snprintf(document_name, sizeof(document_name), "%s-document", name);
		document = compare_output__json(&c, &names, 0.05);
		golden_document__check(document_name, document, *base);
		json_decref(*base);
		*base = document;
	}
	changes__clear(&c);
}

static void add_failure(struct study *s)
{
	json_t *failure = json_pack("{s:s, s:s, s:i, s:i, s:i, s:s}", "schema",
				    "netiotrace.failure/1", "mode", "onecopy", "size", 1024,
				    "threads", 8, "round", 2, "reason", "made up");

	assert_int_equal(dataset__add_failure(&s->d, failure), 0);
	json_decref(failure);
}

/*
 * Equal data but for a lower throughput. Then other machines and settings, too few rounds or
 * different ones, cells and numbers of one side only.
 */
TEST(changes_match_their_golden_files)
{
	struct study before, after;
	json_t *document = NULL;

	make(&before, 1);
	make(&after, 0.8);
	check_changes("changes", &before, &after, true, &document);
	study__clear(&before);
	study__clear(&after);
	make_with(&before, &(struct knobs){1, 1, 1, 1, .wild = 1});
	make_with(&after, &(struct knobs){1, 1, 1, 1, .wild = 2});
	before.d.environment =
		json_pack("{s:s, s:i, s:f, s:b, s:n, s:s}", "kernel", "6.1\x1b[2J", "cpus", 2,
			  "load_average", 0.5, "virtual", 1, "governor", "governor_reason", "none");
	after.d.environment = json_pack("{s:s, s:i, s:f, s:b, s:s, s:s}", "kernel", "6.12", "cpus",
					4, "load_average", 0.5, "virtual", 0, "governor",
					"performance", "governor_reason", "some");
	before.d.conditions = json_pack("{s:s}", "mtu", "1500");
	after.d.conditions = json_pack("{s:s}", "mtu", "9000");
	add_failure(&after);
	check_changes("changes-wild", &before, &after, true, &document);
	study__clear(&before);
	study__clear(&after);
	make_with(&before, &(struct knobs){1, 1, 1, 1, .rounds = 2});
	make_with(&after, &(struct knobs){0, 1, 1, 1, .rounds = 1});
	check_changes("changes-of-few-rounds", &before, &after, true, NULL);
	check_changes("changes-none", &after, &after, false, NULL);
	study__clear(&before);
	study__clear(&after);
	json_decref(document);
}
