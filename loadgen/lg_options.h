/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of the command line. */
#ifndef LOADGEN_LG_OPTIONS_H
#define LOADGEN_LG_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "common/mode.h"
#include "common/workload.h"
#include "protocol.h"

/* A bit for each command. */
enum command {
	COMMAND_SEND = ON_SENDER,
	COMMAND_RECV = ON_RECEIVER,
	COMMAND_LOOPBACK = 4, /* no command: both sides on loopback */
};

struct endpoint {
	struct sockaddr_storage addr;
	socklen_t len;
};

struct cpu_list {
	unsigned int nr; /* 0: threads are not pinned */
	uint16_t cpu[PROTOCOL_CPUS_MAX];
};

/* TCP_CA_NAME_MAX (include/net/tcp.h), with the terminating 0. */
#define CONGESTION_NAME_MAX 16

/* Of pending_sessions.h. If the table is full, the oldest unidentified connection, probably not a
 * sender, is closed. */
#define PENDING_UNIDENTIFIED_MAX 1024
#define PENDING_CLIENTS_MAX      32

struct lg_options {
	enum command command;
	struct endpoint endpoint; /* to connect to, or to listen on */
	enum mode mode;
	struct workload workload; /* connections: at least one per thread; cpus: below */
	bool control, json;
	bool only_try; /* sender: tries the mode, and ends */
	bool forever;  /* receiver: serve one session after another */
	bool half;     /* receiver: the driver measures this side, and gives its half */
	struct cpu_list cpus, cpus_receiver;
	bool help, version;
};

/*
 * The command line is wrong, for this reason: a sentence without its full stop. Exits with status
 * 2.
 */
__attribute__((format(printf, 1, 2))) _Noreturn void lg_options__refuse(const char *format, ...);

/* Refuses what is wrong. With help or version set, nothing else is checked. */
void lg_options__parse(struct lg_options *s, int argc, char **argv);

void lg_options__help(void);

/* Part i of a total divided over n parts; the first parts share the remainder. */
uint64_t lg_options__share(uint64_t total, uint64_t n, uint64_t i);

/* Limit of descriptors for this side. */
uint64_t lg_options__descriptors(const struct lg_options *s);

/* Parses "127.0.0.1:80" or "[::1]:80". 0 or -EINVAL. */
int endpoint__parse(const char *text, struct endpoint *e);

#endif
