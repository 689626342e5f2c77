/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of options, their values, and the rules about them; see options.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_line.h"
#include "base/log.h"
#include "common/cpu_mask.h"
#include "common/units.h"
#include "common/word.h"
#include "model/load_report.h"
#include "options.h"
#include "outputs.h"

#define DEFAULT_SIZE        (64 * 1024)
#define DEFAULT_INTERVAL_NS 1000000000ULL
#define DEFAULT_DURATION_NS 5000000000ULL
#define DEFAULT_WARMUP_NS   500000000ULL
#define ROUNDS_OF_ALL       5 /* enough for a median and a range */
#define ROUND_NS_MIN        10000000ULL
/* Rows without a letter have this key plus their index; below are the letters. */
#define KEY_FIRST 256

struct row {
	const char *name; /* NULL: a title, which is in help */
	const char *arg;  /* as of struct argp_option; NULL: none */
	const char *help;
	void (*set)(struct options *o, const struct row *row, const char *arg);
	size_t offset; /* in struct options, of the field that set() writes */
	int (*parse)(const char *text, uint64_t *value); /* of numbers */
	uint64_t min, max;                               /* of numbers, inclusive */
	const char *range;                               /* "--size takes RANGE, not 'x'." */
	char letter;
};

static void *field(struct options *o, const struct row *row)
{
	return (char *)o + row->offset;
}

static int parse_any_count(const char *text, uint64_t *value)
{
	return parse_count(text, 0, UINT64_MAX, value);
}

static int parse_any_rate(const char *text, uint64_t *value)
{
	return parse_rate(text, UINT64_MAX, value);
}

static uint64_t number(const struct row *row, const char *arg)
{
	uint64_t value = 0;

	if (row->parse(arg, &value) || value < row->min || value > row->max)
		usage_error("--%s takes %s, not '%s'.", row->name, row->range, arg);
	return value;
}

static void set_u64(struct options *o, const struct row *row, const char *arg)
{
	*(uint64_t *)field(o, row) = number(row, arg);
}

static void set_uint(struct options *o, const struct row *row, const char *arg)
{
	*(unsigned int *)field(o, row) = (unsigned int)number(row, arg);
}

static void refuse_list(const char *option, const char *of_sweep, const char *arg)
{
	if (strchr(arg, ','))
		usage_error("--%s takes one value, not '%s'; several are compared by 'netiotrace "
			    "sweep --%s %s'.",
			    option, arg, of_sweep, arg);
}

static void set_size(struct options *o, const struct row *row, const char *arg)
{
	refuse_list("size", "sizes", arg);
	set_u64(o, row, arg);
}

static void set_threads(struct options *o, const struct row *row, const char *arg)
{
	refuse_list("threads", "threads", arg);
	set_uint(o, row, arg);
}

static void set_flag(struct options *o, const struct row *row, const char *arg)
{
	(void)arg;
	*(bool *)field(o, row) = true;
}

static void set_text(struct options *o, const struct row *row, const char *arg)
{
	if (!*arg)
		usage_error("--%s is empty.", row->name);
	*(const char **)field(o, row) = arg;
}

static void ignore_cpu(unsigned int cpu, void *arg)
{
	(void)cpu;
	(void)arg;
}

static void set_cpus(struct options *o, const struct row *row, const char *arg)
{
	if (parse_cpu_list(arg, CPUS_MAX, ignore_cpu, NULL))
		usage_error("--%s takes a list of CPUs such as 0-3,8, not '%s'.", row->name, arg);
	set_text(o, row, arg);
}

static void set_all_modes(struct options *o)
{
	o->modes_nr = MODE_NR;
	for (int m = 0; m < MODE_NR; m++)
		o->modes[m] = m;
}

static void set_mode(struct options *o, const struct row *row, const char *arg)
{
	(void)row;
	if (same_word(arg, "all")) {
		set_all_modes(o);
		return;
	}
	o->modes_nr = 1;
	mode__parse(arg, &o->modes[0]);
}

static void set_path(struct options *o, const struct row *row, const char *arg)
{
	(void)row;
	netpath__parse(arg, &o->path);
	o->path_given = true;
}

static void set_backend(struct options *o, const struct row *row, const char *arg)
{
	(void)row;
	backend__parse(arg, &o->backend);
}

