/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several threads send on one socket:
 *
 *   shared_socket_senders THREADS KIB [PAUSE [WAY]]
 *
 * Threads alternate between send(), sendmsg() with three buffers, MSG_ZEROCOPY and sendfile(), or
 * use one WAY (plain, vectored, zerocopy, splice), until each has sent KIB KiB by calls of up to 64
 * KiB. The send buffer holds a part of one call, and the reader pauses (PAUSE microseconds, default
 * 100). So most calls wait for memory, with the socket lock released, while others begin. Prints
 * the results of the calls and the received bytes as JSON. Creates "begun" in the working directory
 * when all threads send.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define THREADS_MAX 64
#define CALL_MAX    65536
#define ROOM        16384
#define WINDOW      (4 * ROOM) /* a smaller one closes until a window probe */
#define PIECES      3

enum way {
	WAY_PLAIN,
	WAY_VECTORED,
	WAY_ZEROCOPY,
	WAY_SPLICE,
	WAY_NR,
};

static const char *const way_names[WAY_NR] = {"plain", "vectored", "zerocopy", "splice"};

struct sum {
	atomic_ulong calls, bytes;
};

static struct sum sums[WAY_NR];
static atomic_uint begun;
static char data[CALL_MAX];
static int sender, receiver, file;
static unsigned long each;
static useconds_t rest = 100;
static enum way only = WAY_NR; /* WAY_NR: all */

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void connect_pair(void)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener = socket(AF_INET, SOCK_STREAM, 0), room = ROOM, window = WINDOW;
	const int one = 1;
	socklen_t len = sizeof(sin);

	sender = socket(AF_INET, SOCK_STREAM, 0);
	if (setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &window, sizeof(window)) ||
	    setsockopt(sender, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)) ||
	    setsockopt(sender, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
		fail("setsockopt");
	if (bind(listener, (struct sockaddr *)&sin, len) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&sin, &len) ||
	    connect(sender, (struct sockaddr *)&sin, len))
		fail("connect");
	receiver = accept(listener, NULL, NULL);
	if (receiver < 0)
		fail("accept");
	close(listener);
}

/* Reads the notifications of completed zero-copy sends. */
static void reap(void)
{
	char control[256];
	struct msghdr msg = {.msg_control = control, .msg_controllen = sizeof(control)};

	while (recvmsg(sender, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0)
		msg.msg_controllen = sizeof(control);
}

static ssize_t send_pieces(size_t len)
{
	struct iovec iov[PIECES];
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = PIECES};

	for (int i = 0; i < PIECES; i++) {
		iov[i].iov_base = data;
		iov[i].iov_len = i ? len / PIECES : len - len / PIECES * (PIECES - 1);
	}
	return sendmsg(sender, &msg, MSG_NOSIGNAL);
}

static ssize_t send_pinned(size_t len)
{
	ssize_t n;

	do {
		reap();
		n = send(sender, data, len, MSG_NOSIGNAL | MSG_ZEROCOPY);
	} while (n < 0 && errno == ENOBUFS && !usleep(1000));
	return n;
}

static ssize_t send_by(enum way way, size_t len)
{
	off_t from = 0;

	switch (way) {
	case WAY_VECTORED:
		return send_pieces(len);
	case WAY_ZEROCOPY:
		return send_pinned(len);
	case WAY_SPLICE:
		return sendfile(sender, file, &from, len);
	default:
		return send(sender, data, len, MSG_NOSIGNAL);
	}
}

static void *sing(void *arg)
{
	unsigned int number = (unsigned int)(unsigned long)arg, seed = number + 1;
	enum way way = only == WAY_NR ? number % WAY_NR : only;
	unsigned long left = each;

	begun++;
	while (left) {
		size_t len = PIECES + (size_t)rand_r(&seed) % (CALL_MAX - PIECES);
		ssize_t n = send_by(way, len < left ? len : left);

		if (n <= 0)
			fail("send");
		sums[way].calls++;
		sums[way].bytes += (unsigned long)n;
		left -= (unsigned long)n;
	}
	return NULL;
}

static void *listen_to(void *arg)
{
	static char taken[ROOM];
	unsigned long *sum = arg;
	ssize_t n;

	while ((n = recv(receiver, taken, sizeof(taken), 0)) > 0) {
		*sum += (unsigned long)n;
		usleep(rest);
	}
	return NULL;
}

static void print(unsigned long received)
{
	printf("{");
	for (int way = 0; way < WAY_NR; way++)
		printf("\"%s\":{\"calls\":%lu,\"bytes\":%lu},", way_names[way], sums[way].calls,
		       sums[way].bytes);
	printf("\"received\":%lu}\n", received);
}

static enum way way_of(const char *name)
{
	enum way way = WAY_PLAIN;

	while (way < WAY_NR && strcmp(way_names[way], name))
		way++;
	return way;
}

int main(int argc, char **argv)
{
	int threads_nr = argc >= 3 && argc <= 5 ? atoi(argv[1]) : 0;
	pthread_t threads[THREADS_MAX], listener;
	unsigned long received = 0;

	if (argc == 5)
		only = way_of(argv[4]);
	if (threads_nr < 1 || threads_nr > THREADS_MAX || (argc == 5 && only == WAY_NR)) {
		fprintf(stderr, "usage: shared_socket_senders THREADS KIB [PAUSE [WAY]]\n");
		return 2;
	}
	each = strtoul(argv[2], NULL, 10) * 1024;
	if (argc >= 4)
		rest = (useconds_t)strtoul(argv[3], NULL, 10);
	file = memfd_create("shared_socket_senders", 0);
	if (file < 0 || write(file, data, sizeof(data)) != sizeof(data))
		fail("memfd_create");
	connect_pair();
	pthread_create(&listener, NULL, listen_to, &received);
	for (int i = 0; i < threads_nr; i++)
		pthread_create(&threads[i], NULL, sing, (void *)(unsigned long)i);
	while (begun < (unsigned int)threads_nr)
		usleep(1000);
	close(open("begun", O_CREAT | O_WRONLY, 0644));
	for (int i = 0; i < threads_nr; i++)
		pthread_join(threads[i], NULL);
	shutdown(sender, SHUT_WR);
	pthread_join(listener, NULL);
	reap();
	print(received);
	return 0;
}
