/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cost of watching: bytes per second of CPU time of both sides, with and without the attached
 * programs (or open performance counters, or samples), on one connection of one pair of load
 * generator processes, in alternating slices of a fraction of a second. Both sides share a CPU. On
 * two CPUs, loopback throughput changes by a factor of two at random, with the order of wake-ups;
 * on one, all work of both sides is counted, and idle time hides nothing.
 *
 *   bench-overhead MODE SIZE PAIRS SLICE_MS [probes|counters|samples:HZ|command:TEXT|cost]
 *
 * Prints: unwatched and watched Gbit per second of CPU time (medians), the median of the pairs'
 * ratios, its quartiles.
 *
 * cost: PAIRS watched slices. Prints the Gbit per second of CPU time, the BPF programs' share of
 * the CPU time of both sides in percent, by the kernel's own count (prog_stats.h), with the clock
 * of that count and without, and the largest share of packets of other namespaces; then a line per
 * program: name, runs per second, ns per run, both shares. The kernel counts runs for all packets,
 * so a slice with packets of others is repeated.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "cpu_clock.h"
#include "packets.h"
#include "prog_stats.h"
#include "base/stats.h"
#include "host/environment.h"
#include "load/loadgen_args.h"
#include "model/event_windows.h"
#include "run/options.h"
#include "load/driver.h"
#include "perf/event.h"
#include "perf/watch.h"
#include "kernel/sampler.h"
#include "kernel/declared_probes.h"
#include "kernel/btf_lookup.h"
#include "kernel/loader.h"
#include "common/units.h"

#define PAIRS_MAX     1000
#define SETTLE_MS     10
#define SLICE_MS      (window_rule_run.window_ns / NS_PER_MS)
#define EVENT_TIMEOUT 10000
#define NS_PER_MS     1000000ULL
#define DURATION_NS   (3600 * 1000 * NS_PER_MS) /* ended by a stop */
#define WARMUP_NS     (300 * NS_PER_MS)

#define HZ_MAX     100000
#define OTHERS_MAX 0.03 /* share of packets that are not of this namespace */
#define TRIES      20   /* of one slice */

/* The part that is switched on and off, or whose cost is read. */
enum watch {
	WATCH_PROBES,
	WATCH_COUNTERS,
	WATCH_SAMPLES,
	WATCH_COMMAND, /* of somebody else */
	WATCH_COST,    /* the programs, whose own cost is read */
};

/* Sums over the watched slices of WATCH_COST. */
struct cost {
	struct prog_stats before[PROG_STATS_MAX], sum[PROG_STATS_MAX];
	int nr;
	uint64_t bytes, cpu_ns;
	double others; /* the largest share of others' packets in a slice that counts */
};

struct bench {
	struct options o;
	struct netpath *path;
	struct attach_probes *probes;
	struct plan plan, base_plan;
	bool in_slices; /* events are sampled */
	enum watch watch;
	const char *name; /* of it */
	uint64_t hz;      /* of samples */
	const char *text; /* of the command */
	struct cost cost;
	struct command command;
	struct sampler *sampler;
	struct perf_plan perf_plan;
	struct perf_events *perf[NIO_SIDE_NR];
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
	const char *address = b->path->address, *step = "";
	struct arglist args = {0};
	int err;

	if (side == NIO_SIDE_RECEIVER)
		loadgen_args__receiver(&args, "build/netio-loadgen", &b->o.workload, address);
	else
		loadgen_args__sender(&args, "build/netio-loadgen", &b->o.workload, b->o.modes[0],
				     address, port);
	driver__init(&b->drivers[side], side);
	err = child__start(&b->drivers[side].child, args.argv, -1, &step);
	if (err)
		fail("cannot start the load generator", err);
	arglist__clear(&args);
}

static bool uses_programs(const struct bench *b)
{
	return b->watch == WATCH_PROBES || b->watch == WATCH_COST;
}

