/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the addresses of a host name is used, with a resolver of the test. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/address.h"
#include "support/test.h"

#define ADDRESSES 3

static const char *const addresses[ADDRESSES] = {"127.0.0.1", "127.0.0.2", "127.0.0.3"};

/* Replaces the C library's: every name has these addresses. */
int getaddrinfo(const char *name, const char *port, const struct addrinfo *hints,
		struct addrinfo **found)
{
	static struct sockaddr_in in[ADDRESSES];
	static struct addrinfo list[ADDRESSES];

	(void)name;
	for (int i = 0; i < ADDRESSES; i++) {
		in[i] = (struct sockaddr_in){.sin_family = AF_INET,
					     .sin_port = htons((uint16_t)atoi(port)),
					     .sin_addr.s_addr = inet_addr(addresses[i])};
		list[i] = (struct addrinfo){.ai_family = AF_INET,
					    .ai_socktype = hints->ai_socktype,
					    .ai_addr = (struct sockaddr *)&in[i],
					    .ai_addrlen = sizeof(in[i]),
					    .ai_next = i + 1 < ADDRESSES ? &list[i + 1] : NULL};
	}
	*found = list;
	return 0;
}

void freeaddrinfo(struct addrinfo *found)
{
	(void)found;
}

/* Listens at this address; *port 0: the kernel chooses a port. */
static int listen_at(const char *address, unsigned int *port)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)*port),
				 .sin_addr.s_addr = inet_addr(address)};
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	*port = ntohs(in.sin_port);
	return fd;
}

static void resolves_to(const char *expected, bool listening, unsigned int port)
{
	struct address a = {"name", port};
	struct sockaddr_storage ss;
	const char *why;

	assert_int_equal(address__resolve(&a, listening, &ss, &why), 0);
	assert_string_equal(a.host, expected);
	assert_int_equal(((struct sockaddr_in *)&ss)->sin_addr.s_addr, inet_addr(expected));
}

TEST(first_address_that_accepts_a_connection_is_chosen)
{
	unsigned int port = 0;
	int second = listen_at("127.0.0.2", &port), first;

	resolves_to("127.0.0.2", false, port);
	first = listen_at("127.0.0.1", &port);
	resolves_to("127.0.0.1", false, port);
	close(first);
	close(second);
	/* No listener: the last address is used and its error reported. */
	resolves_to("127.0.0.3", false, port);
}

TEST(first_address_that_can_be_bound_is_listened_on)
{
	unsigned int port = 0;
	int first = listen_at("127.0.0.1", &port), second, third;

	resolves_to("127.0.0.2", true, port);
	second = listen_at("127.0.0.2", &port);
	third = listen_at("127.0.0.3", &port);
	resolves_to("127.0.0.3", true, port);
	close(first);
	resolves_to("127.0.0.1", true, port);
	close(second);
	close(third);
}
