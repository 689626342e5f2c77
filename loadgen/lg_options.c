/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses and checks the command line with one table of options, which also makes the help text. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "common/address.h"
#include "common/cpu_mask.h"
#include "common/embed.h"
#include "common/option_line.h"
#include "common/units.h"
#include "lg_options.h"

static void parse_mode(void *mode, const char *arg)
{
	char names[MODE_LIST_LEN];

	if (mode__parse(arg, mode))
		lg_options__refuse("--mode '%.60s' is not known: choose one of %s", arg,
				   mode__list(names, sizeof(names), ~0U));
}

static void add_cpu(unsigned int cpu, void *arg)
{
	struct cpu_list *list = arg;

	if (list->nr < PROTOCOL_CPUS_MAX)
		list->cpu[list->nr++] = (uint16_t)cpu;
}

/* text: of the option; NULL: not given. */
static void set_cpus(struct cpu_list *list, const char *text, const char *option)
{
	struct cpu_mask usable;

	if (!text)
		return;
	parse_cpu_list(text, CPUS_MAX, add_cpu, list);
	if (sched_getaffinity(0, sizeof(usable), cpu_mask__set(&usable)))
		lg_options__refuse("The usable CPUs cannot be read: leave out --%s", option);
	for (unsigned int i = 0; i < list->nr; i++)
		if (!cpu_mask__has(&usable, list->cpu[i]))
			lg_options__refuse(
				"--%s names CPU %u, which this machine does not have or does "
				"not let this process use",
				option, list->cpu[i]);
}

int endpoint__parse(const char *text, struct endpoint *e)
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	};
	struct addrinfo *found;
	struct address a;
	char port[8];

	if (address__parse(text, true, &a))
		return -EINVAL;
	snprintf(port, sizeof(port), "%u", a.port);
	if (getaddrinfo(a.host, port, &hints, &found))
		return -EINVAL;
	/* inet_aton() accepts "1" and "0x7f.1"; refuse them as probable mistakes. */
	if (found->ai_family == AF_INET && strspn(a.host, "0123456789.") != strlen(a.host)) {
		freeaddrinfo(found);
		return -EINVAL;
	}
	memcpy(&e->addr, found->ai_addr, found->ai_addrlen);
	e->len = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

static void parse_endpoint(void *options, const char *arg)
{
	struct lg_options *s = options;
	bool sends = s->command == COMMAND_SEND;
	/* sin_port and sin6_port have the same offset. */
	const struct sockaddr_in *in = (const void *)&s->endpoint.addr;

	if (endpoint__parse(arg, &s->endpoint))
		lg_options__refuse("--%s takes ADDRESS:PORT such as 127.0.0.1:5001 or [::1]:0, not "
				   "'%.60s'",
				   sends ? "connect" : "listen", arg);
	if (sends && !in->sin_port)
		lg_options__refuse("--connect '%.60s' names port 0: give the receiver's port", arg);
}

#define SENDING (COMMAND_SEND | COMMAND_LOOPBACK)
#define ALL     (COMMAND_SEND | COMMAND_RECV | COMMAND_LOOPBACK)

#define AT(member) .offset = offsetof(struct lg_options, member)
#define CPU_LIST   "a list of CPUs such as 0-3,8"

#define COMMANDS(kind, use)                            \
	((use)&ON_BOTH && OPTION_##kind != OPTION_CPUS \
		 ? ((use)&ON_BOTH) | COMMAND_LOOPBACK  \
		 : 0) /* no command: the option is not one of netio-loadgen */
#define WORKLOAD(X, member, kind, name, arg, use, ...)                               \
	WORKLOAD_ROW(offsetof(struct lg_options, workload), member, kind, name, arg, \
		     COMMANDS(kind, use), __VA_ARGS__),

/* clang-format off */
static const struct option_row rows[] = {
	{"connect", "ADDR:PORT", "the receiver to send to (required)", OPTION_OTHER, .parse = parse_endpoint, .commands = COMMAND_SEND},
	{"listen", "ADDR:PORT", "address to listen on; port 0: any free port (required)", OPTION_OTHER, .parse = parse_endpoint, .commands = COMMAND_RECV},
	{"mode", "MODE", "one of " MODES(MODE_NAME_AND_SPACE) "(default onecopy)", OPTION_OTHER, AT(mode), .parse = parse_mode, .commands = SENDING},
	WORKLOAD_OPTIONS(WORKLOAD, )
	{"cpus", "LIST", "pin threads to these CPUs in turn, like 0-3,8", OPTION_CPUS, AT(workload.sender_cpus), CPU_LIST, .commands = ALL},
	{"cpus-receiver", "LIST", "the receiver's CPUs (default: the CPUs of --cpus after the sender's)", OPTION_CPUS, AT(workload.receiver_cpus), CPU_LIST, .commands = COMMAND_LOOPBACK},
	{"forever", NULL, "serve session after session until stopped", OPTION_FLAG, AT(forever), .commands = COMMAND_RECV},
	{"half", NULL, "the driver measures this side and gives its half (with --control)", OPTION_FLAG, AT(half), .commands = COMMAND_RECV},
	{"try", NULL, "only try whether --mode and --receive can run here; connect to nothing", OPTION_FLAG, AT(only_try), .commands = COMMAND_SEND},
	{"control", NULL, "read commands on stdin, write JSON events on stdout", OPTION_FLAG, AT(control), .commands = COMMAND_SEND | COMMAND_RECV},
	{"json", NULL, "print the report as one JSON object", OPTION_FLAG, AT(json), .commands = ALL},
	{"help", NULL, "this text", OPTION_FLAG, AT(help), .commands = ALL},
	{"version", NULL, "the version", OPTION_FLAG, AT(version), .commands = ALL},
};
/* clang-format on */

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* Where the meaning differs from netiotrace's option. */
static const struct option_help helps[] = {
	{"duration", "length of the measured phase; 5s, 500ms (default 5s)"},
	{"messages", "send exactly N messages over all threads instead, 1 to 2^48"},
	{"warmup", "warm-up before the measured phase, not counted (default 0)"},
	{"congestion", "congestion control of data connections (default: the system's)"},
	{"verify", "check every byte of each message; R: refuse senders without --verify"},
	{0},
};

