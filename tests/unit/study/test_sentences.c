/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every sentence of a report and of a comparison, of made-up data that has something to say to each
 * question: the golden files are read by people when they change (UPDATE_GOLDEN=1 rewrites them).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/changes.h"
#include "study/words.h"
#include "write/json.h"
#include "support/golden.c"
#include "support/study.h"

#define ROUNDS 7

static const uint64_t sizes[] = {1024, 16384, 262144};
static const unsigned int threads[] = {1, 8};

/* Off by up to 1.5 %, otherwise in every cell and round; the same in every run of the test. */
static double off(unsigned int *state)
{
	*state = *state * 1103515245 + 12345;
	return 1 + 0.03 * ((double)(*state >> 16 & 0xfff) / 0xfff - 0.5);
}

/* One-copy is behind for small messages and ahead for large ones, zero-copy the other way round. */
static double gbps_of(enum mode mode, double size, double n)
{
	double scale = 10 * n / (1 + 0.08 * n * n) * size / (size + 8192);
	double lead = mode == MODE_TWOCOPY ? 0 : log2(size / 16384) * 0.12;

	return scale * (mode == MODE_ZEROCOPY ? 0.9 - lead / 2 : 1 + lead);
}

static void fill(struct dataset_row *row, unsigned int *state)
{
	double size = (double)row->size, n = row->threads, *v = row->value;
	double copies = row->mode == MODE_TWOCOPY ? 2 : 1;

	v[METRIC_DURATION] = 1;
	v[METRIC_GBPS] = gbps_of(row->mode, size, n) * off(state);
	v[METRIC_RX_BYTES] = v[METRIC_TX_BYTES] = floor(v[METRIC_GBPS] * 1e9 / 8);
	v[METRIC_COPIES] = copies + (row->mode == MODE_ZEROCOPY);
	v[METRIC_CPU_SENDER] = 0.3 * n * copies * off(state);
	v[METRIC_CPU_RECEIVER] = 0.2 * n * off(state);
	v[METRIC_SEND_P50] = size / 10 * copies * off(state);
	v[METRIC_SEND_P99] = v[METRIC_SEND_P50] * 9 * off(state);
	v[METRIC_DELIVERY_P50] = size / 5 * n * off(state);
	v[METRIC_DELIVERY_P99] = v[METRIC_DELIVERY_P50] * (n > 4 ? 40 : 8) * off(state);
	v[METRIC_CYCLES] = v[METRIC_RX_BYTES] * copies * 0.5 * off(state);
	v[METRIC_L1D_MISSES] = v[METRIC_RX_BYTES] / 64 * copies * off(state);
	v[METRIC_LLC_MISSES] = v[METRIC_RX_BYTES] / 640 * (copies + n / 4) * off(state);
	v[METRIC_CONTEXT_SWITCHES] = 1000 * n * n * off(state);
	v[METRIC_BYTES_USER_GATHER] = row->mode == MODE_TWOCOPY ? v[METRIC_TX_BYTES] : 0;
	v[METRIC_BYTES_TX_COPY] = row->mode == MODE_ZEROCOPY ? 0 : v[METRIC_TX_BYTES];
	v[METRIC_BYTES_RX_COPY] = v[METRIC_RX_BYTES];
	if (row->mode != MODE_ZEROCOPY)
		return;
	v[METRIC_BYTES_DEFERRED_COPY] = v[METRIC_TX_BYTES];
	v[METRIC_ZC_SENDS] = v[METRIC_ZC_COMPLETED] = floor(v[METRIC_TX_BYTES] / size);
	v[METRIC_ZC_COPIED] = floor(v[METRIC_ZC_COMPLETED] * 0.75);
	v[METRIC_COPIED_FRACTION] = 0.75;
	row->cause = strdup("local_delivery");
	row->verdict = strdup("Delivered on this machine, so the kernel copied.");
}

