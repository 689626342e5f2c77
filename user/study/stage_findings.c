/* SPDX-License-Identifier: GPL-2.0-only */
/* Classes of CPU time, mode against mode; see stage_findings.h. */
#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "common/xalloc.h"
#include "stage_findings.h"

static enum metric metric_of(const struct stage_findings *s, enum cpu_class c)
{
	return s->both ? METRIC_CLASS_BOTH(c) : METRIC_CLASS(NIO_SIDE_SENDER, c);
}

/* The sampled CPU time of a round, ns per KiB; NaN: it was not sampled. */
static double total_of(const struct stage_findings *s, const struct dataset_row *row)
{
	double sum = row->value[metric_of(s, CPU_CLASS_TX_COPY)];

	for (enum cpu_class c = 0; c < CPU_CLASS_NR; c++) {
		double value = row->value[metric_of(s, c)];

		if (c != CPU_CLASS_TX_COPY && !isnan(value))
			sum += value;
	}
	return sum;
}

/* The mean CPU time of a setting, over the sampled rounds of all modes. NaN: none. */
static double mean_of(const struct stage_findings *s, const struct analysis *a,
		      const struct cell *setting)
{
	double sum = 0, n = 0;

	for (enum mode mode = 0; mode < MODE_NR; mode++) {
		const struct cell *cell = analysis__peer(a, setting, mode);

		for (size_t i = 0; cell && i < cell->rows_nr; i++) {
			double total = total_of(s, &cell->rows[i]);

			sum += isnan(total) ? 0 : total;
			n += !isnan(total);
		}
	}
	return n > 0 && sum > 0 ? sum / n : (double)NAN;
}

/* The factor of each cell of two-copy, which come first; NaN: it has no sample. */
static double *scales_of(const struct stage_findings *s, const struct analysis *a)
{
	double *scale = xcalloc(a->cells_nr, sizeof(*scale)), sum = 0, n = 0;

	for (size_t i = 0; i < a->cells_nr; i++) {
		scale[i] = a->cells[i].mode == MODE_TWOCOPY ? mean_of(s, a, &a->cells[i])
							    : (double)NAN;
		sum += isnan(scale[i]) ? 0 : scale[i];
		n += !isnan(scale[i]);
	}
	for (size_t i = 0; i < a->cells_nr; i++)
		scale[i] = sum / n / scale[i];
	return scale;
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

/* The values of the rounds that both have: two-copy's from `values + n` on. Returns their number.
 */
static size_t collect(const struct analysis *a, const double *scale, enum mode mode, enum metric m,
		      double *values, size_t n)
{
	size_t pairs = 0;
	bool occurs = false;

	for (size_t c = 0; c < a->cells_nr; c++) {
		const struct cell *cell = &a->cells[c];

		for (size_t i = 0; !isnan(scale[c]) && i < cell->rows_nr; i++) {
			const struct dataset_row *base = &cell->rows[i],
						 *row = isnan(base->value[m])
								? NULL
								: partner(a, base, mode);

			if (!row || isnan(row->value[m]))
				continue;
			values[pairs] = row->value[m] * scale[c];
			values[n + pairs] = base->value[m] * scale[c];
			occurs |= row->value[m] > 0 || base->value[m] > 0;
			pairs++;
		}
	}
	return occurs ? pairs : 0;
}

static double difference_of(const struct stage_finding *f)
{
	return f->test.a - f->test.b;
}

static int by_size(const void *pa, const void *pb)
{
	const struct stage_finding *a = pa, *b = pb;
	double x = fabs(difference_of(a)), y = fabs(difference_of(b));
	int order = ORDER(a->mode, b->mode);

	order = order ? order : ORDER(y, x);
	return order ? order : ORDER(a->class, b->class);
}

void stage_findings__make(struct stage_findings *s, const struct analysis *a)
{
	size_t n = a->dataset->rows_nr, tests = 0;
	double *values = xcalloc(2 * n, sizeof(*values)), *scale;

	*s = (struct stage_findings){.both = analysis__has(a, METRIC_CLASS_TX_COPY)};
	scale = scales_of(s, a);
	for (int pass = 0; pass < 2; pass++)
		for (enum mode mode = 0; mode < MODE_NR; mode++)
			for (enum cpu_class c = 0; mode != MODE_TWOCOPY && c < CPU_CLASS_NR; c++) {
				size_t pairs = collect(a, scale, mode, metric_of(s, c), values, n);

				tests += !pass && pairs;
				if (pass && pairs)
					s->list[s->nr++] = (struct stage_finding){
						mode, c,
						rank_test__of(values, pairs, values + n, pairs,
							      tests)};
			}
	free(scale);
	free(values);
	qsort(s->list, s->nr, sizeof(s->list[0]), by_size);
}

/* The class of a mode with the largest difference of this kind; NULL: none has one. */
static const struct stage_finding *largest(const struct stage_findings *s, enum mode mode,
					   enum difference difference)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->list[i].mode == mode && s->list[i].test.difference == difference)
			return &s->list[i];
	return NULL;
}

