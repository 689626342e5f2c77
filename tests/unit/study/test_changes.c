/* SPDX-License-Identifier: GPL-2.0-only */
/* Comparisons of two made-up data sets: planted changes are found, noise is not. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_output.h"
#include "study/changes.h"
#include "support/near.h"
#include "support/test.h"

#define HEADER                                                                                 \
	"mode,size,threads,round,app_throughput_gbps,app_cpu_s_sender,ledger_copies_per_byte," \
	"app_rx_bytes,app_cpu_s_receiver\n"

struct side {
	struct dataset dataset;
	struct analysis analysis;
};

static void load(struct side *side, const char *csv)
{
	char message[DATASET_MESSAGE_MAX];

	memset(side, 0, sizeof(*side));
	if (dataset__add_csv(&side->dataset, "test", csv, strlen(csv), message))
		fail_msg("%s", message);
	dataset__finish(&side->dataset, (double)NAN);
	analysis__init(&side->analysis, &side->dataset);
}

struct pair {
	struct side before, after;
	struct changes changes;
};

static struct pair p;

static void clear(void)
{
	changes__clear(&p.changes);
	analysis__clear(&p.before.analysis);
	analysis__clear(&p.after.analysis);
	dataset__clear(&p.before.dataset);
	dataset__clear(&p.after.dataset);
}

static void compare(const char *before, const char *after)
{
	bool metrics[METRIC_NR];

	clear();
	for (int m = 0; m < METRIC_NR; m++)
		metrics[m] = *metric__name((enum metric)m) != '\0';
	load(&p.before, before);
	load(&p.after, after);
	changes__find(&p.changes, &p.before.analysis, &p.after.analysis, metrics, metrics);
}

static const struct change *find(enum mode mode, enum metric m)
{
	for (size_t i = 0; i < p.changes.nr; i++)
		if (p.changes.list[i].before->mode == mode && p.changes.list[i].metric == m)
			return &p.changes.list[i];
	fail_msg("no change of %s", metric__name(m));
	return NULL;
}

/* onecopy: throughput 30 -> 24, CPU 0.30 -> 0.29 within its noise, copies the same. */
static char base[4096], slower[4096];

#define ROUNDS 7

static void put_cell(FILE *f, const char *mode, double gbps, double cpu, double copies)
{
	static const double off[ROUNDS] = {0, 0.5, -0.5, 0.25, -0.25, 0.1, -0.1};

	for (int r = 0; r < ROUNDS; r++)
		fprintf(f, "%s,4096,1,%d,%g,%g,%g,1e9,0\n", mode, r, gbps + off[r],
			cpu + 0.06 * off[(r + 3) % ROUNDS], copies);
}

static void put_side(char *text, size_t len, double gbps, double cpu, double zero_gbps,
		     double zero_cpu, double zero_copies)
{
	FILE *f = fmemopen(text, len, "w");

	fputs(HEADER, f);
	put_cell(f, "onecopy", gbps, cpu, 2);
	put_cell(f, "zerocopy", zero_gbps, zero_cpu, zero_copies);
	fclose(f);
}

static int make_sides(void **state)
{
	(void)state;
	put_side(base, sizeof(base), 30, 0.3, 10, 0.9, 1);
	put_side(slower, sizeof(slower), 24, 0.29, 12, 0.7, 2);
	return 0;
}

static int end(void **state)
{
	(void)state;
	clear();
	return 0;
}

#define CHANGES_TEST(name) TEST_WITH(name, make_sides, end)

CHANGES_TEST(planted_changes_are_found)
{
	const struct change *c;

	compare(base, slower);
	assert_int_equal(p.changes.cells, 2);
	assert_int_equal(p.changes.nr, 6);
	c = find(MODE_ONECOPY, METRIC_GBPS);
	assert_int_equal(c->kind, CHANGE_WORSE);
	NEAR(c->f.change, -0.2, 1e-9);
	NEAR(c->f.b.low, 29.5, 1e-9);
	NEAR(c->f.b.high, 30.5, 1e-9);
	assert_int_equal(find(MODE_ONECOPY, METRIC_CPU_NS_PER_KIB)->kind, CHANGE_NOISE);
	assert_int_equal(find(MODE_ONECOPY, METRIC_COPIES)->kind, CHANGE_NOISE);
	assert_int_equal(find(MODE_ZEROCOPY, METRIC_GBPS)->kind, CHANGE_BETTER);
	/* Lower is better for these two. */
	assert_int_equal(find(MODE_ZEROCOPY, METRIC_CPU_NS_PER_KIB)->kind, CHANGE_BETTER);
	assert_int_equal(find(MODE_ZEROCOPY, METRIC_COPIES)->kind, CHANGE_WORSE);
	assert_int_equal(p.changes.of_kind[CHANGE_WORSE], 2);
	assert_int_equal(p.changes.of_kind[CHANGE_BETTER], 2);
	assert_int_equal(p.changes.of_kind[CHANGE_NOISE], 2);
}

