// SPDX-License-Identifier: GPL-2.0-only
/* When events are watched, and what the windows tell: simulated programs of known mixes. */
#include <math.h>
#include <stdlib.h>

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
	double cost_late_ns;  /* CPU time of events and of attaching after the first 4 s */
	uint64_t starts[400]; /* of windows, within their second */
	size_t windows;
};

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
			if (now > 4 * S)
				o->cost_late_ns +=
					(double)watched * 360 + (double)s->others / 1000 * 130;
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
		if (now > 4 * S)
			o->cost_late_ns += 2 * MS;
		if (o->windows < 400)
			o->starts[o->windows++] = now % S;
	}
	o->sums.scale = event_windows__scale(&o->w, ns);
}

static const struct scene busy = {2000, 1000000, 0, UINT64_MAX};

TEST(everything_is_watched_in_the_first_3_s)
{
	struct outcome o;

	simulate(&o, &busy, &window_rule_attach, 1, 2900 * MS);
	assert_true(o.w.attached && !o.w.sampled);
	assert_true(o.attached_ns == 2900. * MS);
}

TEST(quiet_service_beside_a_busy_one_has_a_narrow_interval_within_10_s_and_the_budget)
{
	struct sampled_share share;
	struct outcome o;

	simulate(&o, &busy, &window_rule_attach, 2, 10 * S);
	share = sampled_share__of(&o.sums, 1, 3, o.bytes);
	assert_true(share.known && share.high - share.low < 0.2);
	assert_true(o.cost_late_ns / (6. * S) < 0.005);
	assert_true(o.attached_ns > 3.03 * S);
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
static struct sampled_sums watch(const struct shape *s, double (*sums)[2], uint64_t seed)
{
	struct sampled_sums seen = {0};
	struct event_windows w;
	uint64_t from = 0, now = 0;

	event_windows__begin(&w, &window_rule_attach, 0, seed, (struct window_load){0});
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
TEST(intervals_hold_for_bursts_turns_and_constant_rates)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct shape *s = &shapes[i];
		double(*sums)[2] = sums_of(s);
		double all = sums[s->ms][0] + sums[s->ms][1], widest = 0;
		unsigned int missed[2] = {0};

		for (uint64_t seed = 0; seed < 1000; seed++) {
			struct sampled_sums seen = watch(s, sums, seed);

			for (int kind = 0; kind < 2; kind++) {
				struct sampled_share share =
					sampled_share__of(&seen, 1U << kind, 3, all);
				double truth = sums[s->ms][kind] / all;

				assert_true(share.low <= share.share && share.share <= share.high);
				missed[kind] +=
					truth < share.low - 1e-9 || truth > share.high + 1e-9;
				widest = fmax(widest, share.high - share.low);
			}
		}
		free(sums);
		if (missed[0] > 80 || missed[1] > 80)
			fail_msg("%s: %u and %u of 1000 miss", s->name, missed[0], missed[1]);
		if (s->rate == constant_rate)
			assert_true(widest < 0.13);
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
	/* All was seen: exact. */
	sums = (struct sampled_sums){0};
	sampled_sums__add(&sums, bytes, 3, true, 1);
	share = sampled_share__of(&sums, 1, 3, 100);
	assert_true(fabs(share.low - 0.3) < 1e-12 && fabs(share.high - 0.3) < 1e-12);
	/* Half was seen: the rest may be anything. */
	share = sampled_share__of(&sums, 1, 3, 200);
	assert_true(fabs(share.low - 0.15) < 1e-12 && fabs(share.high - 0.65) < 1e-12);
}