static void load_programs(struct bench *b)
{
	struct probe_result *probe_results = calloc(plan_alternatives_nr, sizeof(*probe_results));
	const struct plan *plans[MODE_NR] = {NULL};
	struct plan_request req = {
		.backend = BACKEND_AUTO,
		.mode = b->o.modes[0],
		.size = b->o.workload.size,
		.times = TIMES_APART,
	};
	int err = probe_results ? 0 : -ENOMEM;

	if (!err)
		loader__presume(OBJECT_RUN, probe_results, BACKEND_AUTO);
	if (!err)
		err = plan__make(&b->plan, probe_results, &req);
	plans[req.mode] = &b->plan;
	b->in_slices = loader__attaches_again() && plan__can_detach(&b->plan, &b->base_plan);
	if (!err)
		err = declared_probes__open(&b->probes, plans, MODE_NR,
					    NIO_SIDE_NR * LOAD_CONNECTIONS_MAX, NIO_REQUESTS_MAX);
	if (err)
		fail("cannot load the programs", err);
	free(probe_results);
}

static void load_sampler(struct bench *b)
{
	char why[256];
	int err = sampler__open(&b->sampler, -1, why, sizeof(why));

	if (err)
		fail(why, err);
}

static void open_counters(struct bench *b)
{
	struct perf_facts facts = {.paranoid = 0};

	perf_plan__init(&b->perf_plan, NULL, 0);
	perf_event__probe(&b->perf_plan, &facts);
	perf_proc__find_known(&b->perf_plan);
}

/* As a run chooses it: not one that paces, which hides what watching costs, unless asked for. */
static void choose_congestion(struct bench *b)
{
	static struct environment env;
	char why[512];

	environment__read(&env, b->path, btf_lookup__irq_time());
	if (congestion__choose(&env.congestion, getenv("CONGESTION"), true, why, sizeof(why))) {
		fprintf(stderr, "bench-overhead: %s.\n", why);
		exit(EXIT_USAGE);
	}
	if (env.congestion.chosen[0])
		b->o.workload.congestion = env.congestion.chosen;
}

/* The first reading makes the states of the sockets. */
static int read_sums(struct bench *b, bool begins)
{
	struct nio_sums sums[NIO_SIDE_NR];
	struct declared_side sides[NIO_SIDE_NR];

	for (int side = 0; side < NIO_SIDE_NR; side++)
		sides[side] = (struct declared_side){b->drivers[side].report.cookies_nr,
						     b->drivers[side].child.pid};
	return declared_probes__sum(b->probes, sides, begins, sums);
}

static void start(struct bench *b)
{
	struct driver *sender = &b->drivers[NIO_SIDE_SENDER];
	struct driver *receiver = &b->drivers[NIO_SIDE_RECEIVER];
	const char *step = "";
	int err = netpath__open(&b->path, NETPATH_LOOPBACK, 0, false, &step);

	if (err)
		fail(step, err);
	choose_congestion(b);
	if (b->watch == WATCH_COUNTERS)
		open_counters(b);
	else if (b->watch == WATCH_SAMPLES)
		load_sampler(b);
	else if (uses_programs(b))
		load_programs(b);
	launch(b, NIO_SIDE_RECEIVER, 0);
	await(receiver, DRIVER_LISTENING);
	launch(b, NIO_SIDE_SENDER, receiver->report.port);
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct driver *d = &b->drivers[side];

		await(d, DRIVER_READY);
		if (!uses_programs(b))
			continue;
		err = declared_probes__declare(b->probes, d->report.cookies, d->report.cookies_nr,
					       side ? NIO_DECLARED_RECEIVER | NIO_SEEN_CALL
						    : plan__calls(&b->plan));
		if (err)
			fail("cannot watch the sockets", err);
	}
	if (uses_programs(b))
		read_sums(b, true);
	child__send_line(&sender->child, "start");
	await(sender, DRIVER_QUIESCED);
	child__send_line(&sender->child, "measure");
}

static void sleep_ms(unsigned int ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NS_PER_MS};

	nanosleep(&ts, NULL);
}