CHANGES_TEST(regressions_are_worse_by_more_than_the_limit)
{
	compare(base, slower);
	assert_int_equal(changes__regressions(&p.changes, 0.05), 2);
	assert_int_equal(changes__regressions(&p.changes, 0.21), 1); /* copies: +100 % */
	assert_int_equal(changes__regressions(&p.changes, 1), 0);
	assert_int_equal(changes__regressions(&p.changes, 0), 2);
	compare(slower, slower);
	assert_int_equal(changes__regressions(&p.changes, 0), 0);
	assert_int_equal(p.changes.of_kind[CHANGE_NOISE], 6);
}

CHANGES_TEST(change_from_zero_exceeds_any_limit)
{
	char honoured[512] = "mode,size,threads,round,verdict_copied_fraction\n", copied[512];
	const struct change *c;

	strcpy(copied, honoured);
	for (int r = 0; r < ROUNDS; r++) {
		snprintf(honoured + strlen(honoured), 32, "zerocopy,4096,1,%d,0\n", r);
		snprintf(copied + strlen(copied), 32, "zerocopy,4096,1,%d,1\n", r);
	}
	compare(honoured, copied);
	c = find(MODE_ZEROCOPY, METRIC_COPIED_FRACTION);
	assert_int_equal(c->kind, CHANGE_WORSE);
	assert_true(isnan(c->f.change));
	assert_true(change__is_regression(c, 10));
	compare(copied, honoured);
	assert_int_equal(find(MODE_ZEROCOPY, METRIC_COPIED_FRACTION)->kind, CHANGE_BETTER);
}

CHANGES_TEST(one_round_shows_no_difference)
{
	compare(HEADER "onecopy,4096,1,0,30,,,,\n", HEADER "onecopy,4096,1,0,3,,,,\n");
	assert_int_equal(p.changes.nr, 1);
	assert_int_equal(p.changes.list[0].kind, CHANGE_CANNOT_SAY);
	NEAR(p.changes.list[0].f.change, -0.9, 1e-9);
	assert_int_equal(changes__regressions(&p.changes, 0.05), 0);
}

CHANGES_TEST(cells_of_one_side_only_are_missing)
{
	compare(base, HEADER "onecopy,4096,1,0,24.0,,,,\n"
			     "onecopy,4096,1,1,24.5,,,,\n"
			     "onecopy,4096,1,2,24.2,,,,\n"
			     "twocopy,4096,1,0,1,,,,\n");
	assert_int_equal(p.changes.cells, 1);
	assert_int_equal(p.changes.cells_before, 1);
	assert_int_equal(p.changes.cells_after, 1);
	assert_int_equal(find(MODE_ONECOPY, METRIC_COPIES)->kind, CHANGE_MISSING);
	assert_non_null(find(MODE_ONECOPY, METRIC_COPIES)->reason);
	assert_int_equal(find(MODE_ONECOPY, METRIC_GBPS)->kind, CHANGE_WORSE);
	compare(HEADER "onecopy,4096,1,0,30,,,,\n", HEADER "onecopy,4096,2,0,30,,,,\n");
	assert_int_equal(p.changes.cells, 0);
	assert_int_equal(p.changes.nr, 0);
}

/* Rounds without noise make any difference certain: a tiny one still does not count. */
CHANGES_TEST(tiny_change_is_no_change)
{
	char before[1024] = HEADER, after[1024] = HEADER;

	for (int r = 0; r < ROUNDS; r++) {
		snprintf(before + strlen(before), 64, "onecopy,4096,1,%d,,,2.00001,,\n", r);
		snprintf(after + strlen(after), 64, "onecopy,4096,1,%d,,,2.00003,,\n", r);
	}
	compare(before, after);
	assert_true(p.changes.list[0].f.p < RANK_LEVEL);
	assert_int_equal(p.changes.list[0].kind, CHANGE_NOISE);
}

