/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plays a scenario of tests/bpf/plays.h, or one of those below, as a program that knows nothing of
 * being watched.
 *
 *   play SCENARIO
 *
 * Exit 77: this machine cannot play it; the line says why.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/bpf/plays.h"

void watch(const struct pair *pairs, size_t n)
{
	(void)pairs;
	(void)n;
}

static void play_wrap(void)
{
	struct pair p = pair_before_wrap();

	for (int i = 0; i < 10; i++) {
		send_bytes(p.tx, 1000, 0);
		receive(p.rx, 1000, 0);
	}
}

/* The first bytes travel with the SYN, from the second connection on: the first asks for a cookie.
 */
static void play_fastopen(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), queue = 16;
	socklen_t len = sizeof(to);
	struct tcp_info info;

	if (setsockopt(listener, IPPROTO_TCP, TCP_FASTOPEN, &queue, sizeof(queue)))
		skip("TCP_FASTOPEN");
	if (bind(listener, (void *)&to, len) || listen(listener, 16) ||
	    getsockname(listener, (void *)&to, &len))
		fail("listen");
	for (int i = 0; i < 3; i++) {
		struct pair p = {.tx = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};

		if (sendto(p.tx, data, 1000, MSG_FASTOPEN, (void *)&to, sizeof(to)) != 1000)
			skip("sendto with MSG_FASTOPEN");
		p.rx = accept(listener, NULL, NULL);
		receive(p.rx, 1000, 0);
		send_bytes(p.rx, 10, 0);
		receive(p.tx, 10, 0);
		len = sizeof(info);
		if (getsockopt(p.tx, IPPROTO_TCP, TCP_INFO, &info, &len))
			fail("TCP_INFO");
		close(p.tx);
		close(p.rx);
	}
	if (!(info.tcpi_options & TCPI_OPT_SYN_DATA))
		skip("no data in the SYN: net.ipv4.tcp_fastopen");
}

static const struct play own[] = {
	{"wrap", play_wrap},
	{"fastopen", play_fastopen},
};

int main(int argc, char **argv)
{
	const struct play *play = argc == 2 ? find_play(argv[1]) : NULL;

	for (size_t i = 0; argc == 2 && i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(argv[1], own[i].name))
			play = &own[i];
	if (!play) {
		fprintf(stderr, "usage: play SCENARIO\n");
		return 2;
	}
	play->play();
	/* Whatever is on its way comes to its end. */
	usleep(50000);
	return 0;
}
