/* SPDX-License-Identifier: GPL-2.0-only */
/* What a report says of where CPU time goes, and its flame graphs; see doc.h. */
#include "doc.h"

const char *report_body__flame_name(int flame)
{
	static const char *const names[FLAME_NR] = {
#define X(id, name, ...) [MODE_##id] = "diagram-flame-" #name,
		MODES(X)
#undef X
			[FLAME_DIFFERENCE] = "diagram-flame-difference",
	};

	return names[flame];
}

static const char legend[] =
	"Flame graphs of sampled kernel stacks, at the size and thread count of the diagrams: a "
	"box is a function, as wide as the CPU time in it and in what it called, which stands "
	"above it; its colour is the class of time spent in itself. Times are means over the "
	"rounds, which add up as the medians of the tables do not. The last is two modes in one: "
	"what only one of them does is red or blue, what both do alike is white.";

void report_flames__write(const struct report_form *form, FILE *f, const struct report *r)
{
	char why[512];
	int drawn = 0;

	form->heading(f, 2, "Where the CPU time goes");
	for (int i = 0; i < FLAME_NR; i++) {
		if (!r->flame_svg[i])
			continue;
		if (!drawn++)
			form->paragraph(f, legend);
		form->picture(f, report_body__flame_name(i), r->flame_svg[i],
			      i == FLAME_DIFFERENCE ? "Flame graph of two-copy and zero-copy"
						    : "Flame graph of a mode",
			      NULL);
	}
	if (drawn)
		return;
	snprintf(why, sizeof(why), "No stacks were sampled: %s.",
		 analysis__reason(r->a, METRIC_CLASS_S_TX_COPY));
	form->paragraph(f, why);
}
