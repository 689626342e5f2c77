/* SPDX-License-Identifier: GPL-2.0-only */
/* Classes of CPU time, mode against mode; see stage_findings.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "phrases.h"
#include "stage_findings.h"

enum metric stage_findings__metric(const struct stage_findings *s, enum cpu_class c)
{
	return s->both ? METRIC_CLASS_BOTH(c) : METRIC_CLASS(NIO_SIDE_SENDER, c);
}

/* The pairs, and the values of one class in them. */
struct builder {
	const struct analysis *a;
	struct stage_findings *s;
	const struct dataset_row **base; /* of two-copy, one for each pair */
	size_t pairs;
	double *values; /* differences: of each finding, by pair */
};

static bool is_sampled(const struct stage_findings *s, const struct dataset_row *row)
{
	return !isnan(row->value[stage_findings__metric(s, CPU_CLASS_TX_COPY)]);
}

static void builder__init(struct builder *b, struct stage_findings *s, const struct analysis *a)
{
	const struct dataset *d = a->dataset;
	size_t n = d->rows_nr;

	*b = (struct builder){.a = a, .s = s};
	b->base = xcalloc(n, sizeof(const struct dataset_row *));
	b->values = xcalloc(n * MODE_NR * CPU_CLASS_NR, sizeof(double));
	for (size_t i = 0; i < n; i++)
		if (d->rows[i].mode == MODE_TWOCOPY && is_sampled(s, &d->rows[i]))
			b->base[b->pairs++] = &d->rows[i];
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
	struct stage_findings *s = b->s;
	double *difference = b->values + s->nr * b->pairs;

	if (fill(b, mode, stage_findings__metric(s, class), difference))
		s->list[s->nr++] = (struct stage_finding){.mode = mode, .class = class};
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
	struct stage_findings *s = b->s;

	for (size_t i = 0; i < s->nr; i++) {
		s->list[i].paired = estimate__at(b->values + i * b->pairs, b->pairs,
						 1 - RANK_LEVEL / (double)s->nr);
		s->list[i].difference = judge(&s->list[i].paired);
	}
}

static int by_size(const void *pa, const void *pb)
{
	const struct stage_finding *a = pa, *b = pb;
	double x = fabs(a->paired.median), y = fabs(b->paired.median);
	int order = ORDER(y, x);

	order = order ? order : ORDER(a->mode, b->mode);
	return order ? order : ORDER(a->class, b->class);
}

void stage_findings__make(struct stage_findings *s, const struct analysis *a)
{
	struct builder b;

	*s = (struct stage_findings){.both = analysis__has(a, METRIC_CLASS_TX_COPY)};
	builder__init(&b, s, a);
	for (int mode = 0; mode < MODE_NR; mode++)
		for (int c = 0; mode != MODE_TWOCOPY && c < CPU_CLASS_NR; c++)
			add(&b, (enum mode)mode, (enum cpu_class)c);
	s->pairs = b.pairs;
	test(&b);
	free(b.base);
	free(b.values);
	qsort(s->list, s->nr, sizeof(s->list[0]), by_size);
}

#define LISTED_MAX 4 /* of either direction: the largest, which come first */

/* The class of a mode with the largest difference of this kind; NULL: none has one. */
static const struct stage_finding *largest(const struct stage_findings *s, enum mode mode,
					   enum difference difference)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->list[i].mode == mode && s->list[i].difference == difference)
			return &s->list[i];
	return NULL;
}

char *stage_findings__savings(char *buf, size_t len, const struct stage_findings *s)
{
	char value[PHRASE_BUF];
	size_t used = 0;

	buf[0] = '\0';
	for (int mode = 0; mode < MODE_NR && used < len; mode++) {
		const struct stage_finding *less = largest(s, (enum mode)mode, DIFFERENCE_LOWER);
		const struct stage_finding *more = largest(s, (enum mode)mode, DIFFERENCE_HIGHER);

		if (!less)
			continue;
		used += (size_t)snprintf(
			buf + used, len - used, "%s%s saves most in %s (%s ns/KiB)",
			used ? ", " : " ", phrases__mode((enum mode)mode),
			cpu_class__heading(less->class),
			phrases__signed(value, sizeof(value), less->paired.median));
		if (more && used < len)
			used += (size_t)snprintf(
				buf + used, len - used,
				"; its largest extra cost is %s (%s ns/KiB)",
				cpu_class__heading(more->class),
				phrases__signed(value, sizeof(value), more->paired.median));
	}
	return buf;
}

