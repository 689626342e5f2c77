/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender's session, from the first connection to `close`. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/mode.h"
#include "common/xalloc.h"
#include "send_mode.h"
#include "send_slots.h"
#include "sender.h"

/* The slots of a connection, of the one that has fewest. The threads have set up all of them. */
static unsigned int fewest_slots(const struct sender_pool *pool)
{
	unsigned int fewest = UINT_MAX;

	for (uint32_t i = 0; i < pool->nr; i++) {
		const struct send_slots *s = sender_pool__conn(pool, i)->own;

		fewest = s->used < fewest ? s->used : fewest;
	}
	return fewest;
}

static int sender__describe(struct sender *s)
{
	const struct lg_options *set = s->options;
	static struct side_config c;

	c = (struct side_config){
		.sender = true,
		.size = set->workload.size,
		.threads = (uint32_t)set->workload.threads,
		.connections = s->pool.nr,
		.verify = set->workload.verify,
		.receive = set->workload.receive,
		.tls = s->hello.encrypted ? workload__tls_name(s->hello.tls) : NULL,
		.sndbuf = sock__get(s->pool.fds[0], SOL_SOCKET, SO_SNDBUF),
	};

	if (mode__has(set->mode, MODE_PINS))
		c.slots = fewest_slots(&s->pool);
	sock__congestion(s->pool.fds[0], c.congestion, sizeof(c.congestion));
	memcpy(c.challenge, s->challenge, sizeof(c.challenge));
	return session__describe(s->report, &c, s->pool.fds, s->pool.nr);
}

int sender__try_mode(const struct lg_options *options, struct reporter *r)
{
	const struct send_mode *mode = send_mode__get(options->mode);
	int err = mode->try ? mode->try(&options->workload) : 0;

	if (!err || err == -EINTR)
		return err;
	return session__refuse_mode(r, err, options->mode, "here");
}

static int sender__open(struct sender *s)
{
	int err = session__check_congestion(s->report, s->options->workload.congestion);

	if (!err)
		err = sender__try_mode(s->options, s->report);
	if (err)
		return err;
	err = sender_pool__open(&s->pool, s->options);
	if (err)
		return reporter__error(s->report, err, "The threads cannot be set up: %m");
	s->loop.wake_fd = s->pool.wake_fd;
	err = sender__connect(s);
	if (err)
		return err;
	err = sender_pool__start(&s->pool);
	if (err == -EINTR)
		return err;
	if (err)
		return session__refuse_setup(s->report, err, s->pool.nr, s->pool.threads_nr);
	err = sender__await(s, PROTOCOL_READY);
	if (err)
		return err;
	s->state = SENDER_IDLE;
	return sender__describe(s);
}

/* Answers `half`. 0 or -errno, reported. */
static int sender__report_half(struct sender *s)
{
	static const struct error_text texts[] = {
		{-EBADMSG, "What the receiver sent is not what its machine measured"},
		{-ETIMEDOUT, "The receiver does not send what its machine measured"},
		{0, "The receiver is lost before it has sent what its machine measured"},
	};
	char *text = NULL;
	size_t len = 0;
	int err = 0;

	if (s->half == PROTOCOL_HALF_COMES)
		err = control_conn__receive_half(&s->loop.conn, s->phase, &text, &len);
	if (err)
		return reporter__error_of(s->report, err, texts);
	reporter__half(s->report, text, len);
	s->half = PROTOCOL_NO_HALF;
	free(text);
	return 0;
}

/*
 * Keeps threads and sockets idle until `close`, so that others can read their kernel counters. With
 * a half to ask for, what the receiver sends stays in the socket until then.
 */
static void sender__hold(struct sender *s)
{
	struct control_conn conn = s->loop.conn;
	int events;

	if (s->half_kind)
		s->loop.conn.fd = -1;
	while ((events = control_loop__wait(&s->loop, UINT64_MAX, -1)) > 0) {
		enum control_stdin_command command = CONTROL_STDIN_NONE;

		if (events & (CONTROL_LOOP_SIGNAL | CONTROL_LOOP_FRAME))
			break;
		if (events & CONTROL_LOOP_COMMAND)
			command = control_stdin__next(&s->loop.commands);
		if (command == CONTROL_STDIN_HALF) {
			s->loop.conn = conn;
			if (sender__report_half(s))
				break;
		}
		if (command == CONTROL_STDIN_EOF || command == CONTROL_STDIN_CLOSE)
			break;
	}
	s->loop.conn = conn;
}

/* Reports the unconfirmed results of an interrupted run. Returns -EINTR. */
static int sender__cut_short(struct sender *s)
{
	if (s->measuring)
		sender__stats(s, true);
	return reporter__error(s->report, -EINTR,
			       s->measuring ? "Stopped before the receiver confirmed what it read"
					    : "Stopped before anything was measured");
}

int sender__run(const struct lg_options *options, struct reporter *r, struct session_mode mode)
{
	struct sender *s = xcalloc(1, sizeof(*s));
	int err;

	s->options = options;
	s->report = r;
	err = control_loop__open(&s->loop, options->control, mode.signals);
	if (err) {
		reporter__error(r, err, "Signals cannot be received: %m");
		goto out;
	}
	err = sender__open(s);
	if (!err)
		err = sender__phases(s);
	if (err == -EINTR)
		err = sender__cut_short(s);
	if (err >= 0 && options->control)
		sender__hold(s);
out:
	sender_pool__close(&s->pool);
	control_loop__close(&s->loop);
	free(s);
	return err;
}
