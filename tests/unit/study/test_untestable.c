/* SPDX-License-Identifier: GPL-2.0-only */
/* Cells that the gate of compare cannot test, each with its reason. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/changes.h"
#include "support/test.h"

#define HEADER                                                                             \
	"mode,size,threads,round,app_throughput_gbps,app_cpu_s_sender,app_cpu_s_receiver," \
	"app_rx_bytes\n"
#define ROUNDS 7

struct side {
	struct dataset dataset;
	struct analysis analysis;
	char csv[4096];
};

static struct side before, after;
static struct changes changes;

static void side__begin(struct side *s)
{
	memset(s, 0, sizeof(*s));
	strcpy(s->csv, HEADER);
}

static void add_cell(struct side *s, const char *mode, int rounds, const char *gbps)
{
	for (int r = 0; r < rounds; r++)
		snprintf(s->csv + strlen(s->csv), 128, "%s,4096,2,%d,%s,0.5,0.5,1e9\n", mode, r,
			 gbps);
}

static void side__load(struct side *s)
{
	char message[DATASET_MESSAGE_MAX];

	if (dataset__add_csv(&s->dataset, "test", s->csv, strlen(s->csv), message))
		fail_msg("%s", message);
	dataset__finish(&s->dataset, (double)NAN);
}

static int begin(void **state)
{
	(void)state;
	side__begin(&before);
	side__begin(&after);
	add_cell(&before, "onecopy", ROUNDS, "30");
	add_cell(&before, "zerocopy", ROUNDS, "20");
	side__load(&before);
	return 0;
}

static int end(void **state)
{
	(void)state;
	changes__clear(&changes);
	analysis__clear(&before.analysis);
	analysis__clear(&after.analysis);
	dataset__clear(&before.dataset);
	dataset__clear(&after.dataset);
	return 0;
}

static void compare(const bool *gate)
{
	bool all[METRIC_NR];

	for (int m = 0; m < METRIC_NR; m++)
		all[m] = true;
	analysis__init(&before.analysis, &before.dataset);
	analysis__init(&after.analysis, &after.dataset);
	changes__find(&changes, &before.analysis, &after.analysis, all, gate);
}

static void add_failure(struct side *s)
{
	json_t *failure = json_pack("{s:s, s:s, s:i, s:i, s:i, s:s}", "schema",
				    "netiotrace.failure/1", "mode", "zerocopy", "size", 4096,
				    "threads", 2, "round", 0, "reason", "sent nothing");

	assert_int_equal(dataset__add_failure(&s->dataset, failure), 0);
	json_decref(failure);
}

/* The new cells of zerocopy; all had a throughput before. */
static const struct untestable_case {
	int rounds;
	const char *gbps;
	bool failed;
	enum untestable why;
} cases[] = {
	{0, "", false, UNTESTABLE_ABSENT},
	{0, "", true, UNTESTABLE_FAILED},
	{ROUNDS, "", false, UNTESTABLE_NULL},
	/* As if all rounds but one failed. */
	{1, "2", false, UNTESTABLE_FEW},
};

TEST(cell_with_too_few_rounds_or_values_is_untestable)
{
	for_each_case(c, cases) {
		enum metric m;

		begin(NULL);
		add_cell(&after, "onecopy", ROUNDS, "30");
		add_cell(&after, "zerocopy", c->rounds, c->gbps);
		side__load(&after);
		if (c->failed)
			add_failure(&after);
		compare(NULL);
		/* One-copy, then zero-copy. */
		assert_int_equal(untestable__of(&changes, &before.analysis.cells[0], &m),
				 UNTESTABLE_NONE);
		assert_int_equal(untestable__of(&changes, &before.analysis.cells[1], &m), c->why);
		if (c->rounds)
			assert_int_equal(m, METRIC_GBPS);
		assert_int_equal(gate__of(&changes, 0.05, NULL), GATE_CANNOT_TELL);
		end(NULL);
	}
}

TEST_WITH(new_cells_and_other_metrics_are_not_untestable, begin, end)
{
	bool cpu[METRIC_NR] = {[METRIC_CPU_NS_PER_KIB] = true, [METRIC_COPIES] = true};

	/* New cells, metrics outside the gate, and metrics never measured do not count. */
	add_cell(&after, "twocopy", ROUNDS, "30");
	add_cell(&after, "onecopy", ROUNDS, "30");
	add_cell(&after, "zerocopy", ROUNDS, "");
	side__load(&after);
	compare(cpu);
	assert_int_equal(gate__of(&changes, 0.05, NULL), GATE_PASSED);
}
