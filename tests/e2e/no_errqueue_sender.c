/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * no_errqueue_sender ADDRESS PORT COUNT SIZE: sends COUNT messages of SIZE bytes with MSG_ZEROCOPY
 * and never reads its error queue, like programs that only switched zero-copy on. Prints the bytes
 * that send() returned.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int connect_to(const char *address, const char *port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_port = htons(atoi(port))};
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	/*
	 * No pacing: a pacing timer sends on top of any task, and some kernels show such sends to
	 * no program (docs/KERNELS.md).
	 */
	static const char congestion[] = "reno";

	if (fd < 0 || inet_pton(AF_INET, address, &sin.sin_addr) != 1 ||
	    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion, sizeof(congestion) - 1) ||
	    setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)) ||
	    connect(fd, (struct sockaddr *)&sin, sizeof(sin))) {
		perror("no_errqueue_sender");
		exit(1);
	}
	return fd;
}

/*
 * Sends everything: the kernel may take less than requested, or nothing when memory is exhausted.
 */
static long send_all(int fd, const char *buf, long size)
{
	long sent = 0;

	while (sent < size) {
		ssize_t n = send(fd, buf + sent, size - sent, MSG_ZEROCOPY);

		if (n < 0 && errno != ENOBUFS) {
			perror("no_errqueue_sender");
			exit(1);
		}
		if (n < 0)
			usleep(1000);
		else
			sent += n;
	}
	return sent;
}

int main(int argc, char **argv)
{
	long count = argc > 4 ? atol(argv[3]) : 0, size = argc > 4 ? atol(argv[4]) : 0, sent = 0;
	char *buf = calloc(1, size ? size : 1);
	int fd;

	if (!count || !size || !buf)
		return 2;
	fd = connect_to(argv[1], argv[2]);
	for (long i = 0; i < count; i++)
		sent += send_all(fd, buf, size);
	shutdown(fd, SHUT_WR);
	/* The peer closes when it has read everything; until then the pages are in use. */
	while (read(fd, buf, 1) > 0)
		;
	printf("%ld\n", sent);
	return 0;
}
