/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What watching costs: throughput with the programs attached against without, on one connection of
 * one pair of load generator processes, in alternating slices of a fraction of a second. Both sides
 * share a CPU: on two, loopback throughput jumps by a factor of two from one moment to the next,
 * whoever watches, with who wakes whom; on one, all work of both sides is paid for, and nothing
 * hides in idle time. So the ratio is that of CPU time a byte.
 *
 *   bench-overhead MODE SIZE PAIRS SLICE_MS
 *
 * Prints: unwatched and watched Gbit/s (medians), the median of the pairs' ratios, its quartiles.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../user/command.h"
#include "../user/driver.h"
#include "../user/session.h"
#include "../user/stats.h"
#include "../user/units.h"

#define PAIRS_MAX     1000
#define SETTLE_MS     10
#define EVENT_TIMEOUT 10000
#define NS_PER_MS     1000000ULL
#define DURATION_NS   (3600 * 1000 * NS_PER_MS) /* ended by a stop */
#define WARMUP_NS     (300 * NS_PER_MS)

struct bench {
	struct options o;
	struct netpath *path;
	struct session *session;
	struct plan plan;
	struct driver drivers[NIO_SIDE_NR];
};

__attribute__((noreturn)) static void fail(const char *what, int err)
{
	fprintf(stderr, "bench-overhead: %s: %s\n", what, strerror(-err));
	exit(EXIT_RUN_FAILED);
}

/* Waits for one event of a process, passing over others. */
static void await(struct driver *d, enum driver_event wanted)
{
	enum driver_event event = DRIVER_NOTHING;

	while (event != wanted) {
		struct pollfd pfd = {.fd = d->child.out, .events = POLLIN};
		int err = driver__next(d, &event);

		if (err)
			fail("protocol", err);
		if (event == DRIVER_ERROR || event == DRIVER_EOF)
			fail(d->report.message, -EIO);
		if (event == DRIVER_NOTHING && poll(&pfd, 1, EVENT_TIMEOUT) <= 0)
			fail("the load generator does not answer", -ETIMEDOUT);
	}
}

static void launch(struct bench *b, enum nio_side side, unsigned int port)
{
	const char *address = netpath__address(b->path), *step = "";
	struct arglist args = {0};
	int err;

	if (side == NIO_SIDE_RECEIVER)
		err = command__receiver(&args, "build/netio-loadgen", &b->o, address);
	else
		err = command__sender(&args, "build/netio-loadgen", &b->o, b->o.modes[0], address,
				      port);
	driver__init(&b->drivers[side], side);
	if (!err)
		err = child__start(&b->drivers[side].child, args.argv, -1, &step);
	if (err)
		fail("cannot start the load generator", err);
	arglist__clear(&args);
}

static void load_programs(struct bench *b)
{
	struct offer *offers = calloc(plan_alternatives_nr, sizeof(*offers));
	const struct plan *plans[MODE_NR] = {NULL};
	struct plan_request req = {
		.backend = BACKEND_AUTO, .mode = b->o.modes[0], .size = b->o.size};
	const struct num optmem_max = {0};
	int err = offers ? 0 : -ENOMEM;

	if (!err)
		session__presume(offers, BACKEND_AUTO);
	if (!err)
		err = plan__make(&b->plan, offers, &req);
	plans[req.mode] = &b->plan;
	if (!err)
		err = session__open(&b->session, plans, 1, &optmem_max);
	if (err)
		fail("cannot load the programs", err);
	free(offers);
}

