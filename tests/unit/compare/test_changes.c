/* SPDX-License-Identifier: GPL-2.0-only */
/* Comparisons of two made-up data sets: planted changes are found, noise is not. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/changes.h"
#include "common/xalloc.h"
#include "support/import_csv.h"
#include "support/near.h"
#include "support/test.h"

#define HEADER                                                                                 \
	"mode,size,threads,round,app_throughput_gbps,app_cpu_s_sender,ledger_copies_per_byte," \
	"app_rx_bytes,app_cpu_s_receiver\n"

struct side {
	struct dataset dataset;
	struct analysis analysis;
};

static struct side before, after;
static struct changes changes;

static int begin(void **state)
{
	(void)state;
	before = after = (struct side){0};
	changes = (struct changes){0};
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

#define CHANGES_TEST(name) TEST_WITH(name, begin, end)

static void load(struct side *side, const char *csv)
{
	char message[DATASET_MESSAGE_MAX];

	if (import_csv(&side->dataset, "test", csv, strlen(csv), message))
		fail_msg("%s", message);
	dataset__finish(&side->dataset, (double)NAN);
	analysis__init(&side->analysis, &side->dataset);
}

/* gate: as of changes__find(). */
static void compare_gated(const char *csv_before, const char *csv_after, const bool *gate)
{
	bool all[METRIC_NR];

	memset(all, true, sizeof(all));
	end(NULL);
	load(&before, csv_before);
	load(&after, csv_after);
	changes__find(&changes, &before.analysis, &after.analysis, all, gate);
}

static void compare(const char *csv_before, const char *csv_after)
{
	bool all[METRIC_NR];

	memset(all, true, sizeof(all));
	compare_gated(csv_before, csv_after, all);
}

static const struct change *find(enum mode mode, enum metric m)
{
	for (size_t i = 0; i < changes.nr; i++)
		if (changes.list[i].before->mode == mode && changes.list[i].metric == m)
			return &changes.list[i];
	fail_msg("no change of %s", metric__name(m));
	return NULL;
}

#define ROUNDS 7

/* A header and rounds: in each line, R is the round, and V a value that grows with it by `step`. */
static char *rounds(const char *header, const char *line, double value, double step)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs(header, f);
	for (int r = 0; r < ROUNDS; r++) {
		for (const char *c = line; *c; c++)
			if (*c == 'R')
				fprintf(f, "%d", r);
			else if (*c == 'V')
				fprintf(f, "%.7g", value + step * r);
			else
				fputc(*c, f);
		fputc('\n', f);
	}
	fclose(f);
	return text;
}

/* Compares two such files. */
static void compare_rounds(const char *header, const char *line, double value_before,
			   double value_after, double step)
{
	char *a = rounds(header, line, value_before, step);
	char *b = rounds(header, line, value_after, step);

	compare(a, b);
	free(a);
	free(b);
}

static void put_cell(FILE *f, const char *mode, double gbps, double cpu, double copies)
{
	static const double off[ROUNDS] = {0, 0.5, -0.5, 0.25, -0.25, 0.1, -0.1};

	for (int r = 0; r < ROUNDS; r++)
		fprintf(f, "%s,4096,1,%d,%g,%g,%g,1e9,0\n", mode, r, gbps + off[r],
			cpu + 0.06 * off[(r + 3) % ROUNDS], copies);
}

/* onecopy: throughput 30 -> 24, CPU 0.30 -> 0.29 within its noise, copies the same. */
static const char *side_csv(bool slower)
{
	static char text[2][4096];
	FILE *f = fmemopen(text[slower], sizeof(text[slower]), "w");

	fputs(HEADER, f);
	put_cell(f, "onecopy", slower ? 24 : 30, slower ? 0.29 : 0.3, 2);
	put_cell(f, "zerocopy", slower ? 12 : 10, slower ? 0.7 : 0.9, slower ? 2 : 1);
	fclose(f);
	return text[slower];
}