/* Fewer instructions for the same work lower the IPC: that is no regression. */
CHANGES_TEST(ipc_has_no_better_direction)
{
	char before[1024] = "mode,size,threads,round,cycles,instructions\n", after[1024];

	strcpy(after, before);
	for (int r = 0; r < ROUNDS; r++) {
		snprintf(before + strlen(before), 64, "onecopy,4096,1,%d,1000,%d\n", r, 2000 + r);
		snprintf(after + strlen(after), 64, "onecopy,4096,1,%d,900,%d\n", r, 1000 + r);
	}
	compare(before, after);
	assert_int_equal(find(MODE_ONECOPY, METRIC_IPC)->kind, CHANGE_OTHER);
	assert_int_equal(changes__regressions(&p.changes, 0.05), 0);
}

/* A gate without data must not pass. */
CHANGES_TEST(too_few_rounds_cannot_gate)
{
	char few[256] = "mode,size,threads,round,app_throughput_gbps\n";

	for (int r = 0; r < 3; r++)
		snprintf(few + strlen(few), 64, "onecopy,4096,1,%d,%d\n", r, 30 - r);
	compare(few, few);
	assert_int_equal(gate__of(&p.changes, 0.05, NULL), GATE_CANNOT_TELL);
	assert_int_equal(p.changes.list[0].kind, CHANGE_CANNOT_SAY);
	compare(base, slower);
	assert_int_equal(gate__of(&p.changes, 0.05, NULL), GATE_FAILED);
}

static char *text_of(bool all)
{
	static const struct compared names = {.before = "a", .after = "b"};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	compare_output__text(&p.changes, &names, 0.05, all, f);
	fclose(f);
	return text;
}

/* As many regressions as neutral changes: both are listed. */
CHANGES_TEST(neutral_changes_are_listed)
{
	char before[2048] = "mode,size,threads,round,app_throughput_gbps,cycles,instructions\n",
	     after[2048];
	char *text;

	strcpy(after, before);
	for (int r = 0; r < ROUNDS; r++) {
		snprintf(before + strlen(before), 64, "onecopy,4096,1,%d,%d,1000,%d\n", r, 3000 + r,
			 2000 + r);
		snprintf(after + strlen(after), 64, "onecopy,4096,1,%d,%d,1000,%d\n", r, 2000 + r,
			 1000 + r);
	}
	compare(before, after);
	assert_int_equal(p.changes.of_kind[CHANGE_BETTER], 0);
	assert_int_equal(p.changes.of_kind[CHANGE_WORSE], p.changes.of_kind[CHANGE_OTHER]);
	text = text_of(false);
	assert_non_null(strstr(text, "  worse, REGRESSION\n"));
	assert_non_null(strstr(text, "  different\n"));
	free(text);
}

static void with_mtu(char *text, size_t len, unsigned int mtu)
{
	FILE *f = fmemopen(text, len, "w");

	fputs("mode,size,threads,round,app_throughput_gbps,environment_mtu\n", f);
	for (int r = 0; r < ROUNDS; r++)
		fprintf(f, "onecopy,4096,1,%d,%d,%u\n", r, 30 + r, mtu);
	fclose(f);
}

/* A setting that differs is named unless it is allowed, at any position in the list. */
CHANGES_TEST(settings_that_differ_are_named)
{
	char before[1024], after[1024];

	with_mtu(before, sizeof(before), 1500);
	with_mtu(after, sizeof(after), 9000);
	compare(before, before);
	assert_null(changes__made_otherwise(&p.changes, NULL));
	compare(before, after);
	assert_string_equal(changes__made_otherwise(&p.changes, NULL), "mtu");
	assert_string_equal(changes__made_otherwise(&p.changes, "fields,mt"), "mtu");
	assert_null(changes__made_otherwise(&p.changes, "mtu"));
	assert_null(changes__made_otherwise(&p.changes, "fields,mtu"));
}

