// SPDX-License-Identifier: GPL-2.0-only
/* When events are watched, and what the windows tell: simulated programs of known mixes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/splitmix.h"
#include "common/xalloc.h"
#include "model/event_windows.h"
#include "model/sampled_share.h"
#include "support/test.h"

#define MS 1000000ULL
#define S  (1000 * MS)

/* A program that sends 1 MB a second, of which kind 0 has 0.6; a machine on which others cause
 * `others` events a second. */
struct scene {
	uint64_t watched, others;  /* events a second */
	uint64_t begin_ns, end_ns; /* of sending */
};

struct outcome {
	struct event_windows w;
	struct sampled_sums sums;
	double bytes;
	double attached_ns, steps_ns;
	double cost_ns[WINDOW_PHASES]; /* CPU time of events and attaching, by phase of attach */
	uint64_t starts[400];          /* of windows, within their second */
	size_t windows;
};

static double *cost_at(struct outcome *o, uint64_t now)
{
	return &o->cost_ns[now > 60 * S ? 2 : now > 5 * S];
}

static void simulate(struct outcome *o, const struct scene *s, const struct window_rule *rule,
		     uint64_t seed, uint64_t ns)
{
	double bytes[SAMPLED_PARTS] = {0};
	struct window_load load = {0};
	uint64_t from = 0;

	*o = (struct outcome){0};
	event_windows__begin(&o->w, rule, 0, seed, load);
	for (uint64_t now = MS; now <= ns; now += MS) {
		bool sends = now > s->begin_ns && now <= s->end_ns;

		o->bytes += sends ? 1000 : 0;
		if (o->w.attached) {
			uint64_t watched = sends ? s->watched / 1000 : 0;

			load.watched += watched;
			load.others += s->others / 1000;
			bytes[0] += sends ? 600 : 0;
			bytes[1] += sends ? 400 : 0;
			o->attached_ns += MS;
			*cost_at(o, now) += (double)watched * 360 + (double)s->others / 1000 * 130;
		}
		load.moves = sends;
		if (now < o->w.due_ns)
			continue;
		if (o->w.attached) {
			sampled_sums__add(&o->sums, bytes, 3, !o->w.in_windows,
					  (double)o->w.period_ns / (double)(now - from));
			bytes[0] = bytes[1] = 0;
		}
		from = now;
		if (event_windows__step(&o->w, now, load) != WINDOW_ATTACH)
			continue;
		*cost_at(o, now) += 2 * MS;
		if (o->windows < 400)
			o->starts[o->windows++] = now % S;
	}
	o->sums.scale = event_windows__scale(&o->w, ns);
}

static const struct scene busy = {2000, 1000000, 0, UINT64_MAX};

TEST(everything_up_to_10_percent_of_a_cpu_is_watched_in_the_first_5_s)
{
	struct scene web = {10000, 700000, 0, UINT64_MAX}; /* 9.5 % */
	struct outcome o;

	simulate(&o, &web, &window_rule_attach, 1, 5 * S);
	assert_true(o.w.attached && !o.w.sampled);
	assert_true(o.attached_ns == 5. * S);
	assert_true(fabs(o.w.spent_ns - o.cost_ns[0]) < 3. * MS);
}

/* Also where the shortest window in each 0.1 s would cost more. A step of 1 ms lengthens windows.
 */
TEST(each_phase_keeps_its_budget)
{
	const uint64_t others[] = {200000, 1000000, 3000000};
	struct window_rule steady = window_rule__steady(WINDOW_BUDGET_STEADY);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct scene s = {100000, others[i], 0, UINT64_MAX};
		struct outcome o;

		simulate(&o, &s, &window_rule_attach, i, 160 * S);
		assert_true(o.cost_ns[0] < 0.11 * 5 * S);
		assert_true(o.cost_ns[1] < 0.023 * 55 * S);
		assert_true(o.cost_ns[2] < 0.0045 * 100 * S);
		simulate(&o, &s, &steady, i, 160 * S);
		assert_true(o.cost_ns[0] + o.cost_ns[1] + o.cost_ns[2] < 0.0045 * 160 * S);
	}
}

TEST(quiet_service_beside_a_busy_one_has_a_narrow_interval_within_10_s)
{
	struct sampled_share share;
	struct outcome o;

	simulate(&o, &busy, &window_rule_attach, 2, 10 * S);
	share = sampled_share__of(&o.sums, 1, 3, o.bytes);
	assert_true(share.known && share.high - share.low < 0.1);
	assert_true(o.attached_ns > 2.5 * S);
}

