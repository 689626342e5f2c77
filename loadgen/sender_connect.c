/* SPDX-License-Identifier: GPL-2.0-only */
/* Connection setup of a sender: control connection, WELCOME, data connections. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "clock.h"
#include "common/time_limit.h"
#include "common/units.h"
#include "sender.h"
#include "session_id.h"

/* Time limit of a data connection: four SYNs, at 0, 1, 3 and 7 s. */
#define CONNECT_NS (8 * NS_PER_SEC)
/* Time limit of the control connection: below the time that a driver waits for the whole setup. */
#define CONTROL_NS (5 * NS_PER_SEC)
#define WELCOME_NS (5 * NS_PER_SEC)
/* Pending connections; the receiver's backlog (somaxconn) must hold them. */
#define WINDOW 128
/* How often to handle events while connecting. */
#define LOOK_MS 50

int sender__lost(struct sender *s, int err)
{
	if (err == -ECONNRESET || err == -EPIPE)
		reporter__error(s->report, "The receiver closed the control connection: it ended");
	else if (err == -EPROTO)
		reporter__error(s->report, "What answers there is not netiotrace's receiver");
	else if (err == -EPROTONOSUPPORT)
		reporter__error(s->report,
				"The receiver there speaks another version of the "
				"protocol: use one version of netiotrace on both machines");
	else
		reporter__error(s->report, "The receiver is lost: %s", strerror(-err));
	return err;
}

int sender__no_session(struct sender *s, int err)
{
	if (err == -ETIMEDOUT)
		reporter__error(s->report, "What listens there does not answer: it is not "
					   "netiotrace's receiver, or busy with another session");
	else if (err == -ECONNRESET || err == -EPIPE)
		reporter__error(s->report, "What listens there closed the connection: it is not "
					   "netiotrace's receiver, or busy with another session");
	else
		return sender__lost(s, err);
	return err;
}

int sender__refused(struct sender *s, uint32_t why)
{
	if (why == PROTOCOL_REFUSAL_BUSY) {
		reporter__error(s->report, "The receiver is busy with another session");
		return -EBUSY;
	}
	if (why == PROTOCOL_REFUSAL_LIMIT) {
		reporter__error(
			s->report,
			"The receiver may not open %u connection%s: raise its limit of open "
			"files (ulimit -n) or give fewer --connections",
			s->hello.connections, plural(s->hello.connections));
		return -EMFILE;
	}
	if (why == PROTOCOL_REFUSAL_VERIFY) {
		reporter__error(s->report, "The receiver checks every byte, and without --verify "
					   "this sender writes nothing that can be checked: give "
					   "--verify on both sides or on neither");
		return -EINVAL;
	}
	if (why == PROTOCOL_REFUSAL_VERSION)
		return sender__lost(s, -EPROTONOSUPPORT);
	reporter__error(s->report,
			"The receiver refuses the session for reason %u, which this version of "
			"netiotrace does not know: see what the receiver says",
			why);
	return -EPROTO;
}

static int sender__dial(const struct sender *s, enum protocol_kind kind)
{
	const struct settings *set = s->settings;

	if (kind == PROTOCOL_CONTROL)
		return sock__connect(&set->endpoint, 0, "");
	return sock__connect(&set->endpoint, set->sndbuf, set->congestion);
}

/* Call on a writable connection. Its empty send buffer takes the hello whole. */
static int sender__say_hello(struct sender *s, int fd, enum protocol_kind kind, uint32_t index)
{
	uint8_t buf[PROTOCOL_HELLO_SIZE];
	int err = sock__connected(fd);

	if (err)
		return err;
	s->hello.kind = kind;
	s->hello.index = index;
	s->hello.stamp = clock__now();
	protocol__encode_hello(buf, &s->hello);
	return sock__write_all(fd, buf, sizeof(buf));
}

/* Handles events of the main thread while it waits. */
static int sender__await_writable(struct sender *s, int fd, uint64_t ns)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	int n, err;

	s->moved_ns = clock__now();
	for (;;) {
		n = poll(&p, 1, LOOK_MS);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			return 0;
		err = sender__step(s, clock__now());
		if (err && err != -ETIME)
			return err == -EINTR ? err : -ECANCELED;
		if (clock__now() >= s->moved_ns + ns)
			return -ETIMEDOUT;
	}
}

