/* SPDX-License-Identifier: GPL-2.0-only */
/* Made-up data that answers every question, complete or with gaps; and answers as golden files. */
#ifndef SUPPORT_MADE_UP_H
#define SUPPORT_MADE_UP_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "study.h"
#include "support/test.h"

#define ROUNDS 7

static const uint64_t sizes[] = {1024, 16384, 262144};
static const unsigned int threads[] = {1, 8};

/* Up to 1.5 % off, differently in every cell and round; the same in every run of the test. */
static double off(unsigned int *state)
{
	*state = *state * 1103515245 + 12345;
	return 1 + 0.03 * ((double)(*state >> 16 & 0xfff) / 0xfff - 0.5);
}

/* One-copy is slower for small and faster for large messages, zero-copy the reverse. */
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
	v[METRIC_SOFTIRQ] = v[METRIC_SOFTIRQ_AT_MOST] = 0;
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
	row->verdict = strdup("Delivered on this machine, so the kernel copied.");
}

/* Variations of the ordinary data. Members after `larger` default to 0: all rounds, all metrics. */
struct knobs {
	double slower; /* factor on the throughput of 8 threads */
	double misses; /* factor on the misses of the modes that copy less */
	double uneven; /* factor on the CPU time of every other round, a different one per mode */
	double larger; /* factor on the throughput of the largest messages */
	unsigned int rounds;
	bool no_counters;  /* for caches and cycles */
	bool bare;         /* throughput only */
	unsigned int wild; /* seed of independent numbers in each cell, some of them missing */
};

/* Removes what the variation lacks. */
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

static void make_uneven(struct dataset_row *row, const struct knobs *k)
{
	if (row->threads == 8)
		row->value[METRIC_GBPS] *= k->slower;
	if (row->size == sizes[2])
		row->value[METRIC_GBPS] *= k->larger;
	if (row->mode != MODE_TWOCOPY) {
		row->value[METRIC_L1D_MISSES] *= k->misses;
		row->value[METRIC_LLC_MISSES] *= k->misses;
	}
	if ((row->round + (unsigned int)row->mode) % 2)
		row->value[METRIC_CPU_SENDER] *= k->uneven;
}

/* 0 to 1, a different one for each name; the same in every run of the test. */
static double drawn(unsigned int seed, unsigned int cell, const char *what, const char *of)
{
	uint64_t x = ((uint64_t)seed << 40) + ((uint64_t)cell << 20) + 1;

	for (; *what; what++)
		x = (x ^ (unsigned char)*what) * 0x100000001b3ULL;
	for (; *of; of++)
		x = (x ^ (unsigned char)*of) * 0x100000001b3ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (double)((x ^ x >> 31) >> 11) / (double)(1ULL << 53);
}

/*
 * Each number is multiplied by 1/5 to 5; one in seven is missing. Seeded by the metric's label, so
 * that a new metric leaves the others unchanged.
 */
static void make_wild(struct dataset_row *row, unsigned int seed, unsigned int cell)
{
	for (int m = 0; m < METRIC_NR; m++) {
		const char *words = metric__words((enum metric)m);
		double *v = &row->value[m];

		if (!(*v > 0))
			*v = 985 + 30 * drawn(seed + 100 * (row->round + 1), cell, words, "");
		*v *= exp((2 * drawn(seed, cell, words, " times") - 1) * log(5));
		if (drawn(seed, cell, words, " lacks") < 1 / 7.0)
			*v = (double)NAN;
	}
}

/* The rounds of a cell: of wild data one cell in seven has none, and some have fewer. */
static unsigned int rounds_of(const struct knobs *k, unsigned int cell)
{
	unsigned int all = k->rounds ? k->rounds : ROUNDS;

	if (!k->wild)
		return all;
	if (drawn(k->wild, cell, "rounds", " none") < 1 / 7.0)
		return 0;
	return drawn(k->wild, cell, "rounds", " fewer") < 1 / 4.0 ? (all + 1) / 2 : all;
}

static void make_cell(struct study *s, const struct knobs *k, unsigned int cell,
		      unsigned int *state)
{
	for (unsigned int r = 0; r < rounds_of(k, cell); r++) {
		struct dataset_row *row = dataset__new_row(&s->d);

		assert_non_null(row);
		row->mode = (enum mode)(cell / 6);
		row->size = sizes[cell / 2 % 3];
		row->threads = threads[cell % 2];
		row->round = r;
		fill(row, state);
		make_uneven(row, k);
		impoverish(row, k);
		if (k->wild)
			make_wild(row, k->wild, cell);
	}
}

static void make_with(struct study *s, const struct knobs *k)
{
	unsigned int state = 1;

	*s = (struct study){0};
	for (unsigned int cell = 0; cell < MODE_ALL_NR * 6; cell++)
		make_cell(s, k, cell, &state);
	study__finish(s, (double)NAN);
}

static void make(struct study *s, double slower)
{
	make_with(s, &(struct knobs){slower, 1, 1, 1, .rounds = 0});
}

static void print_answer(FILE *f, const struct answer_text *answer)
{
	fprintf(f, "%s\n%s: %s\n", answer->question, answer->answered ? "answered" : "cannot say",
		answer->headline);
	if (answer->cannot)
		fprintf(f, "%s\n", answer->cannot);
	for (size_t i = 0; i < answer->tables_nr; i++) {
		const struct answer_table *t = &answer->tables[i];

		fprintf(f, "%s\n", t->title);
		for (size_t c = 0; c < t->cells_nr; c++)
			fprintf(f, "%s%s", t->cells[c], (c + 1) % t->columns ? " | " : "\n");
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

#endif
