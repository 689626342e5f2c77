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
#include "lg_options.h"

/* Above all characters that getopt_long() returns. */
#define OPTION_FIRST 256

struct lg_option {
	struct option_row row;
	/* Stores OPTION_OTHER in the field. 0, or -EINVAL with one sentence in why. */
	int (*set)(const struct option_row *row, void *field, const char *arg, char *why);
};

/* Formats the sentence into why[LG_OPTIONS_WHY]. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) static int reject(char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, LG_OPTIONS_WHY, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int refuse_value(const struct option_row *row, const char *arg, char *why)
{
	return reject(why, "--%s takes %s, not '%.60s'", row->name, row->range, arg);
}

static int set_mode(const struct option_row *row, void *mode, const char *arg, char *why)
{
	char names[MODE_LIST_LEN];

	(void)row;
	if (!mode__parse(arg, mode))
		return 0;
	return reject(why, "--mode '%.60s' is not known: choose one of %s", arg,
		      mode__list(names, sizeof(names), ~0U));
}

static void add_cpu(unsigned int cpu, void *arg)
{
	struct cpu_list *list = arg;

	if (list->nr < PROTOCOL_CPUS_MAX)
		list->cpu[list->nr++] = (uint16_t)cpu;
}

static int set_cpus(const struct option_row *row, void *field, const char *arg, char *why)
{
	struct cpu_list *list = field;
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

static int set_endpoint(const struct option_row *row, void *field, const char *arg, char *why)
{
	struct endpoint *e = field;
	/* sin_port and sin6_port have the same offset. */
	const struct sockaddr_in *in = (const void *)&e->addr;

	if (endpoint__parse(arg, e))
		return refuse_value(row, arg, why);
	if (row->commands == COMMAND_SEND && !in->sin_port)
		return reject(why, "--connect '%.60s' names port 0: give the receiver's port", arg);
	return 0;
}

#define SENDING (COMMAND_SEND | COMMAND_LOOPBACK)
#define ALL     (COMMAND_SEND | COMMAND_RECV | COMMAND_LOOPBACK)

#define OWN(member, name_, arg_, commands_, kind_, range_, help_) \
	.row = {.name = (name_),                                  \
		.arg = (arg_),                                    \
		.help = (help_),                                  \
		.kind = (kind_),                                  \
		.offset = offsetof(struct lg_options, member),    \
		.range = (range_),                                \
		.commands = (commands_)}
#define FLAG(member, name, commands, help) \
	{OWN(member, name, NULL, commands, OPTION_FLAG, NULL, help)},
#define ENDPOINT "ADDRESS:PORT such as 127.0.0.1:5001 or [::1]:0"
#define CPU_LIST "a list of CPUs such as 0-3,8"

#define COMMANDS(kind, use)                            \
	((use)&ON_BOTH && OPTION_##kind != OPTION_CPUS \
		 ? ((use)&ON_BOTH) | COMMAND_LOOPBACK  \
		 : 0) /* no command: the option is not one of netio-loadgen */
#define WORKLOAD(X, member, kind, name, arg, use, ...)                                       \
	{.row = WORKLOAD_ROW(offsetof(struct lg_options, workload), member, kind, name, arg, \
			     COMMANDS(kind, use), __VA_ARGS__)},

/* clang-format off */
static const struct lg_option rows[] = {
	{OWN(endpoint, "connect", "ADDR:PORT", COMMAND_SEND, OPTION_OTHER, ENDPOINT, "the receiver to send to (required)"), set_endpoint},
	{OWN(endpoint, "listen", "ADDR:PORT", COMMAND_RECV, OPTION_OTHER, ENDPOINT, "address to listen on; port 0: any free port (required)"), set_endpoint},
	{OWN(mode, "mode", "MODE", SENDING, OPTION_OTHER, NULL, "one of " MODES(MODE_NAME_AND_SPACE) "(default onecopy)"), set_mode},
	WORKLOAD_OPTIONS(WORKLOAD, )
	{OWN(cpus, "cpus", "LIST", ALL, OPTION_OTHER, CPU_LIST, "pin threads to these CPUs in turn, like 0-3,8"), set_cpus},
	{OWN(cpus_receiver, "cpus-receiver", "LIST", COMMAND_LOOPBACK, OPTION_OTHER, CPU_LIST, "the receiver's CPUs (default: the CPUs of --cpus after the sender's)"), set_cpus},
	FLAG(forever, "forever", COMMAND_RECV, "serve session after session until stopped")
	FLAG(half, "half", COMMAND_RECV, "the driver measures this side and gives its half (with --control)")
	FLAG(only_try, "try", COMMAND_SEND, "only try whether --mode and --receive can run here; connect to nothing")
	FLAG(control, "control", COMMAND_SEND | COMMAND_RECV, "read commands on stdin, write JSON events on stdout")
	FLAG(json, "json", ALL, "print the report as one JSON object")
	FLAG(help, "help", ALL, "this text")
	FLAG(version, "version", ALL, "the version")
};
/* clang-format on */

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* Where the meaning differs from netiotrace's option. */
static const char *help_of(const struct option_row *row)
{
	static const char *const other[][2] = {
		{"duration", "length of the measured phase; 5s, 500ms (default 5s)"},
		{"messages", "send exactly N messages over all threads instead, 1 to 2^48"},
		{"warmup", "warm-up before the measured phase, not counted (default 0)"},
		{"congestion", "congestion control of data connections (default: the system's)"},
		{"verify", "check every byte of each message; R: refuse senders without --verify"},
	};

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (!strcmp(row->name, other[i][0]))
			return other[i][1];
	return row->help;
}

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
static int settings__check(struct lg_options *s, char *why)
{
	struct workload *w = &s->workload;
	bool sends = s->command != COMMAND_RECV;
	char buf[MODE_WHY];
	const char *conflict = mode__conflict(&s->mode, sends, w, buf);
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
			return reject(why, "%s", rules[i].why);
	w->connections = workload__connections(w);
	w->fields = mode__fields(s->mode, w);
	w->uring_depth = mode__depth(s->mode, w);
	/* Nagle's algorithm would delay a message until the last one is acknowledged. */
	w->nodelay |= w->request_response;
	if (!w->messages && !w->duration_ns)
		w->duration_ns = 5 * NS_PER_SEC;
	/* A receiver allocates no messages. */
	if (!sends)
		return 0;
	return mode__check_memory(s->mode, w, mode__memory_here(), why, LG_OPTIONS_WHY);
}

