/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU time by class: division, shares and their intervals, sums, profiles. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/figures.h"
#include "common/splitmix.h"
#include "support/near.h"
#include "support/test.h"

/* Three equal parts of 100 ns: 34, 33, 33; and large numbers do not overflow. */
TEST(classes_add_up_to_the_nanosecond)
{
	struct cpu_samples s = {.samples = 3};
	uint64_t ns[CPU_CLASS_NR], sum = 0;

	s.classes[0] = s.classes[1] = s.classes[2] = 1;
	cpu_time__divide(&s, 100, ns);
	assert_int_equal(ns[0], 34);
	assert_int_equal(ns[1], 33);
	assert_int_equal(ns[2], 33);
	s = (struct cpu_samples){.samples = UINT64_MAX / 2};
	s.classes[0] = s.samples - 7;
	s.classes[5] = 7;
	cpu_time__divide(&s, UINT64_MAX / 3, ns);
	for (int c = 0; c < CPU_CLASS_NR; c++)
		sum += ns[c];
	assert_true(sum == UINT64_MAX / 3);
}

/* Largest-remainder method (Hamilton): floors, and one more for the largest remainders. */
TEST(largest_remainders_get_one_more)
{
	uint64_t seed = 5;

	for (int set = 0; set < 2000; set++) {
		struct cpu_samples s = {0};
		uint64_t ns[CPU_CLASS_NR], total = splitmix__next(&seed) % 1000, sum = 0;
		uint64_t least = UINT64_MAX, most = 0;

		for (int c = 0; c < CPU_CLASS_NR; c++) {
			s.classes[c] = splitmix__next(&seed) % 30;
			s.samples += s.classes[c];
		}
		if (!s.samples)
			continue;
		cpu_time__divide(&s, total, ns);
		for (int c = 0; c < CPU_CLASS_NR; c++) {
			uint64_t floor = total * s.classes[c] / s.samples;
			uint64_t rest = total * s.classes[c] % s.samples;

			assert_true(ns[c] == floor || ns[c] == floor + 1);
			if (ns[c] > floor && rest < least)
				least = rest;
			if (ns[c] == floor && rest > most)
				most = rest;
			sum += ns[c];
		}
		assert_int_equal(sum, total);
		assert_true(least >= most);
	}
}

TEST(share_stays_between_0_and_1)
{
	for (unsigned int n = 1; n < 5000; n++) {
		struct cpu_samples s = {.samples = n};
		struct cpu_share share = cpu_time__share(&s, CPU_CLASS_LOCK);

		assert_true(share.value == 0 && share.low >= 0 && share.low < 1e-9);
		s.classes[CPU_CLASS_LOCK] = n;
		share = cpu_time__share(&s, CPU_CLASS_LOCK);
		assert_true(share.value == 1 && share.high <= 1 && share.high > 1 - 1e-9);
	}
}

TEST(no_samples_give_no_time_and_no_share)
{
	struct cpu_samples s = {0};
	uint64_t ns[CPU_CLASS_NR];

	cpu_time__divide(&s, 100, ns);
	for (int c = 0; c < CPU_CLASS_NR; c++)
		assert_int_equal(ns[c], 0);
	assert_true(isnan(cpu_time__share(&s, 0).value));
	assert_true(isnan(cpu_time__share(&s, 0).low) && isnan(cpu_time__share(&s, 0).high));
}

/*
 * Published figures of the interval: Newcombe, Statistics in Medicine 17 (1998), table I, method 3:
 * 81/263, 15/148, 0/20, 1/29.
 */
TEST(shares_have_the_interval_of_Wilson)
{
	static const struct {
		unsigned int r, n;
		double low, high;
	} published[] = {
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0.0000, 0.1611},
		{1, 29, 0.0061, 0.1718},
	};

	for (size_t i = 0; i < ARRAY_LEN(published); i++) {
		struct cpu_samples s = {.samples = published[i].n};
		struct cpu_share share;

		s.classes[CPU_CLASS_LOCK] = published[i].r;
		share = cpu_time__share(&s, CPU_CLASS_LOCK);
		NEAR(share.value, (double)published[i].r / published[i].n, 1e-12);
		NEAR(share.low, published[i].low, 5e-5);
		NEAR(share.high, published[i].high, 5e-5);
	}
}