static void received(struct bench *b, uint64_t *bytes, uint64_t *ns)
{
	struct driver *receiver = &b->drivers[NIO_SIDE_RECEIVER];

	child__send_line(&receiver->child, "stats");
	await(receiver, DRIVER_STATS);
	*bytes = receiver->report.app.rx_bytes;
	*ns = 0;
	for (int side = 0; side < NIO_SIDE_NR; side++)
		if (cpu_clock__add(ns, b->drivers[side].child.pid))
			fail("cannot read the CPU clock of the load generator", -ESRCH);
}

/* Loads and unloads the programs: loaded programs cost time even if they are disabled. */
static void switch_counters(struct bench *b, bool on)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		int err = 0;

		perf_events__close(b->perf[side]);
		b->perf[side] = NULL;
		if (on)
			err = perf_events__open(&b->perf[side], &b->perf_plan,
						b->drivers[side].child.pid);
		if (on && !err)
			err = perf_events__enable(b->perf[side]);
		if (err)
			fail("cannot open the performance counters", err);
	}
}

/* Samples are taken as in a run, and thrown away. */
static void switch_samples(struct bench *b, bool on)
{
	const pid_t pids[NIO_SIDE_NR] = {b->drivers[NIO_SIDE_SENDER].child.pid,
					 b->drivers[NIO_SIDE_RECEIVER].child.pid};
	char why[256];
	int err = 0;

	sampler__stop(b->sampler);
	if (on)
		err = sampler__start(b->sampler, pids, NULL, (unsigned int)b->hz, why, sizeof(why));
	if (err)
		fail(why, err);
}

/* Programs attached at the begin of a slice: the whole plan, unless events are sampled. */
static void switch_programs(struct bench *b, bool on)
{
	const struct plan *plan = b->in_slices ? &b->base_plan : &b->plan;
	int err = on ? declared_probes__attach(b->probes, plan) : declared_probes__rest(b->probes);

	if (err)
		fail("cannot attach", err);
}

static void switch_command(struct bench *b, bool on)
{
	int err;

	command__end(&b->command);
	err = on ? command__begin(&b->command, b->text) : 0;
	if (err)
		fail("the command did not say that it is attached", err);
}

static void switch_watch(struct bench *b, bool on)
{
	if (b->watch == WATCH_COUNTERS)
		switch_counters(b, on);
	else if (b->watch == WATCH_SAMPLES)
		switch_samples(b, on);
	else if (b->watch == WATCH_COMMAND)
		switch_command(b, on);
	else
		switch_programs(b, on);
}

