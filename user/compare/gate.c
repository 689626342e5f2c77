/* SPDX-License-Identifier: GPL-2.0-only */
/* The gate of --fail-on-regression; see gate.h. A gate that cannot see is none that was passed. */
#include <stdio.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "common/units.h"
#include "gate.h"
#include "study/unjudged.h"

/* Cells that are named; of more there is a count. */
#define NAMED_MAX 8

static void put_cell(FILE *f, const struct unjudged *u)
{
	char size[UNITS_BUF];

	fprintf(f, "%s %s", mode__name(u->cell->mode),
		format_size_short(size, sizeof(size), u->cell->size));
	if (u->cell->threads)
		fprintf(f, " t%u", u->cell->threads);
	switch (u->why) {
	case UNJUDGED_ABSENT:
		fputs(" (no run)", f);
		break;
	case UNJUDGED_FAILED:
		fputs(" (every run failed)", f);
		break;
	case UNJUDGED_NULL:
		fprintf(f, " (no %s)", metric__name(u->metric));
		break;
	case UNJUDGED_FEW:
		fprintf(f, " (too few rounds of %s)", metric__name(u->metric));
	}
}

/* How many there are; the first of them as text. */
static size_t list_unjudged(const struct changes *c, FILE *f)
{
	struct unjudged u;
	size_t at = 0, n = 0;

	while (unjudged__next(c, &at, &u)) {
		if (n++ >= NAMED_MAX)
			continue;
		fputs(n > 1 ? ", " : "", f);
		put_cell(f, &u);
	}
	if (n > NAMED_MAX)
		fprintf(f, " and %zu more", n - NAMED_MAX);
	return n;
}

static int judge_cells(const struct changes *c, const struct compare_options *o)
{
	char *list = NULL;
	size_t size, n;
	FILE *f = open_memstream(&list, &size);

	if (!f) {
		log_error("out of memory.");
		return EXIT_RUN_FAILED;
	}
	n = list_unjudged(c, f);
	if (fclose(f)) {
		free(list);
		log_error("out of memory.");
		return EXIT_RUN_FAILED;
	}
	if (n)
		log_error("--fail-on-regression cannot tell whether %zu of %zu cell%s of %s got "
			  "worse in %s: %s.",
			  n, c->before->cells_nr, plural(c->before->cells_nr), o->names.before,
			  o->names.after, list);
	free(list);
	return n ? EXIT_RUN_FAILED : EXIT_DONE;
}

int gate__judge(const struct changes *c, const struct compare_options *o)
{
	size_t n = changes__regressions(c, o->limit);
	const char *differs = changes__made_otherwise(c, o->names.across);
	int code;

	if (differs) {
		log_error("%s and %s were made with different %s: what got worse would not be told "
			  "from that. If it is what you compare, say --across %s.",
			  o->names.before, o->names.after, differs, differs);
		return EXIT_RUN_FAILED;
	}
	if (!changes__gate_can_tell(c)) {
		log_error("--fail-on-regression cannot tell: it needs throughput or CPU time of at "
			  "least 4 rounds on either side (7 are good).");
		return EXIT_RUN_FAILED;
	}
	code = judge_cells(c, o);
	if (!n)
		return code;
	log_error("%zu regression%s by more than %g %%, outside the noise.", n, plural(n),
		  o->limit * 100);
	return EXIT_ASSERTION;
}