TEST(programs_stay_attached_while_events_are_within_the_budget)
{
	struct scene quiet = {5000, 10000, 0, UINT64_MAX};
	struct outcome o;

	simulate(&o, &quiet, &window_rule_attach, 3, 20 * S);
	assert_false(o.w.sampled);
	/* A busy neighbour that ends: they are attached again. */
	simulate(&o, &busy, &window_rule_attach, 3, 5 * S);
	assert_true(o.w.in_windows);
	for (uint64_t now = 5 * S; o.w.in_windows && now < 10 * S; now += MS)
		event_windows__step(&o.w, now,
				    (struct window_load){.watched = o.w.at.watched,
							 .others = o.w.at.others,
							 .moves = true});
	assert_false(o.w.in_windows);
	assert_int_equal(o.w.weight, 1);
}

static double rate_of(const struct window_rule *rule, uint64_t ns, struct window_load load)
{
	struct event_windows w;

	event_windows__begin(&w, rule, 7, 1, (struct window_load){0});
	event_windows__step(&w, 7 + ns, load);
	return w.rate;
}

/* Events of other sockets are a difference of two counts, one of which may be read later. */
TEST(counts_that_go_back_cost_nothing_and_any_rate_has_a_period)
{
	struct window_rule steady = window_rule__steady(WINDOW_BUDGET_STEADY);
	struct window_load load = {.watched = 5, .others = 100};
	struct event_windows w;

	event_windows__begin(&w, &steady, 0, 1, load);
	load.others = 10;
	assert_int_equal(event_windows__step(&w, S, load), WINDOW_STAY);
	assert_true(event_windows__spent_ns(&w, load) < 10. * MS);
	load.others = UINT64_MAX;
	assert_int_equal(event_windows__step(&w, 2 * S, load), WINDOW_DETACH);
	assert_true(w.weight > 0 && w.window_ns > 0);
	assert_true(w.due_ns < 2 * 3600 * S);
}

TEST(the_rate_of_events_is_theirs_in_a_second)
{
	struct window_rule rule = {.events = 1, .period_ns = 10, .window_ns = 1};
	struct window_load load = {.watched = 100};
	const double cost = rate_of(&rule, 1000, load) / 1e6;

	assert_true(cost > 0);
	assert_true(fabs(rate_of(&rule, 1, load) / (cost * 1e9) - 1) < 1e-9);
}

/* The credit after a second in which others caused 100000 events, and watched sockets `watched`. */
static double credit_of(double idle_budget, uint64_t watched)
{
	struct window_rule rule = {.events = 1,
				   .period_ns = S,
				   .window_ns = MS,
				   .idle_budget = idle_budget,
				   .phases = {{.budget = 1e6, .credit = 1e9}}};
	struct event_windows w;

	event_windows__begin(&w, &rule, 0, 1, (struct window_load){0});
	event_windows__step(&w, S, (struct window_load){.watched = watched, .others = 100000});
	return w.credit;
}

TEST(less_is_saved_while_no_watched_socket_moves_bytes)
{
	assert_true(fabs(credit_of(6e5, 0) - credit_of(1e5, 0) - 5e5) < 1);
	/* Never more than the budget. */
	assert_true(fabs(credit_of(1e9, 0) - credit_of(6e5, 0) - 4e5) < 1);
	assert_true(credit_of(6e5, 1) == credit_of(1e5, 1));
}

TEST(no_window_opens_while_no_watched_socket_moves_bytes)
{
	struct scene idle = {0, 1000000, 0, 0};
	struct outcome o;

	simulate(&o, &idle, &window_rule_attach, 4, 20 * S);
	assert_int_equal(o.windows, 0);
	assert_true(o.w.sampled);
}

TEST(programs_that_have_to_stay_attached_are_attached_at_once)
{
	struct outcome o;

	simulate(&o, &busy, &window_rule_attach, 5, 5 * S);
	while (o.w.attached)
		event_windows__step(&o.w, o.w.due_ns, o.w.at);
	assert_int_equal(event_windows__step(&o.w, 5 * S + MS, (struct window_load){.keep = true}),
			 WINDOW_WHOLE);
	assert_true(o.w.attached);
	assert_int_equal(o.w.weight, 1);
}