static int read_snapshot(struct bench *b)
{
	struct nio_seen *seen = calloc(NIO_SIDE_NR, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	declared_probes__seen(b->probes, seen);
	free(seen);
	return read_sums(b, false);
}

static int read_counters(struct bench *b)
{
	struct perf_sum sums[PERF_SLOTS_MAX];
	struct perf_proc proc;
	int err = 0;

	for (int side = 0; side < NIO_SIDE_NR && !err; side++) {
		err = perf_events__read(b->perf[side], sums);
		if (!err)
			err = perf_proc__read(&proc, b->drivers[side].child.pid);
	}
	return err;
}

/* As a round does it (model/event_windows.h): attached for a slice, or longer where events are few,
 * then at rest. */
static void watch_in_slices(struct bench *b, unsigned int ms)
{
	uint64_t events = declared_probes__events(b->probes);
	unsigned int watched = 0;

	if (declared_probes__attach(b->probes, &b->plan))
		fail("cannot attach again", -EIO);
	do {
		sleep_ms(SLICE_MS);
		watched += SLICE_MS;
	} while (watched < ms &&
		 declared_probes__events(b->probes) - events < window_rule_run.events);
	declared_probes__pause(b->probes, &b->base_plan);
	if (watched < ms)
		sleep_ms(ms - watched);
}

/* The reads of a run's measured phase; samples are read after it. */
static int read_watch(struct bench *b)
{
	if (b->watch == WATCH_SAMPLES || b->watch == WATCH_COMMAND)
		return 0;
	return b->watch == WATCH_COUNTERS ? read_counters(b) : read_snapshot(b);
}

/* Gbit a second of CPU time over one slice, watched or not. */
static double slice(struct bench *b, bool watched, unsigned int ms)
{
	uint64_t bytes[2], ns[2];

	switch_watch(b, watched);
	sleep_ms(SETTLE_MS);
	received(b, &bytes[0], &ns[0]);
	if (watched && b->in_slices)
		watch_in_slices(b, ms);
	else
		sleep_ms(ms);
	if (watched && read_watch(b))
		fail("cannot read the counters", -EIO);
	received(b, &bytes[1], &ns[1]);
	return (double)(bytes[1] - bytes[0]) * 8 / (double)(ns[1] - ns[0]);
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
	stats__sort(ratio, pairs);
	printf("%-11s %-10s %8llu %10.3f %10.3f %8.4f %8.4f %8.4f\n", b->name,
	       mode__name(b->o.modes[0]), (unsigned long long)b->o.workload.size,
	       stats__spread(off, pairs).median, stats__spread(on, pairs).median,
	       stats__spread(ratio, pairs).median, ratio[pairs / 4], ratio[pairs * 3 / 4]);
}

/* The programs' counts, in the same order each time: programs are loaded once. */
static int read_programs(struct prog_stats *stats)
{
	int n = prog_stats__of(getpid(), stats, PROG_STATS_MAX);

	if (n < 0)
		fail("cannot read the programs", n);
	return n;
}

static const struct prog_stats *find_program(const struct prog_stats *stats, int n, uint32_t id)
{
	for (int i = 0; i < n; i++)
		if (stats[i].id == id)
			return &stats[i];
	fail("a program is gone", -ENOENT);
}

/* False: others' packets spoiled the slice, and it is not in the sums. */
static bool cost_slice(struct bench *b, unsigned int ms, bool last_try)
{
	struct prog_stats now[PROG_STATS_MAX];
	uint64_t bytes[2], ns[2];
	struct packets packets;
	double others;

	packets__begin(&packets);

	received(b, &bytes[0], &ns[0]);
	read_programs(b->cost.before);
	if (b->in_slices)
		watch_in_slices(b, ms);
	else
		sleep_ms(ms);
	if (read_snapshot(b))
		fail("cannot read the counters", -EIO);
	read_programs(now);
	received(b, &bytes[1], &ns[1]);
	others = packets__others(&packets);
	if (others > OTHERS_MAX && !last_try)
		return false;
	b->cost.others = others > b->cost.others ? others : b->cost.others;
	b->cost.bytes += bytes[1] - bytes[0];
	b->cost.cpu_ns += ns[1] - ns[0];
	for (int i = 0; i < b->cost.nr; i++) {
		uint32_t id = b->cost.sum[i].id;
		const struct prog_stats *new = find_program(now, b->cost.nr, id);
		const struct prog_stats *old = find_program(b->cost.before, b->cost.nr, id);

		b->cost.sum[i].runs += new->runs - old->runs;
		b->cost.sum[i].ns += new->ns - old->ns;
	}
	return true;
}

static double share(const struct bench *b, const struct prog_stats *stats, size_t n)
{
	return 100.0 * (double)prog_stats__cost(stats, n) / (double)b->cost.cpu_ns;
}

/* The same without the clock of the kernel's count. */
static double net_share(const struct bench *b, const struct prog_stats *stats, size_t n)
{
	double clock = prog_stats__clock(stats, n, b->cost.sum, (size_t)b->cost.nr);

	return share(b, stats, n) - 100.0 * clock / (double)b->cost.cpu_ns;
}

static void print_cost(const struct bench *b)
{
	double seconds = (double)b->cost.cpu_ns / 1e9;

	printf("%-11s %-10s %8llu %10.3f %8.3f %8.3f %8.3f\n", b->name, mode__name(b->o.modes[0]),
	       (unsigned long long)b->o.workload.size, (double)b->cost.bytes * 8 / 1e9 / seconds,
	       share(b, b->cost.sum, (size_t)b->cost.nr),
	       net_share(b, b->cost.sum, (size_t)b->cost.nr), b->cost.others);
	for (int i = 0; i < b->cost.nr; i++) {
		const struct prog_stats *p = &b->cost.sum[i];

		if (p->runs)
			printf("  %-15s %10.0f runs/s %6.1f ns %8.3f %8.3f\n", p->name,
			       (double)p->runs / seconds, (double)p->ns / (double)p->runs,
			       share(b, p, 1), net_share(b, p, 1));
	}
}

/* The programs stay attached, as in a round; what attaching costs is not theirs. */
static void run_cost(struct bench *b, unsigned int slices, unsigned int ms)
{
	int held = prog_stats__hold();

	if (held < 0)
		fail("cannot make the kernel count BPF runs", held);
	if (prog_stats__attach_empty())
		fail("cannot attach an empty program", -errno);
	switch_programs(b, true);
	sleep_ms(SETTLE_MS);
	b->cost.nr = read_programs(b->cost.sum);
	for (int i = 0; i < b->cost.nr; i++)
		b->cost.sum[i].runs = b->cost.sum[i].ns = 0;
	for (unsigned int i = 0; i < slices; i++)
		for (int try = 1; !cost_slice(b, ms, try == TRIES); try++)
			;
	print_cost(b);
	close(held);
}

/* "probes", "counters", "samples:HZ" */
static int parse_watch(struct bench *b, const char *text)
{
	static const char samples[] = "samples:", command[] = "command:";

	b->name = text;
	if (!strncmp(text, command, sizeof(command) - 1)) {
		b->watch = WATCH_COMMAND;
		b->name = "command";
		b->text = text + sizeof(command) - 1;
		return 0;
	}
	if (!strncmp(text, samples, sizeof(samples) - 1)) {
		b->watch = WATCH_SAMPLES;
		return parse_count(text + sizeof(samples) - 1, 1, HZ_MAX, &b->hz);
	}
	if (!strcmp(text, "cost")) {
		b->watch = WATCH_COST;
		return 0;
	}
	b->watch = strcmp(text, "counters") ? WATCH_PROBES : WATCH_COUNTERS;
	return b->watch == WATCH_PROBES && strcmp(text, "probes") ? -EINVAL : 0;
}

static void finish(struct bench *b)
{
	command__end(&b->command);
	sampler__close(b->sampler);
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		perf_events__close(b->perf[side]);
		driver__clear(&b->drivers[side]);
	}
	attach_probes__close(b->probes);
	netpath__close(b->path);
}

