/* SPDX-License-Identifier: GPL-2.0-only */
/* The best modes of each setting, and where thread counts disagree; see leaders.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "leaders.h"

#define UNTESTED_WORTH_TELLING 0.05 /* a change without interval */

int leaders__better(const struct finding *f, enum metric m)
{
	if (!finding__holds(f) && !finding__untested(f))
		return 0;
	return metric__better(m) == BETTER_LOWER ? -f->sign : f->sign;
}

enum mode leaders__best_median(const struct analysis *a, uint64_t size, unsigned int threads,
			       enum metric m, enum mode without)
{
	enum mode best = MODE_NR;
	double best_value = 0;

	for (enum mode mode = 0; mode < MODE_NR; mode++) {
		struct cell *cell = analysis__cell(a, mode, size, threads);
		double value = analysis__estimate(a, cell, m).median;

		value = metric__better(m) == BETTER_LOWER ? -value : value;
		if (mode == without || isnan(value) || (best != MODE_NR && value <= best_value))
			continue;
		best = mode;
		best_value = value;
	}
	return best;
}

/*
 * The mode that is better than `mode`: that with the best median, or else the first of the others;
 * MODE_NR: none. f: the finding against it, or against the best median.
 */
static enum mode better_mode(const struct analysis *a, uint64_t size, unsigned int threads,
			     enum metric m, enum mode mode, enum mode best, struct finding *f)
{
	struct cell *cell = analysis__cell(a, mode, size, threads);

	*f = analysis__compare_modes(a, cell, analysis__cell(a, best, size, threads), m);
	if (leaders__better(f, m) < 0)
		return best;
	for (enum mode other = 0; other < MODE_NR; other++) {
		struct finding against = analysis__compare_modes(
			a, cell, analysis__cell(a, other, size, threads), m);

		if (other == mode || leaders__better(&against, m) >= 0)
			continue;
		*f = against;
		return other;
	}
	return MODE_NR;
}

struct setting_ranking leaders__rank(const struct analysis *a, uint64_t size, unsigned int threads,
				     enum metric m)
{
	enum mode best = leaders__best_median(a, size, threads, m, MODE_NR);
	struct finding f[MODE_NR];
	enum mode than[MODE_NR];
	struct setting_ranking r = {0};

	if (best == MODE_NR)
		return r;
	for (enum mode mode = 0; mode < MODE_NR; mode++)
		than[mode] = better_mode(a, size, threads, m, mode, best, &f[mode]);
	for (int behind = 0; behind < 2; behind++) {
		for (enum mode mode = 0; mode < MODE_NR; mode++) {
			if (mode != best && f[mode].difference == DIFFERENCE_UNKNOWN) {
				r.withheld |= f[mode].a.n > 0;
				continue;
			}
			if ((mode != best && than[mode] < MODE_NR) != behind)
				continue;
			r.behind[r.nr] = f[mode];
			r.than[r.nr] = than[mode];
			r.mode[r.nr++] = mode;
		}
		if (!behind)
			r.best = r.nr;
	}
	return r.withheld ? (struct setting_ranking){.nr = 2, .best = 2, .withheld = true} : r;
}

bool leaders__is_best(const struct setting_ranking *r, enum mode mode)
{
	bool leads = false, any_behind = false;

	for (size_t i = 0; i < r->nr; i++) {
		leads |= i < r->best && r->mode[i] == mode;
		any_behind |= i >= r->best && finding__holds(&r->behind[i]);
	}
	return leads && any_behind;
}

/* ---- ranges of changes ---- */

/* Changes of several settings. */
struct range {
	double min, max;  /* of the changes */
	double low, high; /* of the intervals; NaN: not all have one */
	enum mode than;   /* against this mode; MODE_NR: not all */
	size_t nr;
};

static void range__add(struct range *r, const struct finding *f, enum mode than)
{
	bool has_interval = !isnan(f->low) && !isnan(f->high);

	if (!r->nr++) {
		*r = (struct range){f->change, f->change, f->low, f->high, than, 1};
		return;
	}
	r->than = than == r->than ? than : MODE_NR;
	r->min = fmin(r->min, f->change);
	r->max = fmax(r->max, f->change);
	r->low = has_interval && !isnan(r->low) ? fmin(r->low, f->low) : (double)NAN;
	r->high = has_interval && !isnan(r->high) ? fmax(r->high, f->high) : (double)NAN;
}

/* "-74 % (-84 to -39)" */
static struct phrase range__words(const struct range *r)
{
	if (isnan(r->low) || isnan(r->high))
		return phrases__range(r->min, r->max);
	return phrases__of("%s (%s)", phrases__range(r->min, r->max).text,
			   phrases__bounds(r->low, r->high).text);
}

/* ---- lines ---- */

