/* SPDX-License-Identifier: GPL-2.0-only */
/* Session tokens, clock ids, and the check of --congestion. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session.h"
#include "sock.h"

int session__make_token(uint8_t token[PROTOCOL_TOKEN_SIZE])
{
	ssize_t n;

	do {
		n = getrandom(token, PROTOCOL_TOKEN_SIZE, 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == PROTOCOL_TOKEN_SIZE ? 0 : -EIO;
}

void session__mix_clock_id(uint8_t id[PROTOCOL_TOKEN_SIZE], const char *boot, uint64_t time_ns)
{
	unsigned int byte, n = 0, i;
	const char *p = boot;

	while (n < PROTOCOL_TOKEN_SIZE && *p) {
		if (*p == '-') {
			p++;
			continue;
		}
		if (sscanf(p, "%2x", &byte) != 1)
			break;
		id[n++] = (uint8_t)byte;
		p += 2;
	}
	if (n < PROTOCOL_TOKEN_SIZE)
		memset(id, 0, PROTOCOL_TOKEN_SIZE);
	else
		for (i = 0; i < sizeof(time_ns); i++)
			id[PROTOCOL_TOKEN_SIZE - 1 - i] ^= (uint8_t)(time_ns >> (8 * i));
}

void session__clock_id(uint8_t id[PROTOCOL_TOKEN_SIZE])
{
	char boot[64] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	struct stat ns;

	memset(id, 0, PROTOCOL_TOKEN_SIZE);
	if (!f)
		return;
	if (!fgets(boot, sizeof(boot), f))
		boot[0] = '\0';
	fclose(f);
	/* Without time namespaces (before Linux 5.6) there is one CLOCK_MONOTONIC. */
	session__mix_clock_id(id, boot, stat("/proc/self/ns/time", &ns) ? 0 : ns.st_ino);
}

bool session__same_clock(const uint8_t a[PROTOCOL_TOKEN_SIZE], const uint8_t b[PROTOCOL_TOKEN_SIZE])
{
	static const uint8_t unknown[PROTOCOL_TOKEN_SIZE];

	return !memcmp(a, b, PROTOCOL_TOKEN_SIZE) && memcmp(a, unknown, PROTOCOL_TOKEN_SIZE) != 0;
}

int session__check_congestion(struct reporter *report, const char *name)
{
	int err = sock__try_congestion(name);

	if (!err)
		return 0;
	if (err == -ENOENT)
		return reporter__error(report, err,
				       "This kernel has no congestion control '%s' (loaded)", name);
	if (err == -EPERM)
		return reporter__error(
			report, err,
			"Congestion control '%s' is for privileged programs only: add it to "
			"net.ipv4.tcp_allowed_congestion_control",
			name);
	return reporter__error(report, err, "Congestion control '%s' cannot be set: %m", name);
}

int session__describe(struct reporter *report, struct side_config *c, const int *fds, uint32_t nr)
{
	int err = sock__address(fds[0], c->sender, c->address, sizeof(c->address), &c->port);
	unsigned int port;

	if (c->sender || sock__address(fds[0], true, c->peer, sizeof(c->peer), &port))
		c->peer[0] = '\0';

	c->uid = geteuid();
	c->cookies_nr = nr;
	for (uint32_t i = 0; !err && i < nr; i++)
		err = sock__cookie(fds[i], &c->cookies[i]);
	if (err)
		return reporter__error(report, err, "A socket cannot be described: %m");
	reporter__ready(report, c);
	return 0;
}
