// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sockets used in uncommon ways, with one or more connections on loopback. Two programs run these
 * scenarios: watched_run.c for a session of run, tests/e2e/play.c for attach.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "socket_scenarios.h"

#define TCP_ZEROCOPY_RECEIVE_OPT 35
#define PROTOCOL_MPTCP           262

char data[DATA_LEN];

void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

void skip(const char *why)
{
	printf("skip %s: %s\n", why, strerror(errno));
	exit(77);
}

int bind_here(struct sockaddr_in *to, int protocol)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, protocol);
	socklen_t len = sizeof(*to);

	*to = (struct sockaddr_in){.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (fd < 0)
		skip("no such protocol here");
	if (bind(fd, (void *)to, len) || getsockname(fd, (void *)to, &len))
		fail("bind");
	return fd;
}

int listen_here(struct sockaddr_in *to, int protocol)
{
	int listener = bind_here(to, protocol);

	if (listen(listener, 16))
		fail("listen");
	return listener;
}

struct pair connect_pair(int protocol)
{
	struct sockaddr_in to;
	int listener = listen_here(&to, protocol);
	struct pair p;

	p.tx = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, protocol);
	if (p.tx < 0 || connect(p.tx, (void *)&to, sizeof(to)))
		fail("connect");
	p.rx = accept(listener, NULL, NULL);
	if (p.rx < 0)
		fail("accept");
	close(listener);
	return p;
}

void send_bytes(int fd, size_t n, int flags)
{
	if (send(fd, data, n, flags) != (ssize_t)n)
		fail("send");
}

void receive(int fd, size_t n, int flags)
{
	if (recv(fd, data, n, flags | MSG_WAITALL) != (ssize_t)n)
		fail("recv");
}

static void play_plain(void)
{
	struct pair p = connect_pair(0);

	watch(&p, 1);
	for (int i = 0; i < 10; i++) {
		send_bytes(p.tx, 1000, 0);
		receive(p.rx, 1000, 0);
	}
	close(p.tx);
	recv(p.rx, data, 1, 0);
	close(p.rx);
}

