/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line; see options.h. One table of options, one of the rules their values obey. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>

#include "base/log.h"
#include "options.h"
#include "outputs.h"
#include "base/refuse.h"
#include "common/units.h"

#define DEFAULT_SIZE        (64 * 1024)
#define DEFAULT_DURATION_NS 5000000000ULL
#define DEFAULT_WARMUP_NS   500000000ULL
#define DEFAULT_INTERVAL_NS 1000000000ULL
#define ROUNDS_OF_ALL       5 /* enough for a median and a range */
#define DAY_NS              (24 * 3600 * 1000000000ULL)
#define ROUND_NS_MIN        10000000ULL

enum key {
	KEY_MODE = 256,
	KEY_SIZE,
	KEY_THREADS,
	KEY_FIELDS,
	KEY_DURATION,
	KEY_MESSAGES,
	KEY_WARMUP,
	KEY_ROUNDS,
	KEY_PATH,
	KEY_CONNECT,
	KEY_LISTEN,
	KEY_MTU,
	KEY_IPV6,
	KEY_BACKEND,
	KEY_COUNT_CALLS,
	KEY_TIMES,
	KEY_NO_TIMES,
	KEY_WITHOUT,
	KEY_INTERVAL,
	KEY_PERF_EVENTS,
	KEY_CPU_SENDER,
	KEY_CPU_RECEIVER,
	KEY_SNDBUF,
	KEY_RCVBUF,
	KEY_NODELAY,
	KEY_CONGESTION,
	KEY_VERIFY,
/* clang-format off */
#define X(id, ...) KEY_##id,
	OUTPUTS(X)
#undef X
	/* clang-format on */
	KEY_ASSERT,
};

static const struct argp_option option_table[] = {
	{0, 0, 0, 0, "What is sent:", 1},
	{"mode", KEY_MODE, "MODE", 0, MODE_NAMES "or all (default)", 0},
	{"size", KEY_SIZE, "SIZE", 0, "bytes a message, 64 to 16m; 4k, 1m (default 64k)", 0},
	{"fields", KEY_FIELDS, "N", 0, "fields a message, 1 to 64 (default 8)", 0},
	{"threads", KEY_THREADS, "N", 0, "threads, a connection each, 1 to 256 (default 1)", 0},
	{"duration", KEY_DURATION, "TIME", 0,
	 "measured time of each mode, all rounds together; 5s, 500ms (default 5s)", 0},
	{"messages", KEY_MESSAGES, "N", 0, "send exactly N messages a round instead", 0},
	{"warmup", KEY_WARMUP, "TIME", 0,
	 "before each round, not counted (default 500ms, at most half a round)", 0},
	{"rounds", KEY_ROUNDS, "N", 0,
	 "rounds, interleaved over the modes, 1 to 1000 (default 5 with --mode all and --duration, "
	 "else 1)",
	 0},
	{"verify", KEY_VERIFY, 0, 0, "the receiver checks every byte", 0},
	{0, 0, 0, 0, "Over what:", 2},
	{"path", KEY_PATH, "PATH", 0, "loopback, or veth: two network namespaces of our own", 0},
	{"connect", KEY_CONNECT, "ADDR:PORT", 0,
	 "to a receiver on another machine, where 'netiotrace serve' waits", 0},
	{"listen", KEY_LISTEN, "ADDR:PORT", 0, "serve: the address to wait on; port 0: any", 0},
	{"mtu", KEY_MTU, "BYTES", 0, "MTU of the veth pair, 1280 to 65535", 0},
	{"ipv6", KEY_IPV6, 0, 0, "IPv6 instead of IPv4", 0},
	{"sndbuf", KEY_SNDBUF, "SIZE", 0, "SO_SNDBUF of the senders", 0},
	{"rcvbuf", KEY_RCVBUF, "SIZE", 0, "SO_RCVBUF of the receivers", 0},
	{"congestion", KEY_CONGESTION, "NAME", 0,
	 "congestion control of the senders; system: the system's (default: that, but on paths of "
	 "this machine cubic or reno where the system's paces)",
	 0},
	{"nodelay", KEY_NODELAY, 0, 0, "TCP_NODELAY on the senders", 0},
	{"cpu-sender", KEY_CPU_SENDER, "LIST", 0, "pin the senders to these CPUs: 0-3,8", 0},
	{"cpu-receiver", KEY_CPU_RECEIVER, "LIST", 0, "pin the receivers", 0},
	{0, 0, 0, 0, "How it is watched:", 3},
	{"backend", KEY_BACKEND, "NAME", 0,
	 "auto, trampoline, kprobe, tracepoint; none: load generator only, no root needed", 0},
	{"count-calls", KEY_COUNT_CALLS, 0, 0,
	 "count every send call even of messages under 16k, where that costs several percent", 0},
	{"times", KEY_TIMES, 0, 0,
	 "take the time of each part of a send call even of messages under 64k, where that costs "
	 "several percent",
	 0},
	{"no-times", KEY_NO_TIMES, 0, 0, "take no times in the kernel, only bytes", 0},
	{"without", KEY_WITHOUT, "HOOK", 0,
	 "do as if the kernel did not have this hook, function or tracepoint; repeatable", 0},
	{"perf-events", KEY_PERF_EVENTS, "LIST", 0,
	 "count these besides: names as of perf list, e.g. stalled-cycles-backend:k; none: no "
	 "counters",
	 0},
	{"interval", KEY_INTERVAL, "TIME", 0, "refresh of the live view, 50ms to 1h (default 1s)",
	 0},
	{0, 0, 0, 0, "What comes out:", 4},
/* clang-format off */
#define X(id, name, help) {#name, KEY_##id, "FILE", 0, help, 0},
	OUTPUTS(X)
#undef X
	/* clang-format on */
	{"assert", KEY_ASSERT, "EXPR", 0,
	 "exit 5 unless it holds, e.g. 'onecopy.copies_per_byte <= 2.01'; repeatable", 0},
	{"quiet", 'q', 0, 0, "no live view, no text at the end, errors only", 0},
	{"verbose", 'v', 0, 0, "say what is done; -vv: libbpf's messages too", 0},
	{0, 0, 0, 0, 0, 0},
};

