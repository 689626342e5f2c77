/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds the load generator's command lines. */
#include "loadgen_args.h"

#include <errno.h>
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

/* The options of this use that were given, without those that need another mode. */
static void add_workload(struct arglist *args, const struct workload *w, enum workload_use use,
			 unsigned int features)
{
	char buf[OPTION_TEXT_MAX];

	for (size_t i = 0; i < WORKLOAD_OPTIONS_NR; i++) {
		const struct option_row *row = &workload_options[i];
		bool has = row->commands & use && (!row->needs || row->needs & features);
		const char *text = has ? option__text(row, w, buf) : NULL;

		if (!text)
			continue;
		add(args, "--%s", row->kind == OPTION_CPUS ? "cpus" : row->name);
		if (*text)
			add(args, "%s", text);
	}
}

static void add_address(struct arglist *args, const char *option, const char *address,
			unsigned int port)
{
	char text[ADDRESS_TEXT_MAX];

	add(args, "%s", option);
	add(args, "%s", address__format(text, sizeof(text), address, port));
}

static void add_receiver(struct arglist *args, const char *program, const struct workload *w,
			 const char *address, unsigned int port)
{
	add(args, "%s", program);
	add(args, "recv");
	add(args, "--control");
	add_address(args, "--listen", address, port);
	add_workload(args, w, ON_RECEIVER, 0);
}

void loadgen_args__receiver(struct arglist *args, const char *program, const struct workload *w,
			    const char *address)
{
	struct workload receiver = *w;

	/* A receiver sends nothing but replies. */
	if (!w->request_response)
		receiver.congestion = NULL;
	add_receiver(args, program, &receiver, address, 0);
}

void loadgen_args__server(struct arglist *args, const char *program, const struct workload *w,
			  const struct address *listen)
{
	add_receiver(args, program, w, listen->host, listen->port);
	add(args, "--forever");
	add(args, "--half");
}

static void add_sender(struct arglist *args, const char *program, enum mode mode)
{
	add(args, "%s", program);
	add(args, "send");
	add(args, "--control");
	add(args, "--mode");
	add(args, "%s", mode__name(mode));
}

void loadgen_args__sender(struct arglist *args, const char *program, const struct workload *w,
			  enum mode mode, const char *address, unsigned int port)
{
	struct workload sender = *w;

	sender.connections = workload__connections(w);
	sender.fields = mode__fields(mode, w);
	sender.duration_ns = w->messages ? 0 : workload__round_ns(w);
	add_sender(args, program, mode);
	add_address(args, "--connect", address, port);
	add_workload(args, &sender, ON_SENDER, mode__info(mode)->features);
}

void loadgen_args__trial(struct arglist *args, const char *program, const struct workload *w,
			 enum mode mode, bool receives)
{
	struct workload trial = *w;

	trial.fields = mode__fields(mode, w);
	if (!receives)
		trial.receive = RECEIVE_RECV;
	add_sender(args, program, mode);
	add(args, "--try");
	add_workload(args, &trial, OF_TRIAL, mode__info(mode)->features);
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