static void list_class(struct item_list *list, const struct stage_finding *c)
{
	const struct estimate *e = &c->paired;
	char median[PHRASE_BUF], low[PHRASE_BUF], high[PHRASE_BUF];

	if (list->nr == LISTED_MAX)
		return;
	phrases__signed(median, sizeof(median), e->median);
	if (estimate__has_interval(e))
		item_list__add(list, "%s %s ns/KiB (%s to %s)", cpu_class__heading(c->class),
			       median, phrases__signed(low, sizeof(low), e->low),
			       phrases__signed(high, sizeof(high), e->high));
	else
		item_list__add(list, "%s %s ns/KiB", cpu_class__heading(c->class), median);
}

/* Classes of a mode by kind of finding. */
struct stage_tally {
	struct item_list list[DIFFERENCE_LOWER + 1];
	size_t nr[DIFFERENCE_LOWER + 1];
	size_t pairs, classes;
};

static void stage_tally__make(struct stage_tally *t, const struct stage_findings *s, enum mode mode)
{
	*t = (struct stage_tally){0};
	for (size_t i = 0; i < s->nr; i++) {
		const struct stage_finding *c = &s->list[i];

		if (c->mode != mode || c->difference == DIFFERENCE_UNKNOWN)
			continue;
		list_class(&t->list[c->difference], c);
		t->nr[c->difference]++;
		t->classes++;
		if (c->paired.n > t->pairs)
			t->pairs = c->paired.n;
	}
}

static void cite_class(struct answer_text *answer, const struct analysis *a,
		       const struct stage_findings *s, const struct stage_finding *c)
{
	enum metric m = stage_findings__metric(s, c->class);

	for (struct cell *x = a->cells; x < a->cells + a->cells_nr; x++) {
		struct cell *y = analysis__cell(a, MODE_TWOCOPY, x->size, x->threads);

		if (x->mode != c->mode || !y)
			continue;
		answer__cite(answer, a, x, m);
		answer__cite(answer, a, y, m);
	}
}

void stage_findings__say(struct answer_text *answer, const struct analysis *a,
			 const struct stage_findings *s, enum mode mode)
{
	bool many_cells = a->sizes_nr > 1 || a->threads_nr > 1;
	const char *name = phrases__mode(mode);
	char of[2 * PHRASE_BUF];
	struct stage_tally t;

	stage_tally__make(&t, s, mode);
	if (!t.pairs)
		return;
	snprintf(of, sizeof(of), "CPU samples of %s%zu pair%s of rounds%s",
		 s->both ? "" : "the sender in ", t.pairs, plural(t.pairs),
		 many_cells ? " of all sizes and thread counts" : "");
	if (t.nr[DIFFERENCE_LOWER] || t.nr[DIFFERENCE_HIGHER])
		answer__point(answer,
			      "%s: %s takes less than two-copy in: %s; more in: %s; no difference "
			      "in %zu of %zu class%s.",
			      of, name, item_list__words(&t.list[DIFFERENCE_LOWER]),
			      item_list__words(&t.list[DIFFERENCE_HIGHER]), t.nr[DIFFERENCE_NOISE],
			      t.classes, t.classes == 1 ? "" : "es");
	else if (t.nr[DIFFERENCE_FEW] || t.nr[DIFFERENCE_POINT])
		answer__point(
			answer,
			"%s are too few to tell a difference; the largest of %s less "
			"two-copy: %s.",
			of, name,
			t.list[t.nr[DIFFERENCE_FEW] ? DIFFERENCE_FEW : DIFFERENCE_POINT].text);
	else
		answer__point(answer, "%s: no class of CPU time of %s differs from two-copy.", of,
			      name);
	if (t.nr[DIFFERENCE_LOWER])
		cite_class(answer, a, s, largest(s, mode, DIFFERENCE_LOWER));
}
