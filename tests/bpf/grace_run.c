// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread runs the program of grace.bpf.c over and over; another waits, by what attach waits by,
 * and by nothing. Prints how often a run that was at work before was at work after.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <bpf/bpf.h>

#include "grace_object.skel.h"
#include "user/kernel/grace_period.h"

#define TIMES 10

static struct grace_object *object;
static atomic_bool over;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void *work(void *arg)
{
	struct bpf_test_run_opts opts = {.sz = sizeof(opts)};

	while (!atomic_load(&over))
		if (bpf_prog_test_run_opts(bpf_program__fd(object->progs.nio_test_long), &opts))
			fail("bpf_prog_test_run_opts");
	return arg;
}

static int by_nothing(void)
{
	return 0;
}

static unsigned int at_work_after(int (*wait)(void))
{
	const volatile __u64 *begun = &object->bss->begun, *ended = &object->bss->ended;
	unsigned int found = 0;

	for (int i = 0; i < TIMES; i++) {
		__u64 run;

		while (*begun == *ended)
			;
		run = *begun;
		if (wait())
			fail("the wait");
		found += *ended < run;
	}
	return found;
}

int main(void)
{
	unsigned int waited, not_waited;
	pthread_t thread;

	object = grace_object__open_and_load();
	if (!object)
		fail("grace_object");
	if (pthread_create(&thread, NULL, work, NULL))
		fail("pthread_create");
	not_waited = at_work_after(by_nothing);
	waited = at_work_after(grace_period__pass);
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	printf("at work after the wait: %u, without it: %s\n", waited,
	       not_waited ? "some" : "none, which tells nothing");
	grace_object__destroy(object);
	return 0;
}
