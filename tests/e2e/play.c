/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a scenario of tests/bpf/socket_scenarios.h, or one of those below, as a program for attach
 * to watch.
 *
 *   play SCENARIO
 *
 * Exit 77: this machine cannot run it; the line gives the reason.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/bpf/socket_scenarios.h"

void watch(const struct pair *pairs, size_t n)
{
	(void)pairs;
	(void)n;
}

static void play_wrap(void)
{
	struct pair p = pair_before_wrap();

	for (int i = 0; i < 10; i++) {
		send_bytes(p.tx, 1000, 0);
		receive(p.rx, 1000, 0);
	}
}

/* The receiver drops more bytes than a sequence number can count. */
static void play_discard(void)
{
	const size_t all = 5000000000;
	struct pair p = connect_pair(0);
	size_t sent = 0, dropped = 0;

	while (dropped < all) {
		size_t left = all - sent < DATA_LEN ? all - sent : DATA_LEN;
		ssize_t n = left ? send(p.tx, data, left, MSG_DONTWAIT) : 0;

		if (n > 0)
			sent += n;
		n = recv(p.rx, data, DATA_LEN, MSG_TRUNC | MSG_DONTWAIT);
		if (n > 0)
			dropped += n;
	}
}

/* A listener that accepts data with the SYN. */
static int listen_fast(struct sockaddr_in *to)
{
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), queue = 16;
	socklen_t len = sizeof(*to);

	*to = (struct sockaddr_in){.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (setsockopt(listener, IPPROTO_TCP, TCP_FASTOPEN, &queue, sizeof(queue)))
		skip("TCP_FASTOPEN");
	if (bind(listener, (void *)to, len) || listen(listener, 16) ||
	    getsockname(listener, (void *)to, &len))
		fail("listen");
	return listener;
}

/* Counts of the error queue for sends with MSG_ZEROCOPY. */
static unsigned int completed, copied;

static bool read_completion(int fd)
{
	char control[256];
	struct msghdr msg = {.msg_control = control, .msg_controllen = sizeof(control)};
	const struct sock_extended_err *err;

	if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return false;
	err = (const void *)CMSG_DATA(CMSG_FIRSTHDR(&msg));
	completed += err->ee_data - err->ee_info + 1;
	if (err->ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
		copied += err->ee_data - err->ee_info + 1;
	return true;
}

/* The rest of a connection whose first n bytes were sent by the call that made it. */
static void end_fast(int listener, int tx, size_t n, bool in_syn)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);
	int rx = accept(listener, NULL, NULL);

	receive(rx, n, 0);
	send_bytes(rx, 10, 0);
	receive(tx, 10, 0);
	usleep(20000);
	while (read_completion(tx))
		;
	if (getsockopt(tx, IPPROTO_TCP, TCP_INFO, &info, &len))
		fail("TCP_INFO");
	close(tx);
	close(rx);
	if (in_syn && !(info.tcpi_options & TCPI_OPT_SYN_DATA))
		skip("no data in the SYN: net.ipv4.tcp_fastopen");
}

