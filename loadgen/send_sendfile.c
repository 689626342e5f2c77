/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mode sendfile: sendfile() sends each message from a file. The pages stay as they are: the
 * peer may read them long after it has acknowledged them.
 */
#include <errno.h>
#include <fcntl.h>
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

/* A file without a name, in --file-dir or in memory. A descriptor or -errno. */
static int file__open(const struct workload *w)
{
	int fd = w->file_dir ? open(w->file_dir, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600)
			     : memfd_create("netio-loadgen", MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int sendfile__try(const struct workload *w)
{
	int fd;

	if (!w->file_dir)
		return 0;
	fd = file__open(w);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

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

static int sendfile__setup(struct sender_conn *conn)
{
	struct file_sender *own = xcalloc(1, sizeof(*own));
	uint8_t *bytes;
	int err;

	conn->own = own;
	own->size = workload__message_size(&conn->options->workload);
	own->fd = file__open(&conn->options->workload);
	if (own->fd < 0)
		return own->fd;
	bytes = payload__alloc(own->size, 'a');
	err = file__fill(own->fd, bytes, own->size);
	free(bytes);
	return err;
}

static void sendfile__teardown(struct sender_conn *conn)
{
	struct file_sender *own = conn->own;

	if (own->fd >= 0)
		close(own->fd);
	free(own);
}

static int sendfile__prepare(struct sender_conn *conn)
{
	(void)conn;
	return 0;
}

static void sendfile__begin(struct sender_conn *conn, uint64_t stamp)
{
	(void)conn;
	(void)stamp;
}

static ssize_t sendfile__send(struct sender_conn *conn)
{
	const struct file_sender *own = conn->own;
	off_t at = (off_t)conn->done;
	ssize_t n = sendfile(conn->fd, own->fd, &at, own->size - conn->done);

	return n < 0 ? -errno : n;
}

const struct send_mode send_mode_sendfile = {
	.try = sendfile__try,
	.try_fails = "no file can be made in the directory of --file-dir",
	.try_remedy = "choose a directory that the load generator may write: as nobody, if "
		      "netiotrace runs as root",
	.setup = sendfile__setup,
	.teardown = sendfile__teardown,
	.prepare = sendfile__prepare,
	.begin = sendfile__begin,
	.send = sendfile__send,
};