CHANGES_TEST(planted_changes_are_found)
{
	const struct change *c;

	compare(side_csv(false), side_csv(true));
	assert_int_equal(changes.cells, 2);
	assert_int_equal(changes.nr, 6);
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
	assert_int_equal(changes.of_kind[CHANGE_WORSE], 2);
	assert_int_equal(changes.of_kind[CHANGE_BETTER], 2);
	assert_int_equal(changes.of_kind[CHANGE_NOISE], 2);
}

CHANGES_TEST(regressions_are_worse_by_more_than_the_limit)
{
	compare(side_csv(false), side_csv(true));
	assert_int_equal(changes__regressions(&changes, 0.05), 2);
	assert_int_equal(changes__regressions(&changes, 0.21), 1); /* copies: +100 % */
	assert_int_equal(changes__regressions(&changes, 1), 0);
	assert_int_equal(changes__regressions(&changes, 0), 2);
	compare(side_csv(true), side_csv(true));
	assert_int_equal(changes__regressions(&changes, 0), 0);
	assert_int_equal(changes.of_kind[CHANGE_NOISE], 6);
}

CHANGES_TEST(change_from_zero_exceeds_any_limit)
{
	static const char header[] = "mode,size,threads,round,verdict_copied_fraction\n";
	const struct change *c;

	compare_rounds(header, "zerocopy,4096,1,R,V", 0, 1, 0);
	c = find(MODE_ZEROCOPY, METRIC_COPIED_FRACTION);
	assert_int_equal(c->kind, CHANGE_WORSE);
	assert_true(isnan(c->f.change));
	assert_true(change__is_regression(c, 10));
	compare_rounds(header, "zerocopy,4096,1,R,V", 1, 0, 0);
	assert_int_equal(find(MODE_ZEROCOPY, METRIC_COPIED_FRACTION)->kind, CHANGE_BETTER);
}

CHANGES_TEST(one_round_shows_no_difference)
{
	compare(HEADER "onecopy,4096,1,0,30,,,,\n", HEADER "onecopy,4096,1,0,3,,,,\n");
	assert_int_equal(changes.nr, 1);
	assert_int_equal(changes.list[0].kind, CHANGE_CANNOT_SAY);
	NEAR(changes.list[0].f.change, -0.9, 1e-9);
	assert_int_equal(changes__regressions(&changes, 0.05), 0);
}

CHANGES_TEST(cells_of_one_side_only_are_missing)
{
	compare(side_csv(false), HEADER "onecopy,4096,1,0,24.0,,,,\n"
					"onecopy,4096,1,1,24.5,,,,\n"
					"onecopy,4096,1,2,24.2,,,,\n"
					"twocopy,4096,1,0,1,,,,\n");
	assert_int_equal(changes.cells, 1);
	assert_int_equal(changes.cells_before, 1);
	assert_int_equal(changes.cells_after, 1);
	assert_int_equal(find(MODE_ONECOPY, METRIC_COPIES)->kind, CHANGE_MISSING);
	assert_non_null(find(MODE_ONECOPY, METRIC_COPIES)->reason);
	assert_int_equal(find(MODE_ONECOPY, METRIC_GBPS)->kind, CHANGE_WORSE);
	compare(HEADER "onecopy,4096,1,0,30,,,,\n", HEADER "onecopy,4096,2,0,30,,,,\n");
	assert_int_equal(changes.cells, 0);
	assert_int_equal(changes.nr, 0);
}

/* Rounds without noise make any difference certain: a tiny one still does not count. */
CHANGES_TEST(tiny_change_is_no_change)
{
	compare_rounds(HEADER, "onecopy,4096,1,R,,,V,,", 2.00001, 2.00003, 0);
	assert_true(changes.list[0].f.p < RANK_LEVEL);
	assert_int_equal(changes.list[0].kind, CHANGE_NOISE);
}

/* Fewer instructions for the same work lower the IPC: that is no regression. */
CHANGES_TEST(ipc_has_no_better_direction)
{
	compare_rounds("mode,size,threads,round,cycles,instructions\n", "onecopy,4096,1,R,1000,V",
		       2000, 1000, 1);
	assert_int_equal(find(MODE_ONECOPY, METRIC_IPC)->kind, CHANGE_OTHER);
	assert_int_equal(changes__regressions(&changes, 0.05), 0);
}

