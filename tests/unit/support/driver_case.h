/* SPDX-License-Identifier: GPL-2.0-only */
/* Decodes or refuses a line of the load generator. */
#ifndef SUPPORT_DRIVER_CASE_H
#define SUPPORT_DRIVER_CASE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/driver.h"
#include "support/driver_lines.h"
#include "support/test.h"

static struct load_report report;

static inline int teardown(void **state)
{
	(void)state;
	load_report__clear(&report);
	return 0;
}

static inline int decode(const char *line, enum nio_side side, enum driver_event *event)
{
	return driver__decode(line, strlen(line), side, &report, event);
}

static inline void accept_line(const char *line, enum nio_side side, enum driver_event expected)
{
	enum driver_event event = DRIVER_EOF;
	int err = decode(line, side, &event);

	if (err)
		fail_msg("refused: %s\n%s", report.message, line);
	assert_int_equal(event, expected);
}

/* The line is refused with a reason, and the report has nothing else. */
static inline void refuse_bytes(const char *line, size_t len, enum nio_side side)
{
	enum driver_event event = DRIVER_EOF;
	size_t i;

	if (driver__decode(line, len, side, &report, &event) != -EPROTO)
		fail_msg("not refused: %.*s", (int)len, line);
	assert_int_equal(event, DRIVER_NOTHING);
	assert_true(report.message[0] != '\0');
	assert_int_equal(report.cookies_nr, 0);
	assert_int_equal(report.app.tx_bytes, 0);
	assert_int_equal(report.elapsed_ns, 0);
	for (i = 0; i < LATENCY_NR; i++)
		assert_null(report.app.latency[i].hist);
}

static inline void refuse_line(const char *line, enum nio_side side)
{
	refuse_bytes(line, strlen(line), side);
}

/* A good line with its first occurrence of `from` replaced. */
static inline char *replace(const char *line, const char *from, const char *to)
{
	const char *at = strstr(line, from);
	char *out = malloc(strlen(line) + strlen(to) + 1);

	assert_non_null(at);
	assert_non_null(out);
	sprintf(out, "%.*s%s%s", (int)(at - line), line, to, at + strlen(from));
	return out;
}

static inline void refuse_replaced(const char *line, enum nio_side side, const char *from,
				   const char *to)
{
	char *bad = replace(line, from, to);

	refuse_line(bad, side);
	free(bad);
}

#define DRIVER_TEST(name) TEST_WITH(name, NULL, teardown)

#endif