/* What is made of the ordinary data. 0 of the last three: all rounds, all that was measured. */
struct knobs {
	double slower; /* throughput of 8 threads, times this */
	double misses; /* those of the modes that copy less, times this */
	double uneven; /* CPU time of every other round, not of the same in all modes, times this */
	double larger; /* throughput of the largest messages, times this */
	unsigned int rounds;
	bool no_counters; /* of caches and cycles */
	bool bare;        /* throughput alone */
};

/* What it lacks. */
static void impoverish(struct dataset_row *row, const struct knobs *k)
{
	static const enum metric counters[] = {METRIC_CYCLES, METRIC_L1D_MISSES, METRIC_LLC_MISSES};

	for (size_t i = 0; k->no_counters && i < sizeof(counters) / sizeof(counters[0]); i++)
		row->value[counters[i]] = (double)NAN;
	for (int m = 0; k->bare && m < METRIC_NR; m++)
		if (m != METRIC_GBPS)
			row->value[m] = (double)NAN;
	if (k->bare) {
		free(row->verdict);
		row->verdict = NULL;
	}
}

static void make_with(struct study *s, const struct knobs *k)
{
	unsigned int state = 1;

	*s = (struct study){0};
	for (int m = 0; m < MODE_NR; m++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++)
				for (unsigned int r = 0; r < (k->rounds ? k->rounds : ROUNDS);
				     r++) {
					struct dataset_row *row = dataset__new_row(&s->d);

					assert_non_null(row);
					row->mode = (enum mode)m;
					row->size = sizes[i];
					row->threads = threads[t];
					row->round = r;
					fill(row, &state);
					if (threads[t] == 8)
						row->value[METRIC_GBPS] *= k->slower;
					if (row->size == sizes[2])
						row->value[METRIC_GBPS] *= k->larger;
					if (row->mode != MODE_TWOCOPY) {
						row->value[METRIC_L1D_MISSES] *= k->misses;
						row->value[METRIC_LLC_MISSES] *= k->misses;
					}
					if ((r + (unsigned int)m) % 2)
						row->value[METRIC_CPU_SENDER] *= k->uneven;
					impoverish(row, k);
				}
	study__finish(s, (double)NAN);
}

static void make(struct study *s, double slower)
{
	make_with(s, &(struct knobs){slower, 1, 1, 1, 0, false, false});
}

static void misses_that_rise(void **state)
{
	struct study s;

	(void)state;
	make_with(&s, &(struct knobs){1, 4, 1, 1, 0, false, false});
	check_says(&s.answers[QUESTION_CACHE],
		   "None: against two-copy neither level's misses fall");
	check_says(&s.answers[QUESTION_CACHE], "lower in 0, higher in 6, inside the noise in 0");
	study__clear(&s);
}

static void costs_that_cannot_be_told_apart(void **state)
{
	struct study s;

	(void)state;
	make_with(&s, &(struct knobs){1, 1, 20, 1, 0, false, false});
	check_says(&s.answers[QUESTION_ZEROCOPY], " %, not to be told apart).");
	study__clear(&s);
}

static void print_answer(FILE *f, const struct answer_text *answer)
{
	fprintf(f, "%s\n%s: %s\n", answer->question, answer->answered ? "answered" : "cannot say",
		answer->headline);
	for (size_t i = 0; i < answer->points_nr; i++)
		fprintf(f, "- %s\n", answer->points[i]);
	for (size_t i = 0; i < answer->evidence_nr; i++) {
		const struct evidence *e = &answer->evidence[i];

		fprintf(f, "  %s of %s %llu %u: %.4g, %.4g to %.4g, %zu\n",
			metric__words(e->metric), mode__name(e->cell->mode),
			(unsigned long long)e->cell->size, e->cell->threads, e->estimate.median,
			e->estimate.low, e->estimate.high, (size_t)e->estimate.n);
	}
}

static void check_answers(const char *name, const struct knobs *k)
{
	static char text[65536];
	FILE *f = fmemopen(text, sizeof(text), "w");
	struct study s;

	make_with(&s, k);
	assert_non_null(f);
	for (int q = 0; q < QUESTION_NR; q++)
		print_answer(f, &s.answers[q]);
	fclose(f);
	golden__check(name, text);
	study__clear(&s);
}

