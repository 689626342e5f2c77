/* SPDX-License-Identifier: GPL-2.0-only */
/* Classes of CPU time, mode against mode; see stage_claims.h. Knows no words. */
#include "stage_claims.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"

enum metric stage_claims__metric(const struct stage_claims *s, enum cpu_class c)
{
	return s->both ? METRIC_CLASS_BOTH(c) : METRIC_CLASS(NIO_SIDE_SENDER, c);
}

/* The pairs, and the values of one class in them. */
struct builder {
	const struct analysis *a;
	struct stage_claims *s;
	const struct dataset_row **base; /* of two-copy, one for each pair */
	size_t pairs;
	double *values; /* differences: of each claim, by pair */
};

static bool is_sampled(const struct stage_claims *s, const struct dataset_row *row)
{
	return !isnan(row->value[stage_claims__metric(s, CPU_CLASS_TX_COPY)]);
}

static void builder__clear(struct builder *b)
{
	free(b->base);
	free(b->values);
}

static int builder__init(struct builder *b, struct stage_claims *s, const struct analysis *a)
{
	const struct dataset *d = a->dataset;
	size_t n = d->rows_nr;

	*b = (struct builder){.a = a, .s = s};
	b->base = array__new(n, sizeof(const struct dataset_row *));
	b->values = array__new(n * MODE_NR * CPU_CLASS_NR, sizeof(double));
	if (!b->base || !b->values)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (d->rows[i].mode == MODE_TWOCOPY && is_sampled(s, &d->rows[i]))
			b->base[b->pairs++] = &d->rows[i];
	return 0;
}

/* The row of a mode that was measured in the same round as this one of two-copy; NULL: none. */
static const struct dataset_row *partner(const struct builder *b, enum mode mode, size_t pair)
{
	const struct dataset_row *base = b->base[pair];
	const struct cell *cell = analysis__cell(b->a, mode, base->size, base->threads);

	for (size_t i = 0; cell && i < cell->rows_nr; i++)
		if (analysis__block(b->a, &cell->rows[i]) == analysis__block(b->a, base))
			return &cell->rows[i];
	return NULL;
}

/* Fills the differences. Returns whether the class occurs at all. */
static bool fill(struct builder *b, enum mode mode, enum metric m, double *difference)
{
	bool occurs = false;

	for (size_t i = 0; i < b->pairs; i++) {
		const struct dataset_row *row = partner(b, mode, i);

		difference[i] = row ? row->value[m] - b->base[i]->value[m] : (double)NAN;
		occurs |= !isnan(difference[i]) && (row->value[m] > 0 || b->base[i]->value[m] > 0);
	}
	return occurs;
}

static void add(struct builder *b, enum mode mode, enum cpu_class class)
{
	struct stage_claims *s = b->s;
	double *difference = b->values + s->nr * b->pairs;

	if (fill(b, mode, stage_claims__metric(s, class), difference))
		s->list[s->nr++] = (struct stage_claim){.mode = mode, .class = class};
}

static enum difference judge(const struct estimate *paired)
{
	if (paired->n < 2)
		return paired->n ? DIFFERENCE_POINT : DIFFERENCE_UNKNOWN;
	if (!estimate__has_interval(paired))
		return DIFFERENCE_FEW;
	if (paired->low > 0)
		return DIFFERENCE_HIGHER;
	return paired->high < 0 ? DIFFERENCE_LOWER : DIFFERENCE_NOISE;
}

static void test(struct builder *b)
{
	struct stage_claims *s = b->s;

	for (size_t i = 0; i < s->nr; i++) {
		s->list[i].paired = estimate__at(b->values + i * b->pairs, b->pairs,
						 1 - RANK_LEVEL / (double)s->nr);
		s->list[i].difference = judge(&s->list[i].paired);
	}
}

static int by_size(const void *pa, const void *pb)
{
	const struct stage_claim *a = pa, *b = pb;
	double x = fabs(a->paired.median), y = fabs(b->paired.median);
	int order = ORDER(y, x);

	order = order ? order : ORDER(a->mode, b->mode);
	return order ? order : ORDER(a->class, b->class);
}

int stage_claims__make(struct stage_claims *s, const struct analysis *a)
{
	struct builder b;
	int err;

	*s = (struct stage_claims){.both = analysis__has(a, METRIC_CLASS_TX_COPY)};
	err = builder__init(&b, s, a);
	for (int mode = 0; !err && mode < MODE_NR; mode++)
		for (int c = 0; mode != MODE_TWOCOPY && c < CPU_CLASS_NR; c++)
			add(&b, (enum mode)mode, (enum cpu_class)c);
	s->pairs = b.pairs;
	if (!err)
		test(&b);
	builder__clear(&b);
	if (s->nr)
		qsort(s->list, s->nr, sizeof(s->list[0]), by_size);
	return err;
}