static int socket_of(int flags)
{
	int tx = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int on = 1;

	if ((flags & MSG_ZEROCOPY) && setsockopt(tx, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
		skip("SO_ZEROCOPY");
	return tx;
}

/*
 * From the second connection on, the first bytes travel with the SYN; the first requests a cookie.
 */
static void open_fast(size_t n, int flags)
{
	struct sockaddr_in to;
	int listener = listen_fast(&to);

	for (int i = 0; i < 3; i++) {
		int tx = socket_of(flags);

		if (sendto(tx, data, n, MSG_FASTOPEN | flags, (void *)&to, sizeof(to)) !=
		    (ssize_t)n)
			skip("sendto with MSG_FASTOPEN");
		end_fast(listener, tx, n, i == 2);
	}
}

/*
 * The call returns the number of bytes sent with the SYN, if any; the rest is sent once connected.
 */
static void open_at_once(size_t n, int flags)
{
	struct sockaddr_in to;
	int listener = listen_fast(&to);
	ssize_t sent;

	for (int i = 0; i < 3; i++) {
		struct pollfd ready = {.fd = socket_of(flags), .events = POLLOUT};

		sent = sendto(ready.fd, data, n, MSG_FASTOPEN | MSG_DONTWAIT | flags, (void *)&to,
			      sizeof(to));
		if (sent < 0 && errno != EINPROGRESS)
			skip("sendto with MSG_FASTOPEN");
		sent = sent < 0 ? 0 : sent;
		if (poll(&ready, 1, 10000) != 1)
			fail("poll");
		send_bytes(ready.fd, n - sent, flags);
		printf("syn %zd\n", sent);
		end_fast(listener, ready.fd, n, i == 2);
	}
}

/* connect() sends no SYN; the first send call makes the connection, without MSG_FASTOPEN. */
static void open_deferred(size_t n, int flags)
{
	struct sockaddr_in to;
	int listener = listen_fast(&to);
	const int on = 1;

	for (int i = 0; i < 3; i++) {
		int tx = socket_of(flags);

		if (setsockopt(tx, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof(on)))
			skip("TCP_FASTOPEN_CONNECT");
		if (connect(tx, (void *)&to, sizeof(to)))
			fail("connect");
		send_bytes(tx, n, flags);
		end_fast(listener, tx, n, i == 2);
	}
}

/* 1000 bytes fit into the SYN. */
static const struct fast {
	const char *name;
	void (*open)(size_t n, int flags);
	size_t n;
	int flags;
} fasts[] = {
	{"fastopen", open_fast, 1000, 0},
	{"fastopen_zerocopy", open_fast, 1000, MSG_ZEROCOPY},
	{"fastopen_long", open_fast, 200000, 0},
	{"fastopen_long_zerocopy", open_fast, 200000, MSG_ZEROCOPY},
	{"fastopen_at_once", open_at_once, 200000, 0},
	{"fastopen_at_once_zerocopy", open_at_once, 200000, MSG_ZEROCOPY},
	{"fastopen_deferred", open_deferred, 1000, 0},
	{"fastopen_deferred_zerocopy", open_deferred, 1000, MSG_ZEROCOPY},
	{"fastopen_deferred_long", open_deferred, 200000, 0},
	{"fastopen_deferred_long_zerocopy", open_deferred, 200000, MSG_ZEROCOPY},
};

/* False: no scenario of this name. */
static bool play_fast(const char *name)
{
	for (size_t i = 0; i < sizeof(fasts) / sizeof(fasts[0]); i++) {
		if (strcmp(name, fasts[i].name) != 0)
			continue;
		fasts[i].open(fasts[i].n, fasts[i].flags);
		printf("completed %u\ncopied %u\n", completed, copied);
		return true;
	}
	return false;
}

/*
 * Closes all open sockets and waits until the kernel has none of the connections: it continues with
 * connections left at the program's exit, and may finish after that if a softirq is late.
 */
static void end_all(void)
{
	enum { SECONDS = 20, DESCRIPTORS = 4 * SOCKETS_MAX };
	static struct ports ports[DESCRIPTORS];
	const time_t last = time(NULL) + SECONDS;
	size_t n = 0;

	for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++) {
		n += ports_of(fd, &ports[n]);
		close(fd);
	}
	while (are_open(ports, n)) {
		if (time(NULL) > last) {
			errno = ETIMEDOUT;
			fail("connections are there after they were closed");
		}
		usleep(1000);
	}
}

int main(int argc, char **argv)
{
	const struct play *play = argc == 2 ? find_play(argv[1]) : NULL;

	if (play)
		play->play();
	else if (argc == 2 && !strcmp(argv[1], "wrap"))
		play_wrap();
	else if (argc == 2 && !strcmp(argv[1], "discard"))
		play_discard();
	else if (argc != 2 || !play_fast(argv[1])) {
		fprintf(stderr, "usage: play SCENARIO\n");
		return 2;
	}
	end_all();
	/* Lets packets in flight without a socket arrive. */
	usleep(50000);
	return 0;
}