static void set_times(struct options *o, const struct row *row, const char *arg)
{
	enum times times = strcmp(row->name, "times") == 0 ? TIMES_ON : TIMES_OFF;

	(void)arg;
	if (o->times != TIMES_APART && o->times != times)
		usage_error("--times and --no-times exclude each other.");
	o->times = times;
}

static void add_without(struct options *o, const struct row *row, const char *hook)
{
	(void)row;
	if (o->without_nr == WITHOUT_MAX)
		usage_error("at most %d --without can be given.", WITHOUT_MAX);
	if (!plan__withhold(OBJECT_RUN, NULL, hook))
		usage_error("no hook is called '%s': netiotrace doctor lists those in use.", hook);
	o->without[o->without_nr++] = hook;
}

static void set_connect(struct options *o, const struct row *row, const char *arg)
{
	(void)row;
	if (address__parse(arg, false, &o->connect))
		usage_error("--connect takes ADDRESS:PORT such as 192.0.2.7:5201 or "
			    "[2001:db8::7]:5201, not '%s'.",
			    arg);
	o->remote = true;
}

static void set_listen(struct options *o, const struct row *row, const char *arg)
{
	(void)row;
	if (address__parse(arg, true, &o->listen))
		usage_error(
			"--listen takes ADDRESS:PORT such as 0.0.0.0:5201 or [::]:5201, not '%s'.",
			arg);
}

static void add_assertion(struct options *o, const struct row *row, const char *arg)
{
	char message[256];

	(void)row;
	if (o->assertions_nr == ASSERTIONS_MAX)
		usage_error("at most %d --assert can be given.", ASSERTIONS_MAX);
	if (assertion__parse(&o->assertions[o->assertions_nr], arg, message, sizeof(message)))
		usage_error("%s", message);
	o->assertions_nr++;
}

static void set_perf_events(struct options *o, const struct row *row, const char *arg)
{
	char message[256];

	(void)row;
	o->perf_none = strcmp(arg, "none") == 0;
	if (!o->perf_none &&
	    perf_names__parse_list(arg, &perf_lookup_sysfs, o->perf_events, PERF_EVENTS_MAX,
				   &o->perf_events_nr, message, sizeof(message)))
		usage_error("--perf-events: %s.", message);
}

static void add_verbose(struct options *o, const struct row *row, const char *arg)
{
	(void)row;
	(void)arg;
	o->verbose++;
}

#define AT(member)    offsetof(struct options, member)
#define FLAG(member)  set_flag, AT(member), NULL, 0, 0, NULL, 0
#define TEXT(member)  set_text, AT(member), NULL, 0, 0, NULL, 0
#define CPUS(member)  set_cpus, AT(member), NULL, 0, 0, NULL, 0
#define OTHER(set)    set, 0, NULL, 0, 0, NULL, 0
#define SIZE(member)  set_u64, AT(member), parse_size
#define TIME(member)  set_u64, AT(member), parse_duration
#define COUNT(member) set_uint, AT(member), parse_any_count
#define SOCKBUF       LIMIT_SOCKBUF_MIN, LIMIT_SOCKBUF_MAX, "a size from 4k to 1g", 0
#define TITLE(text)                           \
	{                                     \
		NULL, NULL, text, OTHER(NULL) \
	}