static const char args_doc[] = "\ndoctor [--path PATH] [--json FILE]\nserve --listen ADDR:PORT";

static const char doc[] =
	"Where are the bytes of a TCP transfer copied, and was zero-copy zero-copy? Runs a load "
	"generator in one or all of its three copy modes and keeps the kernel's copy ledger of "
	"it.\n"
	"\n"
	"  sudo netiotrace --mode onecopy --size 64k    live histograms, then the ledger\n"
	"  sudo netiotrace --connect 192.0.2.7:5201     the sender here, the receiver there\n"
	"  netiotrace serve --listen 192.0.2.7:5201     that receiver\n"
	"  sudo netiotrace sweep -o results             modes x sizes x threads\n"
	"  netiotrace report results                    pictures and answers from it\n"
	"  netiotrace compare before after              what changed between two sweeps\n"
	"  netiotrace doctor                            what this machine can measure\n"
	"\v"
	"Exit status: 0 done, 1 the run failed, 2 usage, 3 this kernel cannot do what was asked, "
	"4 privileges missing, 5 an --assert did not hold, 130 ended by Ctrl-C (the results so far "
	"are still given). q in the live view ends the run too, with status 0.";

enum kind {
	KIND_SIZE,
	KIND_COUNT,
	KIND_TIME,
	KIND_FLAG,
	KIND_STRING,
};

/* An option whose value goes to one field of struct options, within bounds. */
struct setting {
	int key;
	enum kind kind;
	size_t offset;
	uint64_t min, max;
	const char *name;
	const char *range; /* in words, for the refusal */
};

#define AT(field) offsetof(struct options, field)

/* clang-format off */
static const struct setting settings[] = {
	{KEY_SIZE,     KIND_SIZE,  AT(traffic.size), SIZE_BYTES_MIN, SIZE_BYTES_MAX, "--size", "64 bytes to 16m"},
	{KEY_SNDBUF,   KIND_SIZE,  AT(traffic.sndbuf), 1, 1 << 30, "--sndbuf", "1 byte to 1g"},
	{KEY_RCVBUF,   KIND_SIZE,  AT(traffic.rcvbuf), 1, 1 << 30, "--rcvbuf", "1 byte to 1g"},
	{KEY_MESSAGES, KIND_COUNT, AT(traffic.messages), 1, 1ULL << 48, "--messages", "1 to 2^48"},
	{KEY_DURATION, KIND_TIME,  AT(traffic.duration_ns), 1, DAY_NS, "--duration", "above 0, up to 24h"},
	{KEY_WARMUP,   KIND_TIME,  AT(traffic.warmup_ns), 0, DAY_NS, "--warmup", "0 to 24h"},
	{KEY_INTERVAL, KIND_TIME,  AT(interval_ns), 50000000, 3600000000000, "--interval", "50ms to 1h"},
	{KEY_IPV6,     KIND_FLAG,  AT(ipv6), 0, 0, NULL, NULL},
	{KEY_NODELAY,  KIND_FLAG,  AT(traffic.nodelay), 0, 0, NULL, NULL},
	{KEY_VERIFY,   KIND_FLAG,  AT(traffic.verify), 0, 0, NULL, NULL},
	{KEY_CONGESTION, KIND_STRING, AT(congestion), 0, 0, "--congestion", NULL},
	{KEY_COUNT_CALLS, KIND_FLAG, AT(count_calls), 0, 0, NULL, NULL},
	{'q',          KIND_FLAG,  AT(quiet), 0, 0, NULL, NULL},
#define X(id, ...) {KEY_##id, KIND_STRING, AT(output[OUTPUT_##id]), 0, 0, NULL, NULL},
	OUTPUTS(X)
#undef X
};
/* clang-format on */