/* A gate without data must not pass. */
CHANGES_TEST(too_few_rounds_cannot_gate)
{
	static const char few[] = "mode,size,threads,round,app_throughput_gbps\n"
				  "onecopy,4096,1,0,30\nonecopy,4096,1,1,29\n"
				  "onecopy,4096,1,2,28\n";

	compare(few, few);
	assert_int_equal(gate__of(&changes, 0.05, NULL), GATE_CANNOT_TELL);
	assert_int_equal(changes.list[0].kind, CHANGE_CANNOT_SAY);
	compare(side_csv(false), side_csv(true));
	assert_int_equal(gate__of(&changes, 0.05, NULL), GATE_FAILED);
}

static char *text_of(bool all)
{
	static const struct compared names = {.before = "a", .after = "b"};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	compare_output__text(&changes, &names, 0.05, all, f);
	fclose(f);
	return text;
}

/* A regression and a neutral change are both listed. */
CHANGES_TEST(neutral_changes_are_listed)
{
	char *text;

	compare_rounds("mode,size,threads,round,app_throughput_gbps,instructions,cycles\n",
		       "onecopy,4096,1,R,V,V,1000", 3000, 2000, 1);
	assert_int_equal(find(MODE_ONECOPY, METRIC_GBPS)->kind, CHANGE_WORSE);
	assert_int_equal(find(MODE_ONECOPY, METRIC_IPC)->kind, CHANGE_OTHER);
	text = text_of(false);
	assert_non_null(strstr(text, "  worse, REGRESSION\n"));
	assert_non_null(strstr(text, "  different\n"));
	free(text);
}

/* A setting that differs is named unless it is allowed, at any position in the list. */
CHANGES_TEST(settings_that_differ_are_named)
{
	static const char header[] = "mode,size,threads,round,environment_mtu\n";

	compare_rounds(header, "onecopy,4096,1,R,V", 1500, 1500, 0);
	assert_null(changes__made_otherwise(&changes, NULL));
	compare_rounds(header, "onecopy,4096,1,R,V", 1500, 9000, 0);
	assert_string_equal(changes__made_otherwise(&changes, NULL), "mtu");
	assert_string_equal(changes__made_otherwise(&changes, "fields,mt"), "mtu");
	assert_null(changes__made_otherwise(&changes, "mtu"));
	assert_null(changes__made_otherwise(&changes, "fields,mtu"));
}

CHANGES_TEST(environments_are_compared)
{
	json_t *differs;

	compare("mode,size,environment_kernel,environment_cpus,environment_lockdown\n"
		"onecopy,64,6.1,2,\n",
		"mode,size,environment_kernel,environment_cpus,environment_lockdown\n"
		"onecopy,64,6.6,2,none\n");
	differs = changes__environment(&changes);
	assert_int_equal(json_object_size(differs), 1);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(differs, "kernel"), "after")),
		"6.6");
	json_decref(differs);
}

