/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of names and the properties of each row. */
#include <string.h>

#include "model/perf_figures.h"
#include "probes/plan.h"
#include "model/result.h"
#include "support/test.h"

TEST(mode_names_colours_and_lists_out_of_range_are_safe)
{
	char buf[MODE_LIST_LEN], small[10];
	enum mode mode;

	assert_string_equal(mode__info(MODE_NR)->name, "?");
	assert_int_equal(mode__info(MODE_NR)->features, 0);
	/* Grey, with the first point and line style; white on a terminal. */
	assert_string_equal(mode__info(MODE_NR)->words, "?");
	assert_int_equal(mode__info(MODE_NR)->colour_256, 7);
	assert_int_equal(mode__info(MODE_NR)->colour_8, 7);
	assert_false(mode__has(MODE_NR, MODE_COPIES));
	assert_true(mode__has(MODE_TWOCOPY, MODE_GATHERS));
	assert_false(mode__has(MODE_ONECOPY, MODE_GATHERS));
	assert_true(mode__has(MODE_ONECOPY, MODE_COPIES));
	assert_true(mode__has(MODE_ZEROCOPY, MODE_PINS));
	assert_false(mode__has(MODE_TWOCOPY, MODE_PINS));
	assert_string_equal(mode__words(MODE_ZEROCOPY), "zero-copy");
	assert_int_equal(mode__parse("onecopy", &mode), 0);
	assert_int_equal(mode, MODE_ONECOPY);
	assert_int_equal(mode__parse("Zero_Copy", &mode), 0);
	assert_int_equal(mode, MODE_ZEROCOPY);
	assert_true(mode__parse("one", &mode) < 0);
	assert_true(mode__parse("", &mode) < 0);
	assert_string_equal(mode__list(buf, sizeof(buf), 0), "");
	assert_string_equal(mode__list(buf, sizeof(buf), 1U << MODE_ONECOPY), "onecopy");
	assert_string_equal(mode__list(buf, sizeof(buf), 5), "twocopy zerocopy");
	assert_string_equal(mode__list(buf, sizeof(buf), 7), "twocopy onecopy zerocopy");
	/* Bits beyond the last mode mean nothing. */
	assert_string_equal(mode__list(buf, sizeof(buf), 1U << MODE_NR), "");
	/* A short buffer cuts the list. */
	assert_string_equal(mode__list(small, sizeof(small), 7), "twocopy o");
	assert_string_equal(mode__list(small, 8, 7), "twocopy");
}

/* Two kinds need no PMU: software events, and the CPU time of the processes. */
TEST(figures_of_hardware_counters_need_a_PMU_and_others_do_not)
{
	assert_true(perf_derived__needs_pmu(DERIVED_IPC));
	assert_true(perf_derived__needs_pmu(DERIVED_KERNEL_SHARE));
	assert_true(perf_derived__needs_pmu(DERIVED_BRANCH_MISSES_PER_KIB));
	assert_false(perf_derived__needs_pmu(DERIVED_CONTEXT_SWITCHES_PER_GIB));
	assert_false(perf_derived__needs_pmu(DERIVED_PAGE_FAULTS_PER_GIB));
	assert_false(perf_derived__needs_pmu(DERIVED_SWITCHES_PER_S));
	assert_false(perf_derived__needs_pmu(DERIVED_CPU_S_PER_GIB));
	assert_false(perf_derived__needs_pmu(DERIVED_CPU_NS_PER_KIB));
}
