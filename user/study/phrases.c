/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers, cells and differences in words; see phrases.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "phrases.h"

/* Smaller numbers show as 0.000000: none of our units has any. */
#define DECIMALS_MAX 6

const char *phrases__mode(enum mode mode)
{
	return mode__words(mode);
}

char *phrases__threads(char *buf, size_t len, unsigned int threads)
{
	if (threads)
		snprintf(buf, len, "%u thread%s", threads, plural(threads));
	else
		snprintf(buf, len, "threads n/a");
	return buf;
}

char *phrases__cell(char *buf, size_t len, const struct cell *cell)
{
	char size[UNITS_BUF], threads[UNITS_BUF];

	snprintf(buf, len, "%s, %s, %s", phrases__mode(cell->mode),
		 format_size(size, sizeof(size), cell->size),
		 phrases__threads(threads, sizeof(threads), cell->threads));
	return buf;
}

/* Digits after the point that show 4 digits of a value. */
static int decimals_of(double value)
{
	double size = fabs(value);
	int n = 3;

	if (!(size > 0))
		return 0;
	for (; size >= 10 && n > 0; size /= 10)
		n--;
	for (; size < 1 && n < DECIMALS_MAX; size *= 10)
		n++;
	return n;
}

static void format_with(char *buf, size_t len, double value, int decimals)
{
	if (value >= 1000 && value < 1e15)
		format_count(buf, len, (uint64_t)(value + 0.5));
	else
		snprintf(buf, len, "%.*f", decimals, value);
}

char *phrases__number(char *buf, size_t len, double value)
{
	format_with(buf, len, value, decimals_of(value));
	return buf;
}

/* A count has no digits after the point. */
static bool is_count(const char *unit, double value)
{
	return !*unit && value == floor(value);
}

char *phrases__value(char *buf, size_t len, enum metric m, double value)
{
	const char *unit = metric__unit(m);
	char number[PHRASE_BUF];

	if (isnan(value)) {
		snprintf(buf, len, "n/a");
	} else if (!strcmp(unit, "ns")) {
		format_ns(buf, len, value);
	} else if (!strcmp(unit, "B") && value >= 0) {
		format_bytes_si(buf, len, value);
	} else if (!strcmp(unit, "B/B")) {
		snprintf(buf, len, "%.2f", value);
	} else {
		format_with(number, sizeof(number), value,
			    is_count(unit, value) ? 0 : decimals_of(value));
		snprintf(buf, len, "%s%s%s", number, *unit ? " " : "", unit);
	}
	return buf;
}

/* Is the unit of a value chosen by its size, so that each value needs its own? */
static bool has_own_unit(const char *unit)
{
	return !strcmp(unit, "ns") || !strcmp(unit, "B");
}

/* The median beside it has the unit already, and as many digits after the point. */
static char *phrases__bound(char *buf, size_t len, enum metric m, double median, double value)
{
	const char *unit = metric__unit(m);

	if (has_own_unit(unit) || !strcmp(unit, "B/B") || isnan(value))
		return phrases__value(buf, len, m, value);
	format_with(buf, len, value, is_count(unit, median) ? 0 : decimals_of(median));
	return buf;
}

char *phrases__interval(char *buf, size_t len, enum metric m, const struct estimate *e)
{
	char low[PHRASE_BUF], high[PHRASE_BUF];

	if (!e->n)
		snprintf(buf, len, "n/a");
	else if (!estimate__has_interval(e))
		snprintf(buf, len, "one run");
	else
		snprintf(buf, len, "%s to %s",
			 phrases__bound(low, sizeof(low), m, e->median, e->low),
			 phrases__bound(high, sizeof(high), m, e->median, e->high));
	return buf;
}

char *phrases__estimate(char *buf, size_t len, enum metric m, const struct estimate *e)
{
	char median[PHRASE_BUF], interval[2 * PHRASE_BUF];

	if (!e->n)
		snprintf(buf, len, "n/a");
	else
		snprintf(buf, len, estimate__has_interval(e) ? "%s (%s)" : "%s",
			 phrases__value(median, sizeof(median), m, e->median),
			 phrases__interval(interval, sizeof(interval), m, e));
	return buf;
}

/* "x 12", "x 0.04": 3 digits, and all those before the point. */
static char *times(char *buf, size_t len, double factor)
{
	int decimals = decimals_of(factor);

	snprintf(buf, len, "x %.*f", decimals ? decimals - 1 : 0, factor);
	return buf;
}

char *phrases__change(char *buf, size_t len, double change)
{
	if (isnan(change))
		snprintf(buf, len, "n/a");
	else if (change >= 9)
		times(buf, len, change + 1);
	else
		snprintf(buf, len, "%+.1f %%", change * 100);
	return buf;
}

char *phrases__change_interval(char *buf, size_t len, double low, double high)
{
	char from[PHRASE_BUF], to[PHRASE_BUF];

	if (isnan(low) && isnan(high))
		buf[0] = '\0';
	else if (low > -1 && high >= 9)
		snprintf(buf, len, "%s to %s", times(from, sizeof(from), low + 1),
			 times(to, sizeof(to), high + 1));
	else
		snprintf(buf, len, "%s to %s", phrases__change(from, sizeof(from), low),
			 phrases__change(to, sizeof(to), high));
	return buf;
}

char *phrases__change_of(char *buf, size_t len, const struct finding *f)
{
	char change[PHRASE_BUF], interval[2 * PHRASE_BUF];

	phrases__change(change, sizeof(change), f->change);
	phrases__change_interval(interval, sizeof(interval), f->low, f->high);
	if (finding__holds(f) && *interval)
		snprintf(buf, len, "%s; %s", change, interval);
	else
		snprintf(buf, len, "%s", change);
	return buf;
}

char *phrases__finding(char *buf, size_t len, const struct finding *f)
{
	static const char *const behind[] = {[DIFFERENCE_POINT] = ", point difference",
					     [DIFFERENCE_FEW] = ", too few rounds",
					     [DIFFERENCE_HIGHER] = "",
					     [DIFFERENCE_LOWER] = ""};
	char change[3 * PHRASE_BUF];

	if (f->difference == DIFFERENCE_UNKNOWN)
		snprintf(buf, len, "n/a");
	else if (f->difference == DIFFERENCE_NOISE)
		snprintf(buf, len, "no difference");
	else
		snprintf(buf, len, "%s%s", phrases__change_of(change, sizeof(change), f),
			 behind[f->difference]);
	return buf;
}

char *phrases__signed(char *buf, size_t len, double value)
{
	int decimals = decimals_of(value);

	snprintf(buf, len, "%+.*f", decimals ? decimals - 1 : 0, value);
	return buf;
}

char *phrases__factor(char *buf, size_t len, double from, double to)
{
	if (isnan(from) || isnan(to) || from <= 0)
		snprintf(buf, len, "n/a");
	else
		times(buf, len, to / from);
	return buf;
}