CHANGES_TEST(environments_are_compared)
{
	static const char before[] = "mode,size,environment_kernel,environment_cpus,"
				     "environment_lockdown\nonecopy,64,6.1,2,\n";
	static const char after[] = "mode,size,environment_kernel,environment_cpus,"
				    "environment_lockdown\nonecopy,64,6.6,2,none\n";
	json_t *differs;

	compare(before, after);
	differs = changes__environment(&p.changes);
	assert_int_equal(json_object_size(differs), 1);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(differs, "kernel"), "after")),
		"6.6");
	json_decref(differs);
}

CHANGES_TEST(names_are_parsed_back)
{
	enum metric m, parsed;
	unsigned int named = 0;
	int i;

	for (i = 0; i < METRIC_NR; i++) {
		m = (enum metric)i;
		if (!*metric__name(m))
			continue;
		named++;
		assert_int_equal(change_metric__parse(metric__name(m), &parsed), 0);
		assert_int_equal(parsed, m);
	}
	assert_true(named > 10);
	assert_int_equal(change_metric__parse("", &parsed), -EINVAL);
	assert_int_equal(change_metric__parse("speed", &parsed), -EINVAL);
}

/* A change equal to the limit, or an improvement, is no regression. */
CHANGES_TEST(regression_must_exceed_the_limit)
{
	const struct change halved = {.metric = METRIC_GBPS,
				      .f = {.change = -0.5, .difference = DIFFERENCE_LOWER},
				      .gated = true,
				      .kind = CHANGE_WORSE};
	struct change c = halved;

	assert_true(change__is_regression(&c, 0.05));
	assert_true(change__is_regression(&c, 0.4999));
	assert_false(change__is_regression(&c, 0.5));
	c.gated = false;
	assert_false(change__is_regression(&c, 0.05));
	for (int kind = 0; kind <= CHANGE_OTHER; kind++) {
		c = halved;
		c.kind = (enum change_kind)kind;
		assert_int_equal(change__is_regression(&c, 0.05), kind == CHANGE_WORSE);
	}
	c = halved;
	c.f.change = (double)NAN; /* from 0 */
	assert_true(change__is_regression(&c, 1e9));
	assert_false(change__is_regression(&c, (double)INFINITY));
}

/*
 * Six cells of six rounds, one of them slower: list, gate and document agree. The rounds of the
 * slower cell overlap in one pair, which is no difference among six cells.
 */
CHANGES_TEST(text_json_and_gate_agree)
{
	static const struct compared names = {.before = "a", .after = "b"};
	size_t failed = 0, passed = 0;

	for (double factor = 1.0; factor > 0.79; factor -= 0.02) {
		char before[8192] = HEADER, after[8192] = HEADER, *text;
		json_t *document;
		size_t worse = 0;

		for (int size = 1; size <= 6; size++)
			for (int r = 0; r < 6; r++) {
				double off = 1 + 0.01 * ((r * 5 + size) % 7);

				snprintf(before + strlen(before), 64, "onecopy,%d,1,%d,%g,,,,\n",
					 size * 1024, r, 10 * off);
				snprintf(after + strlen(after), 64, "onecopy,%d,1,%d,%g,,,,\n",
					 size * 1024, r, (size == 3 ? factor : 1) * 10 * off);
			}
		compare(before, after);
		document = compare_output__json(&p.changes, &names, 0.05);
		text = text_of(false);
		for (size_t i = 0; i < p.changes.nr; i++) {
			const json_t *c = json_array_get(json_object_get(document, "changes"), i);
			bool regression = json_is_true(json_object_get(c, "regression"));

			worse += regression;
			/* What the gate names is listed as worse. */
			assert_int_equal(regression, p.changes.list[i].kind == CHANGE_WORSE &&
							     -p.changes.list[i].f.change > 0.05);
		}
		assert_int_equal(worse, changes__regressions(&p.changes, 0.05));
		assert_string_equal(json_string_value(json_object_get(document, "gate")),
				    worse ? "failed" : "passed");
		assert_int_equal(gate__of(&p.changes, 0.05, NULL),
				 worse ? GATE_FAILED : GATE_PASSED);
		assert_int_equal(strstr(text, "REGRESSION") != NULL, worse > 0);
		assert_int_equal(strstr(text, "Gate FAILED: 1 of 6 gated") != NULL, worse > 0);
		assert_int_equal(strstr(text, "Gate passed") != NULL, !worse);
		failed += worse > 0;
		passed += !worse;
		free(text);
		json_decref(document);
	}
	assert_true(failed && passed);
}
