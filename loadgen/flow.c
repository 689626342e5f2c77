/* SPDX-License-Identifier: GPL-2.0-only */
/* The path of one message, whatever the mode. Knows nothing of threads and phases. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "flow.h"
#include "sock.h"

/* How long a message begun before a stop may take until the receiver is called dead. */
#define STUCK_NS (5 * NS_PER_SEC)

const struct send_mode *send_mode__get(enum mode mode)
{
	static const struct send_mode *const modes[] = {
#define X(id, name, ...) [MODE_##id] = &send_mode_##name,
		MODES(X)
#undef X
	};

	return modes[mode];
}

int flow__open(struct flow *f, int fd, uint32_t index, const struct settings *s,
	       const atomic_bool *stop)
{
	int err;

	*f = (struct flow){.fd = fd, .index = index, .settings = s, .stop = stop};
	err = sock__set_timeout(fd, SO_SNDTIMEO, SOCK_SEND_TIMEOUT_MS);
	if (!err && s->nodelay)
		err = sock__set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (!err)
		err = tally__init(&f->tally);
	if (!err) {
		f->rest = calloc(s->fields, sizeof(*f->rest));
		err = f->rest ? send_mode__get(s->mode)->setup(f) : -ENOMEM;
	}
	if (err)
		flow__close(f);
	return err;
}

void flow__close(struct flow *f)
{
	if (f->fd < 0)
		return;
	close(f->fd);
	send_mode__get(f->settings->mode)->teardown(f);
	free(f->rest);
	tally__clear(&f->tally);
	*f = (struct flow){.fd = -1};
}

int flow__send_message(struct flow *f)
{
	const struct send_mode *mode = send_mode__get(f->settings->mode);
	struct tally *t = &f->tally;
	uint64_t before, after;
	int err;

	err = mode->prepare(f);
	if (err)
		return err;
	/*
	 * One reading serves as the message's stamp and the beginning of the send call: writing the
	 * 16 bytes of header between the two is some nanoseconds, a third reading would cost more.
	 */
	before = clock__now();
	err = mode->send(f, before);
	if (err)
		return err;
	after = clock__now();
	hist__record(t->hist[TALLY_SEND_CALL], after - before);
	t->bytes += f->settings->size;
	t->messages++;
	t->last_ns = after;
	f->seq++;
	return 0;
}

int flow__retry(struct flow *f, int e)
{
	if (e == EINTR) {
		f->tally.eintr++;
		return 0;
	}
	if (e != EAGAIN)
		return -e;
	f->tally.eagain++;
	if (!flow__stopped(f))
		return 0;
	if (!f->stop_seen)
		f->stop_seen = clock__now();
	return clock__now() - f->stop_seen > STUCK_NS ? -ETIMEDOUT : 0;
}
