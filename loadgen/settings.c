/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the command line with one table of options, which also makes the help text. */
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cpu_mask.h"
#include "common/limits.h"
#include "common/units.h"
#include "clock.h"
#include "settings_check.h"

#define SENDING (COMMAND_SEND | COMMAND_LOOPBACK)
#define ALL     (COMMAND_SEND | COMMAND_RECV | COMMAND_LOOPBACK)

static int set_mode(struct settings *s, const char *arg, char *why)
{
	char names[MODE_LIST_LEN];

	if (!mode__parse(arg, &s->mode))
		return 0;
	return settings__refuse(why, "--mode '%.60s' is not known: choose one of %s", arg,
				mode__list(names, sizeof(names), ~0U));
}

static int set_size(struct settings *s, const char *arg, char *why)
{
	uint64_t v;

	if (parse_size(arg, &v) || v < PROTOCOL_SIZE_MIN || v > PROTOCOL_SIZE_MAX)
		return settings__refuse(
			why, "--size '%.60s' is not a size from 64 to 16m, like 4096 or 64k", arg);
	s->size = v;
	return 0;
}

static int set_sockbuf(uint64_t *out, const char *name, const char *arg, char *why)
{
	uint64_t v;

	if (parse_size(arg, &v) || v < LIMIT_SOCKBUF_MIN || v > LIMIT_SOCKBUF_MAX)
		return settings__refuse(why, "%s '%.60s' is not a size from 4k to 1g", name, arg);
	*out = v;
	return 0;
}

static int set_sndbuf(struct settings *s, const char *arg, char *why)
{
	return set_sockbuf(&s->sndbuf, "--sndbuf", arg, why);
}

static int set_rcvbuf(struct settings *s, const char *arg, char *why)
{
	return set_sockbuf(&s->rcvbuf, "--rcvbuf", arg, why);
}

