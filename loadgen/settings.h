/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command line asked for, checked. Knows nothing of how it is carried out. */
#ifndef LOADGEN_SETTINGS_H
#define LOADGEN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "common/mode.h"
#include "wire.h"

/* Bits: which commands an option belongs to. */
enum command {
	COMMAND_SEND = 1,
	COMMAND_RECV = 2,
	COMMAND_BOTH = 4, /* none given: both sides over loopback */
};

struct endpoint {
	struct sockaddr_storage addr;
	socklen_t len;
};

struct cpu_list {
	unsigned int nr; /* 0: threads are not pinned */
	uint16_t cpu[WIRE_CPUS_MAX];
};

/* TCP_CA_NAME_MAX of the kernel (include/net/tcp.h), with the terminating 0. */
#define CONGESTION_NAME_MAX 16

struct settings {
	enum command command;
	struct endpoint endpoint; /* to connect to, or to listen on */
	bool endpoint_set;
	enum mode mode;
	uint64_t size;
	uint64_t fields;
	uint64_t threads;
	uint64_t connections; /* at least one a thread */
	uint64_t rate;        /* messages/s of all connections together; 0: as fast as it goes */
	uint64_t duration_ns; /* 0: by messages */
	uint64_t messages;    /* 0: by duration */
	uint64_t warmup_ns;
	uint64_t sndbuf, rcvbuf;              /* 0: the system's */
	uint64_t spin_ns;                     /* how long is asked before a thread sleeps */
	uint64_t rcvlowat;                    /* SO_RCVLOWAT; 0: not set */
	char congestion[CONGESTION_NAME_MAX]; /* TCP_CONGESTION; empty: the system's */
	bool nodelay, verify, control, json;
	bool request_response; /* each message is answered before the next is sent */
	bool forever;          /* receiver: session after session */
	struct cpu_list cpus, cpus_receiver;
	bool help, version;
};

#define SETTINGS_WHY 256

/*
 * Parses and checks a command line. 0, or -EINVAL with one sentence in why. With help or version
 * set nothing else is checked.
 */
int settings__parse(struct settings *s, int argc, char **argv, char why[SETTINGS_WHY]);

/* The text of --help, made from the table that parses. */
void settings__help(void);

/* What is part i's of a total divided evenly over n parts: the remainder goes to the first. */
uint64_t settings__share(uint64_t total, uint64_t n, uint64_t i);

/* Descriptors this side needs. */
uint64_t settings__descriptors(const struct settings *s);

/* Bytes of messages the sender will hold. */
uint64_t settings__memory(const struct settings *s);

/* "127.0.0.1:80" or "[::1]:80". -EINVAL. */
int endpoint__parse(const char *text, struct endpoint *e);

#endif