/* "gather -54.1 ns/KiB" */
static struct phrase class_words(const struct stage_finding *f)
{
	return phrases__of("%s %s ns/KiB", cpu_class__heading(f->class),
			   phrases__signed(difference_of(f)).text);
}

struct item_list stage_findings__savings(const struct stage_findings *s)
{
	struct item_list list = {0};

	for (enum mode mode = 0; mode < MODE_NR; mode++) {
		const struct stage_finding *less = largest(s, mode, DIFFERENCE_LOWER);
		const struct stage_finding *more = largest(s, mode, DIFFERENCE_HIGHER);

		if (less)
			item_list__add(&list, "%s saves most: %s%s%s", phrases__mode(mode),
				       class_words(less).text,
				       more ? "; its largest extra cost: " : "",
				       more ? class_words(more).text : "");
	}
	return list;
}

static const char *verdict_of(enum difference d)
{
	switch (d) {
	case DIFFERENCE_LOWER:
		return "less";
	case DIFFERENCE_HIGHER:
		return "more";
	case DIFFERENCE_NOISE:
		return "no difference";
	default:
		return "too few samples";
	}
}

/* The classes of a mode that show nothing, in one row. */
static void put_others(struct answer_text *answer, const struct stage_findings *s, enum mode mode)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++)
		nr += s->list[i].mode == mode && s->list[i].test.difference == DIFFERENCE_NOISE;
	if (!nr)
		return;
	answer__put(answer, "%s", phrases__mode(mode));
	answer__put(answer, "%zu other class%s", nr, nr == 1 ? "" : "es");
	answer__put_all(answer, "", "", "", verdict_of(DIFFERENCE_NOISE), "");
}

static void put_class(struct answer_text *answer, const struct stage_finding *f)
{
	const struct rank_test *t = &f->test;

	if (t->difference == DIFFERENCE_NOISE)
		return;
	answer__put_all(answer, phrases__mode(f->mode), cpu_class__heading(f->class),
			phrases__number(t->a).text, phrases__number(t->b).text,
			phrases__signed(difference_of(f)).text, verdict_of(t->difference),
			phrases__change_interval(t->low, t->high).text);
}

void stage_findings__table(struct answer_text *answer, const struct stage_findings *s)
{
	answer__begin_table(answer, 7,
			    "CPU time by class%s from samples, against two-copy: medians of the "
			    "sampled rounds of all settings, scaled to the mean setting:",
			    s->both ? "" : " of the sender");
	answer__put_all(answer, "Mode", "Class", "ns/KiB", "two-copy", "Difference", "By the rule",
			"Interval of the change");
	for (enum mode mode = 0; mode < MODE_NR; mode++) {
		for (size_t i = 0; i < s->nr; i++)
			if (s->list[i].mode == mode)
				put_class(answer, &s->list[i]);
		put_others(answer, s, mode);
	}
	answer__end_table(answer);
}
