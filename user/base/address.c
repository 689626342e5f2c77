/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns addresses as text; see address.h. Knows nothing of what is reached there. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "address.h"
#include "common/units.h"

/* Where text's host ends and its port begins: the last colon, behind the bracket if there is one.
 */
static const char *find_port(const char *text)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text)
		return NULL;
	if (text[0] == '[')
		return colon[-1] == ']' ? colon : NULL;
	/* An IPv6 address without brackets would have its last group taken for the port. */
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
		/* Brackets are for what has colons. */
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

/* Each device has its own link: connect(2) and bind(2) would say EINVAL only. */
static bool lacks_device(const struct sockaddr_storage *ss)
{
	const struct sockaddr_in6 *in6 = (const void *)ss;

	return ss->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) &&
	       !in6->sin6_scope_id;
}

int address__resolve(struct address *a, bool listening, struct sockaddr_storage *ss,
		     const char **why)
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV | (listening ? AI_PASSIVE : 0),
	};
	struct addrinfo *found;
	char port[8];
	int err;

	snprintf(port, sizeof(port), "%u", a->port);
	err = getaddrinfo(a->host, port, &hints, &found);
	if (!err) {
		memset(ss, 0, sizeof(*ss));
		memcpy(ss, found->ai_addr, found->ai_addrlen);
		err = getnameinfo(found->ai_addr, found->ai_addrlen, a->host, sizeof(a->host), NULL,
				  0, NI_NUMERICHOST);
		freeaddrinfo(found);
	}
	*why = err ? gai_strerror(err) : NULL;
	if (!err && lacks_device(ss))
		*why = "a link-local address is one of a device: name it, as in [fe80::7%eth0]";
	return *why ? -EHOSTUNREACH : 0;
}
