/* SPDX-License-Identifier: GPL-2.0-only */
/* How many rounds a result has, in words; see text_end.h. */
#include "common/units.h"
#include "text_end.h"

static unsigned int least(const struct result *r)
{
	unsigned int n = r->summary_nr ? r->summary[0].rounds : 0;

	for (size_t i = 1; i < r->summary_nr; i++)
		n = r->summary[i].rounds < n ? r->summary[i].rounds : n;
	return r->summary_nr < r->modes_nr ? 0 : n;
}

static unsigned int most(const struct result *r)
{
	unsigned int n = 0;

	for (size_t i = 0; i < r->summary_nr; i++)
		n = r->summary[i].rounds > n ? r->summary[i].rounds : n;
	return n;
}

/* Rounds are made one after the other: at most the last of a mode was cut short. */
unsigned int text_rounds__complete(const struct result *r)
{
	unsigned int complete = least(r);

	for (size_t i = 0; i < r->runs_nr; i++)
		if (r->runs[i].interrupted && r->runs[i].round <= complete)
			complete = r->runs[i].round - 1;
	return complete;
}

bool text_rounds__ended_early(const struct result *r)
{
	bool early = r->interrupted || r->failure[0];

	for (size_t i = 0; i < r->summary_nr; i++)
		early |= r->summary[i].total.interrupted;
	return early;
}

char *text_rounds__made(char *buf, size_t len, const struct result *r)
{
	unsigned int high = most(r), low = high;

	for (size_t i = 0; i < r->summary_nr; i++)
		low = r->summary[i].rounds < low ? r->summary[i].rounds : low;
	if (low < high)
		snprintf(buf, len, "%u to %u rounds", low, high);
	else
		snprintf(buf, len, "%u round%s", high, plural(high));
	return buf;
}
