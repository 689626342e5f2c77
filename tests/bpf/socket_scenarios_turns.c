// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sockets that outlive a connection: it is dissolved (connect() to AF_UNSPEC) or refused, and the
 * socket connects again or listens.
 */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "socket_scenarios.h"

static void dissolve(int fd)
{
	const struct sockaddr unspecified = {.sa_family = AF_UNSPEC};

	if (connect(fd, &unspecified, sizeof(unspecified)))
		fail("connect to AF_UNSPEC");
}

/*
 * One connection of tx with `sent` bytes and `returned` bytes in the other direction, then tx
 * dissolves it.
 */
static void run_turn(int tx, int listener, const struct sockaddr_in *to, size_t sent,
		     size_t returned, int flags)
{
	int rx;

	if (connect(tx, (const void *)to, sizeof(*to)))
		fail("connect");
	rx = accept(listener, NULL, NULL);
	send_bytes(tx, sent, flags);
	receive(rx, sent, 0);
	if (returned) {
		send_bytes(rx, returned, 0);
		receive(tx, returned, 0);
		dissolve(tx);
	}
	close(rx);
}

/* Reset by the receiver with unread data, and by the sender. */
void play_dissolve(void)
{
	struct pair p = connect_pair(0);

	watch(&p, 1);
	send_bytes(p.tx, 3000, 0);
	receive(p.rx, 1000, 0);
	usleep(20000);
	dissolve(p.rx);
	usleep(20000);
	close(p.rx);
	close(p.tx);
	p = connect_pair(0);
	send_bytes(p.tx, 1000, 0);
	receive(p.rx, 1000, 0);
	dissolve(p.tx);
	close(p.tx);
	close(p.rx);
}

static int stream_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fail("socket");
	return fd;
}

static void connect_twice(int flags)
{
	struct sockaddr_in to;
	int listener = listen_here(&to, 0), tx = stream_socket();
	const int on = 1;

	if (flags && setsockopt(tx, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
		skip("SO_ZEROCOPY");
	run_turn(tx, listener, &to, 3000, 500, flags);
	run_turn(tx, listener, &to, 3000, 500, flags);
	close(tx);
	close(listener);
}

void play_again(void)
{
	connect_twice(0);
}

void play_again_zerocopy(void)
{
	connect_twice(MSG_ZEROCOPY);
}

/* One connection after another for a minute. */
void play_reconnect(void)
{
	struct sockaddr_in to;
	int listener = listen_here(&to, 0), tx = stream_socket();
	time_t end = time(NULL) + 60;

	while (time(NULL) < end) {
		run_turn(tx, listener, &to, 100, 1000, 0);
		usleep(1000);
	}
}

/*
 * Data is read after the connection has ended in order (the side that shuts down first is in
 * TIME_WAIT by then), and dissolved after that; finally the socket listens.
 */
void play_read_on(void)
{
	struct pair p = connect_pair(0);
	char end;

	watch(&p, 1);
	/* kprobes see an accepted socket at its first receive. */
	send_bytes(p.tx, 100, 0);
	receive(p.rx, 100, 0);
	send_bytes(p.rx, 5000, 0);
	shutdown(p.tx, SHUT_WR);
	usleep(20000);
	close(p.rx);
	usleep(20000);
	receive(p.tx, 5000, 0);
	if (recv(p.tx, &end, 1, 0))
		fail("recv of the end");
	dissolve(p.tx);
	if (listen(p.tx, 1))
		fail("listen");
	close(p.tx);
}

/* Refused twice before a listener exists, as when programs retry. */
void play_refused(void)
{
	struct sockaddr_in to;
	int listener = bind_here(&to, 0), tx = stream_socket();

	for (int i = 0; i < 2; i++)
		if (!connect(tx, (void *)&to, sizeof(to)) || errno != ECONNREFUSED)
			fail("connect to a port without a listener");
	if (listen(listener, 16))
		fail("listen");
	run_turn(tx, listener, &to, 3000, 0, 0);
	close(tx);
	close(listener);
}
