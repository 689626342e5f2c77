/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU time by class: dividing it, shares and their intervals, adding up, profiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/cpu_figures.h"

static void assert_near(double a, double b, double within)
{
	if (!(fabs(a - b) <= within))
		fail_msg("%.9g is not %.9g", a, b);
}

/* Three like parts of 100 ns: 34, 33, 33, not 33 each; and large numbers do not overflow. */
static void classes_add_up_to_the_nanosecond(void **state)
{
	struct cpu_samples s = {.samples = 3};
	uint64_t ns[CPU_CLASS_NR], sum = 0;

	(void)state;
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

static void without_samples_nothing_is_divided(void **state)
{
	struct cpu_samples s = {0};
	uint64_t ns[CPU_CLASS_NR];

	(void)state;
	cpu_time__divide(&s, 100, ns);
	for (int c = 0; c < CPU_CLASS_NR; c++)
		assert_int_equal(ns[c], 0);
	assert_true(isnan(cpu_time__share(&s, 0).value));
}

/*
 * Figures of the published interval: Newcombe, Statistics in Medicine 17 (1998), table I, method 3:
 * 81/263, 15/148, 0/20, 1/29.
 */
static void shares_have_wilsons_interval(void **state)
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

	(void)state;
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		struct cpu_samples s = {.samples = published[i].n};
		struct cpu_share share;

		s.classes[CPU_CLASS_LOCK] = published[i].r;
		share = cpu_time__share(&s, CPU_CLASS_LOCK);
		assert_near(share.value, (double)published[i].r / published[i].n, 1e-12);
		assert_near(share.low, published[i].low, 5e-5);
		assert_near(share.high, published[i].high, 5e-5);
	}
}

static void take(struct cpu_result *c, enum nio_sample_whose whose, const char *frames,
		 enum cpu_class class, uint64_t count)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", frames);
	c->known = true;
	c->hz = 1000;
	assert_int_equal(cpu_time__take(c,
					&(struct profile_stack){.frames = copy,
								.count = count,
								.whose = whose,
								.class = class},
					class == CPU_CLASS_LOCK),
			 0);
}

static void rounds_add_up(void **state)
{
	struct cpu_result a = {0}, b = {0}, none = {0};

	(void)state;
	take(&a, NIO_SAMPLE_SENDER, "b;c", CPU_CLASS_TCP_IP, 2);
	take(&b, NIO_SAMPLE_SENDER, "b;c", CPU_CLASS_TCP_IP, 3);
	take(&b, NIO_SAMPLE_SENDER, "a", CPU_CLASS_LOCK, 1);
	take(&b, NIO_SAMPLE_RECEIVER, "b;c", CPU_CLASS_RX_COPY, 7);
	a.duration_ns = 100;
	b.duration_ns = 1000;
	a.payload = 20;
	b.payload = 3000;
	a.by[NIO_SAMPLE_SENDER].lost = 7;
	b.by[NIO_SAMPLE_SENDER].lost = 50;
	cpu_time__none(&none, "no samples here");
	assert_int_equal(cpu_time__add(&a, &b), 0);
	assert_int_equal(cpu_time__add(&a, &none), 0);
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
	assert_int_equal(a.profile.stacks[0].whose, NIO_SAMPLE_SENDER);
	assert_int_equal(a.profile.stacks[1].count, 5);
	assert_int_equal(a.profile.stacks[2].whose, NIO_SAMPLE_RECEIVER);
	assert_int_equal(a.profile.stacks[2].count, 7);
	assert_int_equal(cpu_time__add(&none, &b), 0);
	assert_true(none.known);
	cpu_time__clear(&a);
	cpu_time__clear(&b);
	cpu_time__clear(&none);
}

static struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

/* 1 s of CPU time for 1 MiB: 976562.5 ns/KiB, of which 3/4 copying. */
static void figures_are_of_the_runs_own_cpu_time(void **state)
{
	struct run_result run;
	struct cpu_figure f;

	(void)state;
	run_result__init(&run);
	assert_false(cpu_figures__per_kib(&run, NIO_SAMPLE_SENDER, CPU_CLASS_TX_COPY).value.known);
	assert_false(cpu_figures__unclassified(&run).known);
	cpu_time__clear(&run.cpu);
	take(&run.cpu, NIO_SAMPLE_SENDER, "a", CPU_CLASS_TX_COPY, 300);
	take(&run.cpu, NIO_SAMPLE_SENDER, "b", CPU_CLASS_OTHER, 100);
	run.app.sender_cpu_ns = known(1000000000);
	run.app.rx_bytes = 1 << 20;
	f = cpu_figures__per_kib(&run, NIO_SAMPLE_SENDER, CPU_CLASS_TX_COPY);
	assert_true(f.value.known);
	assert_near(f.value.value, 976562.5 * 0.75, 1e-6);
	assert_true(f.low < f.value.value && f.value.value < f.high);
	assert_near(cpu_figures__sum(&run, NIO_SAMPLE_SENDER).value, 976562.5, 1e-6);
	assert_near(cpu_figures__unclassified(&run).value, 0.25, 1e-12);
	/* Of the receiver no sample is no knowledge; of elsewhere it is a measured nothing. */
	assert_false(cpu_figures__per_kib(&run, NIO_SAMPLE_RECEIVER, CPU_CLASS_LOCK).value.known);
	run.cpu.payload = 1 << 20;
	f = cpu_figures__per_kib(&run, NIO_SAMPLE_ELSEWHERE, CPU_CLASS_LOCK);
	assert_true(f.value.known && f.value.value == 0);
	run_result__clear(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_add_up_to_the_nanosecond),
		cmocka_unit_test(without_samples_nothing_is_divided),
		cmocka_unit_test(shares_have_wilsons_interval),
		cmocka_unit_test(rounds_add_up),
		cmocka_unit_test(figures_are_of_the_runs_own_cpu_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
