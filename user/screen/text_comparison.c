/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences of comparisons; see text_comparison.h. base/rank_test.h decides what differs. */
#include <math.h>
#include <stdio.h>

#include "common/units.h"
#include "text_comparison.h"

#define PERCENT_MAX 32

/* "31", "3.1"; a digit after the point below 10. Bounds of an interval have their signs. */
static char *percent(char buf[PERCENT_MAX], double change, const char *sign)
{
	double x = change * 100;
	int digits = fabs(x) < 9.95;

	snprintf(buf, PERCENT_MAX, "%s%.*f", x > 0 ? sign : "", digits, x);
	return buf;
}

static void write_difference(FILE *f, const struct rank_test *t)
{
	char change[PERCENT_MAX], low[PERCENT_MAX], high[PERCENT_MAX];
	bool faster = t->difference == DIFFERENCE_HIGHER;

	fprintf(f, " Zero-copy was %s than one-copy by %s %% (%s to %s %%).",
		faster ? "faster" : "slower", percent(change, fabs(t->change), ""),
		percent(low, fabs(faster ? t->low : t->high), ""),
		percent(high, fabs(faster ? t->high : t->low), ""));
}

static void write_point(FILE *f, const struct rank_test *t)
{
	char change[PERCENT_MAX];
	unsigned int rounds = t->n < t->m ? t->n : t->m, needed = rank_test__rounds_needed(1);

	fprintf(f,
		" Zero-copy was %s than one-copy by %s %% in %u round%s: a point difference; %u "
		"rounds are needed to tell a difference from noise.",
		t->change < 0 ? "slower" : "faster", percent(change, fabs(t->change), ""), rounds,
		plural(rounds), needed);
}

void text_comparison__write(FILE *f, const struct rank_test *t)
{
	char low[PERCENT_MAX], high[PERCENT_MAX];

	switch (t->difference) {
	case DIFFERENCE_UNKNOWN:
		return;
	case DIFFERENCE_NOISE:
		fprintf(f,
			" No difference in throughput between zero-copy and one-copy (interval %s "
			"to %s %%).",
			percent(low, t->low, "+"), percent(high, t->high, "+"));
		return;
	case DIFFERENCE_POINT:
	case DIFFERENCE_FEW:
		write_point(f, t);
		return;
	default:
		write_difference(f, t);
	}
}

void text_congestion__write(FILE *f, const struct congestion *c)
{
	const char *name = congestion__name(c);
	struct flag paces = congestion__paces(name);

	if (paces.known && paces.value)
		fprintf(f,
			"%s paces: it holds packets back by a timer, and throughput can be limited "
			"by that before it is by copying. Who copies faster is to be asked with "
			"--congestion cubic (or reno).",
			name);
	else if (c->choice == CONGESTION_UNPACED)
		fprintf(f, "%s, since the system's %s paces; --congestion system keeps that.", name,
			c->system);
	else if (!paces.known && name[0])
		fprintf(f, "%s; whether it paces is not known.", name);
}
