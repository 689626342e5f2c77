/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stages that cause a difference: findings on made-up samples, and their sentences. Fixed
 * seeds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/stage_findings.h"
#include "support/random.h"
#include "support/study.h"
#include "support/test.h"

#define SIZES  2
#define SETS   1000
#define GATHER 50.0 /* ns per KiB, of two-copy */

struct plan {
	unsigned int rounds, every; /* every: one round in so many is sampled */
	double noise;               /* relative, of the time of a class */
	bool alike;                 /* modes do not differ */
	bool away;                  /* the receiver is on another machine */
};

static double time_of(const struct plan *p, enum mode mode, int size, enum cpu_class c)
{
	switch (c) {
	case CPU_CLASS_GATHER:
		return p->alike || mode == MODE_TWOCOPY ? GATHER : 0;
	case CPU_CLASS_TX_COPY:
		return p->alike || mode != MODE_ZEROCOPY ? 40 : 0;
	case CPU_CLASS_TX_PIN:
		return !p->alike && mode == MODE_ZEROCOPY ? 12 : 0;
	case CPU_CLASS_RX_COPY:
		return 80;
	case CPU_CLASS_TCP_IP: /* more for small messages */
		return 100.0 / (size + 1);
	default:
		return 0;
	}
}

static void fill(struct dataset_row *row, const struct plan *p, int size, uint64_t *seed)
{
	for (int c = 0; c < CPU_CLASS_NR; c++) {
		double time = time_of(p, row->mode, size, (enum cpu_class)c);
		double noisy = fmax(0, time * (1 + p->noise * random_normal(seed)));
		int side = c == CPU_CLASS_RX_COPY ? NIO_SIDE_RECEIVER : NIO_SIDE_SENDER;

		row->value[METRIC_CLASS(NIO_SIDE_SENDER, c)] = side ? 0 : noisy;
		if (!p->away)
			row->value[METRIC_CLASS(NIO_SIDE_RECEIVER, c)] = side ? noisy : 0;
	}
}

static void put(struct study *s, const struct plan *p, int mode, int size, unsigned int round,
		uint64_t *seed)
{
	struct dataset_row *row =
		study__row(s, (enum mode)mode, (uint64_t)1024 << (6 * size), 1, round);

	row->value[METRIC_GBPS] = 10;
	row->value[METRIC_RX_BYTES] = 1e9;
	if (round % p->every == 0)
		fill(row, p, size, seed);
}

static void make(struct study *s, const struct plan *p, uint64_t *seed)
{
	*s = (struct study){0};
	for (unsigned int round = 0; round < p->rounds; round++)
		for (int size = 0; size < SIZES; size++)
			for (int mode = 0; mode <= MODE_ZEROCOPY; mode++)
				put(s, p, mode, size, round, seed);
	study__finish(s, 1);
}

static const struct stage_finding *claim_of(const struct stage_findings *c, enum mode mode,
					    enum cpu_class class)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->list[i].mode == mode && c->list[i].class == class)
			return &c->list[i];
	return NULL;
}

static void check_claim(const struct stage_findings *c, enum mode mode, enum cpu_class class,
			enum difference difference, double value)
{
	const struct stage_finding *s = claim_of(c, mode, class);

	assert_non_null(s);
	if (s->test.difference != difference || fabs(s->test.a - s->test.b - value) > 2.5)
		fail_msg("%s, %s: %d, %g; expected %d, %g", mode__name(mode), cpu_class__key(class),
			 (int)s->test.difference, s->test.a - s->test.b, (int)difference, value);
}

