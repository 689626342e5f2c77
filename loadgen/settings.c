/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses and checks the command line with one table of options, which also makes the help text. */
#include <errno.h>
#include <getopt.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "common/cpu_mask.h"
#include "common/units.h"
#include "pending_sessions.h"
#include "settings.h"

#define SENDING   (COMMAND_SEND | COMMAND_LOOPBACK)
#define RECEIVING (COMMAND_RECV | COMMAND_LOOPBACK)
#define ALL       (COMMAND_SEND | COMMAND_RECV | COMMAND_LOOPBACK)

struct option_row {
	const char *name;
	const char *arg; /* NULL: no argument */
	unsigned int commands;
	/* Sets the member at `offset` from arg. 0, or -EINVAL with one sentence in why. */
	int (*set)(const struct option_row *row, struct settings *s, const char *arg, char *why);
	size_t offset;
	int (*parse)(const char *text, uint64_t *value); /* of numbers */
	uint64_t min, max;                               /* of numbers, inclusive */
	const char *expected; /* completes the message "--size 'x' is not ..." */
	const char *help;
};

/* Formats the sentence into why[SETTINGS_WHY]. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) static int reject(char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, SETTINGS_WHY, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int refuse_value(const struct option_row *row, const char *arg, char *why)
{
	return reject(why, "--%s '%.60s' is not %s", row->name, arg, row->expected);
}

static void *member(struct settings *s, const struct option_row *row)
{
	return (char *)s + row->offset;
}

static int parse_any_count(const char *text, uint64_t *value)
{
	return parse_count(text, 0, UINT64_MAX, value);
}

static int parse_any_rate(const char *text, uint64_t *value)
{
	return parse_rate(text, UINT64_MAX, value);
}

static int set_number(const struct option_row *row, struct settings *s, const char *arg, char *why)
{
	uint64_t v;

	if (row->parse(arg, &v) || v < row->min || v > row->max)
		return refuse_value(row, arg, why);
	*(uint64_t *)member(s, row) = v;
	return 0;
}

static int set_flag(const struct option_row *row, struct settings *s, const char *arg, char *why)
{
	(void)arg;
	(void)why;
	*(bool *)member(s, row) = true;
	return 0;
}

static int set_mode(const struct option_row *row, struct settings *s, const char *arg, char *why)
{
	char names[MODE_LIST_LEN];

	(void)row;
	if (!mode__parse(arg, &s->mode))
		return 0;
	return reject(why, "--mode '%.60s' is not known: choose one of %s", arg,
		      mode__list(names, sizeof(names), ~0U));
}

static int set_congestion(const struct option_row *row, struct settings *s, const char *arg,
			  char *why)
{
	static const char name[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t len = strlen(arg);

	if (!len || len >= sizeof(s->congestion) || strspn(arg, name) != len)
		return refuse_value(row, arg, why);
	strcpy(s->congestion, arg);
	return 0;
}

static void add_cpu(unsigned int cpu, void *arg)
{
	struct cpu_list *list = arg;

	if (list->nr < PROTOCOL_CPUS_MAX)
		list->cpu[list->nr++] = (uint16_t)cpu;
}

static int set_cpus(const struct option_row *row, struct settings *s, const char *arg, char *why)
{
	struct cpu_list *list = member(s, row);
	struct cpu_mask usable;

	list->nr = 0;
	if (parse_cpu_list(arg, CPUS_MAX, add_cpu, list) || !list->nr)
		return refuse_value(row, arg, why);
	if (sched_getaffinity(0, sizeof(usable), cpu_mask__set(&usable)))
		return reject(why, "The usable CPUs cannot be read: leave out --%s", row->name);
	for (unsigned int i = 0; i < list->nr; i++)
		if (!cpu_mask__has(&usable, list->cpu[i]))
			return reject(why,
				      "--%s names CPU %u, which this machine does not have or does "
				      "not let this process use",
				      row->name, list->cpu[i]);
	return 0;
}

int endpoint__parse(const char *text, struct endpoint *e)
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	};
	bool bracket = text[0] == '[';
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	struct addrinfo *found;
	uint64_t port;
	char host[128];

	if (!colon || len >= sizeof(host) || parse_count(colon + 1, 0, 65535, &port))
		return -EINVAL;
	if (bracket && (len < 3 || text[len - 1] != ']'))
		return -EINVAL;
	memcpy(host, text + bracket, len - 2 * bracket);
	host[len - 2 * bracket] = '\0';
	/* Without brackets, the last group of an IPv6 address would be taken for the port. */
	if (!host[0] || (strchr(host, ':') != NULL) != bracket)
		return -EINVAL;
	if (getaddrinfo(host, colon + 1, &hints, &found))
		return -EINVAL;
	/* inet_aton() accepts "1" and "0x7f.1"; refuse them as probable mistakes. */
	if (found->ai_family == AF_INET && strspn(host, "0123456789.") != strlen(host)) {
		freeaddrinfo(found);
		return -EINVAL;
	}
	memcpy(&e->addr, found->ai_addr, found->ai_addrlen);
	e->len = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

