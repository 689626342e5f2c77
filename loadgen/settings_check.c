/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks that the settings fit together, and computes what a run needs. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "common/units.h"
#include "clock.h"
#include "pending_sessions.h"
#include "settings_check.h"

int settings__refuse(char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, SETTINGS_WHY, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

uint64_t settings__share(uint64_t total, uint64_t n, uint64_t i)
{
	return total / n + (i < total % n);
}

uint64_t settings__descriptors(const struct settings *s)
{
	/* Standard streams, listening socket, signalfd, eventfd; an epoll and a timer a thread. */
	uint64_t own = 64 + 2 * PROTOCOL_THREADS_MAX;

	if (s->command == COMMAND_SEND)
		return own + s->connections;
	/* The sender's hello tells the receiver the number of connections. */
	return own + PROTOCOL_CONNECTIONS_MAX + ACCEPTOR_PENDING_MAX + PENDING_CLIENTS_MAX;
}

uint64_t settings__memory(const struct settings *s)
{
	return mode__memory(s->mode, s->size, (unsigned int)s->connections);
}

int settings__check_memory(const struct settings *s, uint64_t memory, char *why)
{
	char need[UNITS_BUF];

	if (s->command == COMMAND_RECV || settings__memory(s) <= memory / 2)
		return 0;
	format_size(need, sizeof(need), settings__memory(s));
	return settings__refuse(
		why,
		"Messages would take %s, more than half of this machine's memory: give a "
		"smaller --size or fewer --connections",
		need);
}

int settings__check(struct settings *s, char *why)
{
	if (s->command == COMMAND_SEND && !s->endpoint_set)
		return settings__refuse(why, "send needs --connect ADDRESS:PORT, the receiver's");
	if (s->command == COMMAND_RECV && !s->endpoint_set)
		return settings__refuse(why, "recv needs --listen ADDRESS:PORT, like 127.0.0.1:0");
	if (s->messages && s->duration_ns)
		return settings__refuse(why,
					"--messages and --duration exclude each other: give one");
	if (s->json && s->control)
		return settings__refuse(why,
					"--json and --control exclude each other: --control always "
					"answers in JSON");
	if (!s->connections)
		s->connections = s->threads;
	if (s->connections < s->threads)
		return settings__refuse(
			why,
			"%llu connection%s fewer than %llu threads: give --threads at most "
			"--connections",
			(unsigned long long)s->connections, s->connections == 1 ? " is" : "s are",
			(unsigned long long)s->threads);
	if (s->size < s->fields)
		return settings__refuse(
			why,
			"A message of %llu bytes cannot have %llu fields: give --fields at "
			"most --size",
			(unsigned long long)s->size, (unsigned long long)s->fields);
	if (s->request_response && s->rcvlowat)
		return settings__refuse(why,
					"--request-response and --rcvlowat exclude each other: a "
					"message under the mark would wait for the next for ever");
	/* Nagle's algorithm would delay a message until the last one is acknowledged. */
	s->nodelay |= s->request_response;
	if (!s->messages && !s->duration_ns)
		s->duration_ns = 5 * NS_PER_SEC;
	return settings__check_memory(
		s, (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE), why);
}
