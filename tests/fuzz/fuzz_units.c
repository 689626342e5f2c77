/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes, counts, durations and lists of CPUs: refused, or a value within its bounds. */
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "fuzz.h"

#define CPUS 1024
#define LEFT 0x5aa55aa55aa55aa5ULL /* a refusal must not change it */

static void check_formats(uint64_t value)
{
	char buf[UNITS_BUF];

	FUZZ_CHECK(strlen(format_size(buf, sizeof(buf), value)) < UNITS_BUF);
	FUZZ_CHECK(strlen(format_size_short(buf, sizeof(buf), value)) < UNITS_BUF);
	FUZZ_CHECK(strlen(format_bytes_si(buf, sizeof(buf), (double)value)) < UNITS_BUF);
	FUZZ_CHECK(strlen(format_ns(buf, sizeof(buf), (double)value)) < UNITS_BUF);
	FUZZ_CHECK(strlen(format_count(buf, sizeof(buf), value)) < UNITS_BUF);
}

/* The short form of a size is read back as that size, if it is exact. */
static void check_size(const char *text)
{
	uint64_t value = LEFT, again = 0;
	char buf[UNITS_BUF];

	if (parse_size(text, &value)) {
		FUZZ_CHECK(value == LEFT);
		return;
	}
	check_formats(value);
	if (value < 1024 || (value <= 16 << 20 && !(value & (value - 1)))) {
		FUZZ_CHECK(!parse_size(format_size_short(buf, sizeof(buf), value), &again));
		FUZZ_CHECK(again == value);
	}
}

static void check_count(const char *text)
{
	uint64_t value = LEFT;

	if (parse_count(text, 3, 1000, &value))
		FUZZ_CHECK(value == LEFT);
	else
		FUZZ_CHECK(value >= 3 && value <= 1000);
}

static void check_rate(const char *text)
{
	uint64_t value = LEFT;

	if (parse_rate(text, 1000, &value))
		FUZZ_CHECK(value == LEFT);
	else
		FUZZ_CHECK(value >= 1 && value <= 1000);
}

static void check_duration(const char *text)
{
	uint64_t value = LEFT;

	if (parse_duration(text, &value))
		FUZZ_CHECK(value == LEFT);
	else
		check_formats(value);
}

static void take_cpu(unsigned int cpu, void *arg)
{
	(void)arg;
	FUZZ_CHECK(cpu < CPUS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz__string(data, size);

	check_size(text);
	check_count(text);
	check_rate(text);
	check_duration(text);
	parse_cpu_list(text, CPUS, take_cpu, NULL);
	free(text);
	return 0;
}
