// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the programs book for sockets that are used in uncommon ways: one connection (or more) on
 * loopback, watched by a session, and a scenario played on it. Prints what was counted, a line
 * each; what is 0 is left out. Built and run by watched.bats, here and in guests.
 *
 *   watched_run BACKEND SIZE SCENARIO
 *     SIZE: bytes of a message that the plan is made for: below 16 KiB tx_copy is counted by packet
 *
 * Exit 77: this machine cannot play the scenario; the line says why.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "model/plan.h"
#include "watched.h"

#define TCP_ZEROCOPY_RECEIVE_OPT 35
#define PROTOCOL_MPTCP           262
#define SOCKETS_MAX              300

char data[DATA_LEN];

void fail(const char *what)
{
	fprintf(stderr, "watched_run: %s: %s\n", what, strerror(errno));
	exit(1);
}

void skip(const char *why)
{
	printf("skip %s: %s\n", why, strerror(errno));
	exit(77);
}

struct pair connect_pair(int protocol)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, protocol);
	socklen_t len = sizeof(to);
	struct pair p;

	if (listener < 0)
		skip("no such protocol here");
	if (bind(listener, (void *)&to, len) || listen(listener, 16) ||
	    getsockname(listener, (void *)&to, &len))
		fail("listen");
	p.tx = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, protocol);
	if (p.tx < 0 || connect(p.tx, (void *)&to, sizeof(to)))
		fail("connect");
	p.rx = accept(listener, NULL, NULL);
	if (p.rx < 0)
		fail("accept");
	close(listener);
	return p;
}

uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len))
		fail("SO_COOKIE");
	return cookie;
}

void watch(struct session *s, const struct pair *pairs, size_t n)
{
	static uint64_t cookies[NIO_SIDE_NR][SOCKETS_MAX];

	for (size_t i = 0; i < n; i++) {
		cookies[NIO_SIDE_SENDER][i] = cookie_of(pairs[i].tx);
		cookies[NIO_SIDE_RECEIVER][i] = cookie_of(pairs[i].rx);
	}
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		errno = -session__watch(s, cookies[side], n, 0, side);
		if (errno)
			fail("session__watch");
	}
}

void print(const char *name, uint64_t value)
{
	if (value)
		printf("%s %lld\n", name, (long long)value);
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

static void play_plain(struct session *s)
{
	struct pair p = connect_pair(0);

	watch(s, &p, 1);
	for (int i = 0; i < 10; i++) {
		send_bytes(p.tx, 1000, 0);
		receive(p.rx, 1000, 0);
	}
	close(p.tx);
	recv(p.rx, data, 1, 0);
	close(p.rx);
}

/* An abortive close: no FIN is queued. */
static void play_abort(struct session *s)
{
	const struct linger now = {.l_onoff = 1};
	struct pair p = connect_pair(0);

	watch(s, &p, 1);
	send_bytes(p.tx, 1000, 0);
	usleep(20000);
	setsockopt(p.tx, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(p.tx);
}

/* The same by the receiver, with data unread, while the sender closed its half. */
static void play_unread(struct session *s)
{
	struct pair p = connect_pair(0);

	watch(s, &p, 1);
	send_bytes(p.tx, 1000, 0);
	shutdown(p.tx, SHUT_WR);
	usleep(20000);
	close(p.rx);
	usleep(20000);
	close(p.tx);
}

/* What the checksum of a TCP segment is made over: addresses, protocol and length stand before. */
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

/* A segment from nowhere for a socket in TIME_WAIT, which answers it. */
static void play_stray(struct session *s)
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
	watch(s, &p, 1);
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

static void play_peek(struct session *s)
{
	struct pair p = connect_pair(0);

	watch(s, &p, 1);
	send_bytes(p.tx, 3000, 0);
	receive(p.rx, 3000, MSG_PEEK);
	receive(p.rx, 2000, 0);
	receive(p.rx, 1000, 0);
}

static void play_truncate(struct session *s)
{
	struct pair p = connect_pair(0);

	watch(s, &p, 1);
	send_bytes(p.tx, 3000, 0);
	receive(p.rx, 500, 0);
	receive(p.rx, 2000, MSG_TRUNC);
	receive(p.rx, 500, 0);
}

static void play_splice(struct session *s)
{
	struct pair p = connect_pair(0);
	int to[2];

	watch(s, &p, 1);
	send_bytes(p.tx, 3000, 0);
	receive(p.rx, 500, 0);
	if (pipe(to) || splice(p.rx, NULL, to[1], NULL, 2000, 0) != 2000)
		fail("splice");
	receive(p.rx, 500, 0);
}

static void play_map(struct session *s)
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
	watch(s, &p, 1);
	send_bytes(p.tx, 500, 0);
	receive(p.rx, 500, 0);
	/* Whole pages, which can be mapped: those of a file in memory. */
	if (ftruncate(file, 16 * 4096) || sendfile(p.tx, file, NULL, 16 * 4096) != 16 * 4096)
		fail("sendfile");
	usleep(50000);
	request.address = (uintptr_t)at;
	if (getsockopt(p.rx, IPPROTO_TCP, TCP_ZEROCOPY_RECEIVE_OPT, &request, &len))
		fail("TCP_ZEROCOPY_RECEIVE");
	printf("mapped %u\n", request.length);
	send_bytes(p.tx, 100, 0);
	receive(p.rx, 16 * 4096 - request.length + 100, 0);
}

static void play_mptcp(struct session *s)
{
	struct pair p = connect_pair(PROTOCOL_MPTCP);

	watch(s, &p, 1);
	send_bytes(p.tx, 3000, 0);
	receive(p.rx, 3000, 0);
}

/* Payload comes back from the error queue with its timestamp: not received, and not taken. */
static void play_timestamps(struct session *s)
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

	watch(s, &p, 1);
	setsockopt(p.tx, SOL_SOCKET, SO_TIMESTAMPING, &on, sizeof(on));
	send_bytes(p.tx, 1000, 0);
	receive(p.rx, 1000, 0);
	poll(&pfd, 1, 1000);
	if (recvmsg(p.tx, &msg, MSG_ERRQUEUE) <= 0)
		fail("no timestamp came back with its packet");
}

