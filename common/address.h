/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns addresses as HOST:PORT text. Pure, but address__resolve() may query the network. */
#ifndef COMMON_ADDRESS_H
#define COMMON_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#define ADDRESS_HOST_MAX 254 /* a DNS name and its NUL: RFC 1035, 2.3.4 */
#define ADDRESS_TEXT_MAX (ADDRESS_HOST_MAX + 8)

struct address {
	char host[ADDRESS_HOST_MAX]; /* a name, or a numeric address without brackets */
	unsigned int port;
};

/*
 * Parses "192.0.2.7:5201", "[2001:db8::7]:5201" or "host:5201". Port 0 is valid only if any_port.
 * 0, or -EINVAL with *out unchanged; an IPv6 address without brackets is invalid.
 */
int address__parse(const char *text, bool any_port, struct address *out);

/* Writes HOST:PORT to buf and returns buf. An IPv6 host gets brackets. */
char *address__format(char *buf, size_t len, const char *host, unsigned int port);

/* 127.0.0.0/8 or ::1. Not 0.0.0.0 and [::], which are all addresses of a machine. */
bool address__is_loopback(const struct sockaddr_storage *ss);

/*
 * Replaces a->host by a numeric address and fills ss. Takes the first address of the resolver that
 * it can connect to (listening: bind) within 4 s; the last is taken untried. 0, or -EHOSTUNREACH
 * with a static text in *why.
 */
int address__resolve(struct address *a, bool listening, struct sockaddr_storage *ss,
		     const char **why);

#endif
