/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Published result files of other programs (tests/fixtures/foreign): the values read are compared
 * with awk, which reads the same columns by their numbers.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/dataset.h"
#include "support/import_csv.h"
#include "support/study.h"
#include "support/test.h"

#define NUMBERS_MAX 8

static char message[DATASET_MESSAGE_MAX];

/* A column that must be read: its metric, its number for awk, and the scale of a value. */
struct number {
	enum metric metric;
	int column;
	double scale;
};

/* Columns are numbered from 1. */
struct foreign {
	const char *file;
	int mode, size, threads, gbps; /* gbps 0: the file has no throughput */
	double size_scale;             /* 8: the size of one of 8 fields */
	struct number numbers[NUMBERS_MAX];
	const char *unread; /* the columns that may be ignored, separated by blanks */
};

/* clang-format off */
static const struct foreign files[] = {
	{"cache-and-llc", 1, 2, 3, 10, 1,
	 {{METRIC_CYCLES, 4, 1}, {METRIC_L1D_MISSES, 6, 1}, {METRIC_LLC_MISSES, 7, 1},
	  {METRIC_CONTEXT_SWITCHES, 8, 1}, {METRIC_DURATION, 9, 1}, {METRIC_LATENCY, 11, 1000},
	  {METRIC_RX_BYTES, 12, 1}}, "CacheMisses"},
	{"client-2copy", 1, 3, 2, 4, 1,
	 {{METRIC_LATENCY, 5, 1000}, {METRIC_CONTEXT_SWITCHES, 6, 1}, {METRIC_PAGE_FAULTS, 7, 1}}, ""},
	{"field-size", 1, 2, 3, 4, 8,
	 {{METRIC_LATENCY, 5, 1000}, {METRIC_CYCLES, 6, 1}, {METRIC_LLC_MISSES, 8, 1},
	  {METRIC_CONTEXT_SWITCHES, 9, 1}}, "cache_misses"},
	{"latency-cs", 1, 2, 3, 4, 1,
	 {{METRIC_LATENCY, 5, 1000}, {METRIC_CYCLES, 6, 1}, {METRIC_L1D_MISSES, 7, 1},
	  {METRIC_LLC_MISSES, 8, 1}, {METRIC_CONTEXT_SWITCHES, 9, 1}}, ""},
	{"llc-cache-misses", 1, 2, 3, 4, 1,
	 {{METRIC_LATENCY, 5, 1000}, {METRIC_CYCLES, 6, 1}, {METRIC_PAGE_FAULTS, 7, 1},
	  {METRIC_LLC_MISSES, 8, 1}, {METRIC_CONTEXT_SWITCHES, 9, 1}}, ""},
	{"min_two", 1, 2, 3, 6, 1, {{METRIC_LLC_MISSES, 5, 1}}, "cache_misses"},
	{"min_unread", 1, 2, 3, 4, 1, {{METRIC_LATENCY, 5, 1000}, {METRIC_CONTEXT_SWITCHES, 6, 1}}, ""},
	{"min_workers", 1, 2, 3, 4, 1, {{0}}, ""},
	{"three-files-latency", 1, 2, 3, 0, 1, {{METRIC_LATENCY, 4, 1000}}, "min_us max_us"},
	{"three-files-perf", 1, 2, 3, 0, 1,
	 {{METRIC_CYCLES, 4, 1}, {METRIC_INSTRUCTIONS, 5, 1}, {METRIC_L1D_MISSES, 7, 1},
	  {METRIC_LLC_REFERENCES, 8, 1}, {METRIC_LLC_MISSES, 9, 1}, {METRIC_CONTEXT_SWITCHES, 10, 1}}, "l1_loads"},
	{"three-files-throughput", 1, 2, 3, 6, 1,
	 {{METRIC_RX_BYTES, 4, 1.25e8}, {METRIC_DURATION, 5, 1}}, ""},
	{"total-gbps", 1, 2, 3, 7, 1,
	 {{METRIC_DURATION, 4, 1}, {METRIC_RX_BYTES, 5, 1}, {METRIC_RX_MESSAGES, 6, 1},
	  {METRIC_LATENCY, 8, 1000}, {METRIC_CYCLES, 9, 1}, {METRIC_CONTEXT_SWITCHES, 10, 1},
	  {METRIC_L1D_MISSES, 12, 1}, {METRIC_LLC_MISSES, 13, 1}}, "cache_misses"},
	{"type-cs", 1, 2, 3, 4, 1,
	 {{METRIC_LATENCY, 5, 1000}, {METRIC_CYCLES, 6, 1}, {METRIC_L1D_MISSES, 7, 1},
	  {METRIC_LLC_MISSES, 8, 1}, {METRIC_CONTEXT_SWITCHES, 9, 1}}, ""},
	{"version", 1, 2, 3, 4, 1,
	 {{METRIC_LATENCY, 5, 1000}, {METRIC_CYCLES, 6, 1}, {METRIC_L1D_MISSES, 7, 1},
	  {METRIC_LLC_MISSES, 8, 1}, {METRIC_CONTEXT_SWITCHES, 9, 1}}, ""},
	{"workers", 1, 2, 3, 4, 1,
	 {{METRIC_LATENCY, 5, 1000}, {METRIC_CYCLES, 6, 1}, {METRIC_L1D_MISSES, 7, 1},
	  {METRIC_LLC_MISSES, 8, 1}, {METRIC_CONTEXT_SWITCHES, 9, 1}}, ""},
	{"../pa02-mt25014-results", 1, 2, 3, 4, 1,
	 {{METRIC_LATENCY, 5, 1000}, {METRIC_CYCLES, 6, 1}, {METRIC_L1D_MISSES, 7, 1},
	  {METRIC_LLC_MISSES, 8, 1}, {METRIC_CONTEXT_SWITCHES, 9, 1}}, ""},
};
/* clang-format on */

