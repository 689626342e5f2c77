/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zc_requests PORT COUNT SIZE [WORD...]: sends COUNT buffers of SIZE bytes by IORING_OP_SEND_ZC to
 * 127.0.0.1:PORT and waits for all notifications. Prints what its completions said, as JSON:
 * requests that sent something, their bytes, and those whose notification says COPIED. Words:
 *   report   asks for the report of copies (IORING_SEND_ZC_REPORT_USAGE)
 *   late     asks for it from the second request on
 *   more     sends with MSG_MORE, so that requests share packets
 *   fault    first sends a buffer that is not there, which fails
 *   queued   connects to nobody (TCP_REPAIR): no byte leaves the socket, which is then disconnected
 * Exit status 77: not supported here.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/word.h"
#include "loadgen/uring.h"

#define REPORT_USAGE (1U << 3)  /* IORING_SEND_ZC_REPORT_USAGE, Linux 6.2 */
#define ZC_COPIED    (1U << 31) /* IORING_NOTIF_USAGE_ZC_COPIED */
#define REPAIR_NO_WP (-1)       /* TCP_REPAIR_OFF_NO_WP: sends no window probe */

struct counts {
	unsigned long long sent, bytes, copied;
};

static const char *words = "";

static void fail(const char *what, int err)
{
	fprintf(stderr, "zc_requests: %s: %s\n", what, strerror(-err));
	exit(err == -ENOSYS || err == -EPERM || err == -EINVAL || err == -EOPNOTSUPP ? 77 : 1);
}

static void set(int fd, int option, int value)
{
	if (setsockopt(fd, IPPROTO_TCP, option, &value, sizeof(value)))
		fail("setsockopt", -errno);
}

static int connect_to(const char *port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)atoi(port)),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool queued = has_word(words, "queued");

	if (queued)
		set(fd, TCP_REPAIR, 1);
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)))
		fail("connect", -errno);
	if (queued)
		set(fd, TCP_REPAIR, REPAIR_NO_WP);
	return fd;
}

static void disconnect(int fd)
{
	const struct sockaddr nobody = {.sa_family = AF_UNSPEC};

	if (connect(fd, &nobody, sizeof(nobody)))
		fail("disconnect", -errno);
}

static void submit(struct uring *ring, int fd, const char *buffer, unsigned int size, int flags,
		   bool report)
{
	int err = uring__submit(ring, &(struct io_uring_sqe){
					      .opcode = IORING_OP_SEND_ZC,
					      .fd = fd,
					      .addr = (uintptr_t)buffer,
					      .len = size,
					      .msg_flags = (uint32_t)flags,
					      .ioprio = report ? REPORT_USAGE : 0,
					      .user_data = buffer == NULL,
				      });

	if (err)
		fail("submit", err);
}

/* Takes a completion, which says whether the request's notification is still to come. */
static bool take(struct uring *ring, struct counts *c)
{
	struct io_uring_cqe cqe;
	int err = uring__next(ring, 10000, &cqe);
	bool failed = !err && cqe.user_data;

	if (err)
		fail("no completion", err);
	if (cqe.flags & IORING_CQE_F_NOTIF) {
		c->copied += !failed && ((uint32_t)cqe.res & ZC_COPIED);
		return false;
	}
	if (failed && cqe.res != -EFAULT)
		fail("a buffer that is not there was sent", cqe.res);
	if (!failed && cqe.res < 0)
		fail("SEND_ZC", cqe.res);
	c->sent += cqe.res > 0;
	c->bytes += cqe.res > 0 ? (unsigned int)cqe.res : 0;
	return cqe.flags & IORING_CQE_F_MORE;
}

int main(int argc, char **argv)
{
	unsigned int count, size, requests, open = 0;
	struct counts c = {0};
	struct uring ring;
	char *buffer, list[256] = "";
	int fd, err;

	if (argc < 4)
		return 2;
	for (int i = 4; i < argc; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s ", argv[i]);
	words = list;
	count = (unsigned int)atoi(argv[2]);
	size = (unsigned int)atoi(argv[3]);
	requests = count + has_word(words, "fault");
	buffer = calloc(1, size);
	err = uring__open(&ring, 64, 64 + 2 * requests);
	if (err || !buffer)
		fail("io_uring", err);
	fd = connect_to(argv[1]);
	for (unsigned int i = 0; i < requests; i++) {
		bool fault = !i && requests > count;
		bool report = has_word(words, "report") || (i && has_word(words, "late"));
		bool more = has_word(words, "more") && i + 1 < requests;

		submit(&ring, fd, fault ? NULL : buffer, size, MSG_WAITALL | (more ? MSG_MORE : 0),
		       report);
		/* Notifications of earlier requests may come first. */
		for (bool done = false; !done;) {
			unsigned long long before = c.sent;
			bool waits = take(&ring, &c);

			done = waits || c.sent > before || fault;
			open += waits;
			open -= !done;
		}
	}
	if (has_word(words, "queued"))
		disconnect(fd);
	for (; open; open--)
		take(&ring, &c);
	printf("{\"sent\": %llu, \"bytes\": %llu, \"copied\": %llu}\n", c.sent, c.bytes, c.copied);
	uring__close(&ring);
	close(fd);
	return 0;
}
