/* SPDX-License-Identifier: GPL-2.0-only */
/* Units: parsing, refusals with their errors, and formatting. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "support/test.h"

/* *out is unchanged after a refusal. */
#define UNTOUCHED 0xdeadbeefULL

struct reading {
	const char *text;
	int err;
	uint64_t value;
};

static void check_readings(const struct reading *cases, size_t n,
			   int (*parse)(const char *s, uint64_t *out))
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = UNTOUCHED;
		int err = parse(cases[i].text, &value);

		if (err != cases[i].err || value != (err ? UNTOUCHED : cases[i].value))
			fail_msg("'%s': error %d, value %" PRIu64, cases[i].text, err, value);
	}
}

TEST(sizes_are_parsed_or_refused)
{
	static const struct reading cases[] = {
		{"0", 0, 0},
		{"64", 0, 64},
		{"4k", 0, 4096},
		{"4K", 0, 4096},
		{"1m", 0, 1 << 20},
		{"1M", 0, 1 << 20},
		{"2G", 0, 2ULL << 30},
		{"3t", 0, 3ULL << 40},
		{"4KiB", 0, 4096},
		{"4kib", 0, 4096},
		{"007", 0, 7},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"99999999999999999999", -ERANGE, 0},
		{"99999999999999999999x", -EINVAL, 0},
		{"16777215T", 0, 16777215ULL << 40},
		{"16777216T", -ERANGE, 0},
		{"18014398509481984k", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"k", -EINVAL, 0},
		{"3x", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"1.5k", -EINVAL, 0},
		{" 4k", -EINVAL, 0},
		{"4k ", -EINVAL, 0},
		{"4 k", -EINVAL, 0},
		{"4kb", 0, 4096},
		{"64B", 0, 64},
		{"4bk", -EINVAL, 0},
		{"4ki", -EINVAL, 0},
		{"4kibb", -EINVAL, 0},
		{"4kk", -EINVAL, 0},
		{"1,000", -EINVAL, 0},
	};

	check_readings(cases, ARRAY_LEN(cases), parse_size);
}

static int parse_2_to_10(const char *s, uint64_t *out)
{
	return parse_count(s, 2, 10, out);
}

static int parse_any(const char *s, uint64_t *out)
{
	return parse_count(s, 0, UINT64_MAX, out);
}

TEST(counts_are_parsed_or_refused)
{
	static const struct reading bounded[] = {
		{"2", 0, 2},         {"10", 0, 10},       {"1", -ERANGE, 0},   {"11", -ERANGE, 0},
		{"2k", -EINVAL, 0},  {"", -EINVAL, 0},    {"-2", -EINVAL, 0},  {"2 ", -EINVAL, 0},
		{"0x2", -EINVAL, 0}, {"2.0", -EINVAL, 0}, {"two", -EINVAL, 0},
	};
	static const struct reading any[] = {
		{"0", 0, 0},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"184467440737095516150", -ERANGE, 0},
	};

	check_readings(bounded, ARRAY_LEN(bounded), parse_2_to_10);
	check_readings(any, ARRAY_LEN(any), parse_any);
}

static int parse_rate_to_1000(const char *s, uint64_t *out)
{
	return parse_rate(s, 1000, out);
}

TEST(rates_are_parsed_or_refused)
{
	static const struct reading cases[] = {
		{"1", 0, 1},
		{"1/s", 0, 1},
		{"1000/s", 0, 1000},
		{"0/s", -ERANGE, 0},
		{"0", -ERANGE, 0},
		{"1001", -ERANGE, 0},
		{"1001/s", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"/s", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"7s", -EINVAL, 0},
		{"7/", -EINVAL, 0},
		{"7/s/s", -EINVAL, 0},
		{"7 /s", -EINVAL, 0},
		{"7/S", -EINVAL, 0},
		{"0000000000000000000000000000007", 0, 7},
		{"0000000000000000000000000000007/s", 0, 7},
		{"00000000000000000000000000000007", -EINVAL, 0},
		{"00000000000000000000000000000007/s", -EINVAL, 0},
	};

	check_readings(cases, ARRAY_LEN(cases), parse_rate_to_1000);
}

