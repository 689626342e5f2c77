/* SPDX-License-Identifier: GPL-2.0-only */
/* What the scenarios of watched_run.c and watched_layers.c share. */
#ifndef NETIOTRACE_TESTS_WATCHED_H
#define NETIOTRACE_TESTS_WATCHED_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/session.h"

#define DATA_LEN (1 << 20)
extern char data[DATA_LEN]; /* sent, and received into */

/* Both end the program, with errno's words: 1; 77, this machine cannot play it. */
void fail(const char *what);
void skip(const char *why);

struct pair {
	int tx, rx;
};

/* protocol: 0, or that of socket(2). */
struct pair connect_pair(int protocol);
uint64_t cookie_of(int fd);
void watch(struct session *s, const struct pair *pairs, size_t n);
void send_bytes(int fd, size_t n, int flags);
void receive(int fd, size_t n, int flags);
void print(const char *name, uint64_t value); /* unless it is 0 */

/* Numbers that wrap, and layers over TCP. */
void play_wrap(struct session *s);
void play_ktls(struct session *s);
void play_sockmap(struct session *s);
void play_io_uring(struct session *s);

#endif
