/* SPDX-License-Identifier: GPL-2.0-only */
/* Accepting connections and their hellos. Knows nothing of the session. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "acceptor.h"
#include "clock.h"
#include "sock.h"

/* A sender says hello at once; this is for slow networks. */
#define HELLO_NS (5 * NS_PER_SEC)

int acceptor__open(struct acceptor *a, const struct endpoint *on, uint64_t rcvbuf)
{
	a->nr = 0;
	a->listen_fd = sock__listen(on, rcvbuf);
	return a->listen_fd < 0 ? a->listen_fd : 0;
}

static void acceptor__remove(struct acceptor *a, unsigned int i)
{
	a->nr--;
	memmove(&a->pending[i], &a->pending[i + 1], (a->nr - i) * sizeof(a->pending[0]));
}

void acceptor__close(struct acceptor *a)
{
	if (a->listen_fd < 0)
		return;
	for (; a->nr; acceptor__remove(a, 0))
		close(a->pending[0].fd);
	close(a->listen_fd);
	a->listen_fd = -1;
}

unsigned int acceptor__fds(const struct acceptor *a, struct pollfd fds[ACCEPTOR_FDS_MAX],
			   uint64_t *deadline)
{
	unsigned int i;

	if (a->listen_fd < 0)
		return 0;
	fds[0] = (struct pollfd){.fd = a->listen_fd, .events = POLLIN};
	for (i = 0; i < a->nr; i++) {
		fds[i + 1] = (struct pollfd){.fd = a->pending[i].fd, .events = POLLIN};
		if (a->pending[i].deadline < *deadline)
			*deadline = a->pending[i].deadline;
	}
	return a->nr + 1;
}

static void acceptor__accept(struct acceptor *a)
{
	int fd;

	/* Where too many wait, the one that was silent longest goes: a sender is never it. */
	if (a->nr == ACCEPTOR_PENDING_MAX) {
		close(a->pending[0].fd);
		acceptor__remove(a, 0);
	}
	fd = accept4(a->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	a->pending[a->nr++] = (struct acceptor_entry){
		.fd = fd,
		.deadline = clock__now() + HELLO_NS,
	};
}

void acceptor__refuse(int fd, enum wire_refusal why)
{
	const struct wire_frame f = {.type = WIRE_REFUSE, .index = why};
	uint8_t buf[WIRE_FRAME_SIZE];

	wire__encode_frame(buf, &f);
	/* To a new connection, whose buffer is empty; who does not get it sees the end alone. */
	if (send(fd, buf, sizeof(buf), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		shutdown(fd, SHUT_RDWR);
	close(fd);
}

/* 0: hello complete and sound; -EAGAIN: wait; else: not one of ours. */
static int entry__read(struct acceptor_entry *e, struct wire_hello *hello)
{
	ssize_t n = recv(e->fd, e->buf + e->have, sizeof(e->buf) - e->have, MSG_DONTWAIT);

	if (n == 0)
		return -ECONNRESET;
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return -errno;
	if (n > 0)
		e->have += (unsigned int)n;
	if (e->have == sizeof(e->buf))
		return wire__decode_hello(e->buf, hello);
	return clock__now() < e->deadline ? -EAGAIN : -ETIMEDOUT;
}

static int acceptor__scan(struct acceptor *a, struct wire_hello *hello)
{
	unsigned int i = 0;

	while (i < a->nr) {
		int fd = a->pending[i].fd;
		int err = entry__read(&a->pending[i], hello);

		if (err == -EAGAIN) {
			i++;
			continue;
		}
		acceptor__remove(a, i);
		if (!err)
			return fd;
		if (err == -EPROTONOSUPPORT)
			acceptor__refuse(fd, WIRE_REFUSAL_VERSION);
		else
			close(fd);
	}
	return -EAGAIN;
}

int acceptor__next(struct acceptor *a, struct wire_hello *hello)
{
	struct pollfd p = {.fd = a->listen_fd, .events = POLLIN};
	int fd;

	while ((fd = acceptor__scan(a, hello)) < 0 && poll(&p, 1, 0) == 1)
		acceptor__accept(a);
	return fd;
}