static void start(struct bench *b)
{
	struct driver *sender = &b->drivers[NIO_SIDE_SENDER];
	struct driver *receiver = &b->drivers[NIO_SIDE_RECEIVER];
	const char *step = "";
	int err = netpath__open(&b->path, NETPATH_LOOPBACK, 0, false, &step);

	if (err)
		fail(step, err);
	load_programs(b);
	launch(b, NIO_SIDE_RECEIVER, 0);
	await(receiver, DRIVER_LISTENING);
	launch(b, NIO_SIDE_SENDER, receiver->report.port);
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct driver *d = &b->drivers[side];

		await(d, DRIVER_READY);
		err = session__watch(b->session, d->report.cookies, d->report.cookies_nr, 0, side);
		if (err)
			fail("cannot watch the sockets", err);
	}
	child__say(&sender->child, "start");
	await(sender, DRIVER_QUIESCED);
	child__say(&sender->child, "measure");
}

static void sleep_ms(unsigned int ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NS_PER_MS};

	nanosleep(&ts, NULL);
}

static void received(struct bench *b, uint64_t *bytes, uint64_t *ns)
{
	struct driver *receiver = &b->drivers[NIO_SIDE_RECEIVER];

	child__say(&receiver->child, "stats");
	await(receiver, DRIVER_STATS);
	*bytes = receiver->report.app.rx_bytes;
	*ns = receiver->report.elapsed_ns;
}

/* Gbit/s over one slice, programs attached or not. */
static double slice(struct bench *b, bool watched, unsigned int ms)
{
	static const struct plan nothing;
	uint64_t bytes[2], ns[2];
	int err = session__attach(b->session, watched ? &b->plan : &nothing);

	if (err)
		fail("cannot attach", err);
	sleep_ms(SETTLE_MS);
	received(b, &bytes[0], &ns[0]);
	sleep_ms(ms);
	if (watched) {
		struct snapshot *snapshot = malloc(sizeof(*snapshot));

		if (!snapshot || session__read(b->session, 0, snapshot))
			fail("cannot read the counters", -EIO);
		free(snapshot);
	}
	received(b, &bytes[1], &ns[1]);
	return (double)(bytes[1] - bytes[0]) * 8 / (double)(ns[1] - ns[0]);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Order within a pair alternates, so that a drift cancels. */
static void run_pairs(struct bench *b, unsigned int pairs, unsigned int ms)
{
	static double off[PAIRS_MAX], on[PAIRS_MAX], ratio[PAIRS_MAX];

	for (unsigned int i = 0; i < pairs; i++) {
		bool first = i % 2;
		double one = slice(b, first, ms), other = slice(b, !first, ms);

		on[i] = first ? one : other;
		off[i] = first ? other : one;
		ratio[i] = on[i] / off[i];
	}
	qsort(ratio, pairs, sizeof(*ratio), by_value);
	printf("%-10s %8llu %10.3f %10.3f %8.4f %8.4f %8.4f\n", mode__name(b->o.modes[0]),
	       (unsigned long long)b->o.size, stats__spread(off, pairs).median,
	       stats__spread(on, pairs).median, stats__spread(ratio, pairs).median,
	       ratio[pairs / 4], ratio[pairs * 3 / 4]);
}

int main(int argc, char **argv)
{
	struct bench b = {.o = {.modes_nr = 1,
				.threads = 1,
				.fields = 8,
				.duration_ns = DURATION_NS,
				.warmup_ns = WARMUP_NS,
				.rounds = 1}};
	uint64_t pairs, ms;

	if (argc != 5 || mode__parse(argv[1], &b.o.modes[0]) || parse_size(argv[2], &b.o.size) ||
	    parse_count(argv[3], 1, PAIRS_MAX, &pairs) || parse_count(argv[4], 1, 60000, &ms)) {
		fprintf(stderr, "usage: bench-overhead MODE SIZE PAIRS SLICE_MS\n");
		return EXIT_USAGE;
	}
	b.o.sender_cpus = b.o.receiver_cpus = "0";
	start(&b);
	run_pairs(&b, (unsigned int)pairs, (unsigned int)ms);
	for (int side = 0; side < NIO_SIDE_NR; side++)
		driver__clear(&b.drivers[side]);
	session__close(b.session);
	netpath__close(b.path);
	return EXIT_DONE;
}
