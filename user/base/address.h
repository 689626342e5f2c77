/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a receiver is, or is to listen: HOST:PORT as people write it, and what it resolves to. The
 * parser is pure; address__resolve() may ask the network.
 */
#ifndef NETIOTRACE_ADDRESS_H
#define NETIOTRACE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#define ADDRESS_HOST_MAX 254 /* of a name in the DNS, with its end: RFC 1035, 2.3.4 */
#define ADDRESS_TEXT_MAX (ADDRESS_HOST_MAX + 8)

struct address {
	char host[ADDRESS_HOST_MAX]; /* a name, or a number without brackets */
	unsigned int port;
};

/*
 * "192.0.2.7:5201", "[2001:db8::7]:5201", "host:5201". Port 0 only if any_port. -EINVAL for what is
 * not of this form (an IPv6 address without brackets among it); *out is untouched then.
 */
int address__parse(const char *text, bool any_port, struct address *out);

/* The reverse: brackets around what has a colon. Fills buf and returns it. */
char *address__format(char *buf, size_t len, const char *host, unsigned int port);

/*
 * Replaces a name by an address, as a number, and fills ss: of those the resolver has, in its
 * order, the first that can be connected to (listening: bound to), or else the last. Each but the
 * last is tried, for 4 s at most. 0, or -EHOSTUNREACH with the resolver's (static) words in *why.
 */
int address__resolve(struct address *a, bool listening, struct sockaddr_storage *ss,
		     const char **why);

#endif
