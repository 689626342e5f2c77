/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends and receives frames on the control connection. */
#include <errno.h>
#include <signal.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "control_conn.h"
#include "clock.h"
#include "common/time_limit.h"
#include "sock.h"

/* Time limit for the peer to take a batch of frames. */
#define SEND_NS (5 * NS_PER_SEC)
/* How often a blocked send checks for a signal. */
#define LOOK_MS 100

int control_conn__open(struct control_conn *c, int fd)
{
	int err;

	*c = (struct control_conn){.fd = fd};
	err = sock__set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (!err)
		err = sock__set_timeout(fd, SO_SNDTIMEO, LOOK_MS);
	return err ? err : sock__set_keepalive(fd);
}

void control_conn__close(struct control_conn *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

int control_conn__send(struct control_conn *c, const struct protocol_frame *f)
{
	return control_conn__send_all(c, f, 1);
}

bool control_conn__is_to_end(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM);
}

static int control_conn__write(int fd, const uint8_t *p, size_t len)
{
	uint64_t deadline = clock__now() + time_limit__ns(SEND_NS);

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n >= 0) {
			p += n;
			len -= (size_t)n;
			continue;
		}
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
		if (control_conn__is_to_end())
			return -EINTR;
		if (clock__now() >= deadline)
			return -ETIMEDOUT;
	}
	return 0;
}

int control_conn__send_all(struct control_conn *c, const struct protocol_frame *f, size_t n)
{
	uint8_t buf[CONTROL_CONN_BATCH * PROTOCOL_FRAME_SIZE];

	for (size_t i = 0; i < n; i++)
		protocol__encode_frame(buf + i * PROTOCOL_FRAME_SIZE, &f[i]);
	return control_conn__write(c->fd, buf, n * PROTOCOL_FRAME_SIZE);
}

int control_conn__next(struct control_conn *c, struct protocol_frame *f)
{
	int err;

	/* Read no further than this frame: unread bytes keep the descriptor readable. */
	while (c->have < sizeof(c->buf)) {
		ssize_t n = recv(c->fd, c->buf + c->have, sizeof(c->buf) - c->have, MSG_DONTWAIT);

		if (n == 0)
			return -ECONNRESET;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		c->have += (size_t)n;
	}
	c->have = 0;
	err = protocol__decode_frame(c->buf, f);
	return err && err != -EPROTONOSUPPORT ? -EPROTO : err;
}
