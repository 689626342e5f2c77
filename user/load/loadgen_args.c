/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns building the load generator's command lines; see loadgen_args.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadgen_args.h"

void arglist__clear(struct arglist *args)
{
	for (size_t i = 0; i < args->argc; i++)
		free(args->argv[i]);
	free(args->argv);
	*args = (struct arglist){0};
}

__attribute__((format(printf, 2, 3))) static int add(struct arglist *args, const char *format, ...)
{
	char **argv = realloc(args->argv, (args->argc + 2) * sizeof(*argv));
	va_list ap;
	int len;

	if (!argv)
		return -ENOMEM;
	args->argv = argv;
	va_start(ap, format);
	len = vasprintf(&argv[args->argc], format, ap);
	va_end(ap);
	if (len < 0) {
		argv[args->argc] = NULL;
		return -ENOMEM;
	}
	argv[++args->argc] = NULL;
	return 0;
}

static int add_string(struct arglist *args, const char *option, const char *value)
{
	int err;

	if (!value)
		return 0;
	err = add(args, "%s", option);
	return err ? err : add(args, "%s", value);
}

static int add_number(struct arglist *args, const char *option, uint64_t value)
{
	int err = add(args, "%s", option);

	return err ? err : add(args, "%" PRIu64, value);
}

static int add_buffer(struct arglist *args, const char *option, uint64_t size)
{
	return size ? add_number(args, option, size) : 0;
}

static int add_ns(struct arglist *args, const char *option, uint64_t ns)
{
	int err = add(args, "%s", option);

	return err ? err : add(args, "%" PRIu64 "ns", ns);
}

static int add_flag(struct arglist *args, const char *option, bool wanted)
{
	return wanted ? add(args, "%s", option) : 0;
}

static int add_address(struct arglist *args, const char *option, const char *address,
		       unsigned int port)
{
	char text[ADDRESS_TEXT_MAX];
	int err = add(args, "%s", option);

	if (err)
		return err;
	return add(args, "%s", address__format(text, sizeof(text), address, port));
}

static int add_spin(struct arglist *args, const struct traffic *t)
{
	return t->spin_ns ? add_ns(args, "--spin", t->spin_ns) : 0;
}

static int add_receiver(struct arglist *args, const char *program, const struct traffic *t,
			const char *address, unsigned int port)
{
	int err = add(args, "%s", program);

	err = err ? err : add(args, "recv");
	err = err ? err : add(args, "--control");
	err = err ? err : add_address(args, "--listen", address, port);
	err = err ? err : add_buffer(args, "--rcvbuf", t->rcvbuf);
	err = err ? err : add_buffer(args, "--rcvlowat", t->rcvlowat);
	err = err ? err : add_spin(args, t);
	err = err ? err : add_string(args, "--cpus", t->receiver_cpus);
	return err ? err : add_flag(args, "--verify", t->verify);
}

int loadgen_args__receiver(struct arglist *args, const char *program, const struct traffic *t,
			   const char *address)
{
	int err = add_receiver(args, program, t, address, 0);

	/* A receiver sends nothing but replies. */
	if (err || !t->request_response)
		return err;
	return add_string(args, "--congestion", t->congestion);
}

int loadgen_args__server(struct arglist *args, const char *program, const struct traffic *t,
			 const struct address *listen)
{
	int err = add_receiver(args, program, t, listen->host, listen->port);

	err = err ? err : add_string(args, "--congestion", t->congestion);
	return err ? err : add(args, "--forever");
}

static int add_amount(struct arglist *args, const struct traffic *t)
{
	int err;

	if (t->messages)
		err = add_number(args, "--messages", t->messages);
	else
		err = add_ns(args, "--duration", traffic__round_ns(t));
	return err ? err : add_ns(args, "--warmup", t->warmup_ns);
}

int loadgen_args__sender(struct arglist *args, const char *program, const struct traffic *t,
			 enum mode mode, const char *address, unsigned int port)
{
	int err = add(args, "%s", program);

	err = err ? err : add(args, "send");
	err = err ? err : add(args, "--control");
	err = err ? err : add_address(args, "--connect", address, port);
	err = err ? err : add_string(args, "--mode", mode__name(mode));
	err = err ? err : add_number(args, "--size", t->size);
	err = err ? err : add_number(args, "--fields", t->fields);
	err = err ? err : add_buffer(args, "--header", t->header);
	err = err ? err : add_number(args, "--threads", t->threads);
	err = err ? err : add_number(args, "--connections", traffic__connections(t));
	err = err ? err : add_amount(args, t);
	err = err ? err : add_buffer(args, "--sndbuf", t->sndbuf);
	err = err ? err : add_string(args, "--cpus", t->sender_cpus);
	err = err ? err : add_string(args, "--congestion", t->congestion);
	err = err ? err : add_spin(args, t);
	err = err ? err : (t->rate ? add_number(args, "--rate", t->rate) : 0);
	err = err ? err : add_flag(args, "--request-response", t->request_response);
	err = err ? err : add_flag(args, "--nodelay", t->nodelay);
	return err ? err : add_flag(args, "--verify", t->verify);
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
