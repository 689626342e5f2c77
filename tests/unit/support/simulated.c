/* SPDX-License-Identifier: GPL-2.0-only */
/* Made-up data with known effects; see simulated.h. */
#include <math.h>
#include <stdlib.h>

#include "random.h"
#include "simulated.h"
#include "support/test.h"

#define ALL_SETS 1000

const char *const noise_names[NOISE_NR] = {"plain", "drifting", "heavy-tailed", "unequal"};

unsigned int simulated__sets(void)
{
	const char *sets = getenv("NETIOTRACE_CLAIM_SETS");

	return sets ? (unsigned int)strtoul(sets, NULL, 10) : ALL_SETS;
}

static double chance(unsigned int n, double share)
{
	return simulated__sets() < ALL_SETS ? 3 * sqrt(n * share * (1 - share)) : 0;
}

void simulated__check_at_most(unsigned int found, unsigned int n, double share)
{
	assert_true(found <= n * share + chance(n, share));
}

void simulated__check_at_least(unsigned int found, unsigned int n, double share)
{
	assert_true(found >= n * share - chance(n, share));
}

static double scale_of(const struct simulated_plan *p, int size, int threads)
{
	static const double scales[] = {0.3, 1, 3, 0.5, 2};

	return p->noise == NOISE_UNEQUAL ? scales[(size * SIMULATED_THREADS + threads) % 5] : 1;
}

static void put(struct simulated *s, const struct simulated_plan *p, int mode, int size,
		int threads, unsigned int round, double noise, double cpu_noise)
{
	struct dataset_row *row = dataset__new_row(&s->d);
	double gbps = 10 * (size + 1) * (1 + noise);

	assert_non_null(row);
	if (mode == MODE_ONECOPY && (p->size == size || p->size == -1) &&
	    (p->threads == threads || p->threads == -1))
		gbps *= 1 + p->effect;
	row->mode = (enum mode)mode;
	row->size = (uint64_t)1024 << (2 * size);
	row->threads = 1U << threads;
	row->round = round;
	row->value[METRIC_GBPS] = gbps;
	row->value[METRIC_RX_BYTES] = 1e9;
	row->value[METRIC_CPU_SENDER] = 0.3 * (1 + cpu_noise);
	row->value[METRIC_CPU_RECEIVER] = 0.2;
	row->value[METRIC_SOFTIRQ] = row->value[METRIC_SOFTIRQ_AT_MOST] = 0;
}

static double draw(const struct simulated_plan *p, uint64_t *seed)
{
	return p->noise == NOISE_HEAVY ? random_heavy(seed) : random_normal(seed);
}

void simulated__make(struct simulated *s, const struct simulated_plan *p, uint64_t *seed)
{
	*s = (struct simulated){0};
	for (unsigned int round = 0; round < p->rounds; round++) {
		double drift = 0;

		if (p->noise == NOISE_DRIFT)
			drift = SIMULATED_NOISE * random_normal(seed) + 0.02 * round;
		for (int mode = 0; mode <= MODE_ZEROCOPY; mode++)
			for (int size = 0; size < SIMULATED_SIZES; size++)
				for (int t = 0; t < SIMULATED_THREADS; t++) {
					double scale = SIMULATED_NOISE * scale_of(p, size, t);
					double x = fmax(-0.9, drift + scale * draw(p, seed));

					put(s, p, mode, size, t, round, x,
					    drift + scale * draw(p, seed));
				}
	}
	dataset__finish(&s->d, 1);
	analysis__init(&s->a, &s->d);
}

void simulated__clear(struct simulated *s)
{
	analysis__clear(&s->a);
	dataset__clear(&s->d);
}
