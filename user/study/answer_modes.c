/* SPDX-License-Identifier: GPL-2.0-only */
/* At which sizes one mode is ahead of another, by throughput; with a table of the CPU time. */
#include <stdlib.h>

#include "answer.h"
#include "leaders.h"

/* "; first at 4 KiB with 1 thread (+13.3 %; +10.1 % to +16.0 %)"; "": nowhere for certain. */
static struct phrase first_lead(const struct analysis *a, enum mode first)
{
	for (size_t s = 0; s < a->sizes_nr; s++)
		for (size_t t = 0; t < a->threads_nr; t++) {
			struct finding f = analysis__compare(
				a, analysis__cell(a, first, a->sizes[s], a->threads[t]),
				analysis__cell(a, MODE_TWOCOPY, a->sizes[s], a->threads[t]),
				METRIC_GBPS);

			if (f.difference == DIFFERENCE_HIGHER)
				return phrases__of("; first at %s with %s (%s)",
						   phrases__size(a->sizes[s]).text,
						   phrases__threads(a->threads[t]).text,
						   phrases__change_of(&f).text);
		}
	return phrases__of("%s", "");
}

/* because: a cause, for where the first mode is nowhere ahead. */
static void compare(struct answer_text *answer, enum mode first, const char *because)
{
	const struct analysis *a = answer->a;
	const char *name = phrases__mode(first);
	struct tally t = answer__table(answer, first, MODE_TWOCOPY, METRIC_GBPS);
	struct phrase counts = tally__words(&t, "faster", "slower");
	char *disagreement;

	answer->answered = t.untested < t.of;
	if (t.of && !answer->answered)
		answer__headline(answer, "%s.", answer__cannot_claim(a).text);
	if (!t.of)
		answer__headline(answer,
				 "Not measured: no size and thread count has the throughput of "
				 "both %s and two-copy.",
				 name);
	else if (answer->answered && !t.higher)
		answer__headline(answer, "At no size up to %s%s: %s is %s.",
				 phrases__size(a->sizes[a->sizes_nr - 1]).text, because, name,
				 counts.text);
	else
		answer__headline(answer, "%s is %s%s.", name, counts.text,
				 first_lead(a, first).text);
	disagreement = leaders__disagreement(a, first, METRIC_GBPS);
	if (disagreement)
		answer__headline(answer, "%s", disagreement);
	free(disagreement);
	if (!answer__table(answer, first, MODE_TWOCOPY, analysis__cost(a)).of)
		answer__cannot_compare_cost(answer, "");
}

void answer__one_over_two(struct answer_text *answer)
{
	compare(answer, MODE_ONECOPY, "");
}

void answer__zero_over_two(struct answer_text *answer)
{
	double completed;
	bool all_copied = answer__copied_fraction(answer->a, MODE_ZEROCOPY, &completed) == 1;

	compare(answer, MODE_ZEROCOPY,
		all_copied ? phrases__of(", because the kernel copied every send%s",
					 answer__counted_runs(answer->a, MODE_ZEROCOPY).text)
				     .text
			   : "");
}
