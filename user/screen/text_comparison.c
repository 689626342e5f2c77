/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences of claims; see text_comparison.h. What may be claimed is decided in model/. */
#include <math.h>

#include "text_comparison.h"

static int decimals(double percent)
{
	return percent < 9.5;
}

/* "It costs" names a cause, which has to be seen for that. */
static void write_difference(FILE *f, const struct comparison *c, bool cause_seen)
{
	double percent = fabs(c->change) * 100;

	if (c->change > 0)
		fprintf(f, " Here it brings %.*f %% more throughput than one-copy",
			decimals(percent), percent);
	else if (cause_seen)
		fprintf(f, " Here it costs %.*f %% of one-copy's throughput", decimals(percent),
			percent);
	else
		fprintf(f, " Throughput was %.*f %% below one-copy's", decimals(percent), percent);
}

/* No claim: the medians, and why nothing follows from them. */
static void write_few(FILE *f, const struct comparison *c)
{
	unsigned int rounds = c->rounds < c->other_rounds ? c->rounds : c->other_rounds;
	const char *where = c->change > 0 ? "above" : "below";
	double percent = fabs(c->change) * 100;

	if (rounds == 1)
		fprintf(f,
			" Throughput was %.*f %% %s one-copy's (one round: its spread is not "
			"known).",
			decimals(percent), percent, where);
	else
		fprintf(f,
			" Throughput was %.*f %% %s one-copy's in the median (%u rounds: too few "
			"to tell it from noise).",
			decimals(percent), percent, where, rounds);
}

void text_comparison__write(FILE *f, const struct comparison *c, bool cause_seen)
{
	switch (c->outcome) {
	case COMPARISON_NONE:
		return;
	case COMPARISON_NOISE:
		fprintf(f, " Against one-copy: no difference in throughput outside the rounds' "
			   "range.");
		return;
	case COMPARISON_FEW:
		write_few(f, c);
		return;
	default:
		write_difference(f, c, cause_seen);
		fprintf(f, ".");
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
