// SPDX-License-Identifier: GPL-2.0-only
/* Connections by their ports, and whether the kernel still has them. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>

#include "socket_scenarios.h"

bool ports_of(int fd, struct ports *ports)
{
	struct sockaddr_in local, remote;
	socklen_t local_len = sizeof(local), remote_len = sizeof(remote);

	if (getsockname(fd, (void *)&local, &local_len) || local.sin_family != AF_INET ||
	    getpeername(fd, (void *)&remote, &remote_len))
		return false;
	*ports = (struct ports){ntohs(local.sin_port), ntohs(remote.sin_port)};
	return true;
}

static bool is_among(const struct ports *ports, size_t n, unsigned int here, unsigned int there)
{
	for (size_t i = 0; i < n; i++)
		if ((ports[i].local == here && ports[i].remote == there) ||
		    (ports[i].local == there && ports[i].remote == here))
			return true;
	return false;
}

bool are_open(const struct ports *ports, size_t n)
{
	FILE *f = fopen("/proc/net/tcp", "re");
	unsigned int local, remote, state;
	bool open = false;
	char line[256];

	if (!f)
		fail("/proc/net/tcp");
	while (!open && fgets(line, sizeof(line), f))
		open = sscanf(line, " %*u: %*x:%x %*x:%x %x", &local, &remote, &state) == 3 &&
		       state != TCP_TIME_WAIT && is_among(ports, n, local, remote);
	fclose(f);
	return open;
}
