/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of names and the properties of each row; an index out of range has no name. */
#include <string.h>

#include "model/metric.h"
#include "model/perf_figures.h"
#include "model/plan.h"
#include "model/result.h"
#include "support/test.h"

TEST(rows_out_of_range_have_no_name)
{
	assert_string_equal(stage__key(NIO_STAGE_NR), "?");
	assert_string_equal(stage__done(NIO_STAGE_NR), "?");
	assert_string_equal(stage__heading(NIO_STAGE_NR), "?");
	assert_string_equal(stage__help(NIO_STAGE_NR), "?");
	assert_false(stage__is_copy(NIO_STAGE_NR));
	assert_int_equal(stage__account(NIO_STAGE_NR), STAGE_NEITHER);
	assert_string_equal(quality__name((enum quality)4), "?");
	assert_string_equal(nio_context__name((enum nio_context)3), "?");
	assert_string_equal(path_part__key(PATH_NR), "?");
	assert_string_equal(path_part__heading(PATH_NR), "?");
	assert_string_equal(perf_counter__key(PERF_NR), "?");
	assert_string_equal(perf_counter__words(PERF_NR), "?");
	assert_string_equal(perf_window__key(NIO_PERF_WINDOW_NR), "?");
	assert_string_equal(zc_cause__key((enum zc_cause)(ZC_CAUSE_UNKNOWN + 1)), "?");
	assert_string_equal(perf_derived__key(DERIVED_NR), "?");
	assert_string_equal(perf_derived__words(DERIVED_NR), "?");
	assert_string_equal(perf_derived__unit(DERIVED_NR), "");
	assert_string_equal(perf_derived__head(DERIVED_NR), "");
	assert_false(perf_derived__shown(DERIVED_NR, VISIBILITY_TEXT));
	assert_string_equal(perf_whose__key(PERF_WHOSE_NR), "?");
	assert_string_equal(latency__key(LATENCY_NR), "?");
}

TEST(mode_names_colours_and_lists_out_of_range_are_safe)
{
	char buf[MODE_LIST_LEN], small[10];
	enum mode mode;

	assert_string_equal(mode__info(MODE_NR)->name, "?");
	assert_int_equal(mode__info(MODE_NR)->features, 0);
	/* Grey, with the first point and line style; white on a terminal. */
	assert_string_equal(mode__info(MODE_NR)->words, "?");
	assert_string_equal(mode__info(MODE_NR)->colour, "#999999");
	assert_int_equal(mode__info(MODE_NR)->point, 1);
	assert_int_equal(mode__info(MODE_NR)->open_point, 1);
	assert_int_equal(mode__info(MODE_NR)->dash, 1);
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
	assert_true(mode__parse("one copy", &mode) < 0);
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
	assert_true(perf_derived__shown(DERIVED_CPU_NS_PER_KIB, VISIBILITY_LIVE));
	assert_false(perf_derived__shown(DERIVED_CPU_NS_PER_KIB, VISIBILITY_TEXT));
}

/* compare uses these metrics by default; others only by name, or never. */
TEST(compared_metrics_have_names)
{
	size_t compared = 0;

	assert_true(metric__compared(METRIC_GBPS));
	assert_false(metric__compared(METRIC_CYCLES));
	assert_string_equal(metric__name(METRIC_CYCLES), "");
	for (int m = 0; m < METRIC_NR; m++) {
		bool named = *metric__name((enum metric)m);

		assert_int_equal(named, metric__shown((enum metric)m, VISIBILITY_COMPARE));
		if (metric__shown((enum metric)m, VISIBILITY_ASKED))
			assert_false(metric__compared((enum metric)m));
		compared += metric__compared((enum metric)m);
	}
	assert_true(compared > 3);
}

/* Rows of NIO_STAGES in bpf/netiotrace.h. */
TEST(each_stage_is_fed_by_its_probes)
{
	assert_true(plan__feeds(PROBE_SEND_RETURN, NIO_STAGE_TX_COPY));
	assert_true(plan__feeds(PROBE_SEND_RETURN, NIO_STAGE_TX_PIN));
	assert_true(plan__feeds(PROBE_SPLICE, NIO_STAGE_TX_SPLICE));
	assert_true(plan__feeds(PROBE_DEFERRED_COPY, NIO_STAGE_DEFERRED_COPY));
	assert_true(plan__feeds(PROBE_RX_COPY, NIO_STAGE_RX_COPY));
	assert_true(plan__feeds(PROBE_OTHER_COPY, NIO_STAGE_OTHER_COPY));
	assert_false(plan__feeds(PROBE_SEND_RETURN, NIO_STAGE_RX_COPY));
	for (int p = 0; p < PROBE_NR; p++)
		assert_false(plan__feeds((enum probe_id)p, NIO_STAGE_USER_GATHER));
}
