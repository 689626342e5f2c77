// SPDX-License-Identifier: GPL-2.0-only
/* When events are watched, and what the windows tell: simulated programs of known mixes. */
#include <math.h>

#include "common/splitmix.h"
#include "model/event_windows.h"
#include "model/sampled_share.h"
#include "support/test.h"

#define MS 1000000ULL
#define S  (1000 * MS)

/* A program that sends 1 MB a second; a machine on which others cause `others` events a second. */
struct scene {
	double (*kind0)(uint64_t ns); /* share of kind 0 at a moment */
	uint64_t watched, others;     /* events a second */
	uint64_t begin_ns, end_ns;    /* of sending */
};

struct outcome {
	struct event_windows w;
	struct sampled_sums sums;
	double bytes, kind0; /* truth */
	double attached_ns, steps_ns;
	double cost_late_ns;  /* CPU time of events and of attaching after the first 4 s */
	uint64_t starts[400]; /* of windows, within their second */
	size_t windows;
};

static double mixed(uint64_t ns)
{
	(void)ns;
	return 0.6;
}

static double alternating(uint64_t ns)
{
	return ns % S < S / 2 ? 1 : 0;
}

static double bursting(uint64_t ns)
{
	return ns % S < S / 20 ? 0 : 1;
}

static double halves(uint64_t ns)
{
	return ns < 10 * S ? 1 : 0;
}

static void simulate(struct outcome *o, const struct scene *s, const struct window_rule *rule,
		     uint64_t seed, uint64_t ns)
{
	double bytes[SAMPLED_PARTS] = {0};
	struct window_load load = {0};

	*o = (struct outcome){0};
	event_windows__begin(&o->w, rule, 0, seed, load);
	for (uint64_t now = MS; now <= ns; now += MS) {
		bool sends = now > s->begin_ns && now <= s->end_ns;
		double kind0 = s->kind0(now);

		if (sends) {
			o->bytes += 1000;
			o->kind0 += 1000 * kind0;
		}
		if (o->w.attached) {
			uint64_t watched = sends ? s->watched / 1000 : 0;

			load.watched += watched;
			load.others += s->others / 1000;
			bytes[0] += sends ? 1000 * kind0 : 0;
			bytes[1] += sends ? 1000 * (1 - kind0) : 0;
			o->attached_ns += MS;
			if (now > 4 * S)
				o->cost_late_ns +=
					(double)watched * 360 + (double)s->others / 1000 * 130;
		}
		load.moves = sends;
		if (now < o->w.due_ns)
			continue;
		if (o->w.attached) {
			sampled_sums__add(&o->sums, bytes, 3, !o->w.in_windows, o->w.weight);
			bytes[0] = bytes[1] = 0;
		}
		if (event_windows__step(&o->w, now, load) != WINDOW_ATTACH)
			continue;
		if (now > 4 * S)
			o->cost_late_ns += 2 * MS;
		if (o->windows < 400)
			o->starts[o->windows++] = now % S;
	}
}

static const struct scene busy = {mixed, 2000, 1000000, 0, UINT64_MAX};

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
	struct scene quiet = {mixed, 5000, 10000, 0, UINT64_MAX};
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
	struct scene idle = {mixed, 0, 1000000, 0, 0};
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
	struct scene steady = {mixed, 2000, 1000000, 0, UINT64_MAX};
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
	struct scene run = {mixed, 1000000, 0, 0, UINT64_MAX},
		     slow = {mixed, 20000, 0, 0, UINT64_MAX};
	struct outcome o;

	simulate(&o, &run, &window_rule_run, 7, 20 * S);
	assert_in_range(o.attached_ns / MS, 1900, 2200);
	simulate(&o, &slow, &window_rule_run, 8, 20 * S);
	assert_in_range(o.attached_ns / MS, 3800, 4600);
}

/* Of 200 intervals at most 16 may miss the truth, of every mix and length. */
TEST(intervals_hold_for_rhythms_bursts_and_changes)
{
	static double (*const mixes[])(uint64_t) = {mixed, alternating, bursting, halves};
	static const uint64_t seconds[] = {4, 6, 10, 20, 60};

	for (size_t m = 0; m < sizeof(mixes) / sizeof(mixes[0]); m++)
		for (size_t l = 0; l < sizeof(seconds) / sizeof(seconds[0]); l++) {
			unsigned int missed = 0;

			for (uint64_t seed = 0; seed < 200; seed++) {
				struct scene s = {mixes[m], 2000, 1000000, seed * 5 * MS,
						  UINT64_MAX};
				struct sampled_share share;
				struct outcome o;

				simulate(&o, &s, &window_rule_attach, seed, seconds[l] * S);
				share = sampled_share__of(&o.sums, 1, 3, o.bytes);
				missed += o.kind0 / o.bytes < share.low - 1e-9 ||
					  o.kind0 / o.bytes > share.high + 1e-9;
			}
			if (missed > 16)
				fail_msg("mix %zu, %zu s: %u of 200 miss", m, (size_t)seconds[l],
					 missed);
		}
}

TEST(one_window_has_no_interval_and_no_byte_no_share)
{
	double bytes[SAMPLED_PARTS] = {30, 70};
	struct sampled_sums sums = {0};
	struct sampled_share share = sampled_share__of(&sums, 1, 3, 100);

	assert_false(share.known);
	assert_true(share.low == 0 && share.high == 1);
	sampled_sums__add(&sums, bytes, 3, false, 10);
	share = sampled_share__of(&sums, 1, 3, 1000);
	assert_true(share.known && share.low == 0 && share.high == 1);
	/* All was seen: exact. */
	sums = (struct sampled_sums){0};
	sampled_sums__add(&sums, bytes, 3, true, 1);
	share = sampled_share__of(&sums, 1, 3, 100);
	assert_true(fabs(share.low - 0.3) < 1e-12 && fabs(share.high - 0.3) < 1e-12);
	/* Half was seen: the rest may be anything. */
	share = sampled_share__of(&sums, 1, 3, 200);
	assert_true(fabs(share.low - 0.15) < 1e-12 && fabs(share.high - 0.65) < 1e-12);
}