/* The options of run under their titles, then options of other commands only. */
/* clang-format off */
static const struct row rows[] = {
	TITLE("Workload:"),
	{"mode", MODE_CHOICES "all", "copy mode (default all)", OTHER(set_mode)},
	{"size", "SIZE", "bytes per message, 64 to 16m; 4k, 1m (default 64k)",
	 set_size, AT(traffic.size), parse_size, LIMIT_SIZE_MIN, LIMIT_SIZE_MAX, "a size from 64 to 16m such as 64k", 0},
	{"fields", "N", "fields per message, 1 to 64 (default 8)",
	 COUNT(traffic.fields), 1, LIMIT_FIELDS_MAX, "a number from 1 to 64", 0},
	{"header", "SIZE", "bytes before the fields of each message, in their own iovec, up to 64k (default 0)",
	 SIZE(traffic.header), 0, LIMIT_HEADER_MAX, "a size from 0 to 64k such as 64", 0},
	{"threads", "N", "threads per side, 1 to 256 (default 1)",
	 set_threads, AT(traffic.threads), parse_any_count, 1, LIMIT_THREADS_MAX, "a number from 1 to 256", 0},
	{"connections", "N", "connections, spread over the threads, up to 4096 (default: one per thread)",
	 COUNT(traffic.connections), 1, LOAD_CONNECTIONS_MAX, "a number from 1 to 4096", 0},
	{"duration", "TIME", "measured time per mode, all rounds together; 5s, 500ms (default 5s)",
	 TIME(traffic.duration_ns), 1, LIMIT_DURATION_MAX, "a time such as 5s or 500ms, up to 24h", 0},
	{"messages", "N", "send exactly N messages per round instead",
	 set_u64, AT(traffic.messages), parse_any_count, 1, LIMIT_MESSAGES_MAX, "a number from 1 to 2^48", 0},
	{"warmup", "TIME", "warm-up before each round, not counted (default 500ms, at most half a round)",
	 TIME(traffic.warmup_ns), 0, LIMIT_DURATION_MAX, "a time such as 500ms, up to 24h", 0},
	{"rounds", "N", "rounds per mode, 1 to 1000; modes take turns (default 5 with --mode all and --duration, else 1)",
	 COUNT(traffic.rounds), 1, 1000, "a number from 1 to 1000", 0},
	{"verify", NULL, "the receiver checks every byte", FLAG(traffic.verify)},
	{"rate", "N/s", "messages per second; latencies count from the time a message is due (default: no limit)",
	 set_u64, AT(traffic.rate), parse_any_rate, 1, LIMIT_RATE_MAX, "a number of messages a second such as 2000/s, up to 100000000/s", 0},
	{"request-response", NULL, "wait for a reply of the same size after each message; sets TCP_NODELAY", FLAG(traffic.request_response)},
	TITLE("Path:"),
	{"path", "loopback|veth", "loopback, or veth: a veth pair between two temporary network namespaces", OTHER(set_path)},
	{"connect", "ADDR:PORT", "send to another machine that runs 'netiotrace serve'", OTHER(set_connect)},
	{"mtu", "BYTES", "MTU of the veth pair, 1280 to 65535", COUNT(mtu), 1280, 65535, "a number from 1280 to 65535", 0},
	{"ipv6", NULL, "IPv6 instead of IPv4", FLAG(ipv6)},
	{"sndbuf", "SIZE", "SO_SNDBUF of the senders", SIZE(traffic.sndbuf), SOCKBUF},
	{"rcvbuf", "SIZE", "SO_RCVBUF of the receivers", SIZE(traffic.rcvbuf), SOCKBUF},
	{"congestion", "NAME", "congestion control of the senders, or system for the system's default (default: system, but cubic or reno on local paths if the system's default paces)",
	 TEXT(congestion)},
	{"nodelay", NULL, "TCP_NODELAY on the senders", FLAG(traffic.nodelay)},
	{"spin", "TIME", "busy-poll this long before blocking, up to 1s (default 0)",
	 TIME(traffic.spin_ns), 0, LIMIT_SPIN_MAX, "a time from 0 to 1s such as 50us", 0},
	{"rcvlowat", "SIZE", "SO_RCVLOWAT of the receivers: wake up for this many bytes, up to 1m",
	 SIZE(traffic.rcvlowat), 1, LIMIT_RCVLOWAT_MAX, "a size from 1 to 1m", 0},
	{"cpu-sender", "LIST", "pin the senders to these CPUs: 0-3,8", CPUS(traffic.sender_cpus)},
	{"cpu-receiver", "LIST", "pin the receivers", CPUS(traffic.receiver_cpus)},
	TITLE("Measurement:"),
	{"backend", "auto|fentry|kprobe|tracepoint|none", "type of BPF program (default auto); none: load generator only, needs no root", OTHER(set_backend)},
	{"count-calls", NULL, "process every send and receive event and count every call; costs several percent below 16k", FLAG(count_calls)},
	{"times", NULL, "measure the parts of send calls in every round; costs several percent (default: in a short extra round after each round)", OTHER(set_times)},
	{"no-times", NULL, "do not measure times in the kernel, only bytes", OTHER(set_times)},
	{"no-cpu", NULL, "do not sample CPU time (in a short extra round after each round)", FLAG(no_cpu)},
	{"without", "HOOK", "pretend that this kernel lacks HOOK, a function or tracepoint; repeatable", OTHER(add_without)},
	{"perf-events", "LIST", "also count these events (names as in 'perf list'), e.g. stalled-cycles-backend:k; none: no counters", OTHER(set_perf_events)},
	{"interval", "TIME", "refresh interval of the live view, 50ms to 1h (default 1s)",
	 TIME(interval_ns), 50000000, 3600000000000, "a time from 50ms to 1h such as 1s", 0},
	TITLE("Output:"),
#define X(id, name, help) {#name, "FILE", help, TEXT(output[OUTPUT_##id])},
	OUTPUTS(X)
#undef X
	{"assert", "EXPR", "exit with 5 if EXPR is false, e.g. 'onecopy.copies_per_byte <= 2.01'; repeatable", OTHER(add_assertion)},
	{"details", NULL, "print all tables at the end: stages, call parts, reasons, missed events", FLAG(details)},
	{"quiet", NULL, "no live view, no final text, errors only", set_flag, AT(quiet), NULL, 0, 0, NULL, 'q'},
	{"verbose", NULL, "print progress; -vv: also libbpf's messages", add_verbose, 0, NULL, 0, 0, NULL, 'v'},
	TITLE("Serve:"),
	{"listen", "ADDR:PORT", "address to listen on; port 0: any free port", OTHER(set_listen)},
	{"ready-file", "FILE", "write the address to FILE when listening; FILE is removed at the end", TEXT(ready_file)},
};
/* clang-format on */