#define FILES_NR (sizeof(files) / sizeof(files[0]))

static const char *path_of(const char *file)
{
	static char path[512];
	const char *slash = strrchr(__FILE__, '/');
	int dir = slash ? (int)(slash - __FILE__) : 1;

	snprintf(path, sizeof(path), "%.*s/../../fixtures/foreign/%s.csv", dir,
		 slash ? __FILE__ : ".", file);
	return path;
}

/* Up to 6 numbers printed by awk. */
static void ask_awk(const struct foreign *f, const char *program, int column, double answer[6])
{
	char command[2048];
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "LC_ALL=C awk -F, -v M=%d -v S=%d -v T=%d -v G=%d -v C=%d '"
		 "function mode(w) { return w ~ /A1|a1|2copy|Two|^0$/ ? 0 : "
		 "w ~ /A2|a2|1copy|One|^1$/ ? 1 : 2 } %s' '%s'",
		 f->mode, f->size, f->threads, f->gbps, column, program, path_of(f->file));
	pipe = popen(command, "r");
	assert_non_null(pipe);
	for (int i = 0; i < 6; i++)
		answer[i] = (double)NAN;
	assert_true(fscanf(pipe, "%lf %lf %lf %lf %lf %lf", &answer[0], &answer[1], &answer[2],
			   &answer[3], &answer[4], &answer[5]) > 0);
	assert_int_equal(pclose(pipe), 0);
}

/* 0, or -errno with the reason in message. */
static int load(struct study *s, const char *const *paths, size_t n)
{
	struct dataset_names names = {0};
	int err;

	prefer_system_python();
	err = dataset__load_files(&s->d, paths, n, (double)NAN, &names, message);

	if (err)
		return err;
	analysis__init(&s->a, &s->d);
	answers__make(&s->a, s->answers);
	return 0;
}

static void load_one(struct study *s, const struct foreign *f)
{
	const char *path = path_of(f->file);

	*s = (struct study){0};
	if (load(s, &path, 1))
		fail_msg("%s", message);
}

static double sum_of(const struct dataset *d, enum metric m)
{
	double sum = 0;

	for (size_t i = 0; i < d->rows_nr; i++)
		if (!isnan(d->rows[i].value[m]))
			sum += d->rows[i].value[m];
	return sum;
}

