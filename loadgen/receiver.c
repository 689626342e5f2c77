/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiver's sessions: one, or with --forever one after another. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "common/time_limit.h"
#include "common/units.h"
#include "congestion.h"
#include "receiver.h"

/* Time limit without progress. None between phases with --control alone: the driver decides. */
#define STILL_NS (30 * NS_PER_SEC)
/* The same limit while another sender asks for a session. */
#define YIELD_NS (5 * NS_PER_SEC)
/* Time for the sender to close after the last CONFIRM, alone and while another sender waits. */
#define LINGER_NS       (5 * NS_PER_SEC)
#define LINGER_SHORT_NS (NS_PER_SEC / 2)

/* Handles a request to stop: asks the sender to end its phase; without a session, ends at once. */
static int receiver__stop(struct receiver *r)
{
	const struct protocol_frame f = {.type = PROTOCOL_STOP, .phase = r->phase};
	bool again = r->stopping;

	r->stopping = true;
	if (r->state >= RECEIVER_WAITING && r->state < RECEIVER_DONE)
		return again ? 0 : receiver__tell(r, &f);
	if (r->state < RECEIVER_WAITING) {
		r->state = RECEIVER_DONE;
		control_conn__close(&r->loop.conn);
		return receiver__stats(r, true);
	}
	return 0;
}

static int receiver__command(struct receiver *r)
{
	struct control_stdin *c = &r->loop.commands;

	switch (control_stdin__next(c)) {
	case CONTROL_STDIN_NONE:
		return 0;
	case CONTROL_STDIN_EOF:
		return -ECANCELED;
	case CONTROL_STDIN_STATS:
		return receiver__stats(r, false);
	case CONTROL_STDIN_STOP:
		return receiver__stop(r);
	case CONTROL_STDIN_CLOSE:
		if (r->state == RECEIVER_DONE) {
			control_conn__close(&r->loop.conn);
			return 0;
		}
		/* fall through */
	default:
		reporter__error(r->report, "Command '%s' is not known, or not for a receiver",
				c->line);
		return -EINVAL;
	}
}

static void receiver__forget(struct receiver *r)
{
	control_conn__close(&r->loop.conn);
	receiver_pool__close(&r->pool);
	r->loop.wake_fd = -1;
	r->state = RECEIVER_LISTENING;
}

static int receiver__describe(struct receiver *r)
{
	struct side_config c = {
		.uid = geteuid(),
		.size = r->hello.size,
		.threads = r->hello.threads,
		.connections = r->hello.connections,
		.verify = r->hello.verify,
		.cookies_nr = r->pool.nr,
	};
	int fd = receiver_pool__fd(&r->pool, 0);
	unsigned int i;
	int err;

	c.rcvbuf = sock__get(fd, SOL_SOCKET, SO_RCVBUF);
	err = sock__address(fd, false, c.address, sizeof(c.address), &c.port);
	for (i = 0; !err && i < r->pool.nr; i++)
		err = sock__cookie(receiver_pool__fd(&r->pool, i), &c.cookies[i]);
	if (err)
		reporter__error(r->report, "A socket cannot be described: %s", strerror(-err));
	else
		r->report->ops->ready(r->report, &c);
	return err;
}

/* Begins the session of a complete sender. Without --forever, also closes the listening socket. */
static int receiver__begin_session(struct receiver *r, struct complete_session *new)
{
	const struct protocol_frame f = {.type = PROTOCOL_READY};
	struct receiver_pool_plan plan = {
		.hello = &new->hello,
		.verify = new->hello.verify,
		.same_clock = new->same_clock,
		.turn = r->mode.after_sender ? new->hello.threads : 0,
	};
	int err;

	r->hello = new->hello;
	r->same_clock = new->same_clock;
	r->loop.conn = new->conn;
	r->state = RECEIVER_WAITING;
	r->phase = 0;
	r->measuring = false;
	if (!r->settings->forever)
		pending_sessions__close(&r->pending);
	pending_sessions__set_busy(&r->pending, true);
	/* Before the event `ready`, which promises that all threads exist. */
	err = receiver_pool__open(&r->pool, r->settings, &plan, new->fds);
	free(new->fds);
	r->loop.wake_fd = r->pool.wake_fd;
	if (err) {
		reporter__error(r->report, "%u connection%s in %u thread%s cannot be set up: %s",
				new->hello.connections, plural(new->hello.connections),
				new->hello.threads, plural(new->hello.threads), strerror(-err));
		return err;
	}
	err = receiver__describe(r);
	receiver__moved(r);
	return err ? err : receiver__tell(r, &f);
}

static int receiver__greet(struct receiver *r)
{
	bool yields = r->state != RECEIVER_LISTENING &&
		      clock__now() >= r->moved_ns + time_limit__ns(YIELD_NS);
	struct complete_session new;
	int err;

	if (pending_sessions__tend(&r->pending, yields))
		return receiver__lost(r, -ETIME);
	err = acceptor__trouble(&r->pending.acceptor);
	if (err)
		reporter__error(r->report, "Connections cannot be accepted for now: %s",
				strerror(-err));
	if (r->state != RECEIVER_LISTENING || pending_sessions__take(&r->pending, &new))
		return 0;
	return receiver__begin_session(r, &new);
}

static bool receiver__in_phase(const struct receiver *r)
{
	return r->state == RECEIVER_READING || r->state == RECEIVER_SETTLING;
}

/* --control without --forever: the driver decides how long the session takes. */
static bool receiver__is_driven(const struct receiver *r)
{
	return r->settings->control && !r->settings->forever;
}