#define ROWS_NR     (sizeof(rows) / sizeof(rows[0]))
#define RUN_ROWS_NR (ROWS_NR - 3)

_Static_assert(ROWS_NR < OPTIONS_TABLE_MAX, "a table holds all rows and its end");

static struct argp_option as_option(const struct row *row, int group)
{
	if (!row->name)
		return (struct argp_option){.doc = row->help, .group = group};
	return (struct argp_option){
		.name = row->name,
		.key = row->letter ? row->letter : KEY_FIRST + (int)(row - rows),
		.arg = row->arg,
		.doc = row->help,
	};
}

static const struct row *row_of(const char *name)
{
	const struct row *row = rows;

	while (!row->name || strcmp(row->name, name) != 0)
		row++;
	return row;
}

void options__pick(struct argp_option *to, const struct options_pick *picks, size_t n, int group)
{
	for (size_t i = 0; i < n; i++) {
		const struct row title = {.help = picks[i].help};

		*to = as_option(picks[i].name ? row_of(picks[i].name) : &title, group);
		group += !picks[i].name;
		if (picks[i].help)
			to->doc = picks[i].help;
		to++;
	}
	*to = (struct argp_option){0};
}

error_t options__take(struct options *o, int key, const char *arg)
{
	for (size_t i = 0; i < ROWS_NR; i++) {
		if (!rows[i].name || as_option(&rows[i], 0).key != key)
			continue;
		rows[i].set(o, &rows[i], arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void set_defaults(struct options *o)
{
	/* As the load generator does: Nagle's algorithm must not delay a message. */
	o->traffic.nodelay |= o->traffic.request_response;
	if (!o->modes_nr)
		set_all_modes(o);
	if (!o->traffic.rounds)
		o->traffic.rounds = o->modes_nr > 1 && !o->traffic.messages ? ROUNDS_OF_ALL : 1;
	if (!o->traffic.messages && !o->traffic.duration_ns)
		o->traffic.duration_ns = DEFAULT_DURATION_NS;
	if (o->traffic.warmup_ns == UINT64_MAX) {
		o->traffic.warmup_ns = DEFAULT_WARMUP_NS;
		if (o->traffic.duration_ns &&
		    workload__round_ns(&o->traffic) / 2 < o->traffic.warmup_ns)
			o->traffic.warmup_ns = workload__round_ns(&o->traffic) / 2;
	}
}

#define FOR_SERVE " belongs to the receiver: give it to netiotrace serve on the other machine"

static void check_rules(const struct options *o)
{
	const struct workload *t = &o->traffic;
	const struct {
		bool wrong;
		const char *why;
	} rules[] = {
		{o->remote && o->path_given,
		 "--path and --connect exclude each other: a path on this machine, or to another"},
		{o->remote && o->mtu,
		 "--mtu needs --path veth: with --connect the route has the MTU"},
		{o->remote && o->ipv6,
		 "--ipv6 needs a path on this machine: with --connect the address decides"},
		{o->remote && t->rcvbuf, "--rcvbuf" FOR_SERVE},
		{o->remote && t->receiver_cpus, "--cpu-receiver" FOR_SERVE},
		{o->remote && t->rcvlowat, "--rcvlowat" FOR_SERVE},
		{t->messages && t->duration_ns,
		 "--messages and --duration exclude each other: a count or a time"},
		{t->size < t->fields,
		 "a message cannot have more fields than bytes: lower --fields"},
		{workload__message_size(t) > LIMIT_SIZE_MAX,
		 "header and fields are more than 16 MiB: lower --header or --size"},
		{t->connections && t->connections < t->threads,
		 "there are fewer connections than threads: lower --threads"},
		{t->request_response && t->rcvlowat,
		 "--request-response and --rcvlowat exclude each other: a message smaller than "
		 "--rcvlowat would block the receiver forever"},
		{o->mtu && o->path != NETPATH_VETH,
		 "--mtu needs --path veth: the loopback device is not changed"},
		{o->backend == BACKEND_NONE && o->count_calls,
		 "--count-calls needs a backend other than none"},
	};
	const char *pair[2], *name;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].wrong)
			usage_error("%s.", rules[i].why);
	if (outputs__collide(o->output, pair, &name))
		usage_error("%s and %s cannot both write to %s.", pair[0], pair[1],
			    strcmp(name, "-") == 0 ? "stdout" : name);
}

void options__finish(struct options *o)
{
	check_rules(o);
	set_defaults(o);
	if (o->traffic.duration_ns && workload__round_ns(&o->traffic) < ROUND_NS_MIN)
		usage_error("rounds are shorter than 10 ms: raise --duration or lower --rounds.");
	log_set_verbosity(o->quiet, o->verbose);
}

void options__init(struct options *o, int argc, char **argv)
{
	*o = (struct options){
		.traffic =
			{
				.size = DEFAULT_SIZE,
				.threads = 1,
				.fields = 8,
				.warmup_ns = UINT64_MAX,
			},
		.backend = BACKEND_AUTO,
		.interval_ns = DEFAULT_INTERVAL_NS,
		.argc = argc,
		.argv = argv,
	};
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		usage_error(
			"'%s' is one argument too many: %s takes options only. A command comes "
			"first (netiotrace COMMAND); a program is watched by 'netiotrace attach -- "
			"%s'.",
			arg, state->name, arg);
	return options__take(state->input, key, arg);
}

static void parse(struct options *o, const struct argp *argp, const char *name, int argc,
		  char **argv)
{
	options__init(o, argc, argv);
	command_line__parse(argp, name, argc, argv, o);
	options__finish(o);
}

void options__parse(struct options *o, const struct options_command *c, int argc, char **argv)
{
	struct argp_option table[OPTIONS_TABLE_MAX];
	const struct argp argp = {table, parse_opt, NULL, c->doc, 0, 0, 0};

	options__pick(table, c->picks, c->picks_nr, 1);
	parse(o, &argp, c->name, argc, argv);
}

static const char run_doc[] =
	"Runs a load generator in one or all of its three copy modes and keeps the copy ledger: "
	"live histograms first, then the answer on one screen.\n"
	"\n"
	"  sudo netiotrace --mode onecopy --size 64k\n"
	"  sudo netiotrace --mode all --threads 4 --duration 10s --json out.json\n"
	"  sudo netiotrace --connect 192.0.2.7:5201     send from here to that machine\n"
	"\n"
	"`netiotrace help' lists the other commands."
	"\v"
	"Exit status: 0 success, 1 the run failed, 2 usage error, 3 not supported by this kernel, "
	"4 missing privileges, 5 an --assert is false, 130 Ctrl-C (prints the results so far). "
	"q in the live view also ends the run, with status 0.";

void options__parse_run(struct options *o, int argc, char **argv)
{
	struct argp_option table[RUN_ROWS_NR + 1] = {0}, *next = table;
	const struct argp argp = {table, parse_opt, NULL, run_doc, 0, 0, 0};
	int group = 0;

	for (size_t i = 0; i < RUN_ROWS_NR; i++) {
		group += !rows[i].name;
		*next++ = as_option(&rows[i], group);
	}
	parse(o, &argp, "run", argc, argv);
}

void options__clear(struct options *o)
{
	for (size_t i = 0; i < o->assertions_nr; i++)
		assertion__free(o->assertions[i]);
	o->assertions_nr = 0;
}
