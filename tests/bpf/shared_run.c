// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the programs of shared.bpf.c and prints their counts, a line for each scenario:
 *
 *   shared_run losses        events that cannot be paired are counted
 *   shared_run room          a copy without room is counted, and evicts no other
 *   shared_run completions   two CPUs complete sends of one socket
 *   shared_run early         a send completes before its call returns
 *   shared_run softirqs      softirqs book on top of a program with the same counters
 *   shared_run switches      a thread in a send call is preempted, and sleeps
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <bpf/bpf.h>

#include "shared_object.skel.h"
#include "bpf/netiotrace.h"

#define THREADS 2
#define TURNS   20000U
#define COOKIE  77
#define BOOKED  4096U /* by one run of nio_test_book */

static struct shared_object *object;
static atomic_uint arrived;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void run(const struct bpf_program *prog, __u64 first, __u64 second)
{
	__u64 args[2] = {first, second};
	struct bpf_test_run_opts opts = {
		.sz = sizeof(opts), .ctx_in = args, .ctx_size_in = sizeof(args)};

	if (bpf_prog_test_run_opts(bpf_program__fd(prog), &opts))
		fail("bpf_prog_test_run_opts");
}

static void pin(size_t cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus))
		fail("pthread_setaffinity_np");
}

static struct nio_loss losses(void)
{
	struct nio_loss sum = {0}, one;

	for (__u32 cpu = 0; cpu < THREADS; cpu++) {
		if (bpf_map_lookup_elem(bpf_map__fd(object->maps.nio_losses), &cpu, &one))
			fail("nio_losses");
		sum.unmatched += one.unmatched;
		sum.map_full += one.map_full;
	}
	return sum;
}

static void lose(void)
{
	struct nio_loss sum;

	run(object->progs.nio_test_end_alone, 0, 0);
	run(object->progs.nio_test_begin_twice, 0, 0);
	sum = losses();
	printf("unmatched %llu\n", sum.unmatched);
}

static void fill(void)
{
	int map = bpf_map__fd(object->maps.nio_copies);
	__u32 max = bpf_map__max_entries(object->maps.nio_copies), there = 0;
	char value[512] = "";
	struct {
		__u64 flow;
		__u32 kind, pad;
	} key = {0};

	if (bpf_map__value_size(object->maps.nio_copies) > sizeof(value))
		fail("nio_copies");
	for (key.flow = 1ULL << 40; key.flow < (1ULL << 40) + max; key.flow++)
		if (bpf_map_update_elem(map, &key, value, BPF_ANY))
			fail("nio_copies");
	run(object->progs.nio_test_begin, 0, 0);
	for (key.flow = 1ULL << 40; key.flow < (1ULL << 40) + max; key.flow++)
		there += !bpf_map_lookup_elem(map, &key, value);
	printf("evicted %u, map_full %llu\n", max - there, losses().map_full);
}

/* Each thread completes every second id. */
static void *complete(void *arg)
{
	pin((size_t)arg);
	for (unsigned int i = 0; i < TURNS; i++) {
		atomic_fetch_add(&arrived, 1);
		while (atomic_load(&arrived) < (i + 1) * THREADS)
			;
		run(object->progs.nio_test_complete, i * THREADS + (size_t)arg, COOKIE);
	}
	return NULL;
}

static void watch_one(void)
{
	const struct nio_conn conn = {.cookie = COOKIE, .ring_mask = NIO_ZC_RING_MAX - 1};
	__u32 at = nio_conn_index(COOKIE, 0);

	if (bpf_map_update_elem(bpf_map__fd(object->maps.nio_conns), &at, &conn, BPF_ANY))
		fail("nio_conns");
}

static __u64 bytes_completed(void)
{
	__u32 at = nio_conn_index(COOKIE, 0);
	struct nio_conn conn;

	if (bpf_map_lookup_elem(bpf_map__fd(object->maps.nio_conns), &at, &conn))
		fail("nio_conns");
	return conn.completed_total;
}

static void complete_early(void)
{
	watch_one();
	run(object->progs.nio_test_early, 1, COOKIE);
	printf("completed_total %llu, unmatched %llu\n", bytes_completed(), losses().unmatched);
}

static void complete_on_two_cpus(void)
{
	pthread_t threads[THREADS];

	watch_one();
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, complete, (void *)i))
			fail("pthread_create");
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("completed_total %llu of %u\n", bytes_completed(), 3 * THREADS * TURNS);
}

/* Two sockets connected over loopback. */
static void connect_pair(int *tx, int *rx)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*tx = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listener, (void *)&addr, len) || listen(listener, 1) ||
	    getsockname(listener, (void *)&addr, &len) || connect(*tx, (void *)&addr, len))
		fail("a connection over loopback");
	*rx = accept(listener, NULL, NULL);
	if (*rx < 0)
		fail("accept");
	close(listener);
}

static void *drain(void *arg)
{
	char data[4096];

	while (recv(*(int *)arg, data, sizeof(data), 0) > 0)
		;
	return NULL;
}