static bool same_order(const struct setting_ranking *x, const struct setting_ranking *y)
{
	return x->nr == y->nr && x->best == y->best &&
	       !memcmp(x->mode, y->mode, x->nr * sizeof(x->mode[0]));
}

/* All rankings: [thread count][size]. */
struct rankings {
	const struct analysis *a;
	enum metric metric;
	struct setting_ranking *of;
	bool *is_said; /* by thread count */
};

static const struct setting_ranking *ranking_at(const struct rankings *r, size_t thread,
						size_t size)
{
	return &r->of[thread * r->a->sizes_nr + size];
}

/* The same modes lead at each size. A size that one thread count lacks is no contradiction. */
static bool agree(const struct rankings *r, size_t x, size_t y)
{
	for (size_t s = 0; s < r->a->sizes_nr; s++) {
		const struct setting_ranking *rx = ranking_at(r, x, s), *ry = ranking_at(r, y, s);

		if (rx->nr > 1 && ry->nr > 1 && !same_order(rx, ry))
			return false;
	}
	return true;
}

static void put_group(FILE *f, const struct rankings *r, const struct setting_ranking *like,
		      const struct range *behind)
{
	bool cost = metric__better(r->metric) == BETTER_LOWER;

	if (like->withheld) {
		fputs("not known: " SOFTIRQ_UNKNOWN, f);
		return;
	}
	if (like->best == like->nr)
		fputs("no difference between ", f);
	for (size_t i = 0; i < like->best; i++)
		fprintf(f, "%s%s",
			!i                       ? ""
			: i + 1 < like->best     ? ", "
			: like->best == like->nr ? " and "
						 : " or ",
			phrases__mode(like->mode[i]));
	for (size_t i = like->best; i < like->nr; i++)
		fprintf(f, "; %s %s%s%s, %s", phrases__mode(like->mode[i]),
			cost ? "costs more" : "is slower", like->best > 1 ? " than " : "",
			like->best == 1            ? ""
			: behind[i].than < MODE_NR ? phrases__mode(behind[i].than)
						   : "one of these",
			range__words(&behind[i]).text);
}

/* The sizes that are ranked as size `from`, and their changes. Returns how many there are. */
static size_t collect(const struct rankings *r, const bool *threads, size_t from,
		      const struct setting_ranking *like, bool *done, struct range behind[MODE_NR],
		      struct item_list *sizes)
{
	const struct analysis *a = r->a;
	size_t nr = 0;

	for (size_t s = from; s < a->sizes_nr; s++) {
		bool any = false;

		for (size_t t = 0; t < a->threads_nr; t++) {
			const struct setting_ranking *here = ranking_at(r, t, s);

			if (!threads[t] || here->nr < 2 || !same_order(here, like))
				continue;
			for (size_t i = here->best; i < here->nr; i++)
				range__add(&behind[i], &here->behind[i], here->than[i]);
			any = true;
		}
		if (!any)
			continue;
		done[s] = true;
		item_list__add(sizes, "%s", phrases__size(a->sizes[s]).text);
		nr++;
	}
	return nr;
}

static const struct setting_ranking *first_ranking(const struct rankings *r, const bool *threads,
						   size_t size)
{
	for (size_t t = 0; t < r->a->threads_nr; t++)
		if (threads[t] && ranking_at(r, t, size)->nr > 1)
			return ranking_at(r, t, size);
	return NULL;
}

/* The sizes of these thread counts, those that are alike together. "": none has two modes. */
static char *line_text(const struct rankings *r, const bool *threads)
{
	const struct analysis *a = r->a;
	bool *done = xcalloc(a->sizes_nr, sizeof(*done));
	char *text;
	size_t len, groups = 0;
	FILE *f = xopen_memstream(&text, &len);

	for (size_t s = 0; s < a->sizes_nr; s++) {
		const struct setting_ranking *like = first_ranking(r, threads, s);
		struct range behind[MODE_NR] = {{0}};
		struct item_list sizes = {0};
		size_t nr;

		if (done[s] || !like)
			continue;
		nr = collect(r, threads, s, like, done, behind, &sizes);
		fputs(groups++ ? ". " : "", f);
		if (nr < a->sizes_nr)
			fprintf(f, "%s: ", item_list__words(&sizes));
		put_group(f, r, like, behind);
	}
	fputs(groups ? "." : "", f);
	xclose_memstream(f);
	free(done);
	return text;
}

/* "1, 2 and 4 threads" */
static struct phrase threads_words(const struct analysis *a, const bool *threads)
{
	struct phrase p = {""};
	size_t all = 0, nr = 0, last = 0;

	for (size_t t = 0; t < a->threads_nr; t++)
		all += threads[t];
	for (size_t t = 0; t < a->threads_nr; t++) {
		if (!threads[t])
			continue;
		last = t;
		p = phrases__of("%s%s%u", p.text,
				!nr            ? ""
				: nr + 1 < all ? ", "
					       : " and ",
				a->threads[t]);
		nr++;
	}
	return nr == 1 ? phrases__threads(a->threads[last]) : phrases__of("%s threads", p.text);
}

