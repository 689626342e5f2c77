/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The axis of live_hist.h: step sizes from 12.5 % up to one row for everything; the finest that
 * fits is used. Pure.
 */
#include <stdio.h>
#include <string.h>

#include "bpf/hist_layout.h"
#include "common/units.h"
#include "live_hist.h"

#define ROWS_WISHED 5u
/* Share of a histogram's events at either end that do not limit the resolution. */
#define TAIL_SHARE 0.025

/* A rung is a step size. The finer ones, 0 to FINE - 1; each further one doubles the rows' width.
 */
#define RUNGS 12

/* Sizes: bits of subdivision of each power of two. */
#define SIZES_FINE 4

/* Times: the steps of each power of ten, times ten; the list ends with 0. */
#define TIMES_FINE 6
static const unsigned char times[TIMES_FINE][25] = {
	{10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30,
	 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91},
	{10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82},
	{10, 15, 20, 30, 50, 70},
	{10, 20, 50},
	{10, 30},
	{10},
};

struct rung {
	enum hist_axis_kind kind;
	unsigned int nr;
};

/* Lower bound of row i of the whole axis, counted from 0; UINT64_MAX past its end. */
static uint64_t rung__edge(const struct rung *r, uint64_t i)
{
	unsigned int fine = r->kind == HIST_AXIS_TIME ? TIMES_FINE : SIZES_FINE;
	unsigned int nr = r->nr < fine ? r->nr : fine - 1, bits = SIZES_FINE - 1 - nr;
	uint64_t value, decades, steps;

	if (!i)
		return 0;
	i = 1 + ((i - 1) << (r->nr - nr));
	if (r->kind == HIST_AXIS_SIZE)
		return i < (65ULL - bits) << bits ? hist_bucket_low((uint32_t)i, bits) : UINT64_MAX;
	/* The first border above zero is 10 ns, the resolution of clocks. */
	steps = strlen((const char *)times[nr]);
	decades = (i - 1) / steps;
	if (decades > 17)
		return UINT64_MAX;
	value = times[nr][(i - 1) % steps];
	while (decades--)
		value *= 10;
	return value;
}

/* The row of the whole axis that v falls into. */
static uint64_t rung__row(const struct rung *r, uint64_t v)
{
	uint64_t i = 0, next;

	while ((next = rung__edge(r, i + 1)) != UINT64_MAX && next <= v)
		i++;
	return i;
}

/* From a value to a value, of all histograms of an axis. */
struct span {
	uint64_t low, high; /* low above high: of nothing */
};

/* Widens s to the events of h but for a share at either end. */
static void span__widen(struct span *s, const struct hist *h, double but_for)
{
	double outside = but_for * (double)h->count, below = 0;
	uint64_t mid;

	for (uint32_t i = 0; i < h->n_buckets; i++) {
		if (!h->buckets[i])
			continue;
		below += (double)h->buckets[i];
		if (below <= outside || below - (double)h->buckets[i] > (double)h->count - outside)
			continue;
		mid = hist__bucket_middle(h, i);
		if (mid < s->low)
			s->low = mid;
		if (mid > s->high)
			s->high = mid;
	}
}

static struct span span_of(const struct hist *const *h, size_t n, double but_for)
{
	struct span s = {UINT64_MAX, 0};

	for (size_t i = 0; i < n; i++)
		if (h[i])
			span__widen(&s, h[i], but_for);
	return s;
}

/* The finest rung on which the span takes no more than these rows. */
static struct rung rung_for(enum hist_axis_kind kind, const struct span *s, unsigned int rows)
{
	struct rung r = {kind, 0};

	while (r.nr + 1 < RUNGS && rung__row(&r, s->high) - rung__row(&r, s->low) >= rows)
		r.nr++;
	return r;
}

/* Adds rows at either end until there are enough to compare. */
static void extend(const struct rung *r, uint64_t *first, uint64_t *last, unsigned int max_rows)
{
	unsigned int wished = max_rows < ROWS_WISHED ? max_rows : ROWS_WISHED;

	while (*last - *first + 1 < wished && (*first || rung__edge(r, *last + 1) != UINT64_MAX)) {
		if (rung__edge(r, *last + 1) != UINT64_MAX)
			++*last;
		if (*first && *last - *first + 1 < wished)
			--*first;
	}
}