/* One window a period, at moments that cover the second evenly. */
TEST(windows_open_at_random_moments)
{
	struct scene steady = {2000, 1000000, 0, UINT64_MAX};
	size_t quarters[4] = {0};
	struct outcome o;

	simulate(&o, &steady, &window_rule_attach, 6, 200 * S);
	assert_in_range(o.windows, 100, 400);
	for (size_t i = 0; i < o.windows; i++)
		quarters[o.starts[i] / (S / 4)]++;
	for (int i = 0; i < 4; i++)
		assert_in_range(quarters[i], o.windows / 8, o.windows / 2);
}

TEST(windows_of_a_run_last_50_ms_of_500_or_until_2000_events)
{
	struct scene run = {1000000, 0, 0, UINT64_MAX}, slow = {20000, 0, 0, UINT64_MAX};
	struct outcome o;

	simulate(&o, &run, &window_rule_run, 7, 20 * S);
	assert_in_range(o.attached_ns / MS, 1900, 2200);
	simulate(&o, &slow, &window_rule_run, 8, 20 * S);
	assert_in_range(o.attached_ns / MS, 3800, 4600);
}

/* A program with rates of two kinds, in bytes a ms; others keep the events above the budget. */
struct shape {
	const char *name;
	uint64_t ms;
	double (*rate)(const struct shape *s, int kind, uint64_t ms);
	uint64_t first, every, length; /* of bursts of kind 1, in ms */
	double plain, burst;           /* bytes a ms */
};

static double burst_rate(const struct shape *s, int kind, uint64_t ms)
{
	bool inside = ms >= s->first && (ms - s->first) % s->every < s->length;

	return kind ? (inside ? s->burst : 0) : s->plain;
}

/* Kind 1 takes turns with kind 0. */
static double turn_rate(const struct shape *s, int kind, uint64_t ms)
{
	bool inside = ms >= s->first && (ms - s->first) % s->every < s->length;

	if (kind)
		return inside ? s->burst : 0;
	return inside ? 0 : s->plain;
}

static double constant_rate(const struct shape *s, int kind, uint64_t ms)
{
	(void)ms;
	return kind ? s->burst : s->plain;
}

static double ramp_rate(const struct shape *s, int kind, uint64_t ms)
{
	return kind ? s->burst * (double)ms / (double)s->ms : s->plain;
}

static const struct shape shapes[] = {
	{"100 MB in 50 ms every 3 s", 20000, burst_rate, 3500, 3000, 50, 6000, 2e6},
	{"50 MB in 20 ms every 5 s", 20000, burst_rate, 4000, 5000, 20, 6000, 2.5e6},
	{"the first for 60 s", 60000, burst_rate, 3500, 3000, 50, 6000, 2e6},
	{"500 MB in 100 ms every 10 s", 60000, burst_rate, 5000, 10000, 100, 6000, 5e6},
	{"1 GB in 500 ms every 5 s", 20000, burst_rate, 4000, 5000, 500, 6000, 2e6},
	{"a single burst", 12000, burst_rate, 7000, 100000, 120, 4000, 8e5},
	{"5 ms of 500 ms", 20000, burst_rate, 0, 500, 5, 1000, 50000},
	{"turns of 50 ms at 20 times the rate", 20000, turn_rate, 0, 1000, 50, 1000, 20000},
	{"turns of half a second", 20000, turn_rate, 0, 1000, 500, 1000, 1000},
	{"one kind, then the other", 20000, turn_rate, 10000, 100000, 10000, 1000, 1000},
	{"a rate that grows", 20000, ramp_rate, 0, 0, 0, 3000, 8000},
	{"constant rates", 20000, constant_rate, 0, 0, 0, 600, 400},
};

/* Bytes of both kinds up to each ms. The caller frees it. */
static double (*sums_of(const struct shape *s))[2]
{
	double(*sums)[2] = xcalloc(s->ms + 1, sizeof(*sums));

	for (uint64_t ms = 0; ms < s->ms; ms++)
		for (int kind = 0; kind < 2; kind++)
			sums[ms + 1][kind] = sums[ms][kind] + s->rate(s, kind, ms);
	return sums;
}

