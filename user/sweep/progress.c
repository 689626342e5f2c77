/* SPDX-License-Identifier: GPL-2.0-only */
/* How far a sweep is; see progress.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/terminal.h"
#include "progress.h"

#define COLUMNS_DEFAULT 80
#define BAR_CELLS       24

static const char hashes[] = "########################";
static const char dots[] = "........................";
_Static_assert(sizeof(hashes) == BAR_CELLS + 1 && sizeof(dots) == sizeof(hashes), "as long");

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

char *progress__bar(char *buf, const struct progress *p, unsigned int columns)
{
	int full = p->total ? (int)(p->done * BAR_CELLS / p->total) : 0;
	char left[32], failed[32] = "", *last;

	progress__clock(left, sizeof(left), progress__left_ns(p));
	if (p->failed)
		snprintf(failed, sizeof(failed), ", %zu failed", p->failed);
	snprintf(buf, PROGRESS_LINE_MAX, "[%zu/%zu]  %.*s%.*s  %s left%s%s%s%s%s%s", p->done,
		 p->total, full, hashes, BAR_CELLS - full, dots, left, failed,
		 p->now[0] ? "  " : "", p->now, p->last[0] ? "  (last " : "", p->last,
		 p->last[0] ? ")" : "");
	while (strlen(buf) > columns) {
		last = buf + strlen(buf) - 1;
		while (last > buf && strncmp(last, "  ", 2) != 0)
			last--;
		*last = '\0';
	}
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
