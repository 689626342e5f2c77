/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports of the receiver, a fork, to its parent process: structures are sent as in memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter.h"

static int pipe__write(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EPIPE;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int pipe__read(int fd, void *buf, size_t len)
{
	char *p = buf;

	while (len) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EPIPE;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static size_t hist__bytes(const struct hist *h)
{
	return sizeof(*h) + h->n_buckets * sizeof(h->buckets[0]);
}

static void pipe__config(struct reporter *r, const struct side_config *c,
			 enum reporter_message what)
{
	if (!pipe__write(r->pipe_fd, &what, sizeof(what)))
		pipe__write(r->pipe_fd, c, sizeof(*c));
}

static void pipe__listening(struct reporter *r, const struct side_config *c)
{
	pipe__config(r, c, REPORTER_LISTENING);
}

static void pipe__ready(struct reporter *r, const struct side_config *c)
{
	pipe__config(r, c, REPORTER_READY);
}

static void pipe__quiesced(struct reporter *r)
{
	(void)r; /* only senders report this */
}

static void pipe__stats(struct reporter *r, const struct side_stats *s, bool done)
{
	enum reporter_message what = REPORTER_DONE;
	int err, i;

	if (!done)
		return;
	err = pipe__write(r->pipe_fd, &what, sizeof(what));
	if (!err)
		err = pipe__write(r->pipe_fd, s, sizeof(*s));
	for (i = 0; !err && i < COUNTERS_HIST_NR; i++)
		err = pipe__write(r->pipe_fd, s->counters.hist[i],
				  hist__bytes(s->counters.hist[i]));
}

static void pipe__error(struct reporter *r, const char *message)
{
	(void)r;
	fprintf(stderr, "netio-loadgen: receiver: %s\n", message);
}

static int pipe__read_stats(int fd, struct side_stats *out)
{
	struct side_stats s;
	int err, i;

	err = pipe__read(fd, &s, sizeof(s));
	if (err)
		return err;
	/* These pointers are of the other process: allocate histograms here. */
	memset(s.counters.hist, 0, sizeof(s.counters.hist));
	for (i = 0; !err && i < COUNTERS_HIST_NR; i++) {
		s.counters.hist[i] = hist__new_latency();
		err = s.counters.hist[i]
			      ? pipe__read(fd, s.counters.hist[i], hist__bytes(s.counters.hist[i]))
			      : -ENOMEM;
	}
	if (err)
		counters__clear(&s.counters);
	else
		*out = s;
	return err;
}

int reporter__receive(int fd, struct reporter *into, enum reporter_message *what)
{
	int err = pipe__read(fd, what, sizeof(*what));

	if (err)
		return err;
	if (*what == REPORTER_DONE)
		return pipe__read_stats(fd, &into->stats);
	return pipe__read(fd, &into->config, sizeof(into->config));
}

const struct reporter_ops reporter_pipe = {
	.listening = pipe__listening,
	.ready = pipe__ready,
	.quiesced = pipe__quiesced,
	.stats = pipe__stats,
	.error = pipe__error,
};