/* Watches a shape from its begin to its end. */
static struct sampled_sums watch(const struct shape *s, double (*sums)[2],
				 const struct window_rule *rule, uint64_t seed)
{
	struct sampled_sums seen = {0};
	struct event_windows w;
	uint64_t from = 0, now = 0;

	event_windows__begin(&w, rule, 0, seed, (struct window_load){0});
	for (;;) {
		struct window_load load = {.watched = 2 * now, .others = 1000 * now, .moves = true};
		double bytes[SAMPLED_PARTS] = {0};

		for (int kind = 0; kind < 2; kind++)
			bytes[kind] = sums[now][kind] - sums[from][kind];
		if (w.attached && now)
			sampled_sums__add(&seen, bytes, 3, !w.in_windows,
					  (double)w.period_ns / ((double)(now - from) * MS));
		from = now;
		event_windows__step(&w, now * MS, load);
		if (w.due_ns > s->ms * MS)
			break;
		now = (w.due_ns + MS - 1) / MS > now ? (w.due_ns + MS - 1) / MS : now + 1;
	}
	seen.scale = event_windows__scale(&w, s->ms * MS);
	return seen;
}

/* Of 1000 intervals of 95 % at most 80 may miss the truth, of every shape and both kinds. */
static void check_intervals(const struct shape *s, const struct window_rule *rule)
{
	double(*sums)[2] = sums_of(s);
	double all = sums[s->ms][0] + sums[s->ms][1], widest = 0;
	unsigned int missed[2] = {0};

	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct sampled_sums seen = watch(s, sums, rule, seed);

		for (int kind = 0; kind < 2; kind++) {
			struct sampled_share share = sampled_share__of(&seen, 1U << kind, 3, all);
			double truth = sums[s->ms][kind] / all;

			assert_true(share.low <= share.share && share.share <= share.high);
			missed[kind] += truth < share.low - 1e-9 || truth > share.high + 1e-9;
			widest = fmax(widest, share.high - share.low);
		}
	}
	free(sums);
	if (missed[0] > 80 || missed[1] > 80)
		fail_msg("%s: %u and %u of 1000 miss", s->name, missed[0], missed[1]);
	if (s->rate == constant_rate)
		assert_true(widest < 0.13);
}

TEST(intervals_hold_for_bursts_turns_and_constant_rates)
{
	struct window_rule steady = window_rule__steady(WINDOW_BUDGET_STEADY);

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		check_intervals(&shapes[i], &window_rule_attach);
		check_intervals(&shapes[i], &steady);
	}
}

/*
 * Where the interval fails, by these simulations: bursts that come once in some seconds. Of 300
 * intervals, 34 miss a transfer of 50 MB in 20 ms once in 5 s among small ones, and 14 miss 50
 * connections at a time once in 2.5 s: one that a window met counts for those that none met.
 *
 * Connections of one port: each moves a header by kind 0, then a body by the kind of the
 * connection. Both kinds arrive at random moments, or `together` at a time.
 */
struct traffic {
	const char *name;
	double per_s[2];    /* connections */
	double size[2];     /* bytes of a body: the median */
	double spread;      /* of sizes: a standard deviation of their logarithm */
	unsigned int ms[2]; /* that a body takes */
	unsigned int together;
	double widest; /* mean width of the intervals, less than this; 0: any */
};

#define TRAFFIC_MS 20000
#define TRIES      100

static const struct traffic traffics[] = {
	{"downloads by one way", {0, 1000}, {0, 20000}, 0, {1, 1}, 1, 0.18},
	{"a kind by connection", {500, 500}, {20000, 20000}, 1, {1, 1}, 1, 0},
	{"small ones copied, large ones by reference", {2000, 20}, {500, 1e6}, 1, {1, 8}, 1, 0},
	{"slow and fast ones", {300, 50}, {50000, 50000}, 0.5, {1, 2000}, 1, 0},
	{"few and large", {20, 2}, {10000, 1e6}, 1, {1, 5}, 1, 0},
	{"50 at a time", {1000, 500}, {5000, 50000}, 0.5, {2, 2}, 50, 0},
	{"sizes over four orders of magnitude", {500, 100}, {2000, 20000}, 2, {1, 3}, 1, 0},
	{"heavy tails, few", {20, 2}, {10000, 1e5}, 2.5, {1, 5}, 1, 0},
	{"heavy tails", {500, 100}, {2000, 20000}, 3, {1, 3}, 1, 0},
	{"one of 50 MB in 20 ms each second", {500, 1}, {5000, 5e7}, 0.5, {1, 20}, 1, 0},
	{"a rare kind", {3000, 5}, {5000, 5000}, 0.5, {1, 1}, 1, 0.15},
};

/* From 0 to 1. */
static double unit(uint64_t *random)
{
	return (double)(splitmix__next(random) >> 11) * 0x1p-53;
}

