/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a number stands besides the JSON document and CSV, which have all of them. */
#ifndef NETIOTRACE_SHOWN_H
#define NETIOTRACE_SHOWN_H

enum shown {
	SHOWN_TEXT = 1,      /* paragraph "perf" of the text at the end of a run */
	SHOWN_LIVE = 2,      /* cost on the live screen */
	SHOWN_REPORT = 4,    /* the report's table of cells */
	SHOWN_INTERVAL = 8,  /* there with its interval */
	SHOWN_COMPARE = 16,  /* compare, and its --metric */
	SHOWN_ASKED = 64,    /* of compare only when asked for by name */
	SHOWN_EXPECTED = 32, /* the report says why, when it is missing */
};

#endif
