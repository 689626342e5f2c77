/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Of simulated runs of equal modes at most 5 % claim any difference, over all comparisons that a
 * run makes; a mode that differs is found. tests/unit/screen/test_text_end.c tests the words.
 */
#include <math.h>
#include <string.h>

#include "model/figures.h"
#include "support/simulated.c"
#include "support/test.h"

#define MODES_MAX  MODE_NR
#define ROUNDS_MAX 12
#define NOISE      0.05

enum run_noise {
	RUN_NOISE_NORMAL,
	RUN_NOISE_HEAVY,
	RUN_NOISE_STATES, /* fast, or slower by a third in one of three rounds */
	RUN_NOISE_COMMON, /* most of the noise is common to the modes of a round */
	RUN_NOISE_NR,
};

static const struct family {
	size_t modes;
	unsigned int rounds;
	double sets; /* of simulated__sets(): large families are slow */
} families[] = {{3, 5, 2}, {3, 12, 0.5}, {8, 5, 0.2}, {8, 12, 0.1}};

static struct run_result runs[MODES_MAX * ROUNDS_MAX];

static double factor(enum run_noise noise, double common, uint64_t *seed)
{
	switch (noise) {
	case RUN_NOISE_HEAVY:
		return fmax(0.1, 1 + NOISE * random_heavy(seed));
	case RUN_NOISE_STATES:
		return (random_uniform(seed) < 1.0 / 3 ? 0.67 : 1) + 0.01 * random_normal(seed);
	case RUN_NOISE_COMMON:
		return 1 + 2 * NOISE * common + NOISE * random_normal(seed);
	default:
		return 1 + NOISE * random_normal(seed);
	}
}

/*
 * Softirq work on other tasks: a third of the CPU time of the processes, and samples that may be of
 * other sockets.
 */
static void add_softirqs(struct run_result *run, uint64_t *seed)
{
	struct cpu_samples *s = &run->cpu.by[NIO_SAMPLE_ELSEWHERE];

	run->cpu.known = true;
	run->cpu.hz = 1000;
	run->cpu.payload = 2500000000;
	s->lost = (uint64_t)(10 * factor(RUN_NOISE_NORMAL, 0, seed));
	s->samples = (uint64_t)(300 * factor(RUN_NOISE_NORMAL, 0, seed));
}

/* Rounds of modes in turns. faster: throughput of the first mode, relative to the others. */
static struct result simulate(const struct family *f, enum run_noise noise, double faster,
			      uint64_t *seed)
{
	struct result r = {.runs = runs, .modes_nr = f->modes, .rounds = f->rounds};

	for (unsigned int round = 0; round < f->rounds; round++) {
		double common = random_normal(seed), cpu_common = random_normal(seed);

		for (size_t m = 0; m < f->modes; m++) {
			struct run_result *run = &runs[r.runs_nr++];
			double gbps = 20 * (m ? 1 : faster) * factor(noise, common, seed);
			double cpu = 1e9 * factor(noise, cpu_common, seed);

			*run = (struct run_result){.mode = (enum mode)m, .duration_ns = 1000000000};
			run->app.rx_bytes = (uint64_t)(gbps * 1e9 / 8);
			run->app.sender_cpu_ns =
				num__known((uint64_t)(cpu * (double)run->app.rx_bytes / 2.5e9));
			run->app.receiver_cpu_ns = num__known(0);
			add_softirqs(run, seed);
		}
	}
	return r;
}

/* Does the ranking call any mode better than another? */
static bool names(const struct ranking *r)
{
	return r->known > 1 && !r->early && !r->all_tie;
}

/* Does the text, or the live view after the rounds made so far, claim any difference? */
static bool claims(const struct result *r)
{
	struct ranking fastest = figures__ranking(r, run_result__gbps, false, true);
	struct ranking cheapest = figures__cheapest(r);
	struct rank_test t;

	figures__compare(&t, r, MODE_ZEROCOPY, MODE_ONECOPY);
	return names(&fastest) || names(&cheapest) || t.difference >= DIFFERENCE_HIGHER;
}

/* claims() after any round, since the user may end the live view there (`q`), or at the end. */
static bool claims_ever(struct result r)
{
	size_t all = r.runs_nr;
	bool ever = claims(&r);

	for (r.runs_nr = 4 * r.modes_nr; r.runs_nr < all; r.runs_nr += r.modes_nr) {
		ever |= claims(&r);
		/* The round after it is cut short. */
		r.interrupted = runs[r.runs_nr++].interrupted = true;
		ever |= claims(&r);
		r.interrupted = runs[--r.runs_nr].interrupted = false;
	}
	return ever;
}

TEST(equal_modes_are_called_different_in_5_percent_of_runs_at_most)
{
	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		for (int noise = 0; noise < RUN_NOISE_NR; noise++) {
			unsigned int found = 0,
				     sets = (unsigned int)(simulated__sets() * families[i].sets);
			uint64_t seed = 100 * i + (uint64_t)noise;

			for (unsigned int set = 0; set < sets; set++)
				found += claims_ever(
					simulate(&families[i], (enum run_noise)noise, 1, &seed));
			print_message("%zu modes, %u rounds, noise %d: %u of %u\n",
				      families[i].modes, families[i].rounds, noise, found, sets);
			/* Fewer sets than 1000 leave room for chance. */
			assert_true(found <= 0.05 * sets + (sets < 1000) * 3 * sqrt(0.0475 * sets));
		}
}