/*
 * A paced socket sends from a timer in softirq context, about once a millisecond, on the CPU that
 * sent last: CPU 0. With the tick's few softirqs alone this test took half a minute.
 */
static void *keep_sending(void *arg)
{
	static char data[1 << 16];

	pin(0);
	while (send(*(int *)arg, data, sizeof(data), MSG_NOSIGNAL) > 0)
		;
	return NULL;
}

static void start_softirqs(int *tx, int *rx)
{
	unsigned int bytes_per_second = 4 << 20;
	pthread_t thread;
	int mss = 1000;

	connect_pair(tx, rx);
	if (setsockopt(*tx, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_per_second,
		       sizeof(bytes_per_second)) ||
	    setsockopt(*tx, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss)))
		fail("a paced socket");
	if (pthread_create(&thread, NULL, keep_sending, tx) ||
	    pthread_create(&thread, NULL, drain, rx))
		fail("pthread_create");
}

/* Until enough softirqs have interrupted the program, on a machine of any speed. */
static void book_under_softirqs(void)
{
	__u32 at = NIO_STAGE_OTHER_COPY;
	time_t end = time(NULL) + 60;
	struct nio_cell cell;
	__u64 booked = 0;
	int tx, rx;

	start_softirqs(&tx, &rx);
	pin(0);
	object->bss->test_thread = gettid();
	if (!bpf_program__attach(object->progs.nio_test_softirq))
		fail("softirq_entry");
	while (object->bss->softirqs_booked < 1000 && time(NULL) < end) {
		run(object->progs.nio_test_book, 0, 0);
		booked += BOOKED;
	}
	object->bss->test_thread = 0;
	if (bpf_map_lookup_elem(bpf_map__fd(object->maps.nio_cells), &at, &cell))
		fail("nio_cells");
	booked += object->bss->softirqs_booked;
	printf("lost %lld of events, %lld of bytes, %lld of the histogram; %s\n",
	       (long long)(booked - cell.events), (long long)(booked - cell.bytes),
	       (long long)(booked - cell.hist[1]),
	       object->bss->softirqs_booked < 1000 ? "interrupted too rarely" : "interrupted");
}

static __u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000U + (__u64)now.tv_nsec;
}

/* The CPU runs another thread for at least 20 ms; returns lower and upper bound of the time. */
static void switch_away(bool preempted, __u64 *least, __u64 *most)
{
	__u64 begin = now_ns();

	run(object->progs.nio_test_call_switch, preempted, 1U << 30);
	*least -= now_ns();
	usleep(20000);
	*least += now_ns();
	run(object->progs.nio_test_call_switch, false, 0);
	*most += now_ns() - begin;
}

/*
 * A call is preempted, sleeps, and is preempted in a receive softirq. Time of other tasks is
 * separated from its own, up to the cost of the programs themselves.
 */
static void switch_in_a_call(void)
{
	__u64 away = 0, away_most = 0, slept = 0, slept_most = 0, begin = now_ns(), whole;
	const __u64 *ns = object->bss->test_parts;

	run(object->progs.nio_test_call_begin, 0, 0);
	switch_away(true, &away, &away_most);
	switch_away(false, &slept, &slept_most);
	run(object->progs.nio_test_call_softirq, true, 0);
	switch_away(true, &away, &away_most);
	run(object->progs.nio_test_call_softirq, false, 0);
	run(object->progs.nio_test_call_end, 0, 0);
	whole = now_ns() - begin;
	printf("preempted %s, other %s, inline receive %s\n",
	       ns[NIO_PATH_PREEMPTED] >= away && ns[NIO_PATH_PREEMPTED] <= away_most ? "as it was"
										     : "wrong",
	       ns[NIO_PATH_OTHER] >= slept && ns[NIO_PATH_OTHER] <= whole - away ? "as it was"
										 : "wrong",
	       ns[NIO_PATH_INLINE_RECEIVE] <= whole - away - slept ? "as it was" : "wrong");
}

static const struct {
	const char *name;
	void (*play)(void);
} scenarios[] = {
	{"losses", lose},
	{"room", fill},
	{"completions", complete_on_two_cpus},
	{"early", complete_early},
	{"softirqs", book_under_softirqs},
	{"switches", switch_in_a_call},
};

static void open_object(void)
{
	object = shared_object__open();
	if (!object || bpf_map__set_max_entries(object->maps.nio_cells, THREADS * NIO_STAGE_NR) ||
	    bpf_map__set_max_entries(object->maps.nio_zc, THREADS) ||
	    bpf_map__set_max_entries(object->maps.nio_losses, THREADS) ||
	    bpf_map__set_max_entries(object->maps.nio_zc_sends, NIO_ZC_RING_MAX) ||
	    shared_object__load(object))
		fail("shared_object");
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(argv[1], scenarios[i].name))
			continue;
		open_object();
		scenarios[i].play();
		shared_object__destroy(object);
		return 0;
	}
	fprintf(stderr, "usage: shared_run losses|room|completions|early|softirqs|switches\n");
	return 2;
}
