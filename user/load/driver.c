/* SPDX-License-Identifier: GPL-2.0-only */
/* Splits the output of one load generator into lines. */
#include "driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/xalloc.h"

#define READ_CHUNK 65536
#define BUF_SIZE   (DRIVER_LINE_MAX + READ_CHUNK)

void driver__init(struct driver *d, enum nio_side side)
{
	*d = (struct driver){.child = CHILD_INIT, .side = side};
}

void driver__clear(struct driver *d)
{
	child__kill(&d->child);
	load_report__clear(&d->report);
	free(d->buf);
	d->buf = NULL;
	d->len = 0;
	d->start = 0;
}

/* Reads once. Returns bytes, 0 at end of file, or -errno (-EAGAIN: nothing there now). */
static ssize_t driver__fill(struct driver *d)
{
	ssize_t n;

	if (!d->buf)
		d->buf = xmalloc(BUF_SIZE);
	if (d->start) {
		memmove(d->buf, d->buf + d->start, d->len - d->start);
		d->len -= d->start;
		d->start = 0;
	}
	do {
		n = read(d->child.out, d->buf + d->len, BUF_SIZE - d->len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	d->len += n;
	return n;
}

/* The next whole line, without its newline, or NULL. */
static const char *driver__line(struct driver *d, size_t *len)
{
	char *line = d->buf + d->start, *end;

	if (d->start == d->len)
		return NULL;
	end = memchr(line, '\n', d->len - d->start);
	if (!end)
		return NULL;
	*len = end - line;
	d->start += *len + 1;
	return line;
}

/* Sets the message of the report. Returns err. */
static int driver__fail(struct driver *d, int err, const char *message)
{
	load_report__clear(&d->report);
	snprintf(d->report.message, sizeof(d->report.message), "%s", message);
	return err;
}

static int driver__end(struct driver *d, enum driver_event *event)
{
	bool partial = d->start < d->len;

	d->start = d->len;
	if (partial)
		return driver__fail(d, -EPROTO, "its output ended in the middle of a line");
	*event = DRIVER_EOF;
	return 0;
}

int driver__next(struct driver *d, enum driver_event *event)
{
	static const char too_long[] = "a line of more than 1 MiB";
	const char *line;
	size_t len;
	ssize_t n;

	*event = DRIVER_NOTHING;
	while (!(line = driver__line(d, &len))) {
		if (d->len - d->start > DRIVER_LINE_MAX)
			return driver__fail(d, -EPROTO, too_long);
		n = driver__fill(d);
		if (n == -EAGAIN)
			return 0;
		if (n < 0)
			return driver__fail(d, n, strerror(-n));
		if (!n)
			return driver__end(d, event);
	}
	if (len > DRIVER_LINE_MAX)
		return driver__fail(d, -EPROTO, too_long);
	return driver__decode(line, len, d->side, &d->report, event);
}
