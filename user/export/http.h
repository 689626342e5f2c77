/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the HTTP server of the exporter: GET /metrics, /, /-/healthy. */
#ifndef EXPORT_HTTP_H
#define EXPORT_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/path_walk.h"
#include "metrics_page.h"

struct http;

/* A listening socket. */
struct http_listener {
	int fd;
	bool is_file;           /* a unix socket that http__listen() made */
	struct path_walk entry; /* its file, in its directory, which stays open */
};

/* Opens a listening socket: ADDR:PORT, or unix:PATH. 0, or -errno with a clause in why. */
int http__listen(struct http_listener *l, const char *address, char *why, size_t len);

/*
 * Takes the socket that a service manager passed (LISTEN_FDS, sd_listen_fds(3)); programs that are
 * started later do not get it. 1: taken, 0: none was passed, -EINVAL with a clause in why: it
 * cannot be served.
 */
int http__inherited(struct http_listener *l, char *why, size_t len);

/*
 * Starts to serve on a listening socket, whose descriptor it then owns. render() makes a page,
 * which the server frees. 0 or -errno. Each connection serves one request; it has 2 s to send the
 * request and 10 s in all. When too many are open, a new one ends the oldest incomplete request.
 * On a loopback address, a Host header must name a loopback address (DNS rebinding).
 */
int http__start(struct http **out, const struct http_listener *l,
		char *(*render)(void *arg, enum page_format, size_t *len), void *arg);
/* Closes all connections, and removes the file of a unix socket if it still may. h may be NULL. */
void http__stop(struct http *h);

int http__fd(const struct http *h); /* readable when http__run() has work; owned by h */
void http__run(struct http *h);

/* Ends connections that are over their time. Call at least every second. */
void http__expire(struct http *h);

#endif