/* The oldest notification of the error queue taken, if there is one. */
static bool take_notification(int fd)
{
	char control[256];
	struct msghdr msg = {.msg_control = control, .msg_controllen = sizeof(control)};

	return recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0;
}

/* More sockets than fit into one ring of sends each, all with sends outstanding at once. */
static void play_many_zerocopy(struct session *s)
{
	static struct pair pairs[SOCKETS_MAX];
	const int on = 1, sockets = 256, sends = 5;

	for (int i = 0; i < sockets; i++) {
		pairs[i] = connect_pair(0);
		if (setsockopt(pairs[i].tx, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
			skip("SO_ZEROCOPY");
	}
	watch(s, pairs, sockets);
	for (int n = 0; n < sends; n++)
		for (int i = 0; i < sockets; i++)
			send_bytes(pairs[i].tx, 4096, MSG_ZEROCOPY);
	for (int i = 0; i < sockets; i++)
		receive(pairs[i].rx, (size_t)sends * 4096, 0);
	usleep(50000);
	for (int i = 0; i < sockets; i++)
		while (take_notification(pairs[i].tx))
			;
}

/* Copying and pinning calls on one socket: each is what it says itself. */
static void play_mixed_zerocopy(struct session *s)
{
	struct pair p = connect_pair(0);
	const int on = 1;

	if (setsockopt(p.tx, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
		skip("SO_ZEROCOPY");
	watch(s, &p, 1);
	for (int n = 0; n < 5; n++) {
		send_bytes(p.tx, 4000, MSG_ZEROCOPY);
		send_bytes(p.tx, 100, 0);
		receive(p.rx, 4100, 0);
	}
	usleep(50000);
	while (take_notification(p.tx))
		;
}

static const struct {
	const char *name;
	void (*play)(struct session *s);
} scenarios[] = {
	{"plain", play_plain},
	{"abort", play_abort},
	{"unread", play_unread},
	{"stray", play_stray},
	{"peek", play_peek},
	{"truncate", play_truncate},
	{"splice", play_splice},
	{"map", play_map},
	{"mptcp", play_mptcp},
	{"timestamps", play_timestamps},
	{"many_zerocopy", play_many_zerocopy},
	{"mixed_zerocopy", play_mixed_zerocopy},
	{"ktls", play_ktls},
	{"wrap", play_wrap},
	{"sockmap", play_sockmap},
	{"io_uring", play_io_uring},
};

static struct session *open_session(const char *backend, uint64_t size, const char *scenario)
{
	static struct offer offers[128];
	static struct plan plan;
	struct plan_request req = {
		.mode = strstr(scenario, "zerocopy") ? MODE_ZEROCOPY : MODE_ONECOPY, .size = size};
	const struct num optmem_max = {0};
	const char *const no_perf[NIO_PERF_EVENT_NR] = {"not tested", "not tested"};
	const struct plan *plans[] = {&plan};
	struct session *s;

	if (backend__parse(backend, &req.backend))
		fail("no such backend");
	session__presume(offers, req.backend);
	errno = -plan__make(&plan, offers, &req);
	if (errno)
		skip("no plan for this backend");
	errno = -session__open(&s, plans, 1, 1, &optmem_max, no_perf);
	if (errno)
		fail("session__open");
	errno = -session__attach(s, &plan);
	if (errno)
		fail("session__attach");
	return s;
}

static void print_uncovered(const struct snapshot *now)
{
	static const char *const kinds[NIO_UNCOVERED_NR] = {
#define X(id, key, text) [NIO_UNCOVERED_##id] = key,
		NIO_UNCOVERED(X)
#undef X
	};

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++) {
			char name[64];

			snprintf(name, sizeof(name), "%s_%s", side ? "rx" : "tx", kinds[kind]);
			print(name, now->uncovered[side][kind].bytes);
		}
	}
}

static void print_counts(struct session *s)
{
	static const char *const stages[NIO_STAGE_NR] = {
#define X(id, key, ...) [NIO_STAGE_##id] = key,
		NIO_STAGES(X)
#undef X
	};
	static struct snapshot now;

	errno = -session__read(s, 0, &now, true);
	if (errno)
		fail("session__read");
	for (int stage = 0; stage < NIO_STAGE_NR; stage++)
		print(stages[stage], now.cells[NIO_SIDE_SENDER][stage].bytes +
					     now.cells[NIO_SIDE_RECEIVER][stage].bytes);
	print_uncovered(&now);
	print("completed", now.zc.sends);
	print("completed_missed", now.zc.missed);
	print("completed_again", now.zc.repeated);
	print("completed_bytes", now.zc.bytes);
	print("sends_unseen", now.zc.unseen);
	print("unmatched", now.loss.unmatched);
	print("map_full", now.loss.map_full);
	print("backwards", now.loss.backwards);
	print("no_cell", now.loss.no_cell);
	print("missed", now.missed);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 4 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		struct session *s;

		if (strcmp(argv[3], scenarios[i].name))
			continue;
		s = open_session(argv[1], strtoull(argv[2], NULL, 10), argv[3]);
		scenarios[i].play(s);
		usleep(100000);
		print_counts(s);
		session__close(s);
		return 0;
	}
	fprintf(stderr, "usage: watched_run BACKEND SIZE SCENARIO\n");
	return 2;
}