static int sender__open_control(struct sender *s)
{
	int fd = sender__dial(s, PROTOCOL_CONTROL), err;

	if (fd < 0)
		return fd;
	err = sender__await_writable(s, fd, time_limit__ns(CONTROL_NS));
	if (!err)
		err = sender__say_hello(s, fd, PROTOCOL_CONTROL, 0);
	if (!err)
		err = sock__set_blocking(fd, true);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

/* Waits for WELCOME or REFUSE. Errors as of sender__await(). */
static int sender__await_welcome(struct sender *s)
{
	int err = sender__await_answer(s, WELCOME_NS);

	if (err == -ETIME)
		return sender__no_session(s, -ETIMEDOUT);
	if (err)
		return err;
	if (s->answer.type == PROTOCOL_REFUSE)
		return sender__refused(s, s->answer.index);
	s->state = SENDER_CONNECTING;
	return 0;
}

static int sender__connect_control(struct sender *s)
{
	int fd, err;

	fd = sender__open_control(s);
	if (fd == -ECONNRESET || fd == -EPIPE)
		return sender__no_session(s, fd);
	if (fd == -EINTR || fd == -ECANCELED)
		return fd;
	if (fd < 0) {
		reporter__error(s->report,
				"No connection to the receiver: %s (start netiotrace serve or "
				"netio-loadgen recv there)",
				strerror(-fd));
		return fd;
	}
	err = control_conn__open(&s->loop.conn, fd);
	if (err)
		return sender__lost(s, err);
	return sender__await_welcome(s);
}

/* Data connections that are being made. */
struct dialling {
	struct sender *s;
	int epoll_fd;
	uint32_t begun, there;
	int *fds;            /* by index; -1: handed to the pool */
	uint64_t *deadlines; /* by index, ascending; UINT64_MAX: connected */
	uint32_t oldest;     /* first connection that is not connected */
	uint32_t failed;     /* index of the failed connection */
	bool reported;       /* the error is reported; no data connection failed */
};

static int dialling__begin(struct dialling *d)
{
	uint32_t i = d->begun;
	struct epoll_event e = {.events = EPOLLOUT, .data.u32 = i};
	int fd = sender__dial(d->s, PROTOCOL_DATA);

	d->failed = i;
	if (fd < 0)
		return fd;
	d->fds[i] = fd;
	d->deadlines[i] = clock__now() + time_limit__ns(CONNECT_NS);
	d->begun++;
	return epoll_ctl(d->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static int dialling__finish(struct dialling *d, uint32_t i)
{
	int err;

	d->failed = i;
	err = sender__say_hello(d->s, d->fds[i], PROTOCOL_DATA, i);
	if (err)
		return err;
	if (epoll_ctl(d->epoll_fd, EPOLL_CTL_DEL, d->fds[i], NULL))
		return -errno;
	sender_pool__add(&d->s->pool, i, d->fds[i]);
	d->fds[i] = -1;
	d->deadlines[i] = UINT64_MAX;
	d->there++;
	return 0;
}

/* Handles events of the main thread, then waits for connections. */
static int dialling__wait(struct dialling *d)
{
	struct epoll_event events[WINDOW];
	int n, i, err;

	err = sender__step(d->s, clock__now());
	d->reported = err && err != -ETIME;
	if (d->reported)
		return err;
	n = epoll_wait(d->epoll_fd, events, WINDOW, LOOK_MS);
	err = n < 0 && errno != EINTR ? -errno : 0;
	for (i = 0; !err && i < n; i++)
		err = dialling__finish(d, events[i].data.u32);
	while (d->oldest < d->begun && d->deadlines[d->oldest] == UINT64_MAX)
		d->oldest++;
	if (!err && d->oldest < d->begun && clock__now() >= d->deadlines[d->oldest]) {
		d->failed = d->oldest;
		err = -ETIMEDOUT;
	}
	return err;
}

static int dialling__run(struct dialling *d)
{
	uint32_t nr = d->s->pool.nr;
	int err = 0;

	while (!err && d->there < nr && !d->s->answered) {
		while (!err && d->begun < nr && d->begun - d->there < WINDOW)
			err = dialling__begin(d);
		if (!err)
			err = dialling__wait(d);
	}
	return err;
}

/* If a data connection fails, the receiver may have sent REFUSE: wait for the frame. */
static int sender__judge_dialling(struct sender *s, const struct dialling *d, int err)
{
	int told;

	if (!err && d->there == s->pool.nr)
		return 0;
	told = s->answered ? 0 : sender__step(s, clock__now() + NS_PER_SEC / 5);
	if (told && told != -ETIME)
		return told;
	if (s->answered) {
		err = sender__await(s, PROTOCOL_READY);
		return err ? err : sender__lost(s, -EPROTO); /* READY too early */
	}
	reporter__error(s->report, "Data connection %u failed: %s", d->failed, strerror(-err));
	return err;
}

static int sender__connect_data(struct sender *s)
{
	struct dialling d = {.s = s, .epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
	uint32_t i;
	int err = -ENOMEM;

	d.fds = calloc(s->pool.nr, sizeof(*d.fds));
	d.deadlines = calloc(s->pool.nr, sizeof(*d.deadlines));
	if (d.fds && d.deadlines && d.epoll_fd >= 0)
		err = dialling__run(&d);
	for (i = 0; d.fds && i < d.begun; i++)
		if (d.fds[i] >= 0 && d.deadlines[i] != UINT64_MAX)
			close(d.fds[i]);
	free(d.fds);
	free(d.deadlines);
	if (d.epoll_fd >= 0)
		close(d.epoll_fd);
	return d.reported ? err : sender__judge_dialling(s, &d, err);
}

int sender__connect(struct sender *s)
{
	const struct settings *set = s->settings;
	int err;

	err = session_id__make(s->hello.token);
	if (err) {
		reporter__error(s->report, "No random bytes for a session token: %s",
				strerror(-err));
		return err;
	}
	session_id__clock(s->hello.clock_id);
	s->hello.connections = (uint32_t)set->connections;
	s->hello.threads = (uint32_t)set->threads;
	s->hello.size = (uint32_t)set->size;
	s->hello.verify = set->verify;
	s->hello.replies = set->request_response;
	err = sender__connect_control(s);
	return err ? err : sender__connect_data(s);
}
