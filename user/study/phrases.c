/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers, cells and differences in words; see phrases.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "phrases.h"

/* Smaller numbers show as 0.000000: none of our units has any. */
#define DECIMALS_MAX 6

struct phrase phrases__of(const char *format, ...)
{
	struct phrase p;
	va_list args;

	va_start(args, format);
	vsnprintf(p.text, sizeof(p.text), format, args);
	va_end(args);
	return p;
}

const char *phrases__mode(enum mode mode)
{
	return mode__words(mode);
}

struct phrase phrases__size(uint64_t bytes)
{
	struct phrase p = {""};

	format_size(p.text, sizeof(p.text), bytes);
	return p;
}

struct phrase phrases__threads(unsigned int threads)
{
	return threads ? phrases__of("%u thread%s", threads, plural(threads))
		       : phrases__of("threads n/a");
}

struct phrase phrases__cell(const struct cell *cell)
{
	return phrases__of("%s, %s, %s", phrases__mode(cell->mode), phrases__size(cell->size).text,
			   phrases__threads(cell->threads).text);
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

/* The same for 3 digits. */
static int few_decimals(double value)
{
	int n = decimals_of(value);

	return n ? n - 1 : 0;
}

static struct phrase with_decimals(double value, int decimals)
{
	struct phrase p = phrases__of("%.*f", decimals, value);

	if (value >= 1000 && value < 1e15)
		format_count(p.text, sizeof(p.text), (uint64_t)(value + 0.5));
	return p;
}

struct phrase phrases__number(double value)
{
	return with_decimals(value, decimals_of(value));
}

struct phrase phrases__signed(double value)
{
	return phrases__of("%+.*f", few_decimals(value), value);
}

/* A count has no digits after the point. */
static int decimals_in(const char *unit, double value)
{
	return !*unit && value == floor(value) ? 0 : decimals_of(value);
}

struct phrase phrases__value(enum metric m, double value)
{
	const char *unit = metric__unit(m);
	struct phrase p = {"n/a"};

	if (isnan(value))
		return p;
	if (!strcmp(unit, "B/B"))
		return phrases__of("%.2f", value);
	if (!strcmp(unit, "ns"))
		format_ns(p.text, sizeof(p.text), value);
	else if (!strcmp(unit, "B") && value >= 0)
		format_bytes_si(p.text, sizeof(p.text), value);
	else
		return phrases__of("%s%s%s", with_decimals(value, decimals_in(unit, value)).text,
				   *unit ? " " : "", unit);
	return p;
}

/* The median beside it has the unit and as many digits; times and bytes need a unit each. */
static struct phrase bound(enum metric m, double median, double value)
{
	const char *unit = metric__unit(m);

	if (!strcmp(unit, "ns") || *unit == 'B' || isnan(value))
		return phrases__value(m, value);
	return with_decimals(value, decimals_in(unit, median));
}

struct phrase phrases__interval(enum metric m, const struct estimate *e)
{
	if (!estimate__has_interval(e))
		return phrases__of("%s", e->n ? "one run" : "n/a");
	return phrases__of("%s to %s", bound(m, e->median, e->low).text,
			   bound(m, e->median, e->high).text);
}

struct phrase phrases__estimate(enum metric m, const struct estimate *e)
{
	struct phrase median = phrases__value(m, e->n ? e->median : (double)NAN);

	if (!estimate__has_interval(e))
		return median;
	return phrases__of("%s (%s)", median.text, phrases__interval(m, e).text);
}

/* "x 12", "x 0.04": 3 digits, and all those before the point. */
static struct phrase times(double factor)
{
	return phrases__of("x %.*f", few_decimals(factor), factor);
}

struct phrase phrases__factor(double from, double to)
{
	return isnan(from) || isnan(to) || from <= 0 ? phrases__of("n/a") : times(to / from);
}

struct phrase phrases__change(double change)
{
	if (isnan(change))
		return phrases__of("n/a");
	return change >= 9 ? times(change + 1) : phrases__of("%+.1f %%", change * 100);
}

struct phrase phrases__change_interval(double low, double high)
{
	if (isnan(low) && isnan(high))
		return phrases__of("%s", "");
	if (low > -1 && high >= 9)
		return phrases__of("%s to %s", times(low + 1).text, times(high + 1).text);
	return phrases__of("%s to %s", phrases__change(low).text, phrases__change(high).text);
}

/* "-74", "+4.4" */
static struct phrase percent(double change)
{
	return phrases__of("%+.*f", fabs(change) < 0.0995, change * 100);
}

static struct phrase between(double min, double max, const char *unit)
{
	bool factors = max >= 9 && min > -1;
	struct phrase low = factors ? times(min + 1) : percent(min);
	struct phrase high = factors ? times(max + 1) : percent(max);

	if (*unit && !strcmp(low.text, high.text))
		return phrases__of("%s%s", low.text, factors ? "" : unit);
	return phrases__of("%s to %s%s", low.text, high.text, factors ? "" : unit);
}

struct phrase phrases__range(double min, double max)
{
	return isnan(min) || isnan(max) ? phrases__of("n/a") : between(min, max, " %");
}

struct phrase phrases__bounds(double low, double high)
{
	return between(low, high, "");
}

struct phrase phrases__change_of(const struct finding *f)
{
	struct phrase interval = phrases__change_interval(f->low, f->high);
	bool shown = finding__holds(f) && *interval.text;

	return phrases__of("%s%s%s", phrases__change(f->change).text, shown ? "; " : "",
			   shown ? interval.text : "");
}

struct phrase phrases__finding(const struct finding *f)
{
	switch (f->difference) {
	case DIFFERENCE_UNKNOWN:
		return phrases__of("n/a");
	case DIFFERENCE_NOISE:
		return phrases__of("no difference");
	case DIFFERENCE_POINT:
		return phrases__of("%s, one run", phrases__change_of(f).text);
	case DIFFERENCE_FEW:
		return phrases__of("%s; too few rounds", phrases__change_of(f).text);
	default:
		return phrases__change_of(f);
	}
}

#define ITEMS_MAX 12

void item_list__add(struct item_list *list, const char *format, ...)
{
	size_t len = strlen(list->text);
	va_list args;

	if (list->nr++ >= ITEMS_MAX)
		return;
	snprintf(list->text + len, sizeof(list->text) - len, "%s", len ? ", " : "");
	len = strlen(list->text);
	va_start(args, format);
	vsnprintf(list->text + len, sizeof(list->text) - len, format, args);
	va_end(args);
}

const char *item_list__words(struct item_list *list)
{
	size_t len = strlen(list->text);

	if (!list->nr)
		return "nowhere";
	if (list->nr > ITEMS_MAX)
		snprintf(list->text + len, sizeof(list->text) - len, " and %zu more",
			 list->nr - ITEMS_MAX);
	list->nr = list->nr > ITEMS_MAX ? ITEMS_MAX : list->nr;
	return list->text;
}
