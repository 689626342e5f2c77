// SPDX-License-Identifier: GPL-2.0-only
/* Two CPUs create the same keys of a hash map at the same time; prints the counts. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "insert_object.skel.h"
#include "bpf/netiotrace.h"

#define KEYS    20000
#define THREADS 2

static struct insert_object *object;
static atomic_uint arrived;

/* Waits until all threads are at the same turn. */
static void meet(unsigned int turn)
{
	atomic_fetch_add(&arrived, 1);
	while (atomic_load(&arrived) < turn * THREADS)
		;
}

static void *insert(void *arg)
{
	int fd = bpf_program__fd(object->progs.nio_test_insert);
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)arg, &cpus);
	if (pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus))
		exit(2);
	for (unsigned int i = 0; i < KEYS; i++) {
		__u64 args[1] = {i};
		struct bpf_test_run_opts opts = {
			.sz = sizeof(opts), .ctx_in = args, .ctx_size_in = sizeof(args)};

		meet(i + 1);
		if (bpf_prog_test_run_opts(fd, &opts))
			exit(3);
	}
	return NULL;
}

/* Sums a per-CPU element, whose fields are all u64. */
static int sum(const struct bpf_map *map, const void *key, __u64 *total, size_t words)
{
	int cpus = libbpf_num_possible_cpus();
	__u64 *all = calloc((size_t)cpus * words, sizeof(*all));
	int err = all ? bpf_map_lookup_elem(bpf_map__fd(map), key, all) : -1;

	for (size_t i = 0; !err && i < (size_t)cpus * words; i++)
		total[i % words] += all[i];
	free(all);
	return err;
}

int main(void)
{
	__u64 sums[3] = {0}, map_full = 0, key;
	pthread_t threads[THREADS];

	object = insert_object__open();
	if (!object || bpf_map__set_max_entries(object->maps.nio_losses, THREADS) ||
	    insert_object__load(object))
		return 1;
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, insert, (void *)i))
			return 1;
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (key = 0; key < KEYS; key++)
		if (sum(object->maps.nio_test_sums, &key, sums, 3))
			return 1;
	for (__u32 cpu = 0; cpu < THREADS; cpu++) {
		struct nio_loss loss;

		if (bpf_map_lookup_elem(bpf_map__fd(object->maps.nio_losses), &cpu, &loss))
			return 1;
		map_full += loss.map_full;
	}
	printf("events %llu of %d, map_full %llu\n", sums[1], KEYS * THREADS, map_full);
	insert_object__destroy(object);
	return 0;
}
