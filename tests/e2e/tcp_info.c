/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For LD_PRELOAD into any program: writes the kernel's TCP_INFO of each TCP connection when it is
 * closed, or at exit, as a line to the end of the file $TCP_INFO_FILE:
 *
 *   LOCAL_PORT REMOTE_PORT SENT RECEIVED COOKIE
 *
 * Bytes of payload: retransmitted bytes count once, and the FIN, which takes a sequence number, is
 * excluded. A connection with several descriptors has several lines with its cookie; the last
 * counts. Ports do not identify a connection: if the server closes first, the client may get its
 * port again at once, while the server's end is in TIME_WAIT.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DESCRIPTORS 1024

/* States after the peer's FIN: from netinet/tcp.h, which conflicts with linux/tcp.h. */
enum { TIME_WAIT = 6, CLOSE_WAIT = 8, LAST_ACK = 9, CLOSING = 11 };

static bool has_fin(int state)
{
	return state == TIME_WAIT || state == CLOSE_WAIT || state == LAST_ACK || state == CLOSING;
}

/* The port is at the same offset in IPv4 and IPv6 addresses. */
static int port_of(const struct sockaddr_in6 *address)
{
	return ntohs(address->sin6_port);
}

static void write_line(const char *line, int len)
{
	const char *name = getenv("TCP_INFO_FILE");
	int fd = name ? open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;

	if (fd < 0)
		return;
	if (write(fd, line, len) != len)
		abort();
	syscall(SYS_close, fd);
}

static void note(int fd)
{
	struct tcp_info info = {0};
	struct sockaddr_in6 local, remote;
	socklen_t len = sizeof(info), local_len = sizeof(local), remote_len = sizeof(remote);
	unsigned long long cookie;
	socklen_t cookie_len = sizeof(cookie);
	char line[160];

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) ||
	    getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &cookie_len) ||
	    getsockname(fd, (struct sockaddr *)&local, &local_len) ||
	    getpeername(fd, (struct sockaddr *)&remote, &remote_len))
		return;
	write_line(
		line,
		snprintf(line, sizeof(line), "%d %d %llu %llu %llu\n", port_of(&local),
			 port_of(&remote),
			 (unsigned long long)(info.tcpi_bytes_sent - info.tcpi_bytes_retrans),
			 (unsigned long long)(info.tcpi_bytes_received - has_fin(info.tcpi_state)),
			 cookie));
}

int close(int fd)
{
	int before = errno;

	note(fd);
	errno = before;
	return (int)syscall(SYS_close, fd);
}

__attribute__((destructor)) static void note_all(void)
{
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		note(fd);
}
