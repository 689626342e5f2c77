/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mode sendfile: sendfile() sends each message from a file in memory. The pages stay as they
 * are: the peer may read them long after it has acknowledged them.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "send_mode.h"
#include "sender_conn.h"

struct file_sender {
	int fd; /* a file of the size of a message; -1: none */
	size_t size;
};

/* Writes all len bytes. 0 or -errno. */
static int file__fill(int fd, const uint8_t *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

static int sendfile__setup(struct sender_conn *f)
{
	struct file_sender *own = xcalloc(1, sizeof(*own));
	uint8_t *bytes;
	int err;

	f->own = own;
	own->size = workload__message_size(&f->options->workload);
	own->fd = memfd_create("netio-loadgen", MFD_CLOEXEC);
	if (own->fd < 0)
		return -errno;
	bytes = payload__alloc(own->size, 'a');
	err = file__fill(own->fd, bytes, own->size);
	free(bytes);
	return err;
}

static void sendfile__teardown(struct sender_conn *f)
{
	struct file_sender *own = f->own;

	if (own->fd >= 0)
		close(own->fd);
	free(own);
}

static int sendfile__prepare(struct sender_conn *f)
{
	(void)f;
	return 0;
}

static void sendfile__begin(struct sender_conn *f, uint64_t stamp)
{
	(void)f;
	(void)stamp;
}

static ssize_t sendfile__send(struct sender_conn *f)
{
	const struct file_sender *own = f->own;
	off_t at = (off_t)f->done;
	ssize_t n = sendfile(f->fd, own->fd, &at, own->size - f->done);

	return n < 0 ? -errno : n;
}

const struct send_mode send_mode_sendfile = {
	.setup = sendfile__setup,
	.teardown = sendfile__teardown,
	.prepare = sendfile__prepare,
	.begin = sendfile__begin,
	.send = sendfile__send,
};