static void hist_axis__fill(struct hist_axis *axis, const struct rung *r, uint64_t first,
			    uint64_t last, unsigned int max_rows)
{
	for (uint64_t i = first; i <= last && axis->rows < max_rows; i++)
		axis->low[axis->rows++] = rung__edge(r, i);
}

/* The rows of the middle, and one at either end where events lie beyond them. */
static void hist_axis__fill_middle(struct hist_axis *axis, const struct rung *r,
				   const struct span *middle, const struct span *all,
				   unsigned int max_rows)
{
	uint64_t first = rung__row(r, middle->low), last = rung__row(r, middle->high);

	extend(r, &first, &last, max_rows - 2);
	axis->below = all->low < rung__edge(r, first);
	axis->above = rung__edge(r, last + 1) <= all->high;
	if (axis->below)
		axis->low[axis->rows++] = 0;
	hist_axis__fill(axis, r, first, last, max_rows - axis->above);
	if (axis->above)
		axis->low[axis->rows++] = rung__edge(r, last + 1);
}

/* The rows of all events. */
static void hist_axis__fill_all(struct hist_axis *axis, const struct rung *r,
				const struct span *all, unsigned int max_rows)
{
	uint64_t first = rung__row(r, all->low), last = rung__row(r, all->high);

	extend(r, &first, &last, max_rows);
	hist_axis__fill(axis, r, first, last, max_rows);
}

void hist_axis__fit(struct hist_axis *axis, enum hist_axis_kind kind, const struct hist *const *h,
		    size_t n, unsigned int max_rows)
{
	struct span all = span_of(h, n, 0), middle = span_of(h, n, TAIL_SHARE);
	struct rung of_all, of_middle;

	memset(axis, 0, sizeof(*axis));
	axis->kind = kind;
	if (all.low > all.high || !max_rows)
		return;
	if (max_rows > HIST_AXIS_ROWS_MAX)
		max_rows = HIST_AXIS_ROWS_MAX;
	of_all = rung_for(kind, &all, max_rows);
	of_middle = max_rows >= ROWS_WISHED ? rung_for(kind, &middle, max_rows - 2) : of_all;
	if (of_middle.nr < of_all.nr)
		hist_axis__fill_middle(axis, &of_middle, &middle, &all, max_rows);
	else
		hist_axis__fill_all(axis, &of_all, &all, max_rows);
}

void hist_axis__count(const struct hist_axis *axis, const struct hist *h, uint64_t *counts)
{
	unsigned int row = 0;
	uint64_t mid;
	uint32_t i;

	memset(counts, 0, axis->rows * sizeof(*counts));
	for (i = 0; axis->rows && i < h->n_buckets; i++) {
		if (!h->buckets[i])
			continue;
		mid = hist__bucket_middle(h, i);
		while (row + 1 < axis->rows && axis->low[row + 1] <= mid)
			row++;
		counts[row] += h->buckets[i];
	}
}

static char *without_spaces(char *s)
{
	char *to = s, *from;

	for (from = s; *from; from++)
		if (*from != ' ')
			*to++ = *from;
	*to = '\0';
	return s;
}

char *hist_axis__value(enum hist_axis_kind kind, double v, char *buf, size_t len)
{
	if (kind == HIST_AXIS_TIME)
		return without_spaces(format_ns(buf, len, v));
	if (!(v >= 0) || v >= 0x1p64)
		return format_size_short(buf, len, UINT64_MAX);
	return format_size_short(buf, len, (uint64_t)v);
}

char *hist_axis__label(const struct hist_axis *axis, unsigned int row, char *buf, size_t len)
{
	if ((axis->below && !row) || (axis->above && row == axis->rows - 1)) {
		snprintf(buf, len, "%s", row ? "above" : "below");
		return buf;
	}
	return hist_axis__value(axis->kind, (double)axis->low[row], buf, len);
}
