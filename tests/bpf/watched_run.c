// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a scenario of socket_scenarios.h, whose sockets are watched by a session, and prints each
 * nonzero count in a line. Built and run by watched.bats, here and in guests.
 *
 *   watched_run BACKEND SIZE SCENARIO
 *     SIZE: message size of the plan, in bytes; below 16 KiB tx_copy is counted by packet
 *
 * Exit 77: this machine cannot run the scenario; the line gives the reason.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/loader.h"
#include "kernel/session.h"
#include "probes/plan.h"
#include "model/tcp_seq.h"
#include "socket_scenarios.h"

static struct session *session;
static struct plan plan;

static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len))
		fail("SO_COOKIE");
	return cookie;
}

void watch(const struct pair *pairs, size_t n)
{
	static uint64_t cookies[NIO_SIDE_NR][SOCKETS_MAX];

	for (size_t i = 0; i < n; i++) {
		cookies[NIO_SIDE_SENDER][i] = cookie_of(pairs[i].tx);
		cookies[NIO_SIDE_RECEIVER][i] = cookie_of(pairs[i].rx);
	}
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		errno = -session__watch(session, cookies[side], n, 0, side);
		if (errno)
			fail("session__watch");
	}
}

static void print(const char *name, uint64_t value)
{
	if (value)
		printf("%s %lld\n", name, (long long)value);
}

static struct socket_snapshot passes[2][NIO_SIDE_NR];

struct taker {
	struct socket_snapshot *pass;
	uint64_t cookies[NIO_SIDE_NR];
};

static void take(void *arg, const struct nio_socket *socket)
{
	struct taker *t = arg;

	for (int side = 0; side < NIO_SIDE_NR; side++)
		tcp_seq__add_socket(&t->pass[side], &t->cookies[side], socket);
}

static void read_pair(const struct pair *p, struct socket_snapshot *pass)
{
	struct taker t = {pass, {cookie_of(p->tx), cookie_of(p->rx)}};

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		tcp_seq__begin(&pass[side], 1);
		pass[side].source = "iter/task_file";
	}
	errno = -session__each_socket(session, getpid(), take, &t);
	if (errno)
		fail("a pass over the sockets");
}

/* Sequence numbers wrap on a live socket, under the programs and between two socket iterations. */
static void play_wrap(void)
{
	struct pair p = pair_before_wrap();
	struct sequence_sum tx, rx;

	watch(&p, 1);
	read_pair(&p, passes[0]);
	for (int i = 0; i < 10; i++) {
		send_bytes(p.tx, 1000, 0);
		receive(p.rx, 1000, 0);
	}
	usleep(50000);
	read_pair(&p, passes[1]);
	if (tcp_seq__between(&passes[0][NIO_SIDE_SENDER], &passes[1][NIO_SIDE_SENDER], &tx) ||
	    tcp_seq__between(&passes[0][NIO_SIDE_RECEIVER], &passes[1][NIO_SIDE_RECEIVER], &rx))
		fail("no sum between two passes");
	if (passes[1][NIO_SIDE_SENDER].sockets[0].tcp.write_seq >
	    passes[0][NIO_SIDE_SENDER].sockets[0].tcp.write_seq)
		fail("the numbers did not wrap");
	print("queued", tx.queued);
	print("taken", rx.taken);
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
	uint64_t cookie;

	if (setsockopt(p.tx, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
		skip("SO_ZEROCOPY");
	watch(&p, 1);
	send_and_receive(&p, 1000, MSG_ZEROCOPY);
	base_plan = plan;
	base_plan.chosen[PROBE_SEND_RETURN] = base_plan.chosen[PROBE_SPLICE] = NULL;
	session__detach_events(session, &base_plan);
	send_and_receive(&p, 2000, MSG_ZEROCOPY);
	send_and_receive(&p, 2000, MSG_ZEROCOPY);
	cookie = cookie_of(p.tx);
	session__forget_streams(session, &cookie, 1);
	errno = -session__attach(session, &plan);
	if (errno)
		fail("session__attach");
	send_and_receive(&p, 500, 0);
	send_and_receive(&p, 600, 0);
	send_and_receive(&p, 3000, MSG_ZEROCOPY);
}

static struct session *open_session(const char *backend, uint64_t size, const char *scenario)
{
	static struct probe_result probe_results[128];
	struct plan_request req = {.mode = strstr(scenario, "zerocopy") ? MODE_ZEROCOPY
									: MODE_ONECOPY,
				   .size = size,
				   .takes = 1U << NIO_STAGE_RX_MAP | 1U << NIO_STAGE_RX_DISCARD |
					    1U << NIO_STAGE_RX_SPLICE};
	const struct num optmem_max = {0};
	const char *const no_perf[NIO_PERF_EVENT_NR] = {"not tested", "not tested"};
	const struct plan *plans[] = {&plan};
	struct session *s;

	if (backend__parse(backend, &req.backend))
		fail("no such backend");
	loader__presume(OBJECT_RUN, probe_results, req.backend);
	errno = -plan__make(&plan, probe_results, &req);
	if (errno)
		skip("no plan for this backend");
	errno = -session__open(&s, plans, 1, 1, &optmem_max, no_perf);
	if (errno)
		fail("session__open");
	errno = -session__attach(s, &plan);
	if (errno)
		fail("session__attach");
	return s;
}

static void print_uncovered(const struct snapshot *now)
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
			print(name, now->uncovered[side][kind].bytes);
		}
	}
}

static void print_counts(struct session *s)
{
	static const char *const stages[NIO_STAGE_NR] = {
#define X(id, key, ...) [NIO_STAGE_##id] = key,
		NIO_STAGES(X)
#undef X
	};
	static struct snapshot now;

	errno = -session__read(s, 0, &now, true);
	if (errno)
		fail("session__read");
	for (int stage = 0; stage < NIO_STAGE_NR; stage++)
		print(stages[stage], now.cells[NIO_SIDE_SENDER][stage].bytes +
					     now.cells[NIO_SIDE_RECEIVER][stage].bytes);
	print_uncovered(&now);
	print("completed", now.zc.sends);
	print("completed_missed", now.zc.missed);
	print("completed_again", now.zc.repeated);
	print("completed_bytes", now.zc.bytes);
	print("sends_unseen", now.zc.unseen);
	print("unmatched", now.loss.unmatched);
	print("map_full", now.loss.map_full);
	print("backwards", now.loss.backwards);
	print("no_cell", now.loss.no_cell);
	print("missed", now.missed);
}

int main(int argc, char **argv)
{
	static const struct play own[] = {{"wrap", play_wrap},
					  {"away_zerocopy", play_away_zerocopy}};
	const struct play *play = NULL;

	for (size_t i = 0; argc == 4 && i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(argv[3], own[i].name))
			play = &own[i];
	if (argc == 4 && !play)
		play = find_play(argv[3]);
	if (!play) {
		fprintf(stderr, "usage: watched_run BACKEND SIZE SCENARIO\n");
		return 2;
	}
	session = open_session(argv[1], strtoull(argv[2], NULL, 10), argv[3]);
	play->play();
	usleep(100000);
	print_counts(session);
	session__close(session);
	return 0;
}