static const char help_head[] =
	"Usage: netio-loadgen [OPTIONS]                           both sides over loopback\n"
	"       netio-loadgen recv --listen ADDR:PORT [OPTIONS]   the receiver\n"
	"       netio-loadgen send --connect ADDR:PORT [OPTIONS]  the sender\n"
	"\n"
	"Sends messages over TCP in one of several ways, and counts exactly what "
	"was\n"
	"sent and received. Never runs as root: started by root, it becomes nobody.\n"
	"\n"
	"Options (S: send, R: recv, B: both sides):\n";

static const char help_tail[] =
	"\n"
	"SIZE: 4096, 64k, 1m (powers of two). TIME: 500ms, 5s, 2m; a bare number is seconds.\n"
	"IPv6 addresses in brackets: [::1]:5001.\n"
	"Exit: 0 done, 1 the run failed or --verify found errors, 2 wrong usage.\n";

void lg_options__help(void)
{
	fputs(help_head, stdout);
	for (size_t i = 0; i < ROWS; i++) {
		const struct option_row *row = &rows[i].row;
		unsigned int c = row->commands;
		char left[64];

		if (!c)
			continue;
		snprintf(left, sizeof(left), "--%s %s", row->name, row->arg ? row->arg : "");
		printf("  %c%c%c  %-21s %s\n", c & COMMAND_SEND ? 'S' : ' ',
		       c & COMMAND_RECV ? 'R' : ' ', c & COMMAND_LOOPBACK ? 'B' : ' ', left,
		       help_of(row));
	}
	fputs(help_tail, stdout);
}

static int parse_command(struct lg_options *s, int *argc, char ***argv, char *why)
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

static int parse_option(struct lg_options *s, const struct lg_option *option, char *why)
{
	static const char *const names[] = {
		[COMMAND_SEND] = "send",
		[COMMAND_RECV] = "recv",
		[COMMAND_LOOPBACK] = "a run of both sides",
	};
	const struct option_row *row = &option->row;
	void *field = (char *)s + row->offset;

	if (!(row->commands & s->command))
		return reject(why, "--%s does not belong to %s: see --help", row->name,
			      names[s->command]);
	return option->set ? option->set(row, field, optarg, why)
			   : option__store(row, field, optarg, why, LG_OPTIONS_WHY);
}

/* The options of this program; `val` is the index of the row. */
static void list_options(struct option *to)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].row.commands)
			*to++ = (struct option){rows[i].row.name, rows[i].row.arg != NULL, NULL,
						OPTION_FIRST + (int)i};
}

int lg_options__parse(struct lg_options *s, int argc, char **argv, char why[LG_OPTIONS_WHY])
{
	struct option longs[ROWS + 1] = {0};
	int c, err;

	*s = (struct lg_options){
		.mode = MODE_ONECOPY,
		.workload = {.size = 64 << 10, .threads = 1},
	};
	list_options(longs);
	err = parse_command(s, &argc, &argv, why);
	optind = 0; /* glibc: restart, since tests call this repeatedly */
	opterr = 0;
	while (!err && (c = getopt_long(argc, argv, "+:", longs, NULL)) != -1) {
		const char *word = argv[optind - 1];

		if (c == ':')
			return reject(why, "%.60s needs a value: see --help", word);
		if (c < OPTION_FIRST)
			return reject(why, "Option %.60s is not known: see --help", word);
		err = parse_option(s, &rows[c - OPTION_FIRST], why);
		if (s->help || s->version)
			return 0;
	}
	if (!err && optind < argc)
		return reject(why, "'%.60s' is neither an option nor an option's value: see --help",
			      argv[optind]);
	return err ? err : settings__check(s, why);
}
