/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For LD_PRELOAD into any program: limits its connections to $PACED_RATE bytes/s. TCP keeps to that
 * by a timer that holds packets back (SO_MAX_PACING_RATE; socket(7)).
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	int (*next)(int, const struct sockaddr *, socklen_t);
	const char *text = getenv("PACED_RATE");
	unsigned long rate = text ? strtoul(text, NULL, 10) : 0;

	*(void **)&next = dlsym(RTLD_NEXT, "connect");
	if (!next || !rate || setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate)))
		abort();
	return next(fd, to, len);
}