static int set_congestion(struct settings *s, const char *arg, char *why)
{
	static const char name[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t len = strlen(arg);

	if (!len || len >= sizeof(s->congestion) || strspn(arg, name) != len)
		return settings__refuse(
			why, "--congestion '%.60s' is not the name of a congestion control", arg);
	strcpy(s->congestion, arg);
	return 0;
}

static int set_fields(struct settings *s, const char *arg, char *why)
{
	if (parse_count(arg, 1, PROTOCOL_FIELDS_MAX, &s->fields))
		return settings__refuse(why, "--fields '%.60s' is not a number from 1 to 64", arg);
	return 0;
}

static int set_threads(struct settings *s, const char *arg, char *why)
{
	if (parse_count(arg, 1, PROTOCOL_THREADS_MAX, &s->threads))
		return settings__refuse(why, "--threads '%.60s' is not a number from 1 to 256",
					arg);
	return 0;
}

static int set_connections(struct settings *s, const char *arg, char *why)
{
	if (parse_count(arg, 1, PROTOCOL_CONNECTIONS_MAX, &s->connections))
		return settings__refuse(why, "--connections '%.60s' is not a number from 1 to 4096",
					arg);
	return 0;
}

static int set_rate(struct settings *s, const char *arg, char *why)
{
	if (parse_rate(arg, LIMIT_RATE_MAX, &s->rate))
		return settings__refuse(
			why,
			"--rate '%.60s' is not a number of messages a second from 1/s to "
			"100000000/s",
			arg);
	return 0;
}

static int set_spin(struct settings *s, const char *arg, char *why)
{
	if (parse_duration(arg, &s->spin_ns) || s->spin_ns > LIMIT_SPIN_MAX)
		return settings__refuse(why, "--spin '%.60s' is not a time up to 1s, like 50us",
					arg);
	return 0;
}

static int set_rcvlowat(struct settings *s, const char *arg, char *why)
{
	uint64_t v;

	if (parse_size(arg, &v) || !v || v > LIMIT_RCVLOWAT_MAX)
		return settings__refuse(
			why, "--rcvlowat '%.60s' is not a size from 1 to 1m, like 64k", arg);
	s->rcvlowat = v;
	return 0;
}

static int set_messages(struct settings *s, const char *arg, char *why)
{
	if (parse_count(arg, 1, LIMIT_MESSAGES_MAX, &s->messages))
		return settings__refuse(why, "--messages '%.60s' is not a number from 1 to 2^48",
					arg);
	return 0;
}

static int set_duration(struct settings *s, const char *arg, char *why)
{
	uint64_t v;

	if (parse_duration(arg, &v) || !v || v > LIMIT_DURATION_MAX)
		return settings__refuse(
			why,
			"--duration '%.60s' is not a time above 0 and up to 24 hours, "
			"like 5s or 500ms",
			arg);
	s->duration_ns = v;
	return 0;
}

static int set_warmup(struct settings *s, const char *arg, char *why)
{
	uint64_t v;

	if (parse_duration(arg, &v) || v > LIMIT_DURATION_MAX)
		return settings__refuse(
			why, "--warmup '%.60s' is not a time up to 24 hours, like 500ms or 0", arg);
	s->warmup_ns = v;
	return 0;
}

static void add_cpu(unsigned int cpu, void *arg)
{
	struct cpu_list *list = arg;

	if (list->nr < PROTOCOL_CPUS_MAX)
		list->cpu[list->nr++] = (uint16_t)cpu;
}

static int set_cpu_list(struct cpu_list *list, const char *name, const char *arg, char *why)
{
	struct cpu_mask usable;
	unsigned int i;

	list->nr = 0;
	if (parse_cpu_list(arg, CPUS_MAX, add_cpu, list) || !list->nr)
		return settings__refuse(why, "%s '%.60s' is not a list of CPUs, like 0-3,8", name,
					arg);
	if (sched_getaffinity(0, sizeof(usable), cpu_mask__set(&usable)))
		return settings__refuse(why, "The usable CPUs cannot be read: leave out %s", name);
	for (i = 0; i < list->nr; i++)
		if (!cpu_mask__has(&usable, list->cpu[i]))
			return settings__refuse(
				why,
				"%s names CPU %u, which this machine does not have or does "
				"not let this process use",
				name, list->cpu[i]);
	return 0;
}

static int set_cpus(struct settings *s, const char *arg, char *why)
{
	return set_cpu_list(&s->cpus, "--cpus", arg, why);
}

static int set_cpus_receiver(struct settings *s, const char *arg, char *why)
{
	return set_cpu_list(&s->cpus_receiver, "--cpus-receiver", arg, why);
}

static int set_endpoint(struct settings *s, const char *name, const char *arg, char *why)
{
	if (endpoint__parse(arg, &s->endpoint))
		return settings__refuse(
			why, "%s '%.60s' is not ADDRESS:PORT, like 127.0.0.1:5001 or [::1]:0", name,
			arg);
	s->endpoint_set = true;
	return 0;
}

static int set_connect(struct settings *s, const char *arg, char *why)
{
	const struct sockaddr_in *in = (const void *)&s->endpoint.addr;
	int err = set_endpoint(s, "--connect", arg, why);

	/* sin_port and sin6_port have the same offset. */
	if (!err && !in->sin_port)
		return settings__refuse(
			why, "--connect '%.60s' names port 0: give the receiver's port", arg);
	return err;
}

static int set_listen(struct settings *s, const char *arg, char *why)
{
	return set_endpoint(s, "--listen", arg, why);
}

#define FLAG(name)                                                            \
	static int set_##name(struct settings *s, const char *arg, char *why) \
	{                                                                     \
		(void)arg;                                                    \
		(void)why;                                                    \
		s->name = true;                                               \
		return 0;                                                     \
	}
FLAG(nodelay)
FLAG(request_response)
FLAG(verify)
FLAG(control)
FLAG(json)
FLAG(forever)
FLAG(help)
FLAG(version)
#undef FLAG

static const struct option_row {
	const char *name;
	const char *arg; /* NULL: no argument */
	unsigned int commands;
	int (*set)(struct settings *s, const char *arg, char *why);
	const char *help;
} rows[] = {
	/* clang-format off */
	{"connect", "ADDR:PORT", COMMAND_SEND, set_connect, "the receiver to send to (needed)"},
	{"listen", "ADDR:PORT", COMMAND_RECV, set_listen, "address to listen on, and no other; port 0: any (needed)"},
	{"mode", "MODE", SENDING, set_mode, "one of " MODES(MODE_NAME_AND_SPACE) "[onecopy]"},
	{"size", "SIZE", SENDING, set_size, "bytes of a message, 64 to 16m [64k]"},
	{"fields", "N", SENDING, set_fields, "allocations a message is made of, 1 to 64 [8]"},
	{"threads", "N", SENDING, set_threads, "threads of each side, 1 to 256 [1]"},
	{"connections", "N", SENDING, set_connections, "connections, divided over the threads, up to 4096 [one a thread]"},
	{"rate", "N/s", SENDING, set_rate, "messages a second, stamped when each was due [as fast as it goes]"},
	{"request-response", NULL, SENDING, set_request_response, "wait for an answer of the same size to each message; sets TCP_NODELAY"},
	{"duration", "TIME", SENDING, set_duration, "length of the measured phase, up to 24 hours [5s]"},
	{"messages", "N", SENDING, set_messages, "instead: messages over all threads, 1 to 2^48, exact"},
	{"warmup", "TIME", SENDING, set_warmup, "traffic before it that is in no total [0]"},
	{"verify", NULL, ALL, set_verify, "fill messages with a pattern, check every byte; R: refuse senders without"},
	{"cpus", "LIST", ALL, set_cpus, "pin threads to these CPUs in turn, like 0-3,8"},
	{"cpus-receiver", "LIST", COMMAND_LOOPBACK, set_cpus_receiver, "the receiver's CPUs [those of --cpus after the sender's]"},
	{"sndbuf", "SIZE", SENDING, set_sndbuf, "SO_SNDBUF of data connections, 4k to 1g [the system's]"},
	{"rcvbuf", "SIZE", COMMAND_RECV | COMMAND_LOOPBACK, set_rcvbuf, "SO_RCVBUF of data connections, 4k to 1g [the system's]"},
	{"congestion", "NAME", ALL, set_congestion, "congestion control of data connections, like cubic [the system's]"},
	{"nodelay", NULL, SENDING, set_nodelay, "set TCP_NODELAY [off]"},
	{"spin", "TIME", ALL, set_spin, "how long a thread asks again before it sleeps, like 50us [0]"},
	{"rcvlowat", "SIZE", COMMAND_RECV | COMMAND_LOOPBACK, set_rcvlowat, "SO_RCVLOWAT: wake for so many bytes only, up to 1m [1]"},
	{"forever", NULL, COMMAND_RECV, set_forever, "serve one session after another, until told to end"},
	{"control", NULL, COMMAND_SEND | COMMAND_RECV, set_control, "be driven by commands on stdin, answer JSON events on stdout"},
	{"json", NULL, ALL, set_json, "report as one JSON object"},
	{"help", NULL, ALL, set_help, "this text"},
	{"version", NULL, ALL, set_version, "the version"},
	/* clang-format on */
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const char help_head[] =
	"Usage: netio-loadgen [OPTIONS]                           both sides over loopback\n"
	"       netio-loadgen recv --listen ADDR:PORT [OPTIONS]   the receiver\n"
	"       netio-loadgen send --connect ADDR:PORT [OPTIONS]  the sender\n"
	"\n"
	"Sends messages over TCP as an application does that copies them twice, once or not at\n"
	"all, and counts exactly what was sent and received. Never runs as root: started by root,\n"
	"it becomes nobody.\n"
	"\n"
	"Options (S: sender, R: receiver, B: both sides in one command) [default]:\n";

static const char help_tail[] =
	"\n"
	"SIZE: 4096, 64k, 1m (powers of two). TIME: 500ms, 5s, 2m; a bare number is seconds.\n"
	"IPv6 addresses in brackets: [::1]:5001.\n"
	"Exit: 0 done, 1 the run failed or --verify found errors, 2 wrong usage.\n";

void settings__help(void)
{
	size_t i;

	fputs(help_head, stdout);
	for (i = 0; i < ROWS; i++) {
		unsigned int c = rows[i].commands;
		char left[40];

		snprintf(left, sizeof(left), "--%s %s", rows[i].name,
			 rows[i].arg ? rows[i].arg : "");
		printf("  %c%c%c  %-21s %s\n", c & COMMAND_SEND ? 'S' : ' ',
		       c & COMMAND_RECV ? 'R' : ' ', c & COMMAND_LOOPBACK ? 'B' : ' ', left,
		       rows[i].help);
	}
	fputs(help_tail, stdout);
}

static int take_command(struct settings *s, int *argc, char ***argv, char *why)
{
	const char *word = *argc > 1 ? (*argv)[1] : "--";

	s->command = COMMAND_LOOPBACK;
	if (word[0] == '-')
		return 0;
	if (!strcmp(word, "send"))
		s->command = COMMAND_SEND;
	else if (!strcmp(word, "recv"))
		s->command = COMMAND_RECV;
	else
		return settings__refuse(
			why, "'%.60s' is no command: give send, recv or options only", word);
	(*argc)--;
	(*argv)++;
	return 0;
}

static int take_option(struct settings *s, const struct option_row *row, char *why)
{
	static const char *const names[] = {
		[COMMAND_SEND] = "send",
		[COMMAND_RECV] = "recv",
		[COMMAND_LOOPBACK] = "a run of both sides",
	};

	if (!(row->commands & s->command))
		return settings__refuse(why, "--%s does not belong to %s: see --help", row->name,
					names[s->command]);
	return row->set(s, optarg, why);
}

int settings__parse(struct settings *s, int argc, char **argv, char why[SETTINGS_WHY])
{
	struct option longs[ROWS + 1] = {0};
	size_t i;
	int c, at, err;

	*s = (struct settings){
		.mode = MODE_ONECOPY,
		.size = 64 << 10,
		.fields = 8,
		.threads = 1,
	};
	for (i = 0; i < ROWS; i++)
		longs[i] = (struct option){rows[i].name, rows[i].arg != NULL, NULL, 0};
	err = take_command(s, &argc, &argv, why);
	optind = 0; /* glibc: restart, since tests call this repeatedly */
	opterr = 0;
	while (!err && (c = getopt_long(argc, argv, "+:", longs, &at)) != -1) {
		const char *word = argv[optind - 1];

		if (c == ':')
			return settings__refuse(why, "%.60s needs a value: see --help", word);
		if (c)
			return settings__refuse(
				why, "Option %.60s is not known, or not written so: see --help",
				word);
		err = take_option(s, &rows[at], why);
		if (s->help || s->version)
			return 0;
	}
	if (!err && optind < argc)
		return settings__refuse(
			why, "'%.60s' is neither an option nor an option's value: see --help",
			argv[optind]);
	return err ? err : settings__check(s, why);
}
