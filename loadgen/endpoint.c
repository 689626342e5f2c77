/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the addresses of the command line; resolves no names. */
#include <errno.h>
#include <netdb.h>
#include <string.h>

#include "common/units.h"
#include "settings.h"

int endpoint__parse(const char *text, struct endpoint *e)
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	};
	bool bracket = text[0] == '[';
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	struct addrinfo *found;
	uint64_t port;
	char host[128];

	if (!colon || len >= sizeof(host) || parse_count(colon + 1, 0, 65535, &port))
		return -EINVAL;
	if (bracket && (len < 3 || text[len - 1] != ']'))
		return -EINVAL;
	memcpy(host, text + bracket, len - 2 * bracket);
	host[len - 2 * bracket] = '\0';
	/* Without brackets, the last group of an IPv6 address would be taken for the port. */
	if (!host[0] || (strchr(host, ':') != NULL) != bracket)
		return -EINVAL;
	if (getaddrinfo(host, colon + 1, &hints, &found))
		return -EINVAL;
	/* inet_aton() accepts "1" and "0x7f.1"; refuse them as probable mistakes. */
	if (found->ai_family == AF_INET && strspn(host, "0123456789.") != strlen(host)) {
		freeaddrinfo(found);
		return -EINVAL;
	}
	memcpy(&e->addr, found->ai_addr, found->ai_addrlen);
	e->len = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}