/* 5 of 15 rounds are sampled: too few in one cell, enough in both together. */
STUDY_TEST(class_that_differs_is_found)
{
	const struct plan p = {.rounds = 15, .every = 3, .noise = 0.02};
	struct stage_findings c;
	uint64_t seed = 3;

	make(&study, &p, &seed);
	stage_findings__make(&c, &study.a);
	assert_true(c.both);
	assert_int_equal(claim_of(&c, MODE_ONECOPY, CPU_CLASS_GATHER)->test.n, 10);
	check_claim(&c, MODE_ONECOPY, CPU_CLASS_GATHER, DIFFERENCE_LOWER, -GATHER);
	check_claim(&c, MODE_ZEROCOPY, CPU_CLASS_GATHER, DIFFERENCE_LOWER, -GATHER);
	check_claim(&c, MODE_ZEROCOPY, CPU_CLASS_TX_COPY, DIFFERENCE_LOWER, -40);
	check_claim(&c, MODE_ZEROCOPY, CPU_CLASS_TX_PIN, DIFFERENCE_HIGHER, 12);
	check_claim(&c, MODE_ONECOPY, CPU_CLASS_TX_COPY, DIFFERENCE_NOISE, 0);
	check_claim(&c, MODE_ONECOPY, CPU_CLASS_RX_COPY, DIFFERENCE_NOISE, 0);
	SAYS(CACHE, "CPU samples show: one-copy saves most: gather -");
	SAYS(CACHE, "zero-copy saves most: gather -");
	SAYS(CACHE, "; its largest extra cost: pin +");
	SAYS(CACHE, "one-copy | gather | 0 | ");
	SAYS(CACHE, "| less | -100.0 % to -100.0 %");
	SAYS(CACHE, "one-copy | 3 other classes |  |  |  | no difference");
	/* A class that neither mode has is left out. */
	assert_null(claim_of(&c, MODE_ONECOPY, CPU_CLASS_TX_PIN));
	assert_null(claim_of(&c, MODE_ZEROCOPY, CPU_CLASS_DEFERRED_COPY));
	assert_null(claim_of(&c, MODE_TWOCOPY, CPU_CLASS_GATHER));
}

TEST(noise_gives_no_findings)
{
	const struct plan p = {.rounds = 12, .every = 3, .noise = 0.1, .alike = true};
	unsigned int wrong = 0;
	uint64_t seed = 1;

	for (int set = 0; set < SETS; set++) {
		struct stage_findings c;
		struct study s;
		bool any = false;

		make(&s, &p, &seed);
		stage_findings__make(&c, &s.a);
		for (size_t i = 0; i < c.nr; i++)
			any |= difference__holds(c.list[i].test.difference);
		wrong += any;
		study__clear(&s);
	}
	printf("false claims of a stage: %u of %d\n", wrong, SETS);
	assert_true(wrong <= SETS * RANK_LEVEL);
}

STUDY_TEST(few_samples_claim_nothing)
{
	const struct plan p = {.rounds = 3, .every = 2, .noise = 0.001};
	struct stage_findings c;
	uint64_t seed = 1;

	make(&study, &p, &seed);
	stage_findings__make(&c, &study.a);
	check_claim(&c, MODE_ONECOPY, CPU_CLASS_GATHER, DIFFERENCE_FEW, -GATHER);
	SAYS(CACHE, "one-copy | gather | 0 | ");
	SAYS(CACHE, "| too few samples |");
	SAYS_NOT(CACHE, "saves most");
}

STUDY_TEST(remote_receiver_is_left_out)
{
	const struct plan p = {.rounds = 10, .every = 2, .away = true};
	struct stage_findings c;
	uint64_t seed = 1;

	make(&study, &p, &seed);
	stage_findings__make(&c, &study.a);
	assert_false(c.both);
	assert_null(claim_of(&c, MODE_ONECOPY, CPU_CLASS_RX_COPY));
	SAYS(CACHE, "CPU time by class of the sender from samples");
}

STUDY_TEST(no_samples_give_no_findings)
{
	const struct plan p = {.rounds = 6, .every = 100};
	struct stage_findings c;
	uint64_t seed = 1;

	for (int mode = 0; mode < MODE_NR; mode++)
		put(&study, &p, mode, 0, 1, &seed);
	study__finish(&study, 1);
	stage_findings__make(&c, &study.a);
	assert_int_equal(c.nr, 0);
	SAYS_NOT(CACHE, "CPU samples show");
	SAYS_NOT(CACHE, "CPU time by class");
}

/* A round that a mode lacks is not taken from its next cell. */
STUDY_TEST(rounds_are_matched_within_one_cell)
{
	const struct plan p = {.every = 1};
	struct stage_findings c;
	uint64_t seed = 1;

	for (unsigned int round = 0; round < 3; round++)
		for (int size = 0; size < SIZES; size++)
			put(&study, &p, MODE_TWOCOPY, size, round, &seed);
	for (unsigned int round = 0; round < 2; round++)
		put(&study, &p, MODE_ONECOPY, 0, round, &seed);
	put(&study, &p, MODE_ONECOPY, 1, 2, &seed);
	study__finish(&study, 1);
	stage_findings__make(&c, &study.a);
	assert_non_null(claim_of(&c, MODE_ONECOPY, CPU_CLASS_RX_COPY));
	assert_int_equal(claim_of(&c, MODE_ONECOPY, CPU_CLASS_RX_COPY)->test.n, 3);
}
