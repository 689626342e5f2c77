// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a scenario of socket_scenarios.h, whose sockets are declared as those of a run, and prints
 * each nonzero count in a line. Built and run by watched.bats, here and in guests.
 *
 *   watched_run BACKEND SCENARIO
 *
 * Exit 77: this machine cannot run the scenario; the line gives the reason.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/declared_probes.h"
#include "kernel/loader.h"
#include "kernel/meter.h"
#include "probes/plan.h"
#include "socket_scenarios.h"

static struct attach_probes *probes;
static struct meter *meter;
static struct plan plan;
static size_t pairs_nr;

static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len))
		fail("SO_COOKIE");
	return cookie;
}

static void read_sums(bool begins, struct nio_sums sums[NIO_SIDE_NR])
{
	const struct declared_side sides[NIO_SIDE_NR] = {{pairs_nr, getpid()},
							 {pairs_nr, getpid()}};

	errno = -declared_probes__sum(probes, sides, begins, sums);
	if (errno)
		fail("a pass over the sockets");
}

void watch(const struct pair *pairs, size_t n)
{
	static uint64_t cookies[NIO_SIDE_NR][SOCKETS_MAX];
	const uint32_t what[NIO_SIDE_NR] = {plan__calls(&plan),
					    NIO_DECLARED_RECEIVER | NIO_SEEN_CALL};
	struct nio_sums sums[NIO_SIDE_NR];

	for (size_t i = 0; i < n; i++) {
		cookies[NIO_SIDE_SENDER][i] = cookie_of(pairs[i].tx);
		cookies[NIO_SIDE_RECEIVER][i] = cookie_of(pairs[i].rx);
	}
	pairs_nr = n;
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		errno = -declared_probes__declare(probes, cookies[side], n, what[side]);
		if (!errno)
			errno = -meter__watch(meter, cookies[side], n, side);
		if (errno)
			fail("the sockets cannot be declared");
	}
	read_sums(true, sums);
}

static void print(const char *name, uint64_t value)
{
	if (value)
		printf("%s %lld\n", name, (long long)value);
}

/* Sequence numbers wrap on a live socket, under the programs and between two readings. */
static void play_wrap(void)
{
	struct pair p = pair_before_wrap();
	struct nio_sums sums[NIO_SIDE_NR];

	watch(&p, 1);
	for (int i = 0; i < 10; i++) {
		send_bytes(p.tx, 1000, 0);
		receive(p.rx, 1000, 0);
	}
	usleep(50000);
	read_sums(false, sums);
	print("queued", sums[NIO_SIDE_SENDER].queued);
	print("taken", sums[NIO_SIDE_RECEIVER].taken);
}

/* One at a time: bytes that join a packet with pinned pages are copied with them. */
static void send_and_receive(const struct pair *p, size_t n, int flags)
{
	send_bytes(p->tx, n, flags);
	receive(p->rx, n, 0);
}

/*
 * The programs at sends are detached while two calls take ids. Whether the first call after that
 * took an id is unknown; for later calls it is known.
 */
static void play_away_zerocopy(void)
{
	struct pair p = connect_pair(0);
	const int on = 1;
	struct plan base_plan;

	if (setsockopt(p.tx, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
		skip("SO_ZEROCOPY");
	watch(&p, 1);
	send_and_receive(&p, 1000, MSG_ZEROCOPY);
	base_plan = plan;
	base_plan.chosen[PROBE_SEND_RETURN] = NULL;
	declared_probes__pause(probes, &base_plan);
	send_and_receive(&p, 2000, MSG_ZEROCOPY);
	send_and_receive(&p, 2000, MSG_ZEROCOPY);
	errno = -declared_probes__attach(probes, &plan);
	if (errno)
		fail("declared_probes__attach");
	send_and_receive(&p, 500, 0);
	send_and_receive(&p, 600, 0);
	send_and_receive(&p, 3000, MSG_ZEROCOPY);
}

static enum mode mode_of(const char *scenario)
{
	if (!strcmp(scenario, "io_uring"))
		return MODE_URINGZC;
	return strstr(scenario, "zerocopy") ? MODE_ZEROCOPY : MODE_ONECOPY;
}

static void open_probes(const char *backend, const char *scenario)
{
	static struct probe_result probe_results[128];
	struct plan_request req = {.mode = mode_of(scenario),
				   .count_calls = true,
				   .times = TIMES_OFF,
				   .takes = 1U << NIO_STAGE_RX_MAP | 1U << NIO_STAGE_RX_DISCARD |
					    1U << NIO_STAGE_RX_SPLICE};
	const struct num optmem_max = {0};
	const char *const no_perf[NIO_PERF_EVENT_NR] = {"not tested", "not tested"};
	const struct plan *plans[] = {&plan};

	if (backend__parse(backend, &req.backend))
		fail("no such backend");
	loader__presume(OBJECT_RUN, probe_results, req.backend);
	errno = -plan__make(&plan, probe_results, &req);
	if (errno)
		skip("no plan for this backend");
	errno = -declared_probes__open(&probes, plans, 1, 2 * SOCKETS_MAX, 1024);
	if (!errno)
		errno = -meter__open(&meter, plans, 1, &optmem_max, no_perf);
	if (!errno)
		errno = -meter__attach(meter, &plan);
	if (!errno)
		errno = -declared_probes__attach(probes, &plan);
	if (errno)
		fail("the programs cannot be loaded");
}

static void print_uncovered(const struct sock_events *e)
{
	static const char *const kinds[NIO_UNCOVERED_NR] = {
#define X(id, key, text) [NIO_UNCOVERED_##id] = key,
		NIO_UNCOVERED(X)
#undef X
	};

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++) {
			char name[64];

			snprintf(name, sizeof(name), "%s_%s", side ? "rx" : "tx", kinds[kind]);
			print(name, e->uncovered_bytes[side][kind]);
		}
	}
}

static void print_counts(void)
{
	static const char *const stages[NIO_STAGE_NR] = {
#define X(id, key, ...) [NIO_STAGE_##id] = key,
		NIO_STAGES(X)
#undef X
	};
	static struct nio_seen seen[NIO_SIDE_NR];
	static struct snapshot now;

	errno = -meter__read(meter, &now, true);
	if (!errno)
		errno = -declared_probes__add_missed(probes, &now);
	if (errno)
		fail("meter__read");
	declared_probes__seen(probes, seen);
	num__add_counts(&seen[0], &seen[1], sizeof(seen[0]));
	for (int stage = 0; stage < NIO_STAGE_NR; stage++)
		print(stages[stage], seen[0].events.stages[stage].bytes);
	print_uncovered(&seen[0].events);
	print("completed", seen[0].events.completed);
	print("sends_unseen", seen[0].ids_unseen);
	print("unmatched", now.loss.unmatched);
	print("map_full", now.loss.map_full);
	print("missed", now.missed);
}

int main(int argc, char **argv)
{
	static const struct play own[] = {{"wrap", play_wrap},
					  {"away_zerocopy", play_away_zerocopy}};
	const struct play *play = NULL;

	for (size_t i = 0; argc == 3 && i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(argv[2], own[i].name))
			play = &own[i];
	if (argc == 3 && !play)
		play = find_play(argv[2]);
	if (!play) {
		fprintf(stderr, "usage: watched_run BACKEND SCENARIO\n");
		return 2;
	}
	open_probes(argv[1], argv[2]);
	play->play();
	usleep(100000);
	print_counts();
	attach_probes__close(probes);
	meter__close(meter);
	return 0;
}
