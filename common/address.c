/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns parsing, formatting and resolving of HOST:PORT; see address.h. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "units.h"

/* A SYN and its retransmissions after 1 s and 3 s. */
#define TRY_MS 4000

/* Returns the colon between host and port, or NULL. */
static const char *find_port(const char *text)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text)
		return NULL;
	if (text[0] == '[')
		return colon[-1] == ']' ? colon : NULL;
	/* Without brackets, the last group of an IPv6 address would look like a port. */
	return strchr(text, ':') == colon ? colon : NULL;
}

int address__parse(const char *text, bool any_port, struct address *out)
{
	const char *colon = find_port(text), *host = text;
	struct address a = {.port = 0};
	uint64_t port;
	size_t len;

	if (!colon || parse_count(colon + 1, any_port ? 0 : 1, 65535, &port))
		return -EINVAL;
	len = colon - text;
	if (text[0] == '[') {
		host++;
		len -= 2;
		/* Brackets are for IPv6 addresses only. */
		if (!memchr(host, ':', len))
			return -EINVAL;
	}
	if (!len || len >= sizeof(a.host) || memchr(host, ']', len) || memchr(host, '[', len))
		return -EINVAL;
	memcpy(a.host, host, len);
	if (strpbrk(a.host, " \t\r\n/@"))
		return -EINVAL;
	a.port = port;
	*out = a;
	return 0;
}

char *address__format(char *buf, size_t len, const char *host, unsigned int port)
{
	snprintf(buf, len, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, port);
	return buf;
}

bool address__is_loopback(const struct sockaddr_storage *ss)
{
	const struct sockaddr_in *in = (const void *)ss;
	const struct sockaddr_in6 *in6 = (const void *)ss;

	return ss->ss_family == AF_INET
		       ? ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET
		       : ss->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
}

/* A link-local address without its device: connect(2) and bind(2) would report only EINVAL. */
static bool lacks_device(const struct sockaddr_storage *ss)
{
	const struct sockaddr_in6 *in6 = (const void *)ss;

	return ss->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) &&
	       !in6->sin6_scope_id;
}

static bool is_connected(int fd, const struct addrinfo *to)
{
	struct pollfd wait = {.fd = fd, .events = POLLOUT};
	socklen_t len = sizeof(int);
	int err = 0;

	if (!connect(fd, to->ai_addr, to->ai_addrlen))
		return true;
	return errno == EINPROGRESS && poll(&wait, 1, TRY_MS) == 1 &&
	       !getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) && !err;
}

/* Binds with SO_REUSEADDR, as the load generator does: a port in TIME_WAIT is free. */
static bool is_bound(int fd, const struct addrinfo *to)
{
	const int one = 1;

	return !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	       !bind(fd, to->ai_addr, to->ai_addrlen);
}

static bool answers(const struct addrinfo *to, bool listening)
{
	int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool does = false;

	if (fd >= 0) {
		does = listening ? is_bound(fd, to) : is_connected(fd, to);
		close(fd);
	}
	return does;
}

int address__resolve(struct address *a, bool listening, struct sockaddr_storage *ss,
		     const char **why)
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV | (listening ? AI_PASSIVE : 0),
	};
	const struct addrinfo *chosen;
	struct addrinfo *found;
	char port[8];
	int err;

	snprintf(port, sizeof(port), "%u", a->port);
	err = getaddrinfo(a->host, port, &hints, &found);
	if (!err) {
		/* The first address that works, or else the last, untried. */
		for (chosen = found; chosen->ai_next && !answers(chosen, listening);)
			chosen = chosen->ai_next;
		memset(ss, 0, sizeof(*ss));
		memcpy(ss, chosen->ai_addr, chosen->ai_addrlen);
		err = getnameinfo(chosen->ai_addr, chosen->ai_addrlen, a->host, sizeof(a->host),
				  NULL, 0, NI_NUMERICHOST);
		freeaddrinfo(found);
	}
	*why = err ? gai_strerror(err) : NULL;
	if (!err && lacks_device(ss))
		*why = "a link-local address is one of a device: name it, as in [fe80::7%eth0]";
	return *why ? -EHOSTUNREACH : 0;
}
