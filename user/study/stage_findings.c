/* SPDX-License-Identifier: GPL-2.0-only */
/* Classes of CPU time, mode against mode; see stage_findings.h. */
#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "stage_findings.h"

enum metric stage_findings__metric(const struct stage_findings *s, enum cpu_class c)
{
	return s->both ? METRIC_CLASS_BOTH(c) : METRIC_CLASS(NIO_SIDE_SENDER, c);
}

/* The row of a mode that was measured in the same round as this one of two-copy; NULL: none. */
static const struct dataset_row *partner(const struct analysis *a, const struct dataset_row *base,
					 enum mode mode)
{
	const struct cell *cell = analysis__cell(a, mode, base->size, base->threads);

	for (size_t i = 0; cell && i < cell->rows_nr; i++)
		if (analysis__block(a, &cell->rows[i]) == analysis__block(a, base))
			return &cell->rows[i];
	return NULL;
}

/* The difference in each sampled round of two-copy. Returns whether the class occurs at all. */
static bool subtract(struct stage_findings *s, const struct analysis *a, enum mode mode,
		     enum cpu_class class, double *difference)
{
	enum metric m = stage_findings__metric(s, class);
	bool occurs = false;

	s->pairs = 0;
	for (size_t i = 0; i < a->dataset->rows_nr; i++) {
		const struct dataset_row *base = &a->dataset->rows[i], *row;
		double *d = &difference[s->pairs];

		if (base->mode != MODE_TWOCOPY ||
		    isnan(base->value[stage_findings__metric(s, CPU_CLASS_TX_COPY)]))
			continue;
		row = partner(a, base, mode);
		*d = row ? row->value[m] - base->value[m] : (double)NAN;
		occurs |= !isnan(*d) && (row->value[m] > 0 || base->value[m] > 0);
		s->pairs++;
	}
	return occurs;
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
	size_t n = a->dataset->rows_nr;
	double *differences = xcalloc(n * MODE_NR * CPU_CLASS_NR, sizeof(double));

	*s = (struct stage_findings){.both = analysis__has(a, METRIC_CLASS_TX_COPY)};
	for (enum mode mode = 0; mode < MODE_NR; mode++)
		for (enum cpu_class c = 0; mode != MODE_TWOCOPY && c < CPU_CLASS_NR; c++)
			if (subtract(s, a, mode, c, differences + s->nr * n))
				s->list[s->nr++] = (struct stage_finding){.mode = mode, .class = c};
	for (size_t i = 0; i < s->nr; i++) {
		s->list[i].paired =
			estimate__at(differences + i * n, s->pairs, 1 - RANK_LEVEL / (double)s->nr);
		s->list[i].difference = judge(&s->list[i].paired);
	}
	free(differences);
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

/* "gather -54.1 ns/KiB" */
static struct phrase class_words(const struct stage_finding *c)
{
	return phrases__of("%s %s ns/KiB", cpu_class__heading(c->class),
			   phrases__signed(c->paired.median).text);
}

struct item_list stage_findings__savings(const struct stage_findings *s)
{
	struct item_list list = {0};

	for (enum mode mode = 0; mode < MODE_NR; mode++) {
		const struct stage_finding *less = largest(s, mode, DIFFERENCE_LOWER);
		const struct stage_finding *more = largest(s, mode, DIFFERENCE_HIGHER);

		if (less)
			item_list__add(&list, "%s saves most in %s%s%s", phrases__mode(mode),
				       class_words(less).text,
				       more ? "; its largest extra cost is " : "",
				       more ? class_words(more).text : "");
	}
	return list;
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
		const struct estimate *e = &c->paired;

		if (c->mode != mode || c->difference == DIFFERENCE_UNKNOWN)
			continue;
		t->classes++;
		if (e->n > t->pairs)
			t->pairs = e->n;
		if (t->nr[c->difference]++ >= LISTED_MAX)
			continue;
		if (estimate__has_interval(e))
			item_list__add(&t->list[c->difference], "%s (%s to %s)",
				       class_words(c).text, phrases__signed(e->low).text,
				       phrases__signed(e->high).text);
		else
			item_list__add(&t->list[c->difference], "%s", class_words(c).text);
	}
}

void stage_findings__say(struct answer_text *answer, const struct stage_findings *s, enum mode mode)
{
	const struct analysis *a = answer->a;
	const struct stage_finding *saving = largest(s, mode, DIFFERENCE_LOWER);
	const char *name = phrases__mode(mode);
	struct stage_tally t;
	struct phrase of;

	stage_tally__make(&t, s, mode);
	if (!t.pairs)
		return;
	of = phrases__of("CPU samples of %s%zu pair%s of rounds%s", s->both ? "" : "the sender in ",
			 t.pairs, plural(t.pairs),
			 a->sizes_nr > 1 || a->threads_nr > 1 ? " of all sizes and thread counts"
							      : "");
	if (t.nr[DIFFERENCE_LOWER] || t.nr[DIFFERENCE_HIGHER])
		answer__point(answer,
			      "%s: %s takes less than two-copy in: %s; more in: %s; no difference "
			      "in %zu of %zu class%s.",
			      of.text, name, item_list__words(&t.list[DIFFERENCE_LOWER]),
			      item_list__words(&t.list[DIFFERENCE_HIGHER]), t.nr[DIFFERENCE_NOISE],
			      t.classes, t.classes == 1 ? "" : "es");
	else if (t.nr[DIFFERENCE_FEW] || t.nr[DIFFERENCE_POINT])
		answer__point(
			answer,
			"%s are too few to tell a difference; the largest of %s less two-copy: %s.",
			of.text, name,
			t.list[t.nr[DIFFERENCE_FEW] ? DIFFERENCE_FEW : DIFFERENCE_POINT].text);
	else
		answer__point(answer, "%s: no class of CPU time of %s differs from two-copy.",
			      of.text, name);
	for (size_t i = 0; saving && i < a->cells_nr; i++)
		if (a->cells[i].mode == mode)
			answer__compare(answer, &a->cells[i],
					analysis__peer(a, &a->cells[i], MODE_TWOCOPY),
					stage_findings__metric(s, saving->class));
}
