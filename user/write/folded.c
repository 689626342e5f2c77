/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sampled stacks as every flame-graph tool reads them: a line each, frames apart by ';' from
 * the outermost, a space, how often. The first two frames are the mode and whose CPU time it is.
 */
#include <errno.h>
#include <inttypes.h>

#include "output.h"

void folded__write(FILE *f, const struct profile_stack *stack)
{
	fprintf(f, "%s %" PRIu64 "\n", stack->frames, stack->count);
}

static void write_mode(const struct mode_summary *s, FILE *f)
{
	const struct profile *p = &s->total.cpu.profile;

	for (size_t i = 0; i < p->nr; i++) {
		fprintf(f, "%s;%s;", mode__name(s->mode), cpu_time__whose(p->stacks[i].owner));
		folded__write(f, &p->stacks[i]);
	}
}

int output__folded(const struct result *r, FILE *f)
{
	errno = 0;
	for (size_t i = 0; i < r->summary_nr; i++)
		write_mode(&r->summary[i], f);
	return output__flush(f);
}
