/* SPDX-License-Identifier: GPL-2.0-only */
/* Classes of CPU time, mode against mode; see stage_claims.h. Knows no words. */
#include "stage_claims.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/block_test.h"
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
	double *x, *y;  /* of the mode and of two-copy, by pair */
	double *values; /* differences: of each claim, by pair */
	int group[MODE_NR * CPU_CLASS_NR];
};

static bool is_sampled(const struct stage_claims *s, const struct dataset_row *row)
{
	return !isnan(row->value[stage_claims__metric(s, CPU_CLASS_TX_COPY)]);
}

static void builder__clear(struct builder *b)
{
	free(b->base);
	free(b->x);
	free(b->y);
	free(b->values);
}

static int builder__init(struct builder *b, struct stage_claims *s, const struct analysis *a)
{
	const struct dataset *d = a->dataset;
	size_t n = d->rows_nr;

	*b = (struct builder){.a = a, .s = s};
	b->base = array__new(n, sizeof(const struct dataset_row *));
	b->x = array__new(n, sizeof(double));
	b->y = array__new(n, sizeof(double));
	b->values = array__new(n * MODE_NR * CPU_CLASS_NR, sizeof(double));
	if (!b->base || !b->x || !b->y || !b->values)
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

/* Fills x, y and the differences. Returns whether the class occurs at all. */
static bool fill(struct builder *b, enum mode mode, enum metric m, double *difference)
{
	bool occurs = false;

	for (size_t i = 0; i < b->pairs; i++) {
		const struct dataset_row *row = partner(b, mode, i);

		b->x[i] = row ? row->value[m] : (double)NAN;
		b->y[i] = isnan(b->x[i]) ? (double)NAN : b->base[i]->value[m];
		difference[i] = b->x[i] - b->y[i];
		occurs |= b->x[i] > 0 || b->y[i] > 0;
	}
	return occurs;
}

static void add(struct builder *b, enum mode mode, enum cpu_class class)
{
	struct stage_claims *s = b->s;
	double *difference = b->values + s->nr * b->pairs;
	struct estimate x, y;

	if (!fill(b, mode, stage_claims__metric(s, class), difference))
		return;
	x = estimate__of(b->x, b->pairs);
	y = estimate__of(b->y, b->pairs);
	memcpy(b->x, difference, b->pairs * sizeof(*b->x)); /* whose own order is its rounds' */
	b->group[s->nr] = class;
	s->list[s->nr++] = (struct stage_claim){
		.mode = mode,
		.class = class,
		.c = claim__of_stage(&x, &y, b->x, b->pairs, (double)NAN),
	};
}

static int test(struct builder *b)
{
	struct stage_claims *s = b->s;
	double p[MODE_NR * CPU_CLASS_NR], adjusted[MODE_NR * CPU_CLASS_NR];
	struct block_test t = {.values = b->values,
			       .group = b->group,
			       .tests = s->nr,
			       .blocks = b->pairs,
			       .p = p,
			       .adjusted = adjusted};
	int err = s->nr ? block_test__paired(&t) : 0;

	for (size_t i = 0; !err && i < s->nr; i++)
		s->list[i].c = claim__of_stage(&s->list[i].c.a, &s->list[i].c.b,
					       b->values + i * b->pairs, b->pairs, adjusted[i]);
	return err;
}

static int by_size(const void *pa, const void *pb)
{
	const struct stage_claim *a = pa, *b = pb;
	double x = fabs(a->c.paired.median), y = fabs(b->c.paired.median);
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
		err = test(&b);
	builder__clear(&b);
	if (s->nr)
		qsort(s->list, s->nr, sizeof(s->list[0]), by_size);
	return err;
}