/* The line of a thread count and of all that agree with it. */
static void add_line(struct leaders *l, struct rankings *r, size_t first)
{
	const struct analysis *a = r->a;
	bool *threads = xcalloc(a->threads_nr, sizeof(*threads));
	size_t nr = 0;
	char *text;

	for (size_t t = first; t < a->threads_nr; t++) {
		bool with_all = !r->is_said[t];

		for (size_t u = first; u < t && with_all; u++)
			with_all = !threads[u] || agree(r, t, u);
		threads[t] = with_all;
		r->is_said[t] |= with_all;
		nr += with_all;
	}
	text = line_text(r, threads);
	if (*text) {
		l->lines = xgrow(l->lines, l->nr, sizeof(*l->lines));
		l->lines[l->nr++] = (struct leader_line){
			xstrdup(nr < a->threads_nr ? threads_words(a, threads).text : ""), text};
	} else {
		free(text);
	}
	free(threads);
}

void leaders__make(struct leaders *l, const struct analysis *a, enum metric m)
{
	struct rankings r = {
		.a = a,
		.metric = m,
		.of = xcalloc(a->threads_nr * a->sizes_nr, sizeof(*r.of)),
		.is_said = xcalloc(a->threads_nr, sizeof(*r.is_said)),
	};

	*l = (struct leaders){0};
	for (size_t t = 0; t < a->threads_nr; t++)
		for (size_t s = 0; s < a->sizes_nr; s++)
			r.of[t * a->sizes_nr + s] = leaders__rank(a, a->sizes[s], a->threads[t], m);
	for (size_t t = 0; t < a->threads_nr; t++)
		if (!r.is_said[t])
			add_line(l, &r, t);
	free(r.of);
	free(r.is_said);
	if (l->nr)
		return;
	l->lines = xgrow(l->lines, 0, sizeof(*l->lines));
	l->lines[l->nr++] = (struct leader_line){
		xstrdup(""), analysis__has(a, m)
				     ? xstrdup("Not measured: no size and thread count has two "
					       "modes.")
				     : xasprintf("Not measured: %s.", analysis__reason(a, m))};
}

void leaders__clear(struct leaders *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		free(l->lines[i].threads);
		free(l->lines[i].text);
	}
	free(l->lines);
	*l = (struct leaders){0};
}

/* ---- disagreement ---- */

/* 1: higher for certain, or so much higher in untested rounds that it is worth naming; -1: lower.
 */
static int side_of(const struct finding *f)
{
	if (finding__holds(f))
		return f->sign;
	if (f->difference != DIFFERENCE_POINT && f->difference != DIFFERENCE_FEW)
		return 0;
	return fabs(f->change) < UNTESTED_WORTH_TELLING ? 0 : f->sign;
}

/* The thread counts at which a mode is higher than two-copy at one size, and lower. */
struct sides {
	bool *threads[2];
	struct range range[2];
};

static void find_sides(const struct analysis *a, enum mode mode, uint64_t size, enum metric m,
		       struct sides *s)
{
	for (size_t t = 0; t < a->threads_nr; t++) {
		struct cell *cell = analysis__cell(a, mode, size, a->threads[t]);
		struct finding f =
			cell ? analysis__compare(a, cell, analysis__peer(a, cell, MODE_TWOCOPY), m)
			     : (struct finding){.difference = DIFFERENCE_UNKNOWN};
		int side = side_of(&f);

		s->threads[0][t] = side > 0;
		s->threads[1][t] = side < 0;
		if (side)
			range__add(&s->range[side < 0], &f, MODE_TWOCOPY);
	}
}

char *leaders__disagreement(const struct analysis *a, enum mode mode, enum metric m)
{
	bool *threads = xcalloc(2 * a->threads_nr, sizeof(*threads));
	size_t len, said = 0;
	char *text;
	FILE *f = xopen_memstream(&text, &len);

	fprintf(f, "Thread counts disagree on %s against two-copy", phrases__mode(mode));
	for (size_t i = 0; i < a->sizes_nr; i++) {
		struct sides s = {.threads = {threads, threads + a->threads_nr}};

		find_sides(a, mode, a->sizes[i], m, &s);
		if (!s.range[0].nr || !s.range[1].nr)
			continue;
		fprintf(f, "%s at %s ", said++ ? ";" : ":", phrases__size(a->sizes[i]).text);
		for (int side = 0; side < 2; side++)
			fprintf(f, "%s%s with %s", side ? ", " : "",
				range__words(&s.range[side]).text,
				threads_words(a, s.threads[side]).text);
	}
	fputc('.', f);
	xclose_memstream(f);
	free(threads);
	if (said)
		return text;
	free(text);
	return NULL;
}