TEST(durations_are_parsed_or_refused)
{
	static const struct reading cases[] = {
		{"500ms", 0, 500000000},
		{"5s", 0, 5000000000},
		{"5", 0, 5000000000},
		{"0", 0, 0},
		{"2m", 0, 120000000000},
		{"100us", 0, 100000},
		{"7ns", 0, 7},
		{"1.5s", 0, 1500000000},
		{"0.5m", 0, 30000000000},
		{"0.000000001", 0, 1},
		{"1.0000000000", 0, 1000000000},
		{"0.25us", 0, 250},
		{"18446744073709551615ns", 0, UINT64_MAX},
		{"18446744073.709551615s", 0, UINT64_MAX},
		{"18446744073.709551616s", -ERANGE, 0},
		{"18446744074s", -ERANGE, 0},
		{"99999999999999999999ns", -ERANGE, 0},
		{"0.0000000001", -EINVAL, 0},
		{"0.5ns", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{".5s", -EINVAL, 0},
		{"1.s", -EINVAL, 0},
		{"1.5.5s", -EINVAL, 0},
		{"-1s", -EINVAL, 0},
		{"5 s", -EINVAL, 0},
		{" 5s", -EINVAL, 0},
		{"5S", -EINVAL, 0},
		{"5min", -EINVAL, 0},
		{"1e3ms", -EINVAL, 0},
		{"0x5s", -EINVAL, 0},
		{"99999999999999999999x", -EINVAL, 0},
	};

	check_readings(cases, ARRAY_LEN(cases), parse_duration);
}

struct cpus {
	uint64_t mask;
	unsigned int calls;
};

static void set_cpu(unsigned int cpu, void *arg)
{
	struct cpus *cpus = arg;

	assert_true(cpu < 64);
	cpus->mask |= 1ULL << cpu;
	cpus->calls++;
}

TEST(CPU_lists_are_parsed_or_refused)
{
	static const struct {
		const char *text;
		int err;
		uint64_t mask;
	} cases[] = {
		{"0", 0, 0x1},
		{"0-3,8", 0, 0x10f},
		{"8,0-1", 0, 0x103},
		{"3-3", 0, 0x8},
		{"0-63", 0, UINT64_MAX},
		{"1,1", 0, 0x2},
		{"64", -ERANGE, 0},
		{"0,64", -ERANGE, 0},
		{"0-64", -ERANGE, 0},
		{"99999999999999999999", -ERANGE, 0},
		{"0-99999999999999999999", -ERANGE, 0},
		{"0-18446744073709551615", -ERANGE, 0},
		{"0-18446744073709551617", -ERANGE, 0}, /* 2^64 + 1: not 0-1 */
		{"18446744073709551616-3", -ERANGE, 0},
		{"18446744073709551617", -ERANGE, 0},
		{"", -EINVAL, 0},
		{",", -EINVAL, 0},
		{"0,", -EINVAL, 0},
		{",0", -EINVAL, 0},
		{"0,,1", -EINVAL, 0},
		{"3-1", -EINVAL, 0},
		{"64-3", -EINVAL, 0},
		{"1-", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"0-1-2", -EINVAL, 0},
		{"0 1", -EINVAL, 0},
		{"0-3:2", -EINVAL, 0},
		{"0\n", -EINVAL, 0},
		{"99,x", -EINVAL, 0},
	};
	for_each_case(c, cases) {
		struct cpus cpus = {0};
		int err = parse_cpu_list(c->text, 64, set_cpu, &cpus);

		if (err != c->err || cpus.mask != c->mask)
			fail_msg("'%s': error %d, CPUs %" PRIx64, c->text, err, cpus.mask);
		if (err)
			assert_int_equal(cpus.calls, 0);
	}
}

TEST(plural_of_1_is_empty_and_of_others_s)
{
	assert_string_equal(plural(0), "s");
	assert_string_equal(plural(1), "");
	assert_string_equal(plural(2), "s");
	assert_string_equal(plural(1ULL << 32 | 1), "s");
}

struct writing {
	double value;
	const char *text;
};

static void check_writings(const struct writing *cases, size_t n,
			   char *(*format)(char *buf, size_t len, double value))
{
	char buf[UNITS_BUF];
	size_t i;

	for (i = 0; i < n; i++)
		assert_string_equal(format(buf, sizeof(buf), cases[i].value), cases[i].text);
}

TEST(sizes_are_formatted_in_binary_units)
{
	static const struct {
		uint64_t bytes;
		const char *text, *shortened;
	} cases[] = {
		{0, "0 B", "0"},
		{1000, "1000 B", "1000"},
		{1023, "1023 B", "1023"},
		{1024, "1 KiB", "1k"},
		{1536, "1.5 KiB", "1.5k"},
		{1500, "1.46 KiB", "1.46k"},
		{65536, "64 KiB", "64k"},
		{1023 << 10, "1023 KiB", "1023k"},
		{(1 << 20) - 1, "1 MiB", "1m"},
		{16 << 20, "16 MiB", "16m"},
		{123456789, "118 MiB", "118m"},
		{3ULL << 40, "3 TiB", "3t"},
		{UINT64_MAX, "16 EiB", "16e"},
	};
	char buf[UNITS_BUF];

	for_each_case(c, cases) {
		assert_string_equal(format_size(buf, sizeof(buf), c->bytes), c->text);
		assert_string_equal(format_size_short(buf, sizeof(buf), c->bytes), c->shortened);
	}
}

TEST(short_sizes_are_read_back)
{
	char buf[UNITS_BUF];
	uint64_t value;
	int shift;

	for (shift = 0; shift < 50; shift++) {
		format_size_short(buf, sizeof(buf), 1ULL << shift);
		assert_int_equal(parse_size(buf, &value), 0);
		assert_true(value == 1ULL << shift);
	}
}

TEST(bytes_are_formatted_in_decimal_units)
{
	static const struct writing cases[] = {
		{0, "0 B"},
		{613, "613 B"},
		{999, "999 B"},
		{1000, "1 kB"},
		{613e6, "613 MB"},
		{22.1e9, "22.1 GB"},
		{9.996e9, "10 GB"},
		{99.96e9, "100 GB"},
		{999.6e6, "1 GB"},
		{-22.1e9, "-22.1 GB"},
		{1e30, "1000000000000 EB"},
		{NAN, "n/a"},
		{INFINITY, "n/a"},
	};

	check_writings(cases, ARRAY_LEN(cases), format_bytes_si);
}

/* 0.675 is no more than 0.67 at least; 0.07 * 100 is 7.000000000000001. */
TEST(bounds_are_rounded_outwards_and_exact_values_stay)
{
	static const struct writing least[] = {
		{0, "0 B"},          {675, "675 B"},      {6759, "6.75 kB"}, {69.99e3, "69.9 kB"},
		{999.7e3, "999 kB"}, {356.9e6, "356 MB"}, {1e9, "1 GB"},     {22.1e9, "22.1 GB"},
	};
	static const struct writing most[] = {
		{0, "0 B"},         {675, "675 B"},      {6751, "6.76 kB"},
		{69.91e3, "70 kB"}, {999.1e3, "1 MB"},   {356.1e6, "357 MB"},
		{1e9, "1 GB"},      {22.1e9, "22.1 GB"}, {9.991e3, "10 kB"},
	};

	check_writings(least, ARRAY_LEN(least), format_bytes_least);
	check_writings(most, ARRAY_LEN(most), format_bytes_most);
	assert_true(round_least(0.675, 2) == 0.67 && round_most(0.671, 2) == 0.68);
	assert_true(round_least(0.29 * 100, 0) == 29 && round_most(0.07 * 100, 0) == 7);
	assert_true(round_least(-0.744, 2) == -0.75 && round_most(-0.744, 2) == -0.74);
	assert_false(signbit(round_most(-0.001, 2)));
}

TEST(times_are_formatted_with_three_digits)
{
	static const struct writing cases[] = {
		{0, "0 ns"},       {0.5, "0.5 ns"},    {812, "812 ns"}, {14200, "14.2 us"},
		{3.1e6, "3.1 ms"}, {1.25e9, "1.25 s"}, {999.9, "1 us"}, {999499, "999 us"},
		{999501, "1 ms"},  {3600e9, "3600 s"}, {NAN, "n/a"},
	};

	check_writings(cases, ARRAY_LEN(cases), format_ns);
}

TEST(counts_are_formatted_in_groups_of_3_digits)
{
	static const struct {
		uint64_t count;
		const char *text;
	} cases[] = {
		{0, "0"},
		{999, "999"},
		{1000, "1 000"},
		{92113, "92 113"},
		{1234567, "1 234 567"},
		{UINT64_MAX, "18 446 744 073 709 551 615"},
	};
	char buf[UNITS_BUF];

	for_each_case(c, cases)
		assert_string_equal(format_count(buf, sizeof(buf), c->count), c->text);
}

TEST(formatters_do_not_write_past_short_buffers)
{
	char buf[5] = "abcd";

	assert_string_equal(format_count(buf, 3, 1234567), "1 ");
	assert_int_equal(buf[3], 'd');
	assert_string_equal(format_ns(buf, 4, 14200), "14.");
	assert_string_equal(format_size(buf, 2, 65536), "6");
}
