/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds the load generator's command lines. */
#include "loadgen_args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/xalloc.h"

void arglist__clear(struct arglist *args)
{
	for (size_t i = 0; i < args->argc; i++)
		free(args->argv[i]);
	free(args->argv);
	*args = (struct arglist){0};
}

__attribute__((format(printf, 2, 3))) static void add(struct arglist *args, const char *format, ...)
{
	va_list ap;

	args->argv = xreallocarray(args->argv, args->argc + 2, sizeof(*args->argv));
	va_start(ap, format);
	args->argv[args->argc++] = xvasprintf(format, ap);
	va_end(ap);
	args->argv[args->argc] = NULL;
}

static void add_string(struct arglist *args, const char *option, const char *value)
{
	if (!value)
		return;
	add(args, "%s", option);
	add(args, "%s", value);
}

/* unit: text after the number. 0 keeps the load generator's default. */
static void add_number(struct arglist *args, const char *option, uint64_t value, const char *unit)
{
	if (!value)
		return;
	add(args, "%s", option);
	add(args, "%" PRIu64 "%s", value, unit);
}

static void add_flag(struct arglist *args, const char *option, bool wanted)
{
	if (wanted)
		add(args, "%s", option);
}

static void add_address(struct arglist *args, const char *option, const char *address,
			unsigned int port)
{
	char text[ADDRESS_TEXT_MAX];

	add_string(args, option, address__format(text, sizeof(text), address, port));
}

static void add_receiver(struct arglist *args, const char *program, const struct workload *t,
			 const char *address, unsigned int port)
{
	add(args, "%s", program);
	add(args, "recv");
	add(args, "--control");
	add_address(args, "--listen", address, port);
	add_number(args, "--rcvbuf", t->rcvbuf, "");
	add_number(args, "--rcvlowat", t->rcvlowat, "");
	add_number(args, "--spin", t->spin_ns, "ns");
	add_string(args, "--cpus", t->receiver_cpus);
	add_flag(args, "--verify", t->verify);
}

void loadgen_args__receiver(struct arglist *args, const char *program, const struct workload *t,
			    const char *address)
{
	add_receiver(args, program, t, address, 0);
	/* A receiver sends nothing but replies. */
	if (t->request_response)
		add_string(args, "--congestion", t->congestion);
}

void loadgen_args__server(struct arglist *args, const char *program, const struct workload *t,
			  const struct address *listen)
{
	add_receiver(args, program, t, listen->host, listen->port);
	add_string(args, "--congestion", t->congestion);
	add(args, "--forever");
}

void loadgen_args__sender(struct arglist *args, const char *program, const struct workload *t,
			  enum mode mode, const char *address, unsigned int port)
{
	add(args, "%s", program);
	add(args, "send");
	add(args, "--control");
	add_address(args, "--connect", address, port);
	add_string(args, "--mode", mode__name(mode));
	add_number(args, "--size", t->size, "");
	add_number(args, "--fields", t->fields, "");
	add_number(args, "--header", t->header, "");
	add_number(args, "--threads", t->threads, "");
	add_number(args, "--connections", workload__connections(t), "");
	add_number(args, "--messages", t->messages, "");
	if (!t->messages)
		add_number(args, "--duration", workload__round_ns(t), "ns");
	add_number(args, "--warmup", t->warmup_ns, "ns");
	add_number(args, "--sndbuf", t->sndbuf, "");
	add_string(args, "--cpus", t->sender_cpus);
	add_string(args, "--congestion", t->congestion);
	add_number(args, "--spin", t->spin_ns, "ns");
	add_number(args, "--rate", t->rate, "");
	add_flag(args, "--request-response", t->request_response);
	add_flag(args, "--nodelay", t->nodelay);
	add_flag(args, "--verify", t->verify);
}

int loadgen_args__find(char *path, size_t len)
{
	static const char name[] = "/netio-loadgen";
	ssize_t n = readlink("/proc/self/exe", path, len - 1);
	char *slash;

	if (n < 0)
		return -errno;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash || slash + sizeof(name) > path + len)
		return -ENAMETOOLONG;
	strcpy(slash, name);
	return access(path, F_OK) ? -errno : 0;
}