static void add_stack(struct cpu_result *c, enum nio_sample_owner owner, const char *frames,
		      enum cpu_class class, uint64_t count)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", frames);
	c->known = true;
	c->hz = 1000;
	assert_int_equal(cpu_time__add_stack(c,
					     &(struct profile_stack){.frames = copy,
								     .count = count,
								     .owner = owner,
								     .class = class},
					     class == CPU_CLASS_LOCK),
			 0);
}

TEST(samples_of_rounds_add_up)
{
	struct cpu_result a = {0}, b = {0}, none = {0};

	add_stack(&a, NIO_SAMPLE_SENDER, "b;c", CPU_CLASS_TCP_IP, 2);
	add_stack(&b, NIO_SAMPLE_SENDER, "b;c", CPU_CLASS_TCP_IP, 3);
	add_stack(&b, NIO_SAMPLE_SENDER, "a", CPU_CLASS_LOCK, 1);
	add_stack(&b, NIO_SAMPLE_RECEIVER, "b;c", CPU_CLASS_RX_COPY, 7);
	a.duration_ns = 100;
	b.duration_ns = 1000;
	a.payload = 20;
	b.payload = 3000;
	a.by[NIO_SAMPLE_SENDER].lost = 7;
	b.by[NIO_SAMPLE_SENDER].lost = 50;
	cpu_time__none(&none, "no samples here: 0%% seen");
	cpu_time__add(&a, &b);
	cpu_time__add(&a, &none);
	assert_true(a.known);
	assert_int_equal(a.by[NIO_SAMPLE_SENDER].samples, 6);
	assert_int_equal(a.by[NIO_SAMPLE_SENDER].shifted, 1);
	assert_int_equal(a.by[NIO_SAMPLE_SENDER].classes[CPU_CLASS_TCP_IP], 5);
	assert_int_equal(a.by[NIO_SAMPLE_RECEIVER].samples, 7);
	assert_int_equal(a.by[NIO_SAMPLE_SENDER].lost, 57);
	assert_int_equal(a.duration_ns, 1100);
	assert_int_equal(a.payload, 3020);
	assert_int_equal(a.hz, 1000);
	assert_int_equal(a.profile.nr, 3);
	assert_string_equal(a.profile.stacks[0].frames, "a");
	assert_int_equal(a.profile.stacks[0].owner, NIO_SAMPLE_SENDER);
	assert_int_equal(a.profile.stacks[1].count, 5);
	assert_int_equal(a.profile.stacks[2].owner, NIO_SAMPLE_RECEIVER);
	assert_int_equal(a.profile.stacks[2].count, 7);
	cpu_time__add(&none, &b);
	assert_true(none.known);
	cpu_time__clear(&a);
	cpu_time__clear(&b);
	cpu_time__clear(&none);
}

/* The reason of the last unknown round stays until a round is known. */
TEST(reason_stays_until_something_is_known)
{
	struct cpu_result sum = {0}, none = {0}, some = {0};

	cpu_time__none(&none, "no samples here: 0%% seen");
	assert_unknown(none, "no samples here: 0%% seen");
	cpu_time__add(&sum, &none);
	assert_unknown(sum, "no samples here: 0%% seen");
	add_stack(&some, NIO_SAMPLE_SENDER, "a", CPU_CLASS_LOCK, 1);
	some.source = "cycles";
	snprintf(sum.reason, sizeof(sum.reason), "before");
	cpu_time__add(&sum, &some);
	assert_string_equal(sum.source, "cycles");
	cpu_time__add(&sum, &none);
	assert_string_equal(sum.reason, "before");
	/* Clearing frees everything and zeroes the result. */
	cpu_time__none(&sum, "gone");
	assert_false(sum.known);
	assert_int_equal(sum.profile.nr + sum.by[NIO_SAMPLE_SENDER].samples, 0);
	assert_string_equal(sum.reason, "gone");
	cpu_time__clear(&sum);
	cpu_time__clear(&some);
}

