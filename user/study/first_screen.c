/* SPDX-License-Identifier: GPL-2.0-only */
/* What a report says first; see first_screen.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "common/units.h"
#include "first_screen.h"
#include "words.h"

/* Why the kernel copied, from the first run that says it; NULL: none does. */
static const char *verdict_of(const struct analysis *a)
{
	const struct dataset *d = a->dataset;

	for (size_t i = 0; i < d->rows_nr; i++)
		if (d->rows[i].mode == MODE_ZEROCOPY && d->rows[i].verdict && *d->rows[i].verdict)
			return d->rows[i].verdict;
	return NULL;
}

/* The first sentence of a verdict begins with the counts of its own run: the cause is behind ':'.
 */
static void put_cause(FILE *f, const char *verdict)
{
	const char *cause = verdict ? strstr(verdict, ": ") : NULL;
	const char *end = cause ? strstr(cause, ". ") : NULL;

	if (!cause)
		fputs(".", f);
	else if (end)
		fprintf(f, "%.*s.", (int)(end - cause), cause);
	else
		fprintf(f, "%s%s", cause, cause[strlen(cause) - 1] == '.' ? "" : ".");
}

static void put_honoured(FILE *f, const struct analysis *a, double completed, double fraction)
{
	char n[UNITS_BUF], copied[UNITS_BUF], runs[WORDS_BUF];

	format_count(n, sizeof(n), (uint64_t)completed);
	format_count(copied, sizeof(copied), (uint64_t)(completed * fraction + 0.5));
	answer__counted_runs(runs, sizeof(runs), a);
	if (fraction == 0) {
		fprintf(f, "Yes. The kernel copied none of %s sends%s.", n, runs);
		return;
	}
	if (fraction == 1)
		fprintf(f, "No. The kernel copied all %s sends%s after all", n, runs);
	else
		fprintf(f, "Not always. The kernel copied %s of %s sends%s after all", copied, n,
			runs);
	put_cause(f, verdict_of(a));
}

char *first_screen__zerocopy(const struct analysis *a)
{
	double completed, fraction = answer__copied_fraction(a, &completed);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	if (!a->has_mode[MODE_ZEROCOPY])
		fputs("Not measured: the data has no zero-copy run.", f);
	else if (fraction < 0 || fraction > 1)
		fputs("Unknown: the data set does not count the completions of zero-copy sends.",
		      f);
	else
		put_honoured(f, a, completed, fraction);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static struct claim compare(const struct analysis *a, enum mode first, enum mode second,
			    uint64_t size, enum metric m)
{
	if (a->threads_nr > 1)
		return analysis__compare_modes(a, first, second, size, m);
	return analysis__compare(a, analysis__cell(a, first, size, a->threads[0]),
				 analysis__cell(a, second, size, a->threads[0]), m);
}

/* Is the first the better one, claimed or not? */
static bool is_ahead(const struct claim *c, enum metric m)
{
	return metric__better(m) == BETTER_LOWER ? c->sign < 0 : c->sign > 0;
}

static bool has_both(const struct claim *c)
{
	return c->difference != DIFFERENCE_UNKNOWN;
}

/* The best mode of a size, and the next best; MODE_NR: there is none. */
struct podium {
	enum mode best, next;
};

static struct podium podium_of(const struct analysis *a, uint64_t size, enum metric m)
{
	struct podium p = {MODE_NR, MODE_NR};
	unsigned int behind[MODE_NR] = {0}, others[MODE_NR] = {0};

	for (int x = 0; x < MODE_NR; x++)
		for (int y = 0; y < MODE_NR; y++) {
			struct claim c = compare(a, (enum mode)x, (enum mode)y, size, m);

			if (x == y || !has_both(&c))
				continue;
			others[x]++;
			behind[x] += !is_ahead(&c, m) && c.sign;
		}
	for (int x = 0; x < MODE_NR; x++) {
		if (!others[x])
			continue;
		if (p.best == MODE_NR || behind[x] < behind[p.best]) {
			p.next = p.best;
			p.best = (enum mode)x;
		} else if (p.next == MODE_NR || behind[x] < behind[p.next]) {
			p.next = (enum mode)x;
		}
	}
	return p;
}

static void put_size(FILE *f, const struct analysis *a, uint64_t size, enum metric m)
{
	struct podium p = podium_of(a, size, m);
	char at[UNITS_BUF], change[WORDS_BUF], interval[2 * WORDS_BUF + 8];
	struct claim c;

	format_size(at, sizeof(at), size);
	if (p.next == MODE_NR) {
		fprintf(f, "%s: n/a", at);
		return;
	}
	c = compare(a, p.best, p.next, size, m);
	words__change(change, sizeof(change), c.change);
	words__change_interval(interval, sizeof(interval), c.low, c.high);
	if (c.difference == DIFFERENCE_NOISE)
		fprintf(f, "%s: no difference between %s and %s", at, words__mode(p.best),
			words__mode(p.next));
	else if (claim__holds(&c))
		fprintf(f, "%s: %s (%s against %s; %s)", at, words__mode(p.best), change,
			words__mode(p.next), interval);
	else
		fprintf(f, "%s: %s (%s against %s)", at, words__mode(p.best), change,
			words__mode(p.next));
}

char *first_screen__best(const struct analysis *a, enum metric m)
{
	char *text = NULL, cannot[WORDS_BUF];
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	if (!analysis__has(a, m))
		fprintf(f, "Not measured: %s.", analysis__reason(a, m));
	if (analysis__has(a, m) && !answer__can_claim(a))
		fprintf(f, "%s. ", answer__cannot_claim(cannot, sizeof(cannot), a));
	for (size_t i = 0; analysis__has(a, m) && i < a->sizes_nr; i++) {
		fputs(i ? ". " : "", f);
		put_size(f, a, a->sizes[i], m);
	}
	if (analysis__has(a, m))
		fputs(".", f);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}