static const struct setting *setting_of(int key)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (settings[i].key == key)
			return &settings[i];
	return NULL;
}

static int parse_within(const struct setting *s, const char *arg, uint64_t *value)
{
	int err;

	if (s->kind == KIND_COUNT)
		return parse_count(arg, s->min, s->max, value);
	err = s->kind == KIND_SIZE ? parse_size(arg, value) : parse_duration(arg, value);
	if (err)
		return err;
	return *value >= s->min && *value <= s->max ? 0 : -ERANGE;
}

static void apply(struct options *o, const struct setting *s, const char *arg)
{
	void *field = (char *)o + s->offset;
	uint64_t value = 0;

	switch (s->kind) {
	case KIND_FLAG:
		*(bool *)field = true;
		return;
	case KIND_STRING:
		if (!*arg)
			refuse("%s is empty.", s->name ? s->name : "a file name");
		*(const char **)field = arg;
		return;
	default:
		if (parse_within(s, arg, &value))
			refuse("%s takes %s, not '%s'.", s->name, s->range, arg);
		*(uint64_t *)field = value;
	}
}

static unsigned int small_count(const char *name, const char *arg, unsigned int min,
				unsigned int max)
{
	uint64_t value = 0;

	if (parse_count(arg, min, max, &value))
		refuse("%s takes a number from %u to %u, not '%s'.", name, min, max, arg);
	return value;
}

static void set_modes(struct options *o, const char *arg)
{
	if (strcmp(arg, "all") == 0) {
		o->modes_nr = MODE_NR;
		for (int m = 0; m < MODE_NR; m++)
			o->modes[m] = m;
		return;
	}
	o->modes_nr = 1;
	if (mode__parse(arg, &o->modes[0]))
		refuse("--mode takes " MODE_NAMES "or all, not '%s'.", arg);
}

static void set_times(struct options *o, enum times times)
{
	if (o->times != TIMES_AUTO && o->times != times)
		refuse("--times and --no-times exclude each other.");
	o->times = times;
}

static void add_without(struct options *o, const char *hook)
{
	if (o->without_nr == WITHOUT_MAX)
		refuse("at most %d --without can be given.", WITHOUT_MAX);
	if (!plan__withhold(NULL, hook))
		refuse("no hook is called '%s': netiotrace doctor lists those in use.", hook);
	o->without[o->without_nr++] = hook;
}

static void ignore_cpu(unsigned int cpu, void *arg)
{
	(void)cpu;
	(void)arg;
}

static const char *cpu_list(const char *name, const char *arg)
{
	if (parse_cpu_list(arg, CPU_SETSIZE, ignore_cpu, NULL))
		refuse("%s takes a list of CPUs such as 0-3,8, not '%s'.", name, arg);
	return arg;
}

static void set_connect(struct options *o, const char *arg)
{
	if (address__parse(arg, false, &o->connect))
		refuse("--connect takes ADDRESS:PORT such as 192.0.2.7:5201 or [2001:db8::7]:5201, "
		       "not '%s'.",
		       arg);
	o->remote = true;
}

static void set_listen(struct options *o, const char *arg)
{
	if (address__parse(arg, true, &o->listen))
		refuse("--listen takes ADDRESS:PORT such as 0.0.0.0:5201 or [::]:5201, not '%s'.",
		       arg);
}

static void add_assertion(struct options *o, const char *arg)
{
	char message[256];

	if (o->assertions_nr == ASSERTIONS_MAX)
		refuse("at most %d --assert can be given.", ASSERTIONS_MAX);
	if (assertion__parse(&o->assertions[o->assertions_nr], arg, message, sizeof(message)))
		refuse("%s", message);
	o->assertions_nr++;
}