/* When the current session ends unless something moves, ns. */
static uint64_t receiver__deadline(const struct receiver *r)
{
	/* A client that became complete during the last session causes no event. */
	if (r->state == RECEIVER_LISTENING)
		return pending_sessions__waiting(&r->pending) ? 0 : UINT64_MAX;
	/* The driver may still read the session's sockets. */
	if (receiver__is_driven(r) && !receiver__in_phase(r))
		return UINT64_MAX;
	if (r->state != RECEIVER_DONE)
		return r->moved_ns + time_limit__ns(STILL_NS);
	return r->done_ns +
	       time_limit__ns(pending_sessions__waiting(&r->pending) ? LINGER_SHORT_NS : LINGER_NS);
}

/* Extends all deadlines by the time that this process did not run. */
static void receiver__excuse(struct receiver *r)
{
	uint64_t missed = control_loop__missed(&r->loop);

	if (!missed)
		return;
	r->moved_ns += missed;
	r->done_ns += missed;
	pending_sessions__excuse(&r->pending, missed);
}

static int receiver__check_time(struct receiver *r)
{
	uint64_t now = clock__now();
	int err;

	if (now >= r->stop_ns && r->state != RECEIVER_DONE)
		return receiver__cut_short(r);
	if (now >= r->stop_ns)
		control_conn__close(&r->loop.conn);

	if (receiver__in_phase(r) && now >= r->look_ns) {
		err = receiver__look(r);
		if (err)
			return err;
	}
	if (r->state == RECEIVER_LISTENING || now < receiver__deadline(r))
		return 0;
	if (r->state != RECEIVER_DONE)
		return receiver__lost(r, -ETIME);
	control_conn__close(&r->loop.conn);
	return 0;
}

static int receiver__wait(struct receiver *r)
{
	uint64_t deadline = receiver__deadline(r);
	int events;

	if (pending_sessions__deadline(&r->pending) < deadline)
		deadline = pending_sessions__deadline(&r->pending);
	if (receiver__in_phase(r) && r->look_ns < deadline)
		deadline = r->look_ns;
	if (r->stop_ns < deadline)
		deadline = r->stop_ns;
	events = control_loop__wait(&r->loop, deadline, pending_sessions__fd(&r->pending));
	if (events < 0) {
		reporter__error(r->report, "Waiting failed: %s", strerror(-events));
		r->ended = true;
	}
	return events;
}

static int receiver__step(struct receiver *r)
{
	int events = receiver__wait(r);
	int err = 0;

	if (events < 0)
		return events;
	receiver__excuse(r);
	if (events & CONTROL_LOOP_SIGNAL) {
		control_loop__take_signal(&r->loop);
		if (r->stop_ns == UINT64_MAX)
			r->stop_ns = clock__now() + TIME_LIMIT_STOP_NS;
		err = receiver__stop(r);
	}
	if (events & CONTROL_LOOP_WAKE)
		control_loop__take_wake(&r->loop);
	if (!err && events & CONTROL_LOOP_COMMAND)
		err = receiver__command(r);
	if (!err && events & CONTROL_LOOP_FRAME)
		err = receiver__frames(r);
	if (!err)
		err = receiver__greet(r);
	if (!err && r->state >= RECEIVER_WAITING && r->state < RECEIVER_DONE)
		err = receiver__check_reading(r);
	return err ? err : receiver__check_time(r);
}

static int receiver__listen(struct receiver *r)
{
	const struct settings *set = r->settings;
	struct side_config c = {.uid = geteuid(), .verify = set->verify};
	int err = congestion__check(r->report, set->congestion);

	if (err)
		return err;
	err = pending_sessions__open(&r->pending, set, sock__descriptors_max());
	if (!err)
		err = sock__address(r->pending.acceptor.listen_fd, false, c.address,
				    sizeof(c.address), &c.port);
	if (err) {
		reporter__error(r->report, "The address cannot be listened on: %s", strerror(-err));
		return err;
	}
	r->report->ops->listening(r->report, &c);
	return 0;
}

static int receiver__session(struct receiver *r)
{
	int err = 0;

	while (!err && !(r->state == RECEIVER_DONE && r->loop.conn.fd < 0))
		err = receiver__step(r);
	return err;
}

/* Drops the last session, to accept the next sender. */
static void receiver__reset(struct receiver *r)
{
	receiver__forget(r);
	r->measuring = false;
	pending_sessions__set_busy(&r->pending, false);
}

static int receiver__serve(struct receiver *r)
{
	int err = receiver__session(r);

	/* A failed session is already reported and does not end the loop. */
	while (r->settings->forever && !r->stopping && !r->ended && err != -ECANCELED) {
		receiver__reset(r);
		err = receiver__session(r);
	}
	return err;
}

int receiver__run(const struct settings *settings, struct reporter *report,
		  struct session_mode mode)
{
	struct receiver *r = calloc(1, sizeof(*r));
	int err;

	if (!r) {
		reporter__error(report, "Memory is short");
		return -ENOMEM;
	}
	r->settings = settings;
	r->report = report;
	r->mode = mode;
	r->pending.epoll_fd = -1;
	r->stop_ns = UINT64_MAX;
	err = control_loop__open(&r->loop, settings->control, mode.signals);
	if (err) {
		reporter__error(report, "Signals cannot be received: %s", strerror(-err));
		goto out;
	}
	err = receiver__listen(r);
	if (!err)
		err = receiver__serve(r);
	if (!err && r->wrong)
		err = 1;
out:
	receiver_pool__close(&r->pool);
	if (r->pending.epoll_fd >= 0)
		pending_sessions__close(&r->pending);
	control_loop__close(&r->loop);
	free(r);
	return err;
}