/* Rounds of different sample events are added; the sum names both and why not all use cycles. */
TEST(sum_of_samples_names_its_events)
{
	static const char refused[] = "cycles were refused: No space left on device";
	struct cpu_result sum = {0}, cycles = {0}, clock = {0};

	assert_null(cpu_time__source(NULL, NULL));
	add_stack(&cycles, NIO_SAMPLE_SENDER, "a", CPU_CLASS_LOCK, 1);
	add_stack(&clock, NIO_SAMPLE_SENDER, "a", CPU_CLASS_LOCK, 1);
	cycles.known = clock.known = true;
	cycles.source = CPU_SOURCE_CYCLES;
	clock.source = CPU_SOURCE_CLOCK;
	snprintf(clock.no_cycles, sizeof(clock.no_cycles), "%s", refused);
	for (int n = 0; n < 2; n++) {
		cpu_time__add(&sum, &cycles);
		assert_string_equal(sum.source, CPU_SOURCE_CYCLES);
		assert_string_equal(sum.no_cycles, "");
	}
	cpu_time__add(&sum, &clock);
	assert_string_equal(sum.source, CPU_SOURCE_BOTH);
	assert_string_equal(sum.no_cycles, refused);
	/* Later rounds keep both. */
	snprintf(clock.no_cycles, sizeof(clock.no_cycles), "another");
	cpu_time__add(&sum, &cycles);
	cpu_time__add(&sum, &clock);
	assert_string_equal(sum.source, CPU_SOURCE_BOTH);
	assert_string_equal(sum.no_cycles, refused);
	cpu_time__clear(&sum);
	cpu_time__add(&sum, &clock);
	assert_string_equal(sum.source, CPU_SOURCE_CLOCK);
	assert_string_equal(sum.no_cycles, "another");
	cpu_time__clear(&sum);
	cpu_time__clear(&cycles);
	cpu_time__clear(&clock);
}

/* The table grows as needed; equal frames of another owner are a stack of their own. */
TEST(profile_holds_600_stacks)
{
	struct profile p = {0}, twice = {0};
	char frames[16];

	for (int round = 0; round < 2; round++)
		for (unsigned int i = 0; i < 600; i++) {
			struct profile_stack stack = {.frames = frames, .count = 1};

			snprintf(frames, sizeof(frames), "f%03u", (i * 7) % 300);
			stack.owner = i < 300 ? NIO_SAMPLE_RECEIVER : NIO_SAMPLE_SENDER;
			profile__add(&p, &stack);
		}
	assert_int_equal(p.nr, 600);
	profile__sort(&p);
	for (unsigned int i = 0; i < 600; i++) {
		snprintf(frames, sizeof(frames), "f%03u", i % 300);
		assert_string_equal(p.stacks[i].frames, frames);
		assert_int_equal(p.stacks[i].owner,
				 i < 300 ? NIO_SAMPLE_SENDER : NIO_SAMPLE_RECEIVER);
		assert_int_equal(p.stacks[i].count, 2);
	}
	profile__merge(&twice, NULL);
	profile__merge(&twice, &p);
	profile__merge(&twice, &p);
	assert_int_equal(twice.nr, 600);
	assert_int_equal(twice.stacks[599].count, 4);
	profile__clear(&p);
	assert_true(!p.stacks && !p.nr);
	profile__sort(&p);
	profile__clear(&twice);
}

/* 1 s of CPU time for 1 MiB: 976562.5 ns/KiB, 3/4 of it copying. */
TEST(figures_divide_the_CPU_time_of_the_run)
{
	struct run_result run;
	struct cpu_figure f;

	run_result__init(&run);
	assert_false(cpu_figures__per_kib(&run, NIO_SAMPLE_SENDER, CPU_CLASS_TX_COPY).value.known);
	cpu_time__clear(&run.cpu);
	add_stack(&run.cpu, NIO_SAMPLE_SENDER, "a", CPU_CLASS_TX_COPY, 300);
	add_stack(&run.cpu, NIO_SAMPLE_SENDER, "b", CPU_CLASS_OTHER, 100);
	run.app.sender_cpu_ns = num__known(1000000000);
	run.app.rx_bytes = 1 << 20;
	f = cpu_figures__per_kib(&run, NIO_SAMPLE_SENDER, CPU_CLASS_TX_COPY);
	assert_true(f.value.known);
	NEAR(f.value.value, 976562.5 * 0.75, 1e-6);
	assert_true(f.low < f.value.value && f.value.value < f.high);
	NEAR(cpu_figures__sum(&run, NIO_SAMPLE_SENDER).value, 976562.5, 1e-6);
	/* No samples of the receiver: unknown. No samples elsewhere: a measured 0. */
	assert_false(cpu_figures__per_kib(&run, NIO_SAMPLE_RECEIVER, CPU_CLASS_LOCK).value.known);
	run.cpu.payload = 1 << 20;
	f = cpu_figures__per_kib(&run, NIO_SAMPLE_ELSEWHERE, CPU_CLASS_LOCK);
	assert_real(f.value, 0);
	run_result__clear(&run);
}

