/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process without privileges that answers requests: memory and files of the followed program are
 * hostile input.
 */
#ifndef FOLLOW_WORKER_H
#define FOLLOW_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct worker {
	pid_t pid; /* 0: none */
	int fd;    /* a socket of packets */
};

struct worker_task {
	/* Reads requests from fd and writes answers until read() returns 0. */
	void (*serve)(int fd);
	bool pure;      /* it needs no system call but read and write: all others end it */
	bool urgent;    /* a thread waits for its answers: real-time priority */
	int timeout_ms; /* for an answer */
};

/* Forks. Before threads exist and before privileged descriptors are open. 0 or -errno. */
int worker__start(struct worker *w, const struct worker_task *task);

/*
 * One request, with a descriptor unless passed is negative; one answer of exactly len bytes. false:
 * none in time. An answer may then come later: requests need numbers, or the worker is stopped.
 */
bool worker__ask(const struct worker *w, const void *request, size_t request_len, int passed,
		 void *answer, size_t len);

/* In serve(): a request and its descriptor (-1: none). Its length; 0: the end. */
size_t worker__receive(int fd, void *to, size_t len, int *passed);

void worker__stop(struct worker *w);

#endif