static int set_endpoint(const struct option_row *row, struct settings *s, const char *arg,
			char *why)
{
	/* sin_port and sin6_port have the same offset. */
	const struct sockaddr_in *in = (const void *)&s->endpoint.addr;

	if (endpoint__parse(arg, &s->endpoint))
		return refuse_value(row, arg, why);
	if (row->commands == COMMAND_SEND && !in->sin_port)
		return reject(why, "--connect '%.60s' names port 0: give the receiver's port", arg);
	s->endpoint_set = true;
	return 0;
}

#define AT(name)   offsetof(struct settings, name)
#define FLAG(name) NULL, ALL, set_flag, AT(name), NULL, 0, 0, NULL
#define SOCKBUF    LIMIT_SOCKBUF_MIN, LIMIT_SOCKBUF_MAX, "a size from 4k to 1g"
#define ENDPOINT   set_endpoint, 0, NULL, 0, 0, "ADDRESS:PORT, like 127.0.0.1:5001 or [::1]:0"
#define CPUS(name) set_cpus, AT(name), NULL, 0, 0, "a list of CPUs, like 0-3,8"

/* clang-format off */
static const struct option_row rows[] = {
	{"connect", "ADDR:PORT", COMMAND_SEND, ENDPOINT, "the receiver to send to (required)"},
	{"listen", "ADDR:PORT", COMMAND_RECV, ENDPOINT, "address to listen on; port 0: any free port (required)"},
	{"mode", "MODE", SENDING, set_mode, 0, NULL, 0, 0, NULL, "one of " MODES(MODE_NAME_AND_SPACE) "[onecopy]"},
	{"size", "SIZE", SENDING, set_number, AT(size), parse_size, LIMIT_SIZE_MIN, LIMIT_SIZE_MAX,
	 "a size from 64 to 16m, like 4096 or 64k", "bytes per message, 64 to 16m [64k]"},
	{"fields", "N", SENDING, set_number, AT(fields), parse_any_count, 1, LIMIT_FIELDS_MAX,
	 "a number from 1 to 64", "fields per message, each its own allocation, 1 to 64 [8]"},
	{"header", "SIZE", SENDING, set_number, AT(header), parse_size, 0, LIMIT_HEADER_MAX,
	 "a size from 0 to 64k, like 64", "bytes before the fields of each message, in their own iovec, up to 64k [0]"},
	{"threads", "N", SENDING, set_number, AT(threads), parse_any_count, 1, LIMIT_THREADS_MAX,
	 "a number from 1 to 256", "threads per side, 1 to 256 [1]"},
	{"connections", "N", SENDING, set_number, AT(connections), parse_any_count, 1, LIMIT_CONNECTIONS_MAX,
	 "a number from 1 to 4096", "connections, spread over the threads, up to 4096 [one per thread]"},
	{"rate", "N/s", SENDING, set_number, AT(rate), parse_any_rate, 1, LIMIT_RATE_MAX,
	 "a number of messages a second from 1/s to 100000000/s", "messages per second; latencies count from the time a message is due [no limit]"},
	{"request-response", NULL, SENDING, set_flag, AT(request_response), NULL, 0, 0, NULL,
	 "wait for a reply of the same size after each message; sets TCP_NODELAY"},
	{"duration", "TIME", SENDING, set_number, AT(duration_ns), parse_duration, 1, LIMIT_DURATION_MAX,
	 "a time above 0 and up to 24 hours, like 5s or 500ms", "length of the measured phase, up to 24 hours [5s]"},
	{"messages", "N", SENDING, set_number, AT(messages), parse_any_count, 1, LIMIT_MESSAGES_MAX,
	 "a number from 1 to 2^48", "send exactly N messages over all threads instead, 1 to 2^48"},
	{"warmup", "TIME", SENDING, set_number, AT(warmup_ns), parse_duration, 0, LIMIT_DURATION_MAX,
	 "a time up to 24 hours, like 500ms or 0", "warm-up before the measured phase, not counted [0]"},
	{"verify", FLAG(verify), "check every byte of each message; R: refuse senders without --verify"},
	{"cpus", "LIST", ALL, CPUS(cpus), "pin threads to these CPUs in turn, like 0-3,8"},
	{"cpus-receiver", "LIST", COMMAND_LOOPBACK, CPUS(cpus_receiver), "the receiver's CPUs [the CPUs of --cpus after the sender's]"},
	{"sndbuf", "SIZE", SENDING, set_number, AT(sndbuf), parse_size, SOCKBUF, "SO_SNDBUF of data connections, 4k to 1g [the system's]"},
	{"rcvbuf", "SIZE", RECEIVING, set_number, AT(rcvbuf), parse_size, SOCKBUF, "SO_RCVBUF of data connections, 4k to 1g [the system's]"},
	{"congestion", "NAME", ALL, set_congestion, 0, NULL, 0, 0,
	 "the name of a congestion control", "congestion control of data connections, like cubic [the system's]"},
	{"nodelay", NULL, SENDING, set_flag, AT(nodelay), NULL, 0, 0, NULL, "set TCP_NODELAY [off]"},
	{"spin", "TIME", ALL, set_number, AT(spin_ns), parse_duration, 0, LIMIT_SPIN_MAX,
	 "a time up to 1s, like 50us", "busy-poll this long before blocking, like 50us [0]"},
	{"rcvlowat", "SIZE", RECEIVING, set_number, AT(rcvlowat), parse_size, 1, LIMIT_RCVLOWAT_MAX,
	 "a size from 1 to 1m, like 64k", "SO_RCVLOWAT: wake the receiver only for this many bytes, up to 1m [1]"},
	{"forever", NULL, COMMAND_RECV, set_flag, AT(forever), NULL, 0, 0, NULL, "serve session after session until stopped"},
	{"control", NULL, COMMAND_SEND | COMMAND_RECV, set_flag, AT(control), NULL, 0, 0, NULL,
	 "read commands on stdin, write JSON events on stdout"},
	{"json", FLAG(json), "print the report as one JSON object"},
	{"help", FLAG(help), "this text"},
	{"version", FLAG(version), "the version"},
};
/* clang-format on */