static struct run_result sampled(uint64_t of_sender, uint64_t of_receiver)
{
	struct run_result run;

	run_result__init(&run);
	cpu_time__clear(&run.cpu);
	run.cpu.known = true;
	run.cpu.hz = 500;
	run.cpu.by[NIO_SAMPLE_SENDER].samples = 4 * of_sender;
	run.cpu.by[NIO_SAMPLE_SENDER].classes[CPU_CLASS_LOCK] = of_sender;
	run.cpu.by[NIO_SAMPLE_RECEIVER].samples = 2 * of_receiver;
	run.cpu.by[NIO_SAMPLE_RECEIVER].classes[CPU_CLASS_LOCK] = of_receiver;
	run.app.sender_cpu_ns = num__known(400000);
	run.app.receiver_cpu_ns = num__known(600000);
	run.app.rx_bytes = 100 * 1024;
	return run;
}

/* A quarter of 4000 and half of 6000 ns/KiB. */
TEST(both_sides_are_their_sum)
{
	struct run_result run = sampled(100, 300);

	assert_real(cpu_figures__per_kib(&run, NIO_SAMPLE_SENDER, CPU_CLASS_LOCK).value, 1000);
	assert_real(cpu_figures__per_kib(&run, NIO_SAMPLE_RECEIVER, CPU_CLASS_LOCK).value, 3000);
	assert_real(cpu_figures__class(&run, CPU_CLASS_LOCK, false), 4000);
	/* If one side is unknown there is no sum. */
	run.sender_side = true;
	run.app.tx_bytes = run.app.rx_bytes;
	NEAR(cpu_figures__class(&run, CPU_CLASS_LOCK, false).value, 1000, 1e-9);
	run.sender_side = false;
	run.cpu.by[NIO_SAMPLE_RECEIVER].samples = 0;
	assert_false(cpu_figures__class(&run, CPU_CLASS_LOCK, false).known);
	run = sampled(100, 300);
	run.cpu.by[NIO_SAMPLE_SENDER].samples = 0;
	assert_false(cpu_figures__class(&run, CPU_CLASS_LOCK, false).known);
}

/* The exact interval (Garwood 1936), from tables of chi-squared: 95 of 100 means lie in it. */
TEST(counts_of_samples_have_the_interval_of_a_Poisson_distribution)
{
	static const struct {
		uint64_t n;
		double low, high;
	} exact[] = {
		{0, 0, 3.689},        {1, 0.0253, 5.572},    {2, 0.2422, 7.225},
		{5, 1.623, 11.668},   {10, 4.795, 18.39},    {20, 12.217, 30.888},
		{50, 37.111, 65.919}, {100, 81.364, 121.63},
	};

	for_each_case(c, exact) {
		NEAR(cpu_time__mean(c->n).low, c->low, 0.025);
		NEAR(cpu_time__mean(c->n).high, c->high, 0.025);
	}
}

/* 100 ns/KiB for each sample: the ends are those of the counts. */
#define CHECK_SOFTIRQ(run, least, most)                                                       \
	do {                                                                                  \
		NEAR(cpu_figures__softirq(run, false).value, 100 * cpu_time__mean(least).low, \
		     1e-9);                                                                   \
		NEAR(cpu_figures__softirq(run, true).value, 100 * cpu_time__mean(most).high,  \
		     1e-9);                                                                   \
	} while (0)

/*
 * Half of 5000 ns/KiB elsewhere (50 samples at 500 a second, 20000 KiB) is locking: for the run's
 * sockets, so each sum includes it. Lost samples may be of such work, so only the upper bound has
 * them.
 */
