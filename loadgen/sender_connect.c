/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender's connections: the control connection, and the data connections, many at a time. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "clock.h"
#include "sender.h"

/* Time limit of a data connection: four SYNs, at 0, 1, 3 and 7 s. */
#define CONNECT_NS (8 * NS_PER_SEC)
/* Time limit of the control connection: below the time that a driver waits for the whole setup. */
#define CONTROL_NS (5 * NS_PER_SEC)
/* Pending connections; the receiver's backlog (somaxconn) must hold them. */
#define WINDOW 128
/* How often to handle events while connecting. */
#define POLL_MS 50

static int sender__dial(const struct sender *s, enum protocol_kind kind)
{
	const struct lg_options *set = s->options;
	bool data = kind == PROTOCOL_DATA;

	return sock__connect(&set->endpoint, data ? set->workload.sndbuf : 0,
			     data ? set->workload.congestion : NULL);
}

/* Call on a writable connection. Its empty send buffer takes the hello whole. */
static int sender__send_hello(struct sender *s, int fd, enum protocol_kind kind, uint32_t index)
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
		n = poll(&p, 1, POLL_MS);
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

int sender__connect_control(struct sender *s)
{
	int fd = sender__dial(s, PROTOCOL_CONTROL), err = fd < 0 ? fd : 0;

	if (!err)
		err = sender__await_writable(s, fd, time_limit__ns(CONTROL_NS));
	if (!err)
		err = sender__send_hello(s, fd, PROTOCOL_CONTROL, 0);
	if (!err)
		err = sock__set_blocking(fd, true);
	if (err && fd >= 0)
		close(fd);
	if (err == -EINTR || err == -ECANCELED)
		return err;
	if (err && err != -ECONNRESET && err != -EPIPE)
		return reporter__error(
			s->report, err,
			"No connection to the receiver: %m (start netiotrace serve or "
			"netio-loadgen recv there)");
	if (!err)
		err = control_conn__open(&s->loop.conn, fd);
	return err ? sender__lost(s, err) : 0;
}

/* Data connections that are being made: fds[i] is connection index[i], until deadline[i]. */
struct dialling {
	struct sender *s;
	struct pollfd fds[WINDOW];
	uint32_t index[WINDOW];
	uint64_t deadline[WINDOW];
	unsigned int nr;
	uint32_t begun;  /* connections begun; all but nr of them are with the pool */
	uint32_t failed; /* index of the failed connection */
	bool reported;   /* the error is reported; no data connection failed */
};

static int dialling__begin(struct dialling *d)
{
	int fd = sender__dial(d->s, PROTOCOL_DATA);

	d->failed = d->begun;
	if (fd < 0)
		return fd;
	d->fds[d->nr] = (struct pollfd){.fd = fd, .events = POLLOUT};
	d->index[d->nr] = d->begun++;
	d->deadline[d->nr++] = clock__now() + time_limit__ns(CONNECT_NS);
	return 0;
}

/* Hands a connected one to the pool; the last one takes its place. */
static int dialling__finish(struct dialling *d, unsigned int i)
{
	int err = sender__send_hello(d->s, d->fds[i].fd, PROTOCOL_DATA, d->index[i]);

	if (err)
		return err;
	d->s->pool.fds[d->index[i]] = d->fds[i].fd;
	d->nr--;
	d->fds[i] = d->fds[d->nr];
	d->index[i] = d->index[d->nr];
	d->deadline[i] = d->deadline[d->nr];
	return 0;
}

/* Handles events of the main thread, then waits for connections. */
static int dialling__wait(struct dialling *d)
{
	int err = sender__step(d->s, clock__now());

	d->reported = err && err != -ETIME;
	if (d->reported)
		return err;
	if (poll(d->fds, d->nr, POLL_MS) < 0)
		return errno == EINTR ? 0 : -errno;
	err = 0;
	for (unsigned int i = d->nr; !err && i-- > 0;) {
		d->failed = d->index[i];
		if (d->fds[i].revents)
			err = dialling__finish(d, i);
		else if (clock__now() >= d->deadline[i])
			err = -ETIMEDOUT;
	}
	return err;
}

static int dialling__run(struct dialling *d)
{
	int err = 0;

	while (!err && (d->nr || d->begun < d->s->pool.nr) && !d->s->answered) {
		while (!err && d->begun < d->s->pool.nr && d->nr < WINDOW)
			err = dialling__begin(d);
		if (!err)
			err = dialling__wait(d);
	}
	return err;
}

/* If a data connection fails, the receiver may have sent REFUSE: wait for the frame. */
static int sender__finish_dialling(struct sender *s, const struct dialling *d, int err)
{
	int err_before;

	if (!err && !d->nr && d->begun == s->pool.nr)
		return 0;
	err_before = s->answered ? 0 : sender__step(s, clock__now() + NS_PER_SEC / 5);
	if (err_before && err_before != -ETIME)
		return err_before;
	if (s->answered)
		return sender__lost(s, -EPROTO); /* READY too early */
	return reporter__error(s->report, err, "Data connection %u failed: %m", d->failed);
}

int sender__connect_data(struct sender *s)
{
	struct dialling d = {.s = s};
	int err = dialling__run(&d);

	for (unsigned int i = 0; i < d.nr; i++)
		close(d.fds[i].fd);
	return d.reported ? err : sender__finish_dialling(s, &d, err);
}
