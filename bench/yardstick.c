/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steadiness of the machine: loops that use only CPU and memory, in rounds like a sweep's. The
 * figures of a program vary at least as much as the figures of such a loop.
 *
 *   yardstick ROUNDS MS     a line per round and loop: its name, and turns per second on CPUs 0, 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CPUS      2
#define MESSAGE   65536
#define ADDITIONS 20000
#define PAUSE_US  300000

/* Source buffers: the size of a few messages, and more than a CPU's cache. */
#define NEAR (2UL * MESSAGE)
#define FAR  (1024UL * MESSAGE)

static const struct loop {
	const char *name;
	size_t from; /* bytes that are copied from; 0: additions only */
} loops[] = {{"additions", 0}, {"copies-near", NEAR}, {"copies-far", FAR}};

#define LOOPS (sizeof(loops) / sizeof(loops[0]))

struct worker {
	pthread_t thread;
	const struct loop *loop;
	unsigned int cpu;
	double seconds, rate;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void add_up(void)
{
	volatile uint64_t kept = 1;
	uint64_t sum = kept;

	for (int i = 0; i < ADDITIONS; i++)
		sum = sum * 6364136223846793005ULL + 1;
	kept = sum;
}

static void copy(char *to, const char *from)
{
	memcpy(to, from, MESSAGE);
	/* Keeps the compiler from dropping the copy. */
	__asm__ volatile("" : : "r"(to) : "memory");
}

static void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	/* Without such a CPU the loop runs on any. */
	(void)sched_setaffinity(0, sizeof(set), &set);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	size_t size = w->loop->from ? w->loop->from : MESSAGE, at = 0;
	char *from = malloc(size), *to = malloc(MESSAGE);
	uint64_t turns = 0;
	double begin;

	if (!from || !to)
		exit(1);
	pin(w->cpu);
	memset(from, 1, size);
	memset(to, 1, MESSAGE);
	begin = now();
	do {
		if (w->loop->from)
			copy(to, from + at);
		else
			add_up();
		at = (at + MESSAGE) % size;
		turns++;
	} while (now() - begin < w->seconds);
	w->rate = (double)turns / (now() - begin);
	free(from);
	free(to);
	return NULL;
}

/* Runs a loop for that long on each CPU at once. Returns the turns per second of all. */
static double measure(const struct loop *loop, double seconds)
{
	struct worker workers[CPUS];
	double rate = 0;

	for (unsigned int i = 0; i < CPUS; i++) {
		workers[i] = (struct worker){.loop = loop, .cpu = i, .seconds = seconds};
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			exit(1);
	}
	for (unsigned int i = 0; i < CPUS; i++) {
		pthread_join(workers[i].thread, NULL);
		rate += workers[i].rate;
	}
	return rate;
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[1]) : 0, ms = argc > 2 ? atoi(argv[2]) : 0;

	if (rounds < 1 || ms < 1) {
		fprintf(stderr, "usage: yardstick ROUNDS MS\n");
		return 2;
	}
	for (int r = 0; r < rounds; r++) {
		for (size_t i = 0; i < LOOPS; i++)
			printf("%s %.1f\n", loops[i].name, measure(&loops[i], ms / 1000.0));
		usleep(PAUSE_US);
	}
	return 0;
}