static void answers_say(void **state)
{
	(void)state;
	check_answers("answers", &(struct knobs){1, 1, 1, 1, 0, false, false});
}

/* One run of a cell is a point, three cannot carry a claim, and nothing is said of what is not
 * there. */
static void answers_of_poorer_data_say(void **state)
{
	(void)state;
	check_answers("answers-one-run", &(struct knobs){1, 1, 1, 1, 1, false, false});
	check_answers("answers-three-rounds", &(struct knobs){0.1, 1, 1, 0.2, 3, false, false});
	check_answers("answers-no-counters", &(struct knobs){1, 1, 1, 1, 0, true, false});
	check_answers("answers-throughput", &(struct knobs){0.1, 1, 1, 1, 0, true, true});
	check_answers("answers-noise", &(struct knobs){1, 0.5, 20, 1, 0, false, false});
}

/* Eight threads that give less than one, large messages that give less than smaller ones. */
static void falls_are_said_with_their_cells(void **state)
{
	static char text[65536];
	FILE *f = fmemopen(text, sizeof(text), "w");
	struct study s;

	(void)state;
	make_with(&s, &(struct knobs){0.1, 1, 1, 0.2, 0, false, false});
	assert_non_null(f);
	print_answer(f, &s.answers[QUESTION_UNEXPECTED]);
	fclose(f);
	golden__check("falls", text);
	study__clear(&s);
}

static void check_document(const struct changes *c, const struct changes_names *names)
{
	json_t *document = changes__json(c, names, 0.05);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(json_document__write(f, document), 0);
	fclose(f);
	golden__check("changes-document", text);
	free(text);
	json_decref(document);
}

static void changes_say(void **state)
{
	static const struct changes_names names = {"before", "after", NULL};
	static char text[65536];
	FILE *f = fmemopen(text, sizeof(text), "w");
	bool metrics[METRIC_NR] = {0};
	struct study before, after;
	struct changes c;

	(void)state;
	make(&before, 1);
	make(&after, 0.8);
	assert_non_null(f);
	metrics[METRIC_GBPS] = metrics[METRIC_SEND_P50] = metrics[METRIC_COPIED_FRACTION] = true;
	assert_int_equal(changes__find(&c, &before.a, &after.a, metrics, NULL), 0);
	assert_int_equal(changes__text(&c, &names, true, f), 0);
	fprintf(f, "\nregressions over 5 %%: %zu, over 30 %%: %zu\n",
		changes__regressions(&c, 0.05), changes__regressions(&c, 0.3));
	fclose(f);
	golden__check("changes", text);
	check_document(&c, &names);
	changes__clear(&c);
	study__clear(&before);
	study__clear(&after);
}

static void check_change(double change, const char *words)
{
	char buf[WORDS_BUF];

	assert_string_equal(words__change(buf, sizeof(buf), change), words);
}

/* From ten times on as a factor. */
static void a_change_in_words(void **state)
{
	char buf[WORDS_BUF];

	(void)state;
	check_change(0.125, "+12.5 %");
	check_change(-0.5, "-50.0 %");
	check_change(8.99, "+899.0 %");
	check_change(9, "x 10");
	check_change(99.5, "x 100");
	check_change((double)NAN, "n/a");
	assert_string_equal(words__factor(buf, sizeof(buf), 4, 10), "x 2.5");
	assert_string_equal(words__factor(buf, sizeof(buf), 0, 10), "n/a");
	assert_string_equal(words__factor(buf, sizeof(buf), 1, (double)NAN), "n/a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_in_words),
		cmocka_unit_test(misses_that_rise),
		cmocka_unit_test(costs_that_cannot_be_told_apart),
		cmocka_unit_test(answers_say),
		cmocka_unit_test(answers_of_poorer_data_say),
		cmocka_unit_test(falls_are_said_with_their_cells),
		cmocka_unit_test(changes_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