static void check_sum(const struct foreign *f, const struct study *s, const struct number *n)
{
	double sum[6], ours = sum_of(&s->d, n->metric);

	ask_awk(f, "NR > 1 { sum += $C } END { printf \"%.17g\", sum }", n->column, sum);
	if (!(fabs(ours - sum[0] * n->scale) <= 1e-9 * fabs(ours)))
		fail_msg("%s: %s adds up to %.17g, awk says %.17g", f->file,
			 metric__words(n->metric), ours, sum[0] * n->scale);
	assert_true(analysis__has(&s->a, n->metric));
}

/* The sentence on unread columns, and the reason of a missing number, name those and no other. */
static void check_unread(const struct foreign *f, const struct dataset *d)
{
	char names[256], *name, *rest = names;
	size_t nr = 0, quotes = 0;

	snprintf(names, sizeof(names), "%s", f->unread);
	while ((name = strsep(&rest, " ")) && *name) {
		char quoted[64];

		snprintf(quoted, sizeof(quoted), "'%s'", name);
		assert_non_null(strstr(d->unread, quoted));
		assert_non_null(strstr(d->lacking, quoted));
		nr++;
	}
	for (const char *c = d->lacking; *c; c++)
		quotes += *c == '\'';
	assert_int_equal(quotes, 2 * nr);
	assert_true(!d->unread == !nr);
}

/*
 * One run is one cell: no column is mistaken for a round. Each column is read in its unit. Reasons
 * of missing numbers name the ignored columns.
 */
TEST(each_file_is_read_as_awk_reads_it)
{
	for_each_case(f, files) {
		double rows[6];
		struct study s;

		load_one(&s, f);
		ask_awk(f, "END { print NR - 1 }", 0, rows);
		assert_int_equal(s.d.rows_nr, (size_t)rows[0]);
		assert_int_equal(s.a.cells_nr, s.d.rows_nr);
		assert_int_equal(s.a.rounds_max, 1);
		if (f->gbps)
			check_sum(f, &s, &(struct number){METRIC_GBPS, f->gbps, 1});
		for (int i = 0; i < NUMBERS_MAX && f->numbers[i].column; i++)
			check_sum(f, &s, &f->numbers[i]);
		check_unread(f, &s.d);
		study__clear(&s);
	}
}

/* Cells where one-copy is faster than two-copy, and the peak, as awk counts them. */
TEST(counts_of_faster_cells_and_the_peak_are_those_of_awk)
{
	static const char ahead_program[] =
		"NR > 1 { k = $S \" \" $T; v[mode($M), k] = $G; all[k] } END { for (k in all) if "
		"((0, k) in v && (1, k) in v) { n++; a += v[1, k] + 0 > v[0, k] + 0 } print a + 0, "
		"n + 0 }";
	static const char peak_program[] =
		"NR > 1 && $G + 0 > best { best = $G + 0; m = mode($M); s = $S; t = $T } "
		"END { print m, s, t, best }";
	double counted[6];
	struct study s;

	for (const struct foreign *f = files; f < files + FILES_NR; f++) {
		const struct cell *peak;
		struct tally ahead = {0};

		if (!f->gbps)
			continue;
		load_one(&s, f);
		for (size_t i = 0; i < s.a.cells_nr; i++) {
			struct cell *cell = &s.a.cells[i];
			struct finding c = analysis__compare(
				&s.a, cell, analysis__peer(&s.a, cell, MODE_TWOCOPY), METRIC_GBPS);

			if (cell->mode == MODE_ONECOPY)
				tally__add(&ahead, &c);
		}
		ask_awk(f, ahead_program, 0, counted);
		assert_int_equal(ahead.untested_higher, (size_t)counted[0]);
		assert_int_equal(ahead.of, (size_t)counted[1]);
		ask_awk(f, peak_program, 0, counted);
		peak = analysis__peak(&s.a, MODE_NR, METRIC_GBPS);
		assert_int_equal(peak->mode, (int)counted[0]);
		assert_int_equal(peak->size, (uint64_t)(counted[1] * f->size_scale));
		assert_int_equal(peak->threads, (unsigned int)counted[2]);
		study__clear(&s);
	}
}

static bool sentences_say(const struct dataset *d, const char *words)
{
	for (size_t i = 0; i < d->notes_nr; i++)
		if (strstr(d->notes[i], words))
			return true;
	return false;
}

