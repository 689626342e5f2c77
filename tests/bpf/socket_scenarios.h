/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets used in uncommon ways: scenarios, and what they share with the programs that play them.
 */
#ifndef NETIOTRACE_TESTS_PLAYS_H
#define NETIOTRACE_TESTS_PLAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOCKETS_MAX 300 /* of a scenario, of each side */
#define DATA_LEN    (1 << 20)
extern char data[DATA_LEN]; /* sent, and received into */

struct play {
	const char *name;
	void (*play)(void);
};

extern const struct play plays[];               /* the last has no name */
const struct play *find_play(const char *name); /* NULL: there is none */

/* Both end the program, with errno's words: 1; 77, this machine cannot play it. */
__attribute__((noreturn)) void fail(const char *what);
__attribute__((noreturn)) void skip(const char *why);

struct pair {
	int tx, rx;
};

/* The program's: called once its sockets are connected, before anything is sent. */
void watch(const struct pair *pairs, size_t n);

/* protocol: 0, or that of socket(2). A socket at a free port of the loopback, whose address is *to.
 */
struct sockaddr_in;
int bind_here(struct sockaddr_in *to, int protocol);
int listen_here(struct sockaddr_in *to, int protocol);
struct pair connect_pair(int protocol);
struct pair pair_before_wrap(void); /* the sender's numbers wrap after 5000 bytes */
void send_bytes(int fd, size_t n, int flags);
void receive(int fd, size_t n, int flags);

/* The ports of the IPv4 connection of a socket; false: it has none. */
struct ports {
	unsigned int local, remote;
};
bool ports_of(int fd, struct ports *ports);
/* Does the kernel still have one of these connections, at either end, other than in TIME_WAIT? */
bool are_open(const struct ports *ports, size_t n);

/* Sockets that outlive a connection. */
void play_dissolve(void);
void play_again(void);
void play_again_zerocopy(void);
void play_reconnect(void);
void play_read_on(void);
void play_refused(void);

/* Numbers that are set, not counted. */
void play_restore(void);

/* Layers over TCP. */
void play_ktls(void);
void play_sockmap(void);
void play_io_uring(void);
void play_registered(void);

#endif
