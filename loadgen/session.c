/* SPDX-License-Identifier: GPL-2.0-only */
/* Session tokens, clock ids, and the check of --congestion. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/units.h"
#include "receive_way.h"
#include "send_mode.h"
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

#define LOOPBACK_FAILS  "a connection to 127.0.0.1 fails"
#define LOOPBACK_REMEDY "see the firewall, and whether the device lo is up"

#define NO_MEMORY                                                                             \
	"memory is short, or the processes of this user have pinned all that RLIMIT_MEMLOCK " \
	"allows"
#define NO_MEMORY_REMEDY "raise it with ulimit -l"

struct refusal_text {
	int err; /* 0: any other */
	const char *fails, *remedy;
};

/* what: "Mode uring cannot run here". Returns err. */
static int refuse(struct reporter *r, int err, const char *what, const char *fails,
		  const char *remedy)
{
	const struct refusal_text texts[] = {
		{-ENOMEM, NO_MEMORY, NO_MEMORY_REMEDY},
		{-EMFILE, "the process may open no more files", "raise ulimit -n"},
		{-ENFILE, "the machine may open no more files", "raise fs.file-max"},
		{-ETIMEDOUT, LOOPBACK_FAILS, LOOPBACK_REMEDY},
		{-ENETUNREACH, LOOPBACK_FAILS, LOOPBACK_REMEDY},
		{-ECONNREFUSED, LOOPBACK_FAILS, LOOPBACK_REMEDY},
		{0, fails, remedy},
	};
	const struct refusal_text *why = texts;

	while (why->err && why->err != err)
		why++;
	return reporter__error(r, err, "%s: %s (%m); %s", what, why->fails, why->remedy);
}

int session__refuse_mode(struct reporter *r, int err, enum mode mode, const char *where)
{
	const struct send_mode *m = send_mode__get(mode);
	char what[64];

	snprintf(what, sizeof(what), "Mode %s cannot run %s", mode__name(mode), where);
	return refuse(r, err, what, m->try_fails, m->try_remedy);
}

int session__refuse_receive(struct reporter *r, int err, enum receive way, const char *where)
{
	const struct receive_way *w = receive_way__get(way);
	char what[64];

	snprintf(what, sizeof(what), "--receive %s cannot work %s", receive__name(way), where);
	return refuse(r, err, what, w->try_fails, w->try_remedy);
}

int session__refuse_setup(struct reporter *r, int err, unsigned int connections,
			  unsigned int threads)
{
	return reporter__error(r, err, "%u connection%s in %u thread%s cannot be set up%s: %m",
			       connections, plural(connections), threads, plural(threads),
			       err == -ENOMEM ? ": " NO_MEMORY "; " NO_MEMORY_REMEDY : "");
}

int session__try_receive(const struct lg_options *options, struct reporter *r)
{
	int err = receive_way__try(options->workload.receive);

	if (!err || err == -EINTR)
		return err;
	return session__refuse_receive(r, err, options->workload.receive, "here");
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
