/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers, cells and differences in words; see words.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "words.h"

const char *words__mode(enum mode mode)
{
	return mode__words(mode);
}

char *words__threads(char *buf, size_t len, unsigned int threads)
{
	if (threads)
		snprintf(buf, len, "%u thread%s", threads, plural(threads));
	else
		snprintf(buf, len, "threads n/a");
	return buf;
}

char *words__cell(char *buf, size_t len, const struct cell *cell)
{
	char size[UNITS_BUF], threads[UNITS_BUF];

	snprintf(buf, len, "%s, %s, %s", words__mode(cell->mode),
		 format_size(size, sizeof(size), cell->size),
		 words__threads(threads, sizeof(threads), cell->threads));
	return buf;
}

/* Large counts in full, with their thousands apart; the rest with 4 digits. */
static void format_plain(char *buf, size_t len, double value)
{
	if (value >= 10000 && value < 1e15 && value == floor(value))
		format_count(buf, len, (uint64_t)value);
	else if (fabs(value) >= 1000 && fabs(value) < 1e15)
		snprintf(buf, len, "%.0f", value);
	else
		snprintf(buf, len, "%.4g", value);
}

char *words__value(char *buf, size_t len, enum metric m, double value)
{
	const char *unit = metric__unit(m);
	char number[UNITS_BUF];

	if (isnan(value)) {
		snprintf(buf, len, "n/a");
	} else if (!strcmp(unit, "ns")) {
		format_ns(buf, len, value);
	} else if (!strcmp(unit, "B") && value >= 0) {
		format_bytes_si(buf, len, value);
	} else if (!strcmp(unit, "B/B")) {
		snprintf(buf, len, "%.2f", value);
	} else {
		format_plain(number, sizeof(number), value);
		snprintf(buf, len, "%s%s%s", number, *unit ? " " : "", unit);
	}
	return buf;
}

/* The median beside it has the unit already; where the unit is chosen by size, each has its own. */
static char *words__bound(char *buf, size_t len, enum metric m, double value)
{
	const char *unit = metric__unit(m);
	size_t n;

	words__value(buf, len, m, value);
	n = strlen(buf);
	if (strcmp(unit, "ns") && strcmp(unit, "B") && *unit && n > strlen(unit) &&
	    !strcmp(buf + n - strlen(unit), unit))
		buf[n - strlen(unit) - 1] = '\0';
	return buf;
}

char *words__interval(char *buf, size_t len, enum metric m, const struct estimate *e)
{
	char low[WORDS_BUF], high[WORDS_BUF];

	if (!e->n)
		snprintf(buf, len, "n/a");
	else if (!estimate__has_interval(e))
		snprintf(buf, len, "one run");
	else
		snprintf(buf, len, "%s to %s", words__bound(low, sizeof(low), m, e->low),
			 words__bound(high, sizeof(high), m, e->high));
	return buf;
}

char *words__estimate(char *buf, size_t len, enum metric m, const struct estimate *e)
{
	char median[WORDS_BUF], interval[2 * WORDS_BUF + 8];

	if (!e->n)
		snprintf(buf, len, "n/a");
	else
		snprintf(buf, len, "%s (%s)", words__value(median, sizeof(median), m, e->median),
			 words__interval(interval, sizeof(interval), m, e));
	return buf;
}

char *words__change(char *buf, size_t len, double change)
{
	if (isnan(change))
		snprintf(buf, len, "n/a");
	else if (change >= 9)
		snprintf(buf, len, "x %.3g", change + 1);
	else
		snprintf(buf, len, "%+.1f %%", change * 100);
	return buf;
}

char *words__factor(char *buf, size_t len, double from, double to)
{
	if (isnan(from) || isnan(to) || from <= 0)
		snprintf(buf, len, "n/a");
	else
		snprintf(buf, len, "x %.3g", to / from);
	return buf;
}