#define ROWS (sizeof(rows) / sizeof(rows[0]))

uint64_t settings__share(uint64_t total, uint64_t n, uint64_t i)
{
	return total / n + (i < total % n);
}

uint64_t settings__descriptors(const struct settings *s)
{
	/* Standard streams, listening socket, signalfd, eventfd; an epoll and a timer a thread. */
	uint64_t own = 64 + 2 * LIMIT_THREADS_MAX;

	if (s->command == COMMAND_SEND)
		return own + s->connections;
	/* The sender's hello tells the receiver the number of connections. */
	return own + LIMIT_CONNECTIONS_MAX + PENDING_STRANGERS_MAX + PENDING_CLIENTS_MAX;
}

/* Checks that the settings fit together and sets dependent defaults. */
static int settings__check(struct settings *s, char *why)
{
	const struct {
		bool wrong;
		const char *why;
	} rules[] = {
		{s->command == COMMAND_SEND && !s->endpoint_set,
		 "send needs --connect ADDRESS:PORT, the receiver's"},
		{s->command == COMMAND_RECV && !s->endpoint_set,
		 "recv needs --listen ADDRESS:PORT, like 127.0.0.1:0"},
		{s->messages && s->duration_ns,
		 "--messages and --duration exclude each other: give one"},
		{s->json && s->control,
		 "--json and --control exclude each other: --control always answers in JSON"},
		{s->connections && s->connections < s->threads,
		 "There are fewer connections than threads: give --threads at most --connections"},
		{s->size < s->fields,
		 "A message cannot have more fields than bytes: give --fields at most --size"},
		{s->request_response && s->rcvlowat,
		 "--request-response and --rcvlowat exclude each other: a message smaller than "
		 "--rcvlowat would block the receiver forever"},
		{settings__message_size(s) > LIMIT_SIZE_MAX,
		 "Header and fields are more than 16 MiB: give a smaller --size or --header"},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].wrong)
			return reject(why, "%s", rules[i].why);
	if (!s->connections)
		s->connections = s->threads;
	/* Nagle's algorithm would delay a message until the last one is acknowledged. */
	s->nodelay |= s->request_response;
	if (!s->messages && !s->duration_ns)
		s->duration_ns = 5 * NS_PER_SEC;
	/* A receiver allocates no messages. */
	if (s->command == COMMAND_RECV)
		return 0;
	return mode__check_memory(s->mode, settings__message_size(s), (unsigned int)s->connections,
				  mode__memory_here(), why, SETTINGS_WHY);
}