/* The median of the runs; lengths within 10 % are not settings but the last message of a run. */
CHANGES_TEST(lengths_of_runs_that_differ_are_named)
{
	static const char header[] = "mode,size,threads,round,app_throughput_gbps,duration_s\n";
	char *first = xasprintf("%sonecopy,64,1,1,10,0.2\nonecopy,64,1,2,10,0.2\n", header);
	char *second = xasprintf("%sonecopy,64,1,1,10,0.0432\nonecopy,64,1,2,10,0.0432\n", header);
	json_t *differs;

	load(&before, first);
	load(&after, second);
	changes.before = &before.analysis;
	changes.after = &after.analysis;
	differs = changes__environment(&changes);
	assert_string_equal(json_string_value(json_object_get(
				    json_object_get(differs, "duration_s"), "before")),
			    "0.2");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(differs, "duration_s"), "after")),
		"0.043");
	json_decref(differs);
	changes.after = changes.before;
	differs = changes__environment(&changes);
	assert_null(json_object_get(differs, "duration_s"));
	json_decref(differs);
	free(first);
	free(second);
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
		char old[8192] = HEADER, new[8192] = HEADER, *text;
		json_t *document;
		size_t worse = 0;

		for (int size = 1; size <= 6; size++)
			for (int r = 0; r < 6; r++) {
				double off = 1 + 0.01 * ((r * 5 + size) % 7);

				snprintf(old + strlen(old), 64, "onecopy,%d,1,%d,%g,,,,\n",
					 size * 1024, r, 10 * off);
				snprintf(new + strlen(new), 64, "onecopy,%d,1,%d,%g,,,,\n",
					 size * 1024, r, (size == 3 ? factor : 1) * 10 * off);
			}
		compare(old, new);
		document = compare_output__json(&changes, &names, 0.05);
		text = text_of(false);
		for (size_t i = 0; i < changes.nr; i++) {
			const json_t *c = json_array_get(json_object_get(document, "changes"), i);
			bool regression = json_is_true(json_object_get(c, "regression"));

			worse += regression;
			/* What the gate names is listed as worse. */
			assert_int_equal(regression, changes.list[i].kind == CHANGE_WORSE &&
							     -changes.list[i].f.change > 0.05);
		}
		assert_int_equal(worse, changes__regressions(&changes, 0.05));
		assert_string_equal(json_string_value(json_object_get(document, "gate")),
				    worse ? "failed" : "passed");
		assert_int_equal(gate__of(&changes, 0.05, NULL), worse ? GATE_FAILED : GATE_PASSED);
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

/* Six rounds with these copies per byte; at_most: of the kernel side, "" where the data has none.
 */
static const char *csv_copies(char csv[2048], const char *copies, const char *at_most)
{
	snprintf(csv, 2048, "%s",
		 "mode,size,threads,round,app_throughput_gbps,ledger_copies_per_byte,"
		 "ledger_copies_per_byte_at_most\n");
	for (int r = 0; r < ROUNDS; r++)
		snprintf(csv + strlen(csv), 128, "zerocopy,4096,1,%d,10,%s,%s\n", r, copies,
			 at_most);
	return csv;
}

/* The default gate tests copies where both sides know them; named metrics must be known. */
CHANGES_TEST(default_gate_fails_on_copies_that_are_certainly_more)
{
	static const struct {
		const char *before, *at_most, *after;
		unsigned int excluded; /* before */
		enum gate by_default, by_name;
	} cases[] = {
		{"2", "2", "3", 0, GATE_FAILED, GATE_FAILED},
		{"2", "", "3", 0, GATE_FAILED, GATE_FAILED},
		{"3", "3", "2", 0, GATE_PASSED, GATE_PASSED},
		{"2", "2", "2", 0, GATE_PASSED, GATE_PASSED},
		/* As many copies may have been there before, unseen. */
		{"2", "3", "3", 0, GATE_PASSED, GATE_PASSED},
		{"2", "2", "3", 1U << NIO_STAGE_DEFERRED_COPY, GATE_PASSED, GATE_PASSED},
		{"2", "2", "", 0, GATE_PASSED, GATE_CANNOT_TELL},
	};
	static const bool copies[METRIC_NR] = {[METRIC_COPIES] = true, [METRIC_GBPS] = true};

	for_each_case(c, cases)
		for (int by_name = 0; by_name < 2; by_name++) {
			char old[2048], new[2048];

			end(NULL);
			load(&before, csv_copies(old, c->before, c->at_most));
			load(&after, csv_copies(new, c->after, c->after));
			before.dataset.copies_exclude = c->excluded;
			changes__find(&changes, &before.analysis, &after.analysis, copies,
				      by_name ? copies : NULL);
			assert_int_equal(gate__of(&changes, 0.05, NULL),
					 by_name ? c->by_name : c->by_default);
		}
}

/* The new cells of zerocopy; all had a throughput before. */
static const struct untestable_case {
	int rounds;
	const char *gbps;
	bool failed;
	enum untestable why;
} untestables[] = {
	{0, "", false, UNTESTABLE_ABSENT},
	{0, "", true, UNTESTABLE_FAILED},
	{ROUNDS, "", false, UNTESTABLE_NULL},
	/* As if all rounds but one failed. */
	{1, "2", false, UNTESTABLE_FEW},
};

