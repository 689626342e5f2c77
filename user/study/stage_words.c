/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences of stages; see stage_words.h. */
#include "stage_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "words.h"

#define LISTED_MAX 4 /* of either direction: the largest, which come first */

/* The class of a mode with the largest difference of this kind; NULL: none has one. */
static const struct stage_claim *largest(const struct stage_claims *s, enum mode mode,
					 enum difference difference)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->list[i].mode == mode && s->list[i].difference == difference)
			return &s->list[i];
	return NULL;
}

char *stage_words__savings(char *buf, size_t len, const struct stage_claims *s)
{
	char value[WORDS_BUF];
	size_t used = 0;

	buf[0] = '\0';
	for (int mode = 0; mode < MODE_NR && used < len; mode++) {
		const struct stage_claim *less = largest(s, (enum mode)mode, DIFFERENCE_LOWER);
		const struct stage_claim *more = largest(s, (enum mode)mode, DIFFERENCE_HIGHER);

		if (!less)
			continue;
		used += (size_t)snprintf(buf + used, len - used,
					 "%s%s saves most in %s (%s ns/KiB)", used ? ", " : " ",
					 words__mode((enum mode)mode),
					 cpu_class__heading(less->class),
					 words__signed(value, sizeof(value), less->paired.median));
		if (more && used < len)
			used += (size_t)snprintf(
				buf + used, len - used,
				"; its largest extra cost is %s (%s ns/KiB)",
				cpu_class__heading(more->class),
				words__signed(value, sizeof(value), more->paired.median));
	}
	return buf;
}

static void list_class(struct item_list *list, const struct stage_claim *c)
{
	const struct estimate *e = &c->paired;
	char median[WORDS_BUF], low[WORDS_BUF], high[WORDS_BUF];

	if (list->nr == LISTED_MAX)
		return;
	words__signed(median, sizeof(median), e->median);
	if (estimate__has_interval(e))
		item_list__add(list, "%s %s ns/KiB (%s to %s)", cpu_class__heading(c->class),
			       median, words__signed(low, sizeof(low), e->low),
			       words__signed(high, sizeof(high), e->high));
	else
		item_list__add(list, "%s %s ns/KiB", cpu_class__heading(c->class), median);
}

/* The classes of a mode by what may be said of them. */
struct tally {
	struct item_list list[DIFFERENCE_LOWER + 1];
	size_t nr[DIFFERENCE_LOWER + 1];
	size_t pairs, classes;
};

static void tally__make(struct tally *t, const struct stage_claims *s, enum mode mode)
{
	*t = (struct tally){0};
	for (size_t i = 0; i < s->nr; i++) {
		const struct stage_claim *c = &s->list[i];

		if (c->mode != mode || c->difference == DIFFERENCE_UNKNOWN)
			continue;
		list_class(&t->list[c->difference], c);
		t->nr[c->difference]++;
		t->classes++;
		if (c->paired.n > t->pairs)
			t->pairs = c->paired.n;
	}
}

static void cite(struct answer_text *answer, const struct analysis *a, const struct stage_claims *s,
		 const struct stage_claim *c)
{
	enum metric m = stage_claims__metric(s, c->class);

	for (struct cell *x = a->cells; x < a->cells + a->cells_nr; x++) {
		struct cell *y = analysis__cell(a, MODE_TWOCOPY, x->size, x->threads);

		if (x->mode != c->mode || !y)
			continue;
		answer__cite(answer, a, x, m);
		answer__cite(answer, a, y, m);
	}
}

/* Differences of ns/KiB are of pairs of one cell each, and ranked together. */
static const char *whose_pairs(const struct analysis *a)
{
	return a->sizes_nr > 1 || a->threads_nr > 1 ? " of all sizes and thread counts" : "";
}

static void say_unclaimed(struct answer_text *answer, const struct analysis *a,
			  const struct tally *t, const char *of, const char *mode)
{
	size_t few = t->nr[DIFFERENCE_FEW] + t->nr[DIFFERENCE_POINT];
	const struct item_list *list =
		&t->list[t->nr[DIFFERENCE_FEW] ? DIFFERENCE_FEW : DIFFERENCE_POINT];

	if (few)
		answer__point(answer,
			      "CPU samples of %s%zu pair%s of rounds%s are too few to tell a "
			      "difference; the largest of %s less two-copy: %s.",
			      of, t->pairs, plural(t->pairs), whose_pairs(a), mode, list->text);
	else
		answer__point(answer,
			      "CPU samples of %s%zu pair%s of rounds%s: no class of CPU time of %s "
			      "differs from two-copy.",
			      of, t->pairs, plural(t->pairs), whose_pairs(a), mode);
}

void stage_words__say(struct answer_text *answer, const struct analysis *a,
		      const struct stage_claims *s, enum mode mode)
{
	const char *of = s->both ? "" : "the sender in ";
	struct tally t;

	tally__make(&t, s, mode);
	if (!t.pairs)
		return;
	if (!t.nr[DIFFERENCE_LOWER] && !t.nr[DIFFERENCE_HIGHER]) {
		say_unclaimed(answer, a, &t, of, words__mode(mode));
		return;
	}
	answer__point(answer,
		      "CPU samples of %s%zu pair%s of rounds%s: %s takes less than two-copy in: "
		      "%s; more in: %s; no difference in %zu of %zu class%s.",
		      of, t.pairs, plural(t.pairs), whose_pairs(a), words__mode(mode),
		      item_list__words(&t.list[DIFFERENCE_LOWER]),
		      item_list__words(&t.list[DIFFERENCE_HIGHER]), t.nr[DIFFERENCE_NOISE],
		      t.classes, t.classes == 1 ? "" : "es");
	if (t.nr[DIFFERENCE_LOWER])
		cite(answer, a, s, largest(s, mode, DIFFERENCE_LOWER));
}
