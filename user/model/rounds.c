/* SPDX-License-Identifier: GPL-2.0-only */
/* The rounds of a result; see rounds.h. Pure. */
#include <limits.h>
#include <stdio.h>

#include "common/units.h"
#include "rounds.h"

struct count {
	unsigned int least, most; /* of a mode */
};

static struct count rounds_of(const struct result *r)
{
	struct count n = {.least = r->summary_nr ? UINT_MAX : 0};

	for (size_t i = 0; i < r->summary_nr; i++) {
		n.least = r->summary[i].rounds < n.least ? r->summary[i].rounds : n.least;
		n.most = r->summary[i].rounds > n.most ? r->summary[i].rounds : n.most;
	}
	return n;
}

/* Rounds are made one after the other: at most the last of a mode was cut short. */
unsigned int rounds__complete(const struct result *r)
{
	unsigned int complete = r->summary_nr < r->modes_nr ? 0 : rounds_of(r).least;

	for (size_t i = 0; i < r->runs_nr; i++)
		if (r->runs[i].interrupted && r->runs[i].round <= complete)
			complete = r->runs[i].round - 1;
	return complete;
}

bool rounds__all(const struct result *r)
{
	size_t whole = 0;

	for (size_t i = 0; i < r->runs_nr; i++)
		whole += !r->runs[i].interrupted;
	return whole >= r->modes_nr * r->rounds;
}

bool rounds__ended_early(const struct result *r)
{
	bool early = r->interrupted || r->failure[0];

	for (size_t i = 0; i < r->summary_nr; i++)
		early |= r->summary[i].total.interrupted;
	return early;
}

char *rounds__words(char *buf, size_t len, const struct result *r)
{
	struct count n = rounds_of(r);

	if (n.least < n.most)
		snprintf(buf, len, "%u to %u rounds", n.least, n.most);
	else
		snprintf(buf, len, "%u round%s", n.most, plural(n.most));
	return buf;
}