int main(int argc, char **argv)
{
	static struct bench b = {.o = {.modes_nr = 1,
				       .workload = {.threads = 1,
						    .fields = 8,
						    .duration_ns = DURATION_NS,
						    .warmup_ns = WARMUP_NS,
						    .rounds = 1}}};
	uint64_t pairs, ms;

	if (argc < 5 || argc > 6 || parse_watch(&b, argc == 6 ? argv[5] : "probes") ||
	    mode__parse(argv[1], &b.o.modes[0]) || parse_size(argv[2], &b.o.workload.size) ||
	    parse_count(argv[3], 1, PAIRS_MAX, &pairs) || parse_count(argv[4], 1, 60000, &ms)) {
		fprintf(stderr, "usage: bench-overhead MODE SIZE PAIRS SLICE_MS "
				"[probes|counters|samples:HZ|command:TEXT|cost]\n");
		return EXIT_USAGE;
	}
	b.o.workload.sender_cpus = b.o.workload.receiver_cpus = "0";
	start(&b);
	if (b.watch == WATCH_COST)
		run_cost(&b, (unsigned int)pairs, (unsigned int)ms);
	else
		run_pairs(&b, (unsigned int)pairs, (unsigned int)ms);
	finish(&b);
	return EXIT_DONE;
}
