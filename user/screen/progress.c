/* SPDX-License-Identifier: GPL-2.0-only */
/* How far a sweep is; see progress.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/terminal.h"
#include "progress.h"

#define COLUMNS_DEFAULT 80
#define BAR_CELLS       24

uint64_t progress__left_ns(const struct progress *p)
{
	uint64_t each = p->timed ? p->timed_ns / p->timed : p->expected_ns;
	uint64_t spent = p->under_way_ns < each ? p->under_way_ns : each;

	return p->done < p->total ? each * (p->total - p->done) - spent : 0;
}

char *progress__clock(char *buf, size_t len, uint64_t ns)
{
	uint64_t s = (ns + 500000000) / 1000000000;

	if (s >= 3600)
		snprintf(buf, len, "%" PRIu64 ":%02u:%02u", s / 3600, (unsigned int)(s / 60 % 60),
			 (unsigned int)(s % 60));
	else
		snprintf(buf, len, "%u:%02u", (unsigned int)(s / 60), (unsigned int)(s % 60));
	return buf;
}

/* Appends a piece whole, or not at all when the line would be longer than columns. */
__attribute__((format(printf, 3, 4))) static bool append(char *line, unsigned int columns,
							 const char *format, ...)
{
	size_t used = strlen(line);
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line + used, PROGRESS_LINE_MAX - used, format, args);
	va_end(args);
	if (n >= 0 && used + (size_t)n <= columns && used + (size_t)n < PROGRESS_LINE_MAX)
		return true;
	line[used] = '\0';
	return false;
}

static void draw_bar(char bar[BAR_CELLS + 1], const struct progress *p)
{
	size_t full = p->total ? p->done * BAR_CELLS / p->total : 0;

	memset(bar, '.', BAR_CELLS);
	memset(bar, '#', full < BAR_CELLS ? full : BAR_CELLS);
	bar[BAR_CELLS] = '\0';
}

char *progress__bar(char *buf, const struct progress *p, unsigned int columns)
{
	char bar[BAR_CELLS + 1], left[32];

	buf[0] = '\0';
	draw_bar(bar, p);
	progress__clock(left, sizeof(left), progress__left_ns(p));
	if (append(buf, columns, "[%zu/%zu]", p->done, p->total) &&
	    append(buf, columns, " %s", bar) && append(buf, columns, " %s left", left) &&
	    (!p->failed || append(buf, columns, ", %zu failed", p->failed)) &&
	    (!p->now[0] || append(buf, columns, "  %s", p->now)) && p->last[0])
		append(buf, columns, "  (last %s)", p->last);
	return buf;
}

char *progress__line(char *buf, const struct progress *p)
{
	char left[32];

	progress__clock(left, sizeof(left), progress__left_ns(p));
	snprintf(buf, PROGRESS_LINE_MAX, "[%zu/%zu] %s, %s left", p->done, p->total, p->last, left);
	return buf;
}

void progress__open(struct progress *p, bool quiet)
{
	p->shown = !quiet;
	p->terminal = isatty(STDERR_FILENO);
}

/* One column is left free: a cursor past the last one would wrap. */
void progress__show(const struct progress *p)
{
	char line[PROGRESS_LINE_MAX];

	if (p->shown && p->terminal)
		fprintf(stderr, "\r%s\033[K",
			progress__bar(line, p,
				      terminal__columns(STDERR_FILENO, COLUMNS_DEFAULT) - 1));
}

void progress__finished(const struct progress *p)
{
	char line[PROGRESS_LINE_MAX];

	if (p->shown && !p->terminal)
		fprintf(stderr, "%s\n", progress__line(line, p));
}

void progress__clear(const struct progress *p)
{
	if (p->shown && p->terminal)
		fputs("\r\033[K", stderr);
}
