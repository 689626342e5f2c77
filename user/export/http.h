/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the HTTP server of the exporter: GET /metrics, /, /-/healthy. */
#ifndef EXPORT_HTTP_H
#define EXPORT_HTTP_H

#include <stddef.h>

#include "metrics_page.h"

struct http;

/* Opens a listening socket: ADDR:PORT, or unix:PATH. A descriptor, or -errno with a clause in why.
 */
int http__listen(const char *address, char *why, size_t len);

/* The socket that a service manager passed (LISTEN_FDS, sd_listen_fds(3)); -1: none. */
int http__inherited(void);

/*
 * Starts to serve on a listening socket, which it then owns. render() makes a page, which the
 * server frees. 0 or -errno. Each connection serves one request and has 10 s for it.
 */
int http__start(struct http **out, int fd,
		char *(*render)(void *arg, enum page_format, size_t *len), void *arg);
void http__stop(struct http *h); /* or NULL */

int http__fd(const struct http *h); /* readable when http__run() has work; owned by h */
void http__run(struct http *h);

/* Ends connections that are over their time. Call at least every second. */
void http__expire(struct http *h);

#endif
