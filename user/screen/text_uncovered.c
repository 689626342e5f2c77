/* SPDX-License-Identifier: GPL-2.0-only */
/* The final text on what no stage covers; see text_uncovered.h. */
#include "base/text_note.h"
#include "common/units.h"
#include "model/uncovered.h"
#include "text_uncovered.h"

static void print_kind(FILE *f, const struct run_result *run, int side, int kind, bool *first)
{
	const struct nio_uncovered *u = &run->uncovered[side][kind];
	char buf[UNITS_BUF];

	if (!u->events)
		return;
	fprintf(f, "%s%s %s at the %s %s", *first ? "" : "; ", mode__name(run->mode),
		format_bytes_si(buf, sizeof(buf), u->bytes),
		side == NIO_SIDE_SENDER ? "sender" : "receiver",
		uncovered__text((enum nio_uncovered_kind)kind));
	*first = false;
}

int text_uncovered__print(FILE *f, unsigned int width, const struct result *r)
{
	struct text_note n;
	bool first = true;
	int err = text_note__begin(&n);

	if (err)
		return err;
	for (size_t i = 0; i < r->summary_nr; i++)
		for (int side = 0; side < NIO_SIDE_NR; side++)
			for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++)
				print_kind(n.f, &r->summary[i].total, side, kind, &first);
	if (!first)
		fputs(". The ledger covers what TCP itself takes from an application and copies to "
		      "one.",
		      n.f);
	return text_note__end(&n, f, width, "uncovered");
}