/* Where a mode's softirqs run, as steered packets are. */
enum softirqs {
	SOFTIRQS_BY_MODE,  /* all rounds of a mode in the processes, or all on other tasks */
	SOFTIRQS_BY_ROUND, /* each round at random */
	SOFTIRQS_NR,
};

/*
 * Rounds of modes with the same CPU time (the first has `cheaper` of it), of which a third is
 * softirq work: in the processes, or on other tasks, where the sampled round finds `samples` of it
 * on average. Of the third mode, a quarter of these may be for others.
 */
static struct result simulate_softirqs(const struct family *f, enum softirqs where, double samples,
				       double cheaper, uint64_t *seed)
{
	struct result r = simulate(f, RUN_NOISE_NORMAL, 1, seed);
	bool out[MODES_MAX] = {false};

	for (size_t m = 0; m < f->modes; m++)
		out[m] = splitmix__next(seed) & 1;
	for (size_t i = 0; i < r.runs_nr; i++) {
		struct run_result *run = &runs[i];
		struct cpu_samples *s = &run->cpu.by[NIO_SAMPLE_ELSEWHERE];
		bool by_mode = where == SOFTIRQS_BY_MODE, is_out = out[run->mode];
		double cost = run->mode ? 1 : cheaper;
		double total =
			cost * (1 + 0.01 * random_normal(seed)) * (double)run->app.rx_bytes / 2.5;

		is_out = by_mode ? is_out : splitmix__next(seed) & 1;
		run->app.sender_cpu_ns = num__known((uint64_t)(is_out ? total * 2 / 3 : total));
		/* 1 s for 2.5 GB: a third is 1 ms, which is 1 sample, for 7.5 MB. */
		run->cpu.payload = (uint64_t)(7.5e6 * samples);
		/* The round that is sampled is another one. */
		is_out = by_mode ? is_out : splitmix__next(seed) & 1;
		s->samples = is_out ? random_poisson(cost * samples, seed) : 0;
		s->lost = run->mode % 3 == 2 ? s->samples / 4 : 0;
		s->samples -= s->lost;
	}
	return r;
}

TEST(equal_totals_have_no_cheapest_mode_wherever_softirqs_run)
{
	static const double samples[] = {0.1, 1, 10};

	for (size_t i = 0; i < 4 * ARRAY_LEN(samples); i++) {
		const struct family *f = &families[i / 2 / ARRAY_LEN(samples)];
		double mean = samples[i / 2 % ARRAY_LEN(samples)];
		unsigned int found = 0, sets = (unsigned int)(simulated__sets() * f->sets / 10);
		enum softirqs where = i % SOFTIRQS_NR;
		uint64_t seed = i;

		for (unsigned int set = 0; set < sets; set++)
			found += claims_ever(simulate_softirqs(f, where, mean, 1, &seed));
		print_message("%zu modes, %u rounds, %.1f samples, %s: %u of %u\n", f->modes,
			      f->rounds, mean, where == SOFTIRQS_BY_MODE ? "by mode" : "by round",
			      found, sets);
		/* The throughput has noise, too. */
		assert_true(found <= 0.05 * sets + 3 * sqrt(0.0475 * sets));
	}
}

/* 90 samples of a round, 30 of them of softirqs: their noise is less than half. */
TEST(a_cheaper_mode_is_found_wherever_softirqs_run)
{
	const struct family f = {3, 5, 0.1};
	unsigned int found = 0, sets = (unsigned int)(simulated__sets() * f.sets);
	uint64_t seed = 9;

	for (unsigned int set = 0; set < sets; set++) {
		struct result r = simulate_softirqs(&f, SOFTIRQS_BY_MODE, 30, 0.5, &seed);
		struct ranking best = figures__cheapest(&r);

		found += names(&best) && best.best == MODE_TWOCOPY && !best.ties[MODE_ONECOPY];
	}
	simulated__check_at_least(found, sets, 0.9);
}

TEST(a_faster_mode_is_found_by_the_rounds_of_a_run)
{
	static const struct {
		unsigned int rounds;
		double faster, share;
	} effects[] = {{5, 1.3, 0.95}, {5, 1.2, 0.8}, {12, 1.1, 0.7}, {12, 1.15, 0.95}};

	for (size_t i = 0; i < ARRAY_LEN(effects); i++) {
		const struct family f = {3, effects[i].rounds, 0.25};
		unsigned int found = 0, sets = (unsigned int)(simulated__sets() * f.sets);
		uint64_t seed = 7;

		for (unsigned int set = 0; set < sets; set++) {
			struct result r = simulate(&f, RUN_NOISE_NORMAL, effects[i].faster, &seed);
			struct ranking best = figures__ranking(&r, run_result__gbps, false, true);

			found += names(&best) && best.best == MODE_TWOCOPY &&
				 !best.ties[MODE_ONECOPY] && !best.ties[MODE_ZEROCOPY];
		}
		print_message("x %.2f in %u rounds: %u of %u\n", effects[i].faster,
			      effects[i].rounds, found, sets);
		simulated__check_at_least(found, sets, effects[i].share);
	}
}

TEST(a_run_needs_the_rounds_of_the_guides_table)
{
	static const struct {
		size_t modes;
		unsigned int rounds;
	} needed[] = {{1, 4}, {2, 5}, {3, 5}, {4, 6}, {5, 6}, {6, 7}, {8, 7}};

	for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
		struct result r = {.modes_nr = needed[i].modes};

		assert_int_equal(figures__comparisons(&r), needed[i].modes * (needed[i].modes - 1));
		assert_int_equal(figures__rounds_needed(&r), needed[i].rounds);
	}
}
