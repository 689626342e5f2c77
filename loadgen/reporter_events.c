/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of --control, one JSON object a line (docs/LOADGEN.md). */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "reporter.h"

static FILE *event__begin(const char *name, char **text, size_t *len)
{
	FILE *f = open_memstream(text, len);

	if (f)
		fprintf(f, "{\"event\":\"%s\"", name);
	return f;
}

static void event__end(FILE *f, char **text, const size_t *len)
{
	size_t done = 0;

	fputs("}\n", f);
	if (!fclose(f)) {
		while (done < *len) {
			ssize_t n = write(STDOUT_FILENO, *text + done, *len - done);

			/* Nobody reads stdout: end of file on stdin will end this process. */
			if (n <= 0)
				break;
			done += (size_t)n;
		}
	}
	free(*text);
}

static void events__listening(struct reporter *r, const struct side_config *c)
{
	size_t len;
	char *text;
	FILE *f = event__begin("listening", &text, &len);

	(void)r;
	if (!f)
		return;
	fputs(",\"address\":", f);
	reporter__json_string(f, c->address);
	fprintf(f, ",\"port\":%u", c->port);
	event__end(f, &text, &len);
}

static void events__ready(struct reporter *r, const struct side_config *c)
{
	size_t len;
	char *text;
	FILE *f = event__begin("ready", &text, &len);
	uint32_t i;

	if (!f)
		return;
	fputs(",\"config\":", f);
	reporter__json_config(f, c, r->settings);
	fputs(",\"connections\":[", f);
	for (i = 0; i < c->cookies_nr; i++)
		fprintf(f, "%s{\"index\":%u,\"cookie\":\"%" PRIu64 "\"}", i ? "," : "", i,
			c->cookies[i]);
	putc(']', f);
	event__end(f, &text, &len);
}

static void events__quiesced(struct reporter *r)
{
	size_t len;
	char *text;
	FILE *f = event__begin("quiesced", &text, &len);

	(void)r;
	if (f)
		event__end(f, &text, &len);
}

static void events__stats(struct reporter *r, const struct side_stats *s, bool done)
{
	size_t len;
	char *text;
	FILE *f = event__begin(done ? "done" : "stats", &text, &len);

	(void)r;
	if (!f)
		return;
	putc(',', f);
	reporter__json_stats(f, s);
	event__end(f, &text, &len);
}

static void events__error(struct reporter *r, const char *message)
{
	size_t len;
	char *text;
	FILE *f = event__begin("error", &text, &len);

	(void)r;
	if (!f)
		return;
	fputs(",\"message\":", f);
	reporter__json_string(f, message);
	event__end(f, &text, &len);
}

const struct reporter_ops reporter_events = {
	.listening = events__listening,
	.ready = events__ready,
	.quiesced = events__quiesced,
	.stats = events__stats,
	.error = events__error,
};
