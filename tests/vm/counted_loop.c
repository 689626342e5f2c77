// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with a known number of instructions, measured by netiotrace's counters (user/perf), for
 * tests/vm/counters.bats.
 *
 *   counted_loop alone TURNS      runs the loop: for perf stat
 *   counted_loop measure TURNS    measures it in a child: "NAME VALUE USER" or "NAME null REASON"
 *
 * A turn of the loop is 4 instructions on both architectures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/result.h"
#include "perf/watch.h"

static void turn(unsigned long turns)
{
	if (!turns)
		return;
#if defined(__aarch64__)
	__asm__ volatile("1: nop\n nop\n subs %0, %0, #1\n b.ne 1b\n" : "+r"(turns) : : "cc");
#else
	__asm__ volatile("1: nop\n nop\n dec %0\n jnz 1b\n" : "+r"(turns) : : "cc");
#endif
}

/* Runs the loop on command, reports its end, and stays until its counters have been read. */
static int child(int fd, unsigned long turns)
{
	char c;

	if (read(fd, &c, 1) != 1)
		return 1;
	turn(turns);
	if (write(fd, &c, 1) != 1)
		return 1;
	return read(fd, &c, 1) ? 1 : 0;
}

static void print(const struct run_result *r)
{
	for (int c = 0; c < PERF_NR; c++) {
		const struct num *n = &r->perf[NIO_SIDE_SENDER][c];
		const struct num *user = &r->perf_detail[NIO_SIDE_SENDER][c].user;

		if (n->known)
			printf("%s %llu %llu\n", perf_counter__key(c), (unsigned long long)n->value,
			       (unsigned long long)user->value);
		else
			printf("%s null %s\n", perf_counter__key(c), n->reason ? n->reason : "");
	}
}

static int measure(unsigned long turns)
{
	static struct perf_watch watch;
	static struct run_result r;
	int pair[2], status;
	char c = 'g';
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return 1;
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		close(pair[0]);
		_exit(child(pair[1], turns));
	}
	close(pair[1]);
	perf_watch__init(&watch, NULL, 0, true);
	perf_watch__begin(&watch, &r);
	perf_watch__open(&watch, NIO_SIDE_SENDER, pid);
	perf_watch__enable(&watch);
	if (write(pair[0], &c, 1) != 1 || read(pair[0], &c, 1) != 1)
		return 1;
	perf_watch__finish(&watch, NIO_SIDE_SENDER, &r);
	perf_watch__end(&watch);
	print(&r);
	close(pair[0]);
	return waitpid(pid, &status, 0) != pid || status;
}

int main(int argc, char **argv)
{
	unsigned long turns = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (argc == 3 && !strcmp(argv[1], "measure"))
		return measure(turns);
	if (argc != 3 || strcmp(argv[1], "alone"))
		return 2;
	turn(turns);
	return 0;
}