static const struct foreign *file_named(const char *name)
{
	for (const struct foreign *f = files; f < files + FILES_NR; f++)
		if (!strcmp(f->file, name))
			return f;
	fail_msg("no file %s", name);
	return NULL;
}

/* The sentences at the head say how each file was read. */
TEST(head_says_how_the_file_was_read)
{
	static const char *const cases[][2] = {
		{"field-size", "field_size x 8"},
		{"field-size", "'cache_misses'"},
		{"latency-cs", "'latency' in us"},
		{"three-files-latency", "'min_us', 'max_us'"},
		{"total-gbps", "bytes / time differs from the throughput"},
		{"llc-cache-misses", "in 4 rows"},
		{"client-2copy", "client_0copy = zero-copy"},
	};
	struct study s;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		load_one(&s, file_named(cases[i][0]));
		if (!sentences_say(&s.d, cases[i][1]))
			fail_msg("%s: not said: %s", cases[i][0], cases[i][1]);
		study__clear(&s);
	}
}

/* Remedies work: --duration is suggested only if it gives the number. */
TEST(duration_is_suggested_only_if_it_helps)
{
	struct study s;

	for (const struct foreign *f = files; f < files + FILES_NR; f++) {
		bool suggested[METRIC_NR] = {false};

		load_one(&s, f);
		assert_false(says(&s.answers[QUESTION_ZEROCOPY],
				  "neither a ledger nor CPU times nor counters") &&
			     analysis__has(&s.a, METRIC_CYCLES));
		for (int m = METRIC_READ_NR; m < METRIC_NR; m++)
			suggested[m] = !analysis__has(&s.a, (enum metric)m) &&
				       strstr(analysis__reason(&s.a, (enum metric)m), "--duration");
		for (size_t i = 0; i < s.d.rows_nr; i++) {
			s.d.rows[i].value[METRIC_DURATION] = 5;
			metric__derive(s.d.rows[i].value, s.d.rows[i].threads);
		}
		for (int m = METRIC_READ_NR; m < METRIC_NR; m++)
			if (suggested[m] && !analysis__has(&s.a, (enum metric)m))
				fail_msg("%s: --duration gives no %s", f->file,
					 metric__words((enum metric)m));
		study__clear(&s);
	}
}

/* Three files of one experiment become one data set; each number is that of its own file. */
TEST(three_files_are_joined)
{
	static const char *const names[] = {"three-files-throughput", "three-files-latency",
					    "three-files-perf"};
	char path[3][512];
	const char *paths[3];
	struct study s = {0};

	for (int i = 0; i < 3; i++) {
		snprintf(path[i], sizeof(path[i]), "%s", path_of(names[i]));
		paths[i] = path[i];
	}
	if (load(&s, paths, 3))
		fail_msg("%s", message);
	assert_int_equal(s.d.rows_nr, 48);
	assert_int_equal(s.a.cells_nr, 48);
	for (int i = 0; i < 3; i++) {
		const struct foreign *f = file_named(names[i]);

		for (int n = 0; n < NUMBERS_MAX && f->numbers[n].column; n++)
			check_sum(f, &s, &f->numbers[n]);
	}
	for (size_t i = 0; i < s.d.rows_nr; i++) {
		assert_false(isnan(s.d.rows[i].value[METRIC_GBPS]));
		assert_false(isnan(s.d.rows[i].value[METRIC_LATENCY]));
		assert_false(isnan(s.d.rows[i].value[METRIC_CYCLES_PER_BYTE]));
	}
	study__clear(&s);
	/* A file of another experiment is refused. */
	snprintf(path[1], sizeof(path[1]), "%s", path_of("total-gbps"));
	assert_true(load(&s, paths, 2) < 0);
	assert_non_null(strstr(message, "total-gbps.csv, line"));
}

/* A report on latencies alone would answer nothing six times. */
TEST(file_that_answers_no_question_is_refused)
{
	struct study s;

	for (const struct foreign *f = files; f < files + FILES_NR; f++) {
		bool alone = !strcmp(f->file, "three-files-latency");

		load_one(&s, f);
		assert_int_equal(dataset__answerable(&s.d, f->file, message) < 0, alone);
		if (alone)
			assert_non_null(strstr(message, "'max_us'"));
		study__clear(&s);
	}
}
