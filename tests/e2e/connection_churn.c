/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many connections between processes of its own, whose bytes it counts:
 *
 *   connection_churn churn RATE SECONDS   RATE connections per second, one message each
 *   connection_churn hold COUNT FILE      COUNT connections at once; creates FILE when each has had
 *                                         a message, sends a second one when FILE is removed
 *
 * There are 4 servers, each on its own loopback address with 2 accepting threads, and as many
 * clients. A message is a request of 64 to 1063 bytes and a reply of twice that size. Connections
 * end in turn by the client's FIN, the server's FIN, an RST after everything was read, and an RST
 * with the reply unread. Prints the results of send() and recv() of both sides as JSON; "held" has
 * those before the second message.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAIRS       4
#define ACCEPTING   2
#define REQUEST_MIN 64
#define REQUEST_MAX (REQUEST_MIN + 999)
#define EVENTS      64

enum end {
	END_CLIENT,
	END_SERVER,
	END_RESET,
	END_UNREAD,
	END_NR,
	END_NONE = END_NR, /* another message follows */
};

struct side {
	atomic_ulong tx, rx;
};

/* Shared by all processes. */
struct shared {
	struct side client, server;
	struct side held[2]; /* of both sides, when all connections were established */
	atomic_ulong connections, open, ready;
	atomic_bool go, stop, failed;
	uint16_t ports[PAIRS];
};

static struct shared *shared;
static int listeners[PAIRS];

static _Noreturn void fail(const char *what)
{
	perror(what);
	shared->failed = true;
	exit(1);
}

static struct sockaddr_in address_of(int pair)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK + pair),
		.sin_port = shared->ports[pair],
	};
}

static void listen_at(int pair)
{
	struct sockaddr_in sin = address_of(pair);
	socklen_t len = sizeof(sin);

	listeners[pair] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (bind(listeners[pair], (struct sockaddr *)&sin, len) || listen(listeners[pair], 4096) ||
	    getsockname(listeners[pair], (struct sockaddr *)&sin, &len))
		fail("listen");
	shared->ports[pair] = sin.sin_port;
}

/* The first four bytes of a request: its length and how its connection ends. */
static void make_request(unsigned char *buf, unsigned int len, enum end end)
{
	memset(buf, 'x', len);
	buf[0] = (unsigned char)end;
	buf[1] = len & 0xff;
	buf[2] = (unsigned char)(len >> 8);
}

/* One request of a connection, as far as it has been received. */
struct incoming {
	int fd;
	unsigned int got, len;
	enum end end;
};

/*
 * epoll forgets a file when its last reference is gone, which is not at close() while another
 * process looks at the open files of this one, as lsof, ss -p and attach do.
 */
static void close_incoming(struct incoming *in, int epoll)
{
	epoll_ctl(epoll, EPOLL_CTL_DEL, in->fd, NULL);
	close(in->fd);
	free(in);
	shared->open--;
}

static void reply(struct incoming *in)
{
	static const char bytes[2 * REQUEST_MAX];
	unsigned int left = 2 * in->len;

	while (left) {
		ssize_t n = send(in->fd, bytes, left, MSG_NOSIGNAL);

		/* Reset by a client that did not wait. */
		if (n < 0)
			break;
		shared->server.tx += (unsigned long)n;
		left -= (unsigned int)n;
	}
	in->got = 0;
	if (in->end == END_SERVER)
		shutdown(in->fd, SHUT_WR);
}

static void read_request(struct incoming *in, int epoll)
{
	unsigned char buf[REQUEST_MAX];
	ssize_t n = recv(in->fd, buf, sizeof(buf), 0);

	if (n <= 0) {
		close_incoming(in, epoll);
		return;
	}
	shared->server.rx += (unsigned long)n;
	if (!in->got) {
		in->end = (enum end)buf[0];
		in->len = buf[1] | (unsigned int)buf[2] << 8;
	}
	in->got += (unsigned int)n;
	if (in->got == in->len)
		reply(in);
}

static void accept_connection(int listener, int epoll)
{
	struct incoming *in;
	struct epoll_event ev = {.events = EPOLLIN};
	int fd = accept(listener, NULL, NULL);

	if (fd < 0 && (errno == EAGAIN || errno == ECONNABORTED))
		return;
	in = fd < 0 ? NULL : calloc(1, sizeof(*in));
	if (!in)
		fail("accept");
	in->fd = fd;
	ev.data.ptr = in;
	shared->open++;
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev))
		fail("epoll_ctl");
}

static void *serve(void *arg)
{
	int listener = *(int *)arg, epoll = epoll_create1(0);
	struct epoll_event ev = {.events = EPOLLIN | EPOLLEXCLUSIVE}, evs[EVENTS];

	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &ev))
		fail("epoll");
	while (!shared->stop) {
		int n = epoll_wait(epoll, evs, EVENTS, 50);

		for (int i = 0; i < n; i++) {
			if (evs[i].data.ptr)
				read_request(evs[i].data.ptr, epoll);
			else
				accept_connection(listener, epoll);
		}
	}
	close(epoll);
	return NULL;
}