static void set_perf_events(struct options *o, const char *arg)
{
	char message[256];

	o->perf_none = strcmp(arg, "none") == 0;
	if (!o->perf_none &&
	    perf_names__parse_list(arg, &perf_lookup_sysfs, o->perf_events, PERF_EVENTS_MAX,
				   &o->perf_events_nr, message, sizeof(message)))
		refuse("--perf-events: %s.", message);
}

static void set_command(struct options *o, const char *arg)
{
	if (strcmp(arg, "run") == 0)
		o->command = COMMAND_RUN;
	else if (strcmp(arg, "doctor") == 0)
		o->command = COMMAND_DOCTOR;
	else if (strcmp(arg, "serve") == 0)
		o->command = COMMAND_SERVE;
	else if (strcmp(arg, "sweep") == 0 || strcmp(arg, "report") == 0 ||
		 strcmp(arg, "compare") == 0)
		refuse("the command comes first: netiotrace %s [options].", arg);
	else
		refuse("'%s' is not a command: run (also without its name), sweep, report, "
		       "compare, "
		       "serve and doctor are.",
		       arg);
}

/* Options that are not one bounded number. */
static error_t parse_special(struct options *o, int key, const char *arg, unsigned int arg_num)
{
	switch (key) {
	case KEY_MODE:
		set_modes(o, arg);
		return 0;
	case KEY_THREADS:
		o->traffic.threads = small_count("--threads", arg, 1, THREADS_MAX);
		return 0;
	case KEY_FIELDS:
		o->traffic.fields = small_count("--fields", arg, 1, 64);
		return 0;
	case KEY_ROUNDS:
		o->traffic.rounds = small_count("--rounds", arg, 1, 1000);
		return 0;
	case KEY_MTU:
		o->mtu = small_count("--mtu", arg, 1280, 65535);
		return 0;
	case KEY_PATH:
		if (netpath__parse(arg, &o->path))
			refuse("--path takes loopback or veth, not '%s'.", arg);
		o->path_given = true;
		return 0;
	case KEY_CONNECT:
		set_connect(o, arg);
		return 0;
	case KEY_LISTEN:
		set_listen(o, arg);
		return 0;
	case KEY_BACKEND:
		if (backend__parse(arg, &o->backend))
			refuse("--backend takes auto, trampoline, kprobe, tracepoint or none, "
			       "not '%s'.",
			       arg);
		return 0;
	case KEY_TIMES:
		set_times(o, TIMES_ON);
		return 0;
	case KEY_NO_TIMES:
		set_times(o, TIMES_OFF);
		return 0;
	case KEY_WITHOUT:
		add_without(o, arg);
		return 0;
	case KEY_CPU_SENDER:
		o->traffic.sender_cpus = cpu_list("--cpu-sender", arg);
		return 0;
	case KEY_CPU_RECEIVER:
		o->traffic.receiver_cpus = cpu_list("--cpu-receiver", arg);
		return 0;
	case KEY_PERF_EVENTS:
		set_perf_events(o, arg);
		return 0;
	case KEY_ASSERT:
		add_assertion(o, arg);
		return 0;
	case 'v':
		o->verbose++;
		return 0;
	case ARGP_KEY_ARG:
		if (arg_num)
			refuse("'%s' is one argument too many.", arg);
		set_command(o, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	const struct setting *s = setting_of(key);

	if (!s)
		return parse_special(o, key, arg, state->arg_num);
	apply(o, s, arg);
	return 0;
}

const struct argp_option *options__row(const char *name)
{
	const struct argp_option *row = option_table;

	/* A heading has no name; the end has neither name nor text. */
	while (row->name ? strcmp(row->name, name) != 0 : row->doc != NULL)
		row++;
	return row->name ? row : NULL;
}

error_t options__take(struct options *o, int key, const char *arg)
{
	const struct setting *s = setting_of(key);

	if (!s)
		return parse_special(o, key, arg, 0);
	apply(o, s, arg);
	return 0;
}

static void set_defaults(struct options *o)
{
	if (!o->modes_nr)
		set_modes(o, "all");
	if (!o->traffic.rounds)
		o->traffic.rounds = o->modes_nr > 1 && !o->traffic.messages ? ROUNDS_OF_ALL : 1;
	if (!o->traffic.messages && !o->traffic.duration_ns)
		o->traffic.duration_ns = DEFAULT_DURATION_NS;
	if (o->traffic.warmup_ns == UINT64_MAX) {
		o->traffic.warmup_ns = DEFAULT_WARMUP_NS;
		if (o->traffic.duration_ns &&
		    traffic__round_ns(&o->traffic) / 2 < o->traffic.warmup_ns)
			o->traffic.warmup_ns = traffic__round_ns(&o->traffic) / 2;
	}
}

/* What belongs to the machine of the receiver, or to paths of our own making. */
static void check_remote(const struct options *o)
{
	if (!o->remote)
		return;
	if (o->path_given)
		refuse("--path and --connect exclude each other: a path on this machine, or to "
		       "another.");
	if (o->mtu)
		refuse("--mtu is for --path veth: with --connect the MTU is the route's.");
	if (o->ipv6)
		refuse("--ipv6 is for paths on this machine: --connect says it by the address.");
	if (o->traffic.rcvbuf || o->traffic.receiver_cpus)
		refuse("%s is the receiver's: give it to netiotrace serve on the other machine.",
		       o->traffic.rcvbuf ? "--rcvbuf" : "--cpu-receiver");
}

static bool any_output(const struct options *o)
{
	for (int i = 0; i < OUTPUT_NR; i++)
		if (o->output[i])
			return true;
	return false;
}

/* Whether anything was given that says what is sent, watched or written. */
static bool run_is_described(const struct options *o)
{
	return o->modes_nr || o->traffic.duration_ns || o->traffic.messages || o->traffic.rounds ||
	       o->traffic.sndbuf || o->traffic.sender_cpus || any_output(o) || o->assertions_nr ||
	       o->path_given || o->mtu || o->ipv6 || o->traffic.nodelay || o->count_calls ||
	       o->traffic.warmup_ns != UINT64_MAX || o->traffic.size != DEFAULT_SIZE;
}

static void check_serve(const struct options *o)
{
	if (o->command != COMMAND_SERVE) {
		if (o->listen.host[0])
			refuse("--listen is for netiotrace serve.");
		return;
	}
	if (o->remote)
		refuse("--connect is for the other machine: serve takes --listen ADDRESS:PORT.");
	if (!o->listen.host[0])
		refuse("serve needs --listen ADDRESS:PORT, such as 0.0.0.0:5201.");
	if (run_is_described(o))
		refuse("serve takes --listen, --rcvbuf, --cpu-receiver, --verify, -q and -v only: "
		       "the sender says the rest.");
}

static void check_rules(const struct options *o)
{
	const char *pair[2];

	check_remote(o);
	check_serve(o);
	if (o->traffic.messages && o->traffic.duration_ns)
		refuse("--messages and --duration exclude each other: a count or a time.");
	if (o->traffic.size < o->traffic.fields)
		refuse("a message of %" PRIu64 " bytes has no %u fields: lower --fields.",
		       o->traffic.size, o->traffic.fields);
	if (o->mtu && o->path != NETPATH_VETH)
		refuse("--mtu is for --path veth: the loopback device is not ours to change.");
	if (outputs__collide(o->output, pair))
		refuse("%s - and %s - cannot both have stdout.", pair[0], pair[1]);
	if (o->backend == BACKEND_NONE && o->count_calls)
		refuse("--count-calls needs a backend other than none.");
}

static void check_rounds(const struct options *o)
{
	if (o->traffic.duration_ns && traffic__round_ns(&o->traffic) < ROUND_NS_MIN)
		refuse("%u rounds leave under 10 ms each: raise --duration or lower --rounds.",
		       o->traffic.rounds);
}

static void set_verbosity(const struct options *o)
{
	if (o->quiet)
		log_set_level(LOG_ERROR);
	else
		log_set_level(o->verbose > 1 ? LOG_DEBUG : o->verbose ? LOG_INFO : LOG_WARNING);
}

void options__finish(struct options *o)
{
	check_rules(o);
	set_defaults(o);
	check_rounds(o);
	set_verbosity(o);
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
	argp_program_version = "netiotrace " NETIOTRACE_VERSION;
	argp_err_exit_status = EXIT_USAGE;
}

void options__parse(struct options *o, int argc, char **argv)
{
	static const struct argp argp = {option_table, parse_opt, args_doc, doc, 0, 0, 0};

	options__init(o, argc, argv);
	argp_parse(&argp, argc, argv, 0, NULL, o);
	options__finish(o);
}

void options__clear(struct options *o)
{
	for (size_t i = 0; i < o->assertions_nr; i++)
		assertion__free(o->assertions[i]);
	o->assertions_nr = 0;
}
