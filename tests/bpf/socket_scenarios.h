/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scenarios of sockets used in uncommon ways, and what they share with the programs that run them.
 */
#ifndef NETIOTRACE_TESTS_PLAYS_H
#define NETIOTRACE_TESTS_PLAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOCKETS_MAX 300 /* in a scenario, on each side */
#define DATA_LEN    (1 << 20)
extern char data[DATA_LEN]; /* sent, and received into */

struct play {
	const char *name;
	void (*play)(void);
};

extern const struct play plays[];               /* the last has no name */
const struct play *find_play(const char *name); /* NULL: no such scenario */

/* Both end the program with a message: 1 failed, 77 this machine cannot run the scenario. */
__attribute__((noreturn)) void fail(const char *what);
__attribute__((noreturn)) void skip(const char *why);

struct pair {
	int tx, rx;
};

/* Defined by the program: called after its sockets are connected, before the first byte is sent. */
void watch(const struct pair *pairs, size_t n);

/* A socket bound to a free loopback port, whose address is *to. protocol: 0, or as in socket(2). */
struct sockaddr_in;
int bind_here(struct sockaddr_in *to, int protocol);
int listen_here(struct sockaddr_in *to, int protocol);
struct pair connect_pair(int protocol);
struct pair pair_before_wrap(void); /* the sender's sequence numbers wrap after 5000 bytes */
void send_bytes(int fd, size_t n, int flags);
void receive(int fd, size_t n, int flags);

/* Ports of a socket's IPv4 connection; false: it has none. */
struct ports {
	unsigned int local, remote;
};
bool ports_of(int fd, struct ports *ports);
/*
 * True while the kernel has one of these connections, at either end, in a state other than
 * TIME_WAIT.
 */
bool are_open(const struct ports *ports, size_t n);

/* Sockets that outlive a connection. */
void play_dissolve(void);
void play_again(void);
void play_again_zerocopy(void);
void play_reconnect(void);
void play_read_on(void);
void play_refused(void);

/* Sequence numbers that are set by the program. */
void play_restore(void);

/* Layers over TCP. */
void play_ktls(void);
void play_ktls13(void);
void play_sockmap(void);
void play_sockmap_self(void);
void play_sockmap_ingress(void);
void play_io_uring(void);
void play_closed_by_ring(void);
void play_registered(void);

#endif