static int connect_to(int pair)
{
	struct sockaddr_in sin = address_of(pair);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&sin, sizeof(sin)))
		fail("connect");
	shared->connections++;
	return fd;
}

static void receive(int fd, unsigned int len)
{
	char buf[2 * REQUEST_MAX];

	while (len) {
		ssize_t n = recv(fd, buf, len, 0);

		if (n <= 0)
			fail("recv");
		shared->client.rx += (unsigned long)n;
		len -= (unsigned int)n;
	}
}

static void await_reply(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	poll(&p, 1, -1);
}

static void exchange(int fd, unsigned int number, enum end end)
{
	unsigned char buf[REQUEST_MAX];
	unsigned int len = REQUEST_MIN + number * 7 % (REQUEST_MAX - REQUEST_MIN + 1);

	make_request(buf, len, end);
	if (send(fd, buf, len, 0) != (ssize_t)len)
		fail("send");
	shared->client.tx += len;
	if (end == END_UNREAD)
		await_reply(fd);
	else
		receive(fd, 2 * len);
}

static void end_connection(int fd, enum end end)
{
	static const struct linger reset = {.l_onoff = 1};
	char none;

	if (end == END_SERVER && recv(fd, &none, 1, 0))
		fail("the end of the server's bytes");
	if (end == END_RESET || end == END_UNREAD)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(fd);
}

static void sleep_until(struct timespec *t)
{
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, t, NULL) == EINTR)
		;
}

static void churn(int pair, unsigned int rate, unsigned int seconds)
{
	unsigned int n = rate * seconds / PAIRS;
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	for (unsigned int i = 0; i < n; i++) {
		enum end end = (enum end)(i % END_NR);
		int fd = connect_to(pair);

		exchange(fd, i, end);
		end_connection(fd, end);
		t.tv_nsec += 1000000000L * PAIRS / rate;
		t.tv_sec += t.tv_nsec / 1000000000L;
		t.tv_nsec %= 1000000000L;
		sleep_until(&t);
	}
}

static void hold(int pair, unsigned int count)
{
	unsigned int n = count / PAIRS;
	int *fds = calloc(n, sizeof(*fds));

	if (!fds)
		fail("calloc");
	for (unsigned int i = 0; i < n; i++) {
		fds[i] = connect_to(pair);
		exchange(fds[i], i, END_NONE);
	}
	shared->ready++;
	while (!shared->go && !shared->failed)
		usleep(10000);
	for (unsigned int i = 0; i < n; i++) {
		enum end end = (enum end)(i % END_NR);

		exchange(fds[i], i + 1, end);
		end_connection(fds[i], end);
	}
	free(fds);
}

static void be_server(int pair)
{
	pthread_t threads[ACCEPTING];

	for (int i = 0; i < ACCEPTING; i++)
		if (pthread_create(&threads[i], NULL, serve, &listeners[pair]))
			fail("pthread_create");
	for (int i = 0; i < ACCEPTING; i++)
		pthread_join(threads[i], NULL);
	exit(0);
}

static void make_file(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		fail(name);
	close(fd);
}

static void copy_side(struct side *to, struct side *from)
{
	to->tx = (unsigned long)from->tx;
	to->rx = (unsigned long)from->rx;
}

static void print_side(const char *name, struct side *side, const char *after)
{
	printf("\"%s\": {\"tx\": %lu, \"rx\": %lu}%s", name, side->tx, side->rx, after);
}

/* All connections are established: creates the file and waits until it is removed. */
static void await_go(const char *file)
{
	while (shared->ready < PAIRS && !shared->failed)
		usleep(10000);
	copy_side(&shared->held[0], &shared->client);
	copy_side(&shared->held[1], &shared->server);
	make_file(file);
	while (!access(file, F_OK))
		usleep(10000);
	shared->go = true;
}

static void print_sums(void)
{
	printf("{\"connections\": %lu, ", shared->connections);
	print_side("client", &shared->client, ", ");
	print_side("server", &shared->server, ", \"held\": {");
	print_side("client", &shared->held[0], ", ");
	print_side("server", &shared->held[1], "}}\n");
}

int main(int argc, char **argv)
{
	bool churns = argc == 4 && !strcmp(argv[1], "churn");
	pid_t pids[2 * PAIRS];
	int status = 0;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (argc != 4 || shared == MAP_FAILED)
		return 2;
	for (int i = 0; i < PAIRS; i++)
		listen_at(i);
	for (int i = 0; i < 2 * PAIRS; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		if (i < PAIRS)
			be_server(i);
		if (churns)
			churn(i - PAIRS, (unsigned int)atoi(argv[2]), (unsigned int)atoi(argv[3]));
		else
			hold(i - PAIRS, (unsigned int)atoi(argv[2]));
		exit(0);
	}
	if (!churns)
		await_go(argv[3]);
	for (int i = PAIRS; i < 2 * PAIRS; i++)
		waitpid(pids[i], &status, 0);
	while (shared->open && !shared->failed)
		usleep(1000);
	shared->stop = true;
	while (wait(&status) > 0)
		;
	print_sums();
	return shared->failed;
}
