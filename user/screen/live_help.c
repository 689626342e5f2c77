/* SPDX-License-Identifier: GPL-2.0-only */
/* The help page of the live screen: a line for each stage and each quantity. Pure layout. */
#include "model/result.h"
#include "live_layout.h"

#define NAME_COLS 16

static const struct {
	const char *name, *text;
} rest[] = {
	{"copies/B", "copies of a payload byte: gather+send+deferred+receive+other"},
	{"cost", "of both sides together; a deferred copy runs on either's clock"},
	{"bars", "share of a mode's own events; one axis and scale for all modes"},
	{"sizes", "counted in 12.5 % buckets and shown by their lower bounds"},
	{"- and n/a", "- is a measured zero; n/a was not measured, the column says why"},
	{"q p r", "quit; pause and go on; count from now on (nothing is altered)"},
	{"left right", "send call, its parts, CPU time; times; send, pin, deferred, receive"},
	{"t", "of send, pin, deferred, receive: sizes, or the time an event took"},
	{"call parts", "mean time inside tcp_sendmsg; outside: the rest of the call"},
	{"CPU time", "samples of a short round after each; both sides together"},
};

static int line(struct grid *g, int row, const char *name, const char *text)
{
	grid__put(g, row, 1, NAME_COLS, GRID_BOLD, name);
	grid__put(g, row, 1 + NAME_COLS, g->cols, GRID_PLAIN, text);
	return row + 1;
}

void view_help__draw(struct grid *g)
{
	int row = 1;
	size_t i;

	grid__put(g, 0, 0, g->cols, GRID_PLAIN, "netiotrace: what is shown");
	grid__paint(g, 0, 0, g->cols, GRID_BOLD | GRID_REVERSE);
	for (i = 0; i < NIO_STAGE_NR; i++)
		row = line(g, row, stage__heading(i), stage__help(i));
	for (i = 0; i < LATENCY_NR; i++)
		row = line(g, row, latency__heading(i), latency__help(i));
	row += g->rows > VIEW_MIN_ROWS;
	for (i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		row = line(g, row, rest[i].name, rest[i].text);
	grid__put(g, g->rows - 1, 0, g->cols, GRID_DIM, "any key closes this");
}