uint64_t lg_options__share(uint64_t total, uint64_t n, uint64_t i)
{
	return total / n + (i < total % n);
}

uint64_t lg_options__descriptors(const struct lg_options *s)
{
	/*
	 * Standard streams, listening socket, signalfd, eventfd; and a thread's: a sender's epoll
	 * and timer, a receiver's epoll, pipe and /dev/null.
	 */
	uint64_t own = 64 + 4 * LIMIT_THREADS_MAX;

	/* A connection, and the file, the pipe or the ring that it sends from. */
	if (s->command == COMMAND_SEND)
		return own + 3ULL * s->workload.connections;
	/* The sender's hello tells the receiver the number of connections. */
	return own + LIMIT_CONNECTIONS_MAX + PENDING_UNIDENTIFIED_MAX + PENDING_CLIENTS_MAX;
}

/* Checks that the settings fit together and sets dependent defaults. */
static void settings__check(struct lg_options *s)
{
	struct workload *w = &s->workload;
	bool sends = s->command != COMMAND_RECV;
	char why[256];
	const char *conflict = mode__conflict(&s->mode, sends, w, why);
	const struct {
		bool wrong;
		const char *why;
	} rules[] = {
		{s->command == COMMAND_SEND && !s->endpoint.len && !s->only_try,
		 "send needs --connect ADDRESS:PORT, the receiver's"},
		{s->command == COMMAND_RECV && !s->endpoint.len,
		 "recv needs --listen ADDRESS:PORT, like 127.0.0.1:0"},
		{s->json && s->control,
		 "--json and --control exclude each other: --control always answers in JSON"},
		{s->half && !s->control, "--half needs --control: a driver that gives the half"},
		{conflict, conflict},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].wrong)
			lg_options__refuse("%s", rules[i].why);
	set_cpus(&s->cpus, w->sender_cpus, "cpus");
	set_cpus(&s->cpus_receiver, w->receiver_cpus, "cpus-receiver");
	w->connections = workload__connections(w);
	w->fields = mode__fields(s->mode, w);
	w->uring_depth = mode__depth(s->mode, w);
	/* Nagle's algorithm would delay a message until the last one is acknowledged. */
	w->nodelay |= w->request_response;
	if (!w->messages && !w->duration_ns)
		w->duration_ns = 5 * NS_PER_SEC;
	/* A receiver allocates no messages. */
	if (sends && mode__check_memory(s->mode, w, mode__memory_here(), why, sizeof(why)))
		lg_options__refuse("%s", why);
}

EMBED(help_text, "loadgen/loadgen.help");

void lg_options__help(void)
{
	const char *line = strstr(help_text, HELP_LINE);

	printf("%.*s\n", (int)(line - help_text), help_text);
	for (size_t i = 0; i < ROWS; i++) {
		const struct option_row *row = &rows[i];
		unsigned int c = row->commands;
		char left[64];

		if (!c)
			continue;
		snprintf(left, sizeof(left), "--%s %s", row->name, row->arg ? row->arg : "");
		printf("  %c%c%c  %-21s %s\n", c & COMMAND_SEND ? 'S' : ' ',
		       c & COMMAND_RECV ? 'R' : ' ', c & COMMAND_LOOPBACK ? 'B' : ' ', left,
		       option__help(row, helps));
	}
	fputs(line + strlen(HELP_LINE), stdout);
}

/* Refuses an option of another command. What is behind --help and --version counts for nothing. */
static void check_command(struct option_line *l, const struct option_row *row, const char *arg)
{
	const struct lg_options *s = l->options;

	(void)arg;
	if (!(row->commands & s->command))
		lg_options__refuse("--%s does not belong to %s: see --help", row->name, l->command);
	if (row->offset == offsetof(struct lg_options, help) ||
	    row->offset == offsetof(struct lg_options, version))
		l->next = l->end;
}

static void refuse_word(struct option_line *l, const char *word)
{
	(void)l;
	lg_options__refuse("'%.60s' is neither an option nor an option's value: see --help", word);
}

void lg_options__parse(struct lg_options *s, int argc, char **argv)
{
	struct option_line l = {
		.command = "a run of both sides",
		.help = "netio-loadgen --help",
		.options = s,
		.next = argv + (argc > 0),
		.end = argv + argc,
		.before = check_command,
		.operand = refuse_word,
		.refuse = lg_options__refuse,
	};

	*s = (struct lg_options){
		.command = COMMAND_LOOPBACK,
		.mode = MODE_ONECOPY,
		.workload = {.size = 64 << 10, .threads = 1},
	};
	if (argc > 1 && argv[1][0] != '-') {
		l.command = *l.next++;
		s->command = !strcmp(l.command, "send") ? COMMAND_SEND : COMMAND_RECV;
		if (s->command == COMMAND_RECV && strcmp(l.command, "recv") != 0)
			lg_options__refuse(
				"'%.60s' is not a command: give send, recv or options only",
				l.command);
	}
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].commands)
			option_line__add(&l, &rows[i]);
	l.commands = s->command;
	option_line__parse(&l);
	if (!s->help && !s->version)
		settings__check(s);
}