/* From the sum of uniform numbers. */
static double normal(uint64_t *random)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += unit(random);
	return sum;
}

static void add_connection(double (*sums)[2], const struct traffic *t, int kind, unsigned int at,
			   uint64_t *random)
{
	double body = t->size[kind] * exp(t->spread * normal(random)) / t->ms[kind];

	sums[at + 1][0] += 250;
	for (unsigned int i = 0; i < t->ms[kind] && at + i < TRAFFIC_MS; i++)
		sums[at + i + 1][kind] += body;
}

/* Bytes of both kinds up to each ms. */
static void make_traffic(double (*sums)[2], const struct traffic *t, uint64_t seed)
{
	uint64_t random = seed;

	memset(sums, 0, (TRAFFIC_MS + 1) * sizeof(*sums));
	for (int kind = 0; kind < 2; kind++) {
		double chance = t->per_s[kind] / 1000 / t->together / 4;

		for (unsigned int i = 0; i < 4 * TRAFFIC_MS; i++)
			for (unsigned int j = unit(&random) < chance ? t->together : 0; j; j--)
				add_connection(sums, t, kind, i / 4, &random);
	}
	for (unsigned int ms = 0; ms < TRAFFIC_MS; ms++)
		for (int kind = 0; kind < 2; kind++)
			sums[ms + 1][kind] += sums[ms][kind];
}

static void check_traffic(const struct traffic *t, const struct window_rule *rule)
{
	const struct shape shape = {.name = t->name, .ms = TRAFFIC_MS};
	double(*sums)[2] = xcalloc(TRAFFIC_MS + 1, sizeof(*sums)), width = 0;
	unsigned int missed = 0;

	for (uint64_t seed = 0; seed < TRIES; seed++) {
		struct sampled_sums seen;
		struct sampled_share share;
		double all, truth;

		make_traffic(sums, t, seed);
		all = sums[TRAFFIC_MS][0] + sums[TRAFFIC_MS][1];
		truth = sums[TRAFFIC_MS][1] / all;
		seen = watch(&shape, sums, rule, seed);
		share = sampled_share__of(&seen, 2, 3, all);
		missed += truth < share.low - 1e-9 || truth > share.high + 1e-9;
		width += (share.high - share.low) / TRIES;
	}
	free(sums);
	if (missed > 8)
		fail_msg("%s: %u of %d miss", t->name, missed, TRIES);
	if (t->widest > 0)
		assert_true(width < t->widest);
}

TEST(intervals_of_a_group_hold_for_mixes_of_connections)
{
	struct window_rule steady = window_rule__steady(WINDOW_BUDGET_STEADY);

	for (size_t i = 0; i < sizeof(traffics) / sizeof(traffics[0]); i++) {
		check_traffic(&traffics[i], &window_rule_attach);
		check_traffic(&traffics[i], &steady);
	}
}

TEST(one_window_bounds_by_the_bytes_seen_and_no_byte_has_no_share)
{
	double bytes[SAMPLED_PARTS] = {30, 70};
	struct sampled_sums sums = {0};
	struct sampled_share share = sampled_share__of(&sums, 1, 3, 100);

	assert_false(share.known);
	assert_true(share.low == 0 && share.high == 1);
	sampled_sums__add(&sums, bytes, 3, false, 10);
	share = sampled_share__of(&sums, 1, 3, 1000);
	assert_true(share.known && fabs(share.low - 0.03) < 1e-12);
	assert_true(fabs(share.high - 0.93) < 1e-12);
	/* One byte in one window stands for the nine of its kind that were not seen. */
	sums = (struct sampled_sums){0};
	sampled_sums__add(&sums, (double[SAMPLED_PARTS]){1}, 3, false, 1);
	share = sampled_share__of(&sums, 1, 3, 10);
	assert_true(share.share == 1 && share.high == 1);
	/* All was seen: exact. */
	sums = (struct sampled_sums){0};
	sampled_sums__add(&sums, bytes, 3, true, 1);
	share = sampled_share__of(&sums, 1, 3, 100);
	assert_true(fabs(share.low - 0.3) < 1e-12 && fabs(share.high - 0.3) < 1e-12);
	/* Half was seen: the rest may be anything. */
	share = sampled_share__of(&sums, 1, 3, 200);
	assert_true(fabs(share.low - 0.15) < 1e-12 && fabs(share.high - 0.65) < 1e-12);
}