TEST(softirq_work_for_the_run_is_part_of_its_CPU_time)
{
	struct run_result run = sampled(100, 300);
	struct cpu_samples *s = &run.cpu.by[NIO_SAMPLE_ELSEWHERE];

	s->samples = 50;
	s->classes[CPU_CLASS_LOCK] = 25;
	run.cpu.payload = 20000 * 1024;
	NEAR(cpu_figures__class(&run, CPU_CLASS_LOCK, true).value, 4000 + 2500, 1e-6);
	NEAR(cpu_figures__class(&run, CPU_CLASS_LOCK, false).value, 4000, 1e-6);
	CHECK_SOFTIRQ(&run, 50, 50);
	s->lost = 5;
	CHECK_SOFTIRQ(&run, 50, 55);
	/* As many samples by cycles may be of less time. */
	run.cpu.source = CPU_SOURCE_BOTH;
	CHECK_SOFTIRQ(&run, 0, 55);
	run.cpu.source = CPU_SOURCE_CLOCK;
	/* As much on the receiver's machine. */
	run.cpu.by[NIO_SAMPLE_RECEIVER_ELSEWHERE] = *s;
	run.cpu.both_machines = true;
	CHECK_SOFTIRQ(&run, 100, 110);
	NEAR(cpu_figures__class(&run, CPU_CLASS_LOCK, true).value, 4000 + 2 * 2500, 1e-6);
	/* A receiver that did so little is sampled all the same. */
	run.cpu.by[NIO_SAMPLE_RECEIVER].samples = 0;
	CHECK_SOFTIRQ(&run, 100, 110);
}

/* Then no figure has it, or two have it. A sum of rounds has what one round lacks. */
TEST(softirq_work_is_unknown_unless_samples_have_all_of_it_once)
{
	static const struct cpu_result lacks[] = {
		{.reason = "not sampled"},
		{.known = true, .softirq_reason = "interrupts apart"},
		{.known = true, .both_machines = true, .softirq_reason = "one machine"},
	};
	static const char *const reasons[] = {"not sampled", "interrupts apart", "one machine"};

	for (size_t i = 0; i < 3; i++) {
		struct run_result run = sampled(100, 300);
		struct cpu_result sum = {.known = true, .hz = 500, .payload = 1024};

		run.cpu = lacks[i];
		run.cpu.hz = 500;
		run.cpu.payload = 1024;
		assert_non_null(strstr(cpu_figures__softirq(&run, true).reason, reasons[i]));
		cpu_time__add(&sum, &run.cpu);
		run.cpu = sum;
		assert_int_equal(cpu_figures__softirq(&run, true).known, i == 0);
		cpu_time__clear(&run.cpu);
	}
}

/* Time elsewhere comes from the samples: 50 at 500 per second are 100 ms. */
TEST(sides_divide_their_CPU_time_and_elsewhere_its_samples)
{
	struct run_result run = sampled(100, 300);

	run.cpu.by[NIO_SAMPLE_ELSEWHERE].samples = 50;
	assert_int_equal(cpu_figures__total(&run, NIO_SAMPLE_SENDER).value, 400000);
	assert_int_equal(cpu_figures__total(&run, NIO_SAMPLE_RECEIVER).value, 600000);
	assert_int_equal(cpu_figures__total(&run, NIO_SAMPLE_ELSEWHERE).value, 100000000);
	assert_false(cpu_figures__sum(&run, NIO_SAMPLE_ELSEWHERE).known);
	assert_string_equal(cpu_figures__sum(&run, NIO_SAMPLE_ELSEWHERE).reason,
			    "nothing was moved");
	run.cpu.payload = 1024 * 1024;
	NEAR(cpu_figures__sum(&run, NIO_SAMPLE_ELSEWHERE).value, 100000000 / 1024.0, 1e-6);
	NEAR(cpu_figures__sum(&run, NIO_SAMPLE_RECEIVER).value, 6000, 1e-9);
	run.app.rx_bytes = 0;
	assert_string_equal(
		cpu_figures__per_kib(&run, NIO_SAMPLE_SENDER, CPU_CLASS_LOCK).value.reason,
		"nothing was moved");
	run.cpu.hz = 0;
	assert_no_number(cpu_figures__total(&run, NIO_SAMPLE_ELSEWHERE));
	cpu_time__none(&run.cpu, "not sampled");
	assert_false(cpu_figures__total(&run, NIO_SAMPLE_SENDER).known);
	assert_string_equal(cpu_figures__sum(&run, NIO_SAMPLE_SENDER).reason, "not sampled");
}