static const char help_head[] =
	"Usage: netio-loadgen [OPTIONS]                           both sides over loopback\n"
	"       netio-loadgen recv --listen ADDR:PORT [OPTIONS]   the receiver\n"
	"       netio-loadgen send --connect ADDR:PORT [OPTIONS]  the sender\n"
	"\n"
	"Sends messages over TCP with two copies, one copy or zero-copy, and counts exactly what "
	"was\n"
	"sent and received. Never runs as root: started by root, it becomes nobody.\n"
	"\n"
	"Options (S: send, R: recv, B: both sides) [default]:\n";

static const char help_tail[] =
	"\n"
	"SIZE: 4096, 64k, 1m (powers of two). TIME: 500ms, 5s, 2m; a bare number is seconds.\n"
	"IPv6 addresses in brackets: [::1]:5001.\n"
	"Exit: 0 done, 1 the run failed or --verify found errors, 2 wrong usage.\n";

void settings__help(void)
{
	fputs(help_head, stdout);
	for (size_t i = 0; i < ROWS; i++) {
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
		return reject(why, "'%.60s' is not a command: give send, recv or options only",
			      word);
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
		return reject(why, "--%s does not belong to %s: see --help", row->name,
			      names[s->command]);
	return row->set(row, s, optarg, why);
}

int settings__parse(struct settings *s, int argc, char **argv, char why[SETTINGS_WHY])
{
	struct option longs[ROWS + 1] = {0};
	int c, at, err;

	*s = (struct settings){
		.mode = MODE_ONECOPY,
		.size = 64 << 10,
		.fields = 8,
		.threads = 1,
	};
	for (size_t i = 0; i < ROWS; i++)
		longs[i] = (struct option){rows[i].name, rows[i].arg != NULL, NULL, 0};
	err = take_command(s, &argc, &argv, why);
	optind = 0; /* glibc: restart, since tests call this repeatedly */
	opterr = 0;
	while (!err && (c = getopt_long(argc, argv, "+:", longs, &at)) != -1) {
		const char *word = argv[optind - 1];

		if (c == ':')
			return reject(why, "%.60s needs a value: see --help", word);
		if (c)
			return reject(why, "Option %.60s is not known: see --help", word);
		err = take_option(s, &rows[at], why);
		if (s->help || s->version)
			return 0;
	}
	if (!err && optind < argc)
		return reject(why, "'%.60s' is neither an option nor an option's value: see --help",
			      argv[optind]);
	return err ? err : settings__check(s, why);
}