static void put_rounds(char *csv, const char *mode, int nr, const char *gbps)
{
	for (int r = 0; r < nr; r++)
		snprintf(csv + strlen(csv), 128, "%s,4096,1,%d,%s,0.5,2,1e9,0.5\n", mode, r, gbps);
}

static void add_failure(struct dataset *d)
{
	json_t *failure = json_pack("{s:s, s:s, s:i, s:i, s:i, s:s}", "schema",
				    "netiotrace.failure/1", "mode", "zerocopy", "size", 4096,
				    "threads", 1, "round", 0, "reason", "sent nothing");

	assert_int_equal(dataset__add_failure(d, failure), 0);
	json_decref(failure);
}

/* One-copy can be tested, zero-copy not. */
CHANGES_TEST(cell_with_too_few_rounds_or_values_is_untestable)
{
	for_each_case(c, untestables) {
		char csv[2048] = HEADER;
		enum metric m;

		put_rounds(csv, "onecopy", ROUNDS, "30");
		put_rounds(csv, "zerocopy", c->rounds, c->gbps);
		compare_gated(side_csv(false), csv, NULL);
		if (c->failed)
			add_failure(&after.dataset);
		assert_int_equal(untestable__of(&changes, &before.analysis.cells[0], &m),
				 UNTESTABLE_NONE);
		assert_int_equal(untestable__of(&changes, &before.analysis.cells[1], &m), c->why);
		if (c->rounds)
			assert_int_equal(m, METRIC_GBPS);
		assert_int_equal(gate__of(&changes, 10, NULL), GATE_CANNOT_TELL);
	}
}

/* New cells, metrics outside the gate, and metrics never measured do not count. */
CHANGES_TEST(new_cells_and_other_metrics_are_not_untestable)
{
	static const bool cpu[METRIC_NR] = {
		[METRIC_CPU_NS_PER_KIB] = true, [METRIC_LLC_MISSES_PER_KIB] = true};
	char csv[4096] = HEADER;

	put_rounds(csv, "twocopy", ROUNDS, "30");
	put_rounds(csv, "onecopy", ROUNDS, "30");
	put_rounds(csv, "zerocopy", ROUNDS, "");
	compare_gated(side_csv(false), csv, cpu);
	assert_int_equal(gate__of(&changes, 10, NULL), GATE_PASSED);
}

/* A receiver that measures its side adds its copies: the sender's have not become fewer. */
CHANGES_TEST(copies_of_one_side_are_not_compared_with_those_of_both)
{
	char *csv = rounds("mode,size,threads,round,ledger_copies_per_byte,app_throughput_gbps\n",
			   "onecopy,65536,1,R,2,V", 9, 0.01);
	char *sender =
		rounds("mode,size,threads,round,ledger_copies_per_byte,app_throughput_gbps\n",
		       "onecopy,65536,1,R,1,V", 9, 0.01);
	bool all[METRIC_NR];

	memset(all, true, sizeof(all));
	load(&before, csv);
	load(&after, sender);
	before.dataset.copies_of_both = true;
	after.dataset.copies_of_sender = true;
	changes__find(&changes, &before.analysis, &after.analysis, all, all);
	assert_int_equal(find(MODE_ONECOPY, METRIC_COPIES)->kind, CHANGE_MISSING);
	assert_non_null(strstr(find(MODE_ONECOPY, METRIC_COPIES)->reason, "both sides"));
	assert_true(isnan(find(MODE_ONECOPY, METRIC_COPIES)->f.change));
	assert_int_equal(find(MODE_ONECOPY, METRIC_GBPS)->kind, CHANGE_NOISE);
	changes__clear(&changes);
	after.dataset.copies_of_sender = false;
	changes__find(&changes, &before.analysis, &after.analysis, all, all);
	assert_int_equal(find(MODE_ONECOPY, METRIC_COPIES)->kind, CHANGE_BETTER);
	free(csv);
	free(sender);
}
