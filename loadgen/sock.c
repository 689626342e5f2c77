/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls on TCP sockets. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "clock.h"
#include "sock.h"

#define BACKLOG 4096 /* the kernel limits it to net.core.somaxconn */

int sock__set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) ? -errno : 0;
}

uint64_t sock__get(int fd, int level, int name)
{
	int value = 0;
	socklen_t len = sizeof(value);

	if (getsockopt(fd, level, name, &value, &len) || value < 0)
		return 0;
	return (uint64_t)value;
}

int sock__set_timeout(int fd, int name, unsigned int ms)
{
	struct timeval tv = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};

	return setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv)) ? -errno : 0;
}

int sock__set_keepalive(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {
		{SOL_SOCKET, SO_KEEPALIVE, 1},
		{IPPROTO_TCP, TCP_KEEPIDLE, 5},
		{IPPROTO_TCP, TCP_KEEPINTVL, 3},
		{IPPROTO_TCP, TCP_KEEPCNT, 3},
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(options) / sizeof(options[0]); i++)
		err = sock__set(fd, options[i].level, options[i].name, options[i].value);
	return err;
}

/* Returns fd, or closes it and returns err. */
static int sock__or_error(int fd, int err)
{
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Non-blocking, also for listening: a pending connection may be gone before accept(). */
static int sock__open(const struct endpoint *e, int buf_name, uint64_t buf)
{
	int fd = socket(e->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	return sock__or_error(fd, buf ? sock__set(fd, SOL_SOCKET, buf_name, (int)buf) : 0);
}

int sock__set_blocking(int fd, bool blocking)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	flags = blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags) ? -errno : 0;
}

static int set_congestion(int fd, const char *name)
{
	if (!name)
		return 0;
	return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) ? -errno
											  : 0;
}

int sock__congestion(int fd, char *name, socklen_t len)
{
	name[0] = '\0';
	return getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &len) ? -errno : 0;
}

int sock__try_congestion(const char *name)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err = fd < 0 ? -errno : set_congestion(fd, name);

	if (fd >= 0)
		close(fd);
	return err;
}

void sock__loopback(struct endpoint *e, unsigned int port)
{
	const struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	memcpy(&e->addr, &in, sizeof(in));
	e->len = sizeof(in);
}

int sock__connect(const struct endpoint *to, uint64_t sndbuf, const char *congestion)
{
	int fd = sock__open(to, SO_SNDBUF, sndbuf);
	int err;

	if (fd < 0)
		return fd;
	err = set_congestion(fd, congestion);
	if (!err && connect(fd, (const struct sockaddr *)&to->addr, to->len) &&
	    errno != EINPROGRESS)
		err = -errno;
	return sock__or_error(fd, err);
}

int sock__connected(int fd)
{
	socklen_t len = sizeof(int);
	int e = 0;

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &len) ? -errno : -e;
}

int sock__listen(const struct endpoint *on, uint64_t rcvbuf, const char *congestion)
{
	int fd = sock__open(on, SO_RCVBUF, rcvbuf);
	int err;

	if (fd < 0)
		return fd;
	err = sock__set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	/* Listen on [::] only, not on IPv4. */
	if (!err && on->addr.ss_family == AF_INET6)
		err = sock__set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
	if (!err && bind(fd, (const struct sockaddr *)&on->addr, on->len))
		err = -errno;
	/* Accepted sockets inherit the congestion control. */
	if (!err)
		err = set_congestion(fd, congestion);
	if (!err && listen(fd, BACKLOG))
		err = -errno;
	return sock__or_error(fd, err);
}

uint64_t sock__descriptors_max(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_cur;
}

int sock__address(int fd, bool peer, char *addr, size_t len, unsigned int *port)
{
	struct sockaddr_storage ss;
	socklen_t sl = sizeof(ss);
	const struct sockaddr_in *in = (const void *)&ss;
	const struct sockaddr_in6 *in6 = (const void *)&ss;
	const void *raw = &in->sin_addr;

	if (peer ? getpeername(fd, (struct sockaddr *)&ss, &sl)
		 : getsockname(fd, (struct sockaddr *)&ss, &sl))
		return -errno;
	if (ss.ss_family == AF_INET6)
		raw = &in6->sin6_addr;
	if (!inet_ntop(ss.ss_family, raw, addr, (socklen_t)len))
		return -errno;
	*port = ntohs(in->sin_port); /* same offset in sockaddr_in6 */
	return 0;
}

int sock__write_all(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int sock__cookie(int fd, uint64_t *cookie)
{
	socklen_t len = sizeof(*cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, cookie, &len) ? -errno : 0;
}

struct tcp_counts tcp_counts__read(const int *fds, uint32_t nr)
{
	struct tcp_counts sum = {.known = true};

	for (uint32_t i = 0; i < nr; i++) {
		struct tcp_info info = {0};
		socklen_t len = sizeof(info);

		if (getsockopt(fds[i], IPPROTO_TCP, TCP_INFO, &info, &len) ||
		    len < offsetof(struct tcp_info, tcpi_bytes_retrans) +
				    sizeof(info.tcpi_bytes_retrans))
			sum.known = false;
		sum.bytes_acked += info.tcpi_bytes_acked;
		sum.bytes_retrans += info.tcpi_bytes_retrans;
		sum.bytes_received += info.tcpi_bytes_received;
	}
	return sum;
}

struct tcp_counts tcp_counts__delta(const struct tcp_counts *end, const struct tcp_counts *begin)
{
	return (struct tcp_counts){
		.known = end->known && begin->known,
		.bytes_acked = end->bytes_acked - begin->bytes_acked,
		.bytes_retrans = end->bytes_retrans - begin->bytes_retrans,
		.bytes_received = end->bytes_received - begin->bytes_received,
	};
}

uint64_t sock__unacked(int fd)
{
	int unacked = 0;

	return ioctl(fd, SIOCOUTQ, &unacked) || unacked < 0 ? 0 : (uint64_t)unacked;
}

void sock__wait_acked(int fd, uint64_t deadline)
{
	const struct timespec pause = {.tv_nsec = NS_PER_MS};

	/* No event reports an acknowledgement: poll SIOCOUTQ every millisecond. */
	while (sock__unacked(fd) && clock__now() < deadline)
		nanosleep(&pause, NULL);
}