/* An abortive close: no FIN is queued. */
static void play_abort(void)
{
	const struct linger now = {.l_onoff = 1};
	struct pair p = connect_pair(0);

	watch(&p, 1);
	send_bytes(p.tx, 1000, 0);
	usleep(20000);
	setsockopt(p.tx, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(p.tx);
}

/* The same by the receiver, with unread data, after the sender closed its half. */
static void play_unread(void)
{
	struct pair p = connect_pair(0);

	watch(&p, 1);
	send_bytes(p.tx, 1000, 0);
	shutdown(p.tx, SHUT_WR);
	usleep(20000);
	close(p.rx);
	usleep(20000);
	close(p.tx);
}

/* An abortive close by the receiver, which has read everything up to the sender's FIN. */
static void play_reset(void)
{
	const struct linger now = {.l_onoff = 1};
	struct pair p = connect_pair(0);

	watch(&p, 1);
	send_bytes(p.tx, 1000, 0);
	receive(p.rx, 1000, 0);
	shutdown(p.tx, SHUT_WR);
	if (recv(p.rx, data, 1, 0))
		fail("recv of the end");
	setsockopt(p.rx, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(p.rx);
	usleep(20000);
	close(p.tx);
}

/* Bytes read after the sender's reset. */
static void play_late(void)
{
	const struct linger now = {.l_onoff = 1};
	struct pair p = connect_pair(0);

	watch(&p, 1);
	send_bytes(p.tx, 3000, 0);
	usleep(20000);
	setsockopt(p.tx, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(p.tx);
	usleep(20000);
	receive(p.rx, 2000, 0);
	close(p.rx);
}

/* What the TCP checksum covers: a pseudo-header of addresses, protocol and length; the segment. */
struct segment {
	uint32_t from, to;
	uint16_t protocol, length;
	struct tcphdr tcp;
};

static uint16_t checksum(const struct segment *g)
{
	const uint16_t *words = (const void *)g;
	uint32_t sum = 0;

	for (size_t i = 0; i < sizeof(*g) / 2; i++)
		sum += words[i];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* A stray segment for a socket in TIME_WAIT, which answers it. */
static void play_stray(void)
{
	struct sockaddr_in own, peer;
	socklen_t len = sizeof(own);
	struct pair p = connect_pair(0);
	int raw = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_TCP);
	struct segment g = {.protocol = htons(IPPROTO_TCP), .length = htons(sizeof(g.tcp))};

	if (raw < 0)
		skip("no raw sockets");
	if (getsockname(p.tx, (void *)&own, &len) || getpeername(p.tx, (void *)&peer, &len))
		fail("getsockname");
	watch(&p, 1);
	send_bytes(p.tx, 1000, 0);
	receive(p.rx, 1000, 0);
	close(p.tx);
	recv(p.rx, data, 1, 0);
	close(p.rx);
	usleep(20000);
	g.from = peer.sin_addr.s_addr;
	g.to = own.sin_addr.s_addr;
	g.tcp = (struct tcphdr){.source = peer.sin_port,
				.dest = own.sin_port,
				.seq = htonl(12345),
				.ack = 1,
				.ack_seq = htonl(54321),
				.doff = sizeof(g.tcp) / 4,
				.window = htons(1000)};
	g.tcp.check = checksum(&g);
	own.sin_port = 0;
	if (sendto(raw, &g.tcp, sizeof(g.tcp), 0, (void *)&own, sizeof(own)) < 0)
		fail("send of a stray segment");
}

/* Raw sockets of TCP's protocols send and receive beside a connection, connected and not. */
static void play_raw(void)
{
	static const int protocols[] = {IPPROTO_TCP, PROTOCOL_MPTCP};
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct pair p = connect_pair(0);

	watch(&p, 1);
	send_bytes(p.tx, 1000, 0);
	receive(p.rx, 1000, 0);
	for (int i = 0; i < 4; i++) {
		int raw = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, protocols[i / 2]);

		if (raw < 0)
			skip("no raw sockets");
		if (i % 2 && connect(raw, (void *)&to, sizeof(to)))
			fail("connect of a raw socket");
		for (int n = 0; n < 10; n++) {
			if (sendto(raw, data, 1000, 0, (void *)&to, sizeof(to)) != 1000)
				fail("send of a raw socket");
			recv(raw, data, sizeof(data), MSG_DONTWAIT);
		}
		close(raw);
	}
	close(p.tx);
	recv(p.rx, data, 1, 0);
	close(p.rx);
}

static void play_peek(void)
{
	struct pair p = connect_pair(0);

	watch(&p, 1);
	send_bytes(p.tx, 3000, 0);
	receive(p.rx, 3000, MSG_PEEK);
	receive(p.rx, 2000, 0);
	receive(p.rx, 1000, 0);
}

/* The call that takes bytes moves copied_seq to where the peek ended. */
static void play_peek_truncate(void)
{
	struct pair p = connect_pair(0);

	watch(&p, 1);
	send_bytes(p.tx, 3000, 0);
	receive(p.rx, 1000, MSG_PEEK);
	receive(p.rx, 1000, MSG_TRUNC);
	receive(p.rx, 2000, 0);
}

static void play_truncate(void)
{
	struct pair p = connect_pair(0);

	watch(&p, 1);
	send_bytes(p.tx, 3000, 0);
	receive(p.rx, 500, 0);
	receive(p.rx, 2000, MSG_TRUNC);
	receive(p.rx, 500, 0);
}

static void play_splice(void)
{
	struct pair p = connect_pair(0);
	int to[2];

	watch(&p, 1);
	send_bytes(p.tx, 3000, 0);
	receive(p.rx, 500, 0);
	if (pipe(to) || splice(p.rx, NULL, to[1], NULL, 2000, 0) != 2000)
		fail("splice");
	receive(p.rx, 500, 0);
}

static void play_map(void)
{
	struct {
		uint64_t address;
		uint32_t length, skip_hint, inq;
		int32_t err;
	} request = {.length = 16 * 4096};
	struct pair p = connect_pair(0);
	socklen_t len = sizeof(request);
	void *at = mmap(NULL, request.length, PROT_READ, MAP_SHARED, p.rx, 0);
	int file = memfd_create("pages", MFD_CLOEXEC);

	if (at == MAP_FAILED)
		skip("the socket cannot be mapped");
	watch(&p, 1);
	send_bytes(p.tx, 500, 0);
	receive(p.rx, 500, 0);
	/* Only whole pages can be mapped: send pages of a file in memory. */
	if (ftruncate(file, 16 * 4096) || sendfile(p.tx, file, NULL, 16 * 4096) != 16 * 4096)
		fail("sendfile");
	usleep(50000);
	request.address = (uintptr_t)at;
	if (getsockopt(p.rx, IPPROTO_TCP, TCP_ZEROCOPY_RECEIVE_OPT, &request, &len))
		fail("TCP_ZEROCOPY_RECEIVE");
	printf("mapped %u\n", request.length);
	send_bytes(p.tx, 100, 0);
	receive(p.rx, 16 * 4096 - request.length + 100, 0);
	/* The mapping holds the socket. */
	munmap(at, 16 * 4096);
}

/* A kernel worker closes the connections beneath some time after the sockets themselves. */
static void play_mptcp(void)
{
	struct pair p = connect_pair(PROTOCOL_MPTCP);
	struct ports ports;

	watch(&p, 1);
	send_bytes(p.tx, 3000, 0);
	receive(p.rx, 3000, 0);
	if (!ports_of(p.tx, &ports))
		fail("getsockname");
	close(p.tx);
	recv(p.rx, data, 1, 0);
	close(p.rx);
	while (are_open(&ports, 1))
		usleep(1000);
}

/* Payload returned by the error queue with its timestamp is not received payload. */
static void play_timestamps(void)
{
	const int on = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
	struct pair p = connect_pair(0);
	struct iovec iov = {data, sizeof(data)};
	char control[512];
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control,
			     .msg_controllen = sizeof(control)};
	struct pollfd pfd = {.fd = p.tx};

	watch(&p, 1);
	setsockopt(p.tx, SOL_SOCKET, SO_TIMESTAMPING, &on, sizeof(on));
	send_bytes(p.tx, 1000, 0);
	receive(p.rx, 1000, 0);
	poll(&pfd, 1, 1000);
	if (recvmsg(p.tx, &msg, MSG_ERRQUEUE) <= 0)
		fail("no timestamp came back with its packet");
}

/* Takes the oldest notification of the error queue, if there is one. */
static bool read_notification(int fd)
{
	char control[256];
	struct msghdr msg = {.msg_control = control, .msg_controllen = sizeof(control)};

	return recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0;
}

/* More sockets than one ring of sends has room for, all with outstanding sends. */
static void play_many_zerocopy(void)
{
	static struct pair pairs[SOCKETS_MAX];
	const int on = 1, sockets = 256, sends = 5;

	for (int i = 0; i < sockets; i++) {
		pairs[i] = connect_pair(0);
		if (setsockopt(pairs[i].tx, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
			skip("SO_ZEROCOPY");
	}
	watch(pairs, sockets);
	for (int n = 0; n < sends; n++)
		for (int i = 0; i < sockets; i++)
			send_bytes(pairs[i].tx, 4096, MSG_ZEROCOPY);
	for (int i = 0; i < sockets; i++)
		receive(pairs[i].rx, (size_t)sends * 4096, 0);
	usleep(50000);
	for (int i = 0; i < sockets; i++)
		while (read_notification(pairs[i].tx))
			;
}

/* Copying and pinning calls on one socket are each counted as such. */
static void play_mixed_zerocopy(void)
{
	struct pair p = connect_pair(0);
	const int on = 1;

	if (setsockopt(p.tx, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
		skip("SO_ZEROCOPY");
	watch(&p, 1);
	for (int n = 0; n < 5; n++) {
		/*
		 * One at a time: bytes that join a packet with pinned pages are copied with them.
		 */
		send_bytes(p.tx, 4000, MSG_ZEROCOPY);
		receive(p.rx, 4000, 0);
		send_bytes(p.tx, 100, 0);
		receive(p.rx, 100, 0);
	}
	usleep(50000);
	while (read_notification(p.tx))
		;
}

const struct play plays[] = {
	{"plain", play_plain},
	{"abort", play_abort},
	{"unread", play_unread},
	{"reset", play_reset},
	{"dissolve", play_dissolve},
	{"again", play_again},
	{"again_zerocopy", play_again_zerocopy},
	{"late", play_late},
	{"read_on", play_read_on},
	{"reconnect", play_reconnect},
	{"refused", play_refused},
	{"restore", play_restore},
	{"stray", play_stray},
	{"raw", play_raw},
	{"peek", play_peek},
	{"peek_truncate", play_peek_truncate},
	{"truncate", play_truncate},
	{"splice", play_splice},
	{"map", play_map},
	{"mptcp", play_mptcp},
	{"timestamps", play_timestamps},
	{"many_zerocopy", play_many_zerocopy},
	{"mixed_zerocopy", play_mixed_zerocopy},
	{"ktls", play_ktls},
	{"ktls13", play_ktls13},
	{"sockmap", play_sockmap},
	{"sockmap_self", play_sockmap_self},
	{"sockmap_ingress", play_sockmap_ingress},
	{"io_uring", play_io_uring},
	{"closed_by_ring", play_closed_by_ring},
	{"registered", play_registered},
	{NULL, NULL},
};

const struct play *find_play(const char *name)
{
	for (const struct play *p = plays; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}
