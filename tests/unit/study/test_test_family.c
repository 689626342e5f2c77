/* SPDX-License-Identifier: GPL-2.0-only */
/* Which cells are compared: pairs of rounds, cells in either order or missing, axes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/test_family.h"

#include "support/planted.h"
#include "support/test.h"

/* A missing cell leaves the other one's estimate on its side, and no finding. */
STUDY_TEST(missing_cell_gives_no_finding)
{
	struct cell *x;
	struct finding c;

	put_crossing(&study, 0.02);
	study__finish(&study, (double)NAN);
	x = analysis__cell(&study.a, MODE_ONECOPY, KIB(8), 1);
	assert_non_null(x);
	assert_null(analysis__cell(&study.a, MODE_ONECOPY, KIB(8), 2));
	assert_null(analysis__cell(&study.a, MODE_ONECOPY, KIB(9), 1));
	assert_null(analysis__cell(&study.a, MODE_ZEROCOPY, KIB(8), 1));
	c = analysis__compare(&study.a, x, NULL, METRIC_GBPS);
	assert_int_equal(c.a.n, 7);
	assert_int_equal(c.b.n, 0);
	assert_int_equal(c.difference, DIFFERENCE_UNKNOWN);
	assert_true(isnan(c.p) && isnan(c.change) && isnan(c.b.median));
	c = analysis__compare(&study.a, NULL, x, METRIC_GBPS);
	assert_int_equal(c.a.n, 0);
	assert_int_equal(c.b.n, 7);
	NEAR(c.b.median, 16.0, 1e-9);
	assert_int_equal(c.difference, DIFFERENCE_UNKNOWN);
	assert_true(isnan(c.p));
	c = analysis__compare(&study.a, NULL, NULL, METRIC_GBPS);
	assert_int_equal(c.a.n + c.b.n, 0);
	assert_int_equal(c.difference, DIFFERENCE_UNKNOWN);
}

/* A comparison is found with its cells in either order; in the family each has the same p. */
STUDY_TEST(swapped_cells_give_the_inverse_comparison)
{
	struct cell *x, *y;
	struct finding c, t;

	put_crossing(&study, 0.02);
	study__finish(&study, (double)NAN);
	x = analysis__cell(&study.a, MODE_ONECOPY, KIB(64), 1);
	y = analysis__cell(&study.a, MODE_TWOCOPY, KIB(64), 1);
	c = analysis__compare(&study.a, x, y, METRIC_GBPS);
	t = analysis__compare(&study.a, y, x, METRIC_GBPS);
	assert_int_equal(c.tests, 5);
	assert_int_equal(t.tests, 5);
	NEAR(c.p, t.p, 0);
	assert_int_equal(c.difference, DIFFERENCE_HIGHER);
	assert_int_equal(t.difference, DIFFERENCE_LOWER);
	NEAR(c.a.median, t.b.median, 0);
	NEAR(c.b.median, t.a.median, 0);
	NEAR((1 + c.change) * (1 + t.change), 1, 1e-9);
}

/* Modes of a cell, a size with the next smaller one, a thread count with the smallest. */
STUDY_TEST(comparisons_of_one_kind_are_a_family)
{
	struct cell *x, *y;

	put_crossing(&study, 0.02);
	put(&study, MODE_ZEROCOPY, KIB(4), 1, 0, 10); /* one round is a point, and no test */
	put_rounds(&study, MODE_ONECOPY, KIB(4), 2, 10, 0.01);
	put_rounds(&study, MODE_TWOCOPY, KIB(4), 2, 10, 0.01);
	study__finish(&study, (double)NAN);
	assert_int_equal(test_family__tests(&study.a, TEST_FAMILY_MODES, METRIC_GBPS), 6);
	assert_int_equal(test_family__tests(&study.a, TEST_FAMILY_SIZES, METRIC_GBPS), 8);
	assert_int_equal(test_family__tests(&study.a, TEST_FAMILY_THREADS, METRIC_GBPS), 2);
	assert_int_equal(test_family__tests(&study.a, TEST_FAMILY_ALONE, METRIC_GBPS), 1);
	/* No cell has this metric: no test, only a division by it. */
	assert_int_equal(test_family__tests(&study.a, TEST_FAMILY_MODES, METRIC_LLC_MISSES), 1);
	x = analysis__cell(&study.a, MODE_TWOCOPY, KIB(4), 1);
	y = analysis__cell(&study.a, MODE_ONECOPY, KIB(4), 1);
	assert_int_equal(test_family__kind(&study.a, x, y), TEST_FAMILY_MODES);
	assert_int_equal(test_family__kind(&study.a, y, x), TEST_FAMILY_MODES);
	y = analysis__cell(&study.a, MODE_TWOCOPY, KIB(8), 1);
	assert_int_equal(test_family__kind(&study.a, x, y), TEST_FAMILY_SIZES);
	assert_int_equal(test_family__kind(&study.a, y, x), TEST_FAMILY_SIZES);
	y = analysis__cell(&study.a, MODE_TWOCOPY, KIB(16), 1);
	assert_int_equal(test_family__kind(&study.a, x, y), TEST_FAMILY_ALONE);
	y = analysis__cell(&study.a, MODE_TWOCOPY, KIB(4), 2);
	assert_int_equal(test_family__kind(&study.a, x, y), TEST_FAMILY_THREADS);
	assert_int_equal(test_family__kind(&study.a, y, x), TEST_FAMILY_THREADS);
	y = analysis__cell(&study.a, MODE_ONECOPY, KIB(4), 2);
	assert_int_equal(test_family__kind(&study.a, x, y), TEST_FAMILY_ALONE);
}

/* The first of equal cells; of one mode, or of all. */
STUDY_TEST(peak_is_the_highest_median)
{
	put(&study, MODE_TWOCOPY, KIB(4), 1, 0, 30);
	put(&study, MODE_TWOCOPY, KIB(8), 1, 0, 30);
	put(&study, MODE_TWOCOPY, KIB(16), 1, 0, 20);
	put(&study, MODE_ONECOPY, KIB(4), 1, 0, (double)NAN);
	put(&study, MODE_ONECOPY, KIB(8), 1, 0, 0);
	put(&study, MODE_ZEROCOPY, KIB(8), 1, 0, 40);
	study__finish(&study, (double)NAN);
	assert_int_equal(analysis__peak(&study.a, MODE_TWOCOPY, METRIC_GBPS)->size, KIB(4));
	assert_int_equal(analysis__peak(&study.a, MODE_ONECOPY, METRIC_GBPS)->size, KIB(8));
	assert_int_equal(analysis__peak(&study.a, MODE_NR, METRIC_GBPS)->mode, MODE_ZEROCOPY);
	assert_null(analysis__peak(&study.a, MODE_NR, METRIC_LLC_MISSES));
	assert_true(analysis__has(&study.a, METRIC_GBPS));
}

/* The metric's own reason, else that of its inputs, else the missing input; never NULL. */
STUDY_TEST(missing_metric_has_a_reason)
{
	put(&study, MODE_TWOCOPY, KIB(4), 1, 0, 30);
	study__finish(&study, (double)NAN);
	assert_string_equal(analysis__reason(&study.a, METRIC_SEND_P99),
			    "the data set has no such number");
	/* The duration of the runs would not help: there is no CPU time either. */
	assert_string_equal(analysis__reason(&study.a, METRIC_CPU_NS_PER_KIB),
			    "the data set has no such number");
	study.d.rows[0].value[METRIC_CPU_SENDER] = study.d.rows[0].value[METRIC_CPU_RECEIVER] = 1;
	assert_non_null(strstr(analysis__reason(&study.a, METRIC_CPU_NS_PER_KIB), "--duration"));
	study.d.reason[METRIC_S_LLC_MISSES] = strdup("no PMU");
	assert_string_equal(analysis__reason(&study.a, METRIC_LLC_MISSES), "no PMU");
	assert_string_equal(analysis__reason(&study.a, METRIC_LLC_MISSES_PER_KIB), "no PMU");
	study.d.reason[METRIC_LLC_MISSES] = strdup("not asked for");
	assert_string_equal(analysis__reason(&study.a, METRIC_LLC_MISSES), "not asked for");
}

/* Sizes and thread counts ascend, each once; the fewest and most rounds of a cell. */
STUDY_TEST(axes_ascend)
{
	put(&study, MODE_ONECOPY, KIB(8), 4, 0, 1);
	put(&study, MODE_ONECOPY, KIB(8), 4, 1, 1);
	put(&study, MODE_ONECOPY, KIB(8), 4, 2, 1);
	put(&study, MODE_ONECOPY, KIB(4), 1, 0, 1);
	put(&study, MODE_ZEROCOPY, KIB(8), 1, 0, 1);
	put(&study, MODE_ZEROCOPY, KIB(8), 1, 1, 1);
	study__finish(&study, (double)NAN);
	assert_int_equal(study.a.cells_nr, 3);
	assert_int_equal(study.a.sizes_nr, 2);
	assert_int_equal(study.a.sizes[0], KIB(4));
	assert_int_equal(study.a.sizes[1], KIB(8));
	assert_int_equal(study.a.threads_nr, 2);
	assert_int_equal(study.a.threads[0], 1);
	assert_int_equal(study.a.threads[1], 4);
	assert_int_equal(study.a.rounds_min, 1);
	assert_int_equal(study.a.rounds_max, 3);
	assert_true(study.a.has_mode[MODE_ONECOPY] && study.a.has_mode[MODE_ZEROCOPY]);
	assert_false(study.a.has_mode[MODE_TWOCOPY]);
}

/* Change by change, where the throughput does not differ. */
STUDY_TEST(cost_is_compared_by_size)
{
	static const double of_first[] = {200, 100, 50};
	const struct answer_text *answer = &study.answers[QUESTION_ONE_OVER_TWO];

	for (unsigned int i = 0; i < 3; i++) {
		put_rounds(&study, MODE_TWOCOPY, KIB(4) << i, 1, 10, 0.01);
		put_rounds(&study, MODE_ONECOPY, KIB(4) << i, 1, 10, 0.01);
	}
	for (size_t i = 0; i < study.d.rows_nr; i++) {
		struct dataset_row *row = &study.d.rows[i];
		size_t size = row->size == KIB(4) ? 0 : row->size == KIB(8) ? 1 : 2;
		bool first = row->mode == MODE_ONECOPY;

		row->value[METRIC_RX_BYTES] = 1024e9;
		row->value[METRIC_CPU_RECEIVER] = 0;
		row->value[METRIC_CPU_SENDER] = (first ? of_first[size] : 100) +
						(double)((i * 5 + (first ? 3 : 0)) % 7) / 100;
	}
	study__finish(&study, 1);
	check_says(answer, "4 KiB | +100.0 %; +");
	check_says(answer, "8 KiB | no difference");
	check_says(answer, "16 KiB | -50.0 %; -");
	check_says(answer, "CPU time of the processes of one-copy against two-copy");
}
