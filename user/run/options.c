/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of options, their values, and the rules about them; see options.h. */
#include <string.h>

#include "base/command_line.h"
#include "common/embed.h"
#include "base/log.h"
#include "common/word.h"
#include "options.h"

#define DEFAULT_SIZE        (64 * 1024)
#define DEFAULT_INTERVAL_NS 1000000000ULL
#define DEFAULT_DURATION_NS 5000000000ULL
#define DEFAULT_WARMUP_NS   500000000ULL
#define ROUNDS_OF_ALL       5 /* enough for a median and a range */
#define ROUND_NS_MIN        10000000ULL

/* Options of which sweep takes a list, by its name. */
static void refuse_list(const struct option_row *row, const char *arg)
{
	static const char *const lists[][2] = {{"mode", "modes"},
					       {"size", "sizes"},
					       {"threads", "threads"},
					       {"congestion", "congestion"}};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strcmp(row->name, lists[i][0]) == 0 && strchr(arg, ','))
			usage_error("--%s takes one value, not '%s'; several are compared by "
				    "'netiotrace sweep --%s %s'.",
				    row->name, arg, lists[i][1], arg);
}

static void set_all_modes(struct options *o)
{
	o->modes_nr = MODE_ALL_NR;
	for (int m = 0; m < MODE_ALL_NR; m++)
		o->modes[m] = m;
}

static void parse_mode(void *options, const char *arg)
{
	struct options *o = options;

	if (same_word(arg, "all")) {
		set_all_modes(o);
		return;
	}
	o->modes_nr = 1;
	mode__parse(arg, &o->modes[0]);
}

static void parse_path(void *options, const char *arg)
{
	struct options *o = options;

	netpath__parse(arg, &o->path);
	o->path_given = true;
}

static void set_times(struct options *o, enum times times)
{
	if (o->times != TIMES_APART && o->times != times)
		usage_error("--times and --no-times exclude each other.");
	o->times = times;
}

static void enable_times(void *options, const char *arg)
{
	(void)arg;
	set_times(options, TIMES_ON);
}

static void disable_times(void *options, const char *arg)
{
	(void)arg;
	set_times(options, TIMES_OFF);
}

static void parse_without(void *options, const char *hook)
{
	struct options *o = options;

	if (o->without_nr == WITHOUT_MAX)
		usage_error("at most %d --without can be given.", WITHOUT_MAX);
	if (!plan__withhold(OBJECT_RUN, NULL, hook))
		usage_error("no hook is called '%s': netiotrace doctor lists those in use.", hook);
	o->without[o->without_nr++] = hook;
}

static void parse_connect(void *options, const char *arg)
{
	struct options *o = options;

	if (address__parse(arg, false, &o->connect))
		usage_error("--connect takes ADDRESS:PORT such as 192.0.2.7:5201 or "
			    "[2001:db8::7]:5201, not '%s'.",
			    arg);
	o->remote = true;
}

static void parse_listen(void *options, const char *arg)
{
	struct options *o = options;

	if (address__parse(arg, true, &o->listen))
		usage_error(
			"--listen takes ADDRESS:PORT such as 0.0.0.0:5201 or [::]:5201, not '%s'.",
			arg);
}

static void parse_assertion(void *options, const char *arg)
{
	struct options *o = options;
	char message[512];

	if (o->assertions_nr == ASSERTIONS_MAX)
		usage_error("at most %d --assert can be given.", ASSERTIONS_MAX);
	if (assertion__parse(&o->assertions[o->assertions_nr], arg, message, sizeof(message)))
		usage_error("%s", message);
	o->assertions_nr++;
}

static void parse_perf_events(void *options, const char *arg)
{
	struct options *o = options;
	char message[256];

	o->perf_none = strcmp(arg, "none") == 0;
	if (!o->perf_none &&
	    perf_names__parse_list(arg, &perf_lookup_sysfs, o->perf_events, PERF_EVENTS_MAX,
				   &o->perf_events_nr, message, sizeof(message)))
		usage_error("--perf-events: %s.", message);
}

#define AT(member) .offset = offsetof(struct options, member)
#define RUN        OPTIONS_RUN
#define SWEEP      OPTIONS_SWEEP
#define SERVE      OPTIONS_SERVE
#define DOCTOR     OPTIONS_DOCTOR
#define ALL        (RUN | SWEEP | SERVE | DOCTOR)
#define TITLE(c, s)                                                \
	{                                                          \
		.help = (s), .kind = OPTION_TITLE, .commands = (c) \
	}

#define WORKLOAD(X, member, kind, name, arg, use, ...)                                     \
	WORKLOAD_ROW(offsetof(struct options, workload), member, kind, name, arg,          \
		     RUN | ((use)&OF_CELL ? 0 : SWEEP) | ((use)&ON_RECEIVER ? SERVE : 0) | \
			     ((use)&OF_PLAN ? DOCTOR : 0),                                 \
		     __VA_ARGS__),

/* The options of all commands under their titles: the commands that have it, then the option. */
/* clang-format off */
static const struct option_row rows[] = {
	TITLE(SERVE, "Options:"),
	{"listen", "ADDR:PORT", "address to listen on; port 0: any free port", OPTION_OTHER, .parse = parse_listen, .commands = SERVE},
	{"ready-file", "FILE", "write the address to FILE when listening; FILE is removed at the end", OPTION_STRING, AT(ready_file), .commands = SERVE},
	{"token", "FILE", "give what this machine measures only to senders with this token, at least 16 bytes", OPTION_STRING, AT(token), .commands = SERVE},
	{"insecure", NULL, "without a token, give it to every sender that can connect (default: on loopback only)", OPTION_FLAG, AT(insecure), .commands = SERVE},
	TITLE(DOCTOR, "Planned run:"),
	TITLE(RUN | SWEEP, "Workload:"),
	{"mode", MODE_CHOICES "all", "way to send; all (default): " MODE_ALL_NAMES, OPTION_OTHER, .parse = parse_mode, .commands = RUN},
	WORKLOAD_MESSAGES(WORKLOAD, )
	TITLE(RUN | SWEEP, "Path:"),
	{"path", "loopback|veth", "loopback (default), or veth: a veth pair between two temporary network namespaces", OPTION_OTHER, .parse = parse_path, .commands = RUN | SWEEP | DOCTOR},
	{"connect", "ADDR:PORT", "send to another machine that runs 'netiotrace serve'", OPTION_OTHER, .parse = parse_connect, .commands = RUN | SWEEP},
	{"token", "FILE", "prove the token of 'netiotrace serve --token' to the other machine", OPTION_STRING, AT(token), .commands = RUN | SWEEP},
	{"mtu", "BYTES", "MTU of the veth pair, 1280 to 65535", OPTION_UINT, AT(mtu), "a number from 1280 to 65535", 1280, 65535, .commands = RUN | SWEEP | DOCTOR, .key = "mtu"},
	{"ipv6", NULL, "IPv6 instead of IPv4", OPTION_FLAG, AT(ipv6), .commands = RUN | SWEEP | DOCTOR, .key = "ipv6"},
	WORKLOAD_SOCKETS(WORKLOAD, )
	TITLE(RUN | SWEEP, "Measurement:"),
	{"backend", "auto|fentry|kprobe|tracepoint|none", "type of BPF program (default auto); none: load generator only, needs no root", OPTION_OTHER, AT(backend), .parse = backend__store, .commands = RUN | SWEEP | DOCTOR},
	{"count-calls", NULL, "process every send and receive event and count every call; costs several percent below 16k", OPTION_FLAG, AT(count_calls), .commands = RUN | SWEEP | DOCTOR, .key = "count_calls"},
	{"times", NULL, "measure the parts of send calls in every round; costs several percent (default: in a short extra round after each round)", OPTION_OTHER, .parse = enable_times, .commands = RUN | SWEEP | DOCTOR},
	{"no-times", NULL, "do not measure times in the kernel, only bytes", OPTION_OTHER, .parse = disable_times, .commands = RUN | SWEEP | DOCTOR},
	{"no-cpu", NULL, "do not sample CPU time (in a short extra round after each round)", OPTION_FLAG, AT(no_cpu), .commands = RUN | SWEEP, .key = "no_cpu"},
	{"follow", NULL, "in an extra round of 10 s of each mode, find the sender's own copies by hardware watchpoints, as 'netiotrace follow' does", OPTION_FLAG, AT(follow), .commands = RUN},
	{"without", "HOOK", "pretend that this kernel lacks HOOK, a function or tracepoint; repeatable", OPTION_OTHER, .parse = parse_without, .commands = RUN | DOCTOR},
	{"perf-events", "LIST", "also count these events (names as in 'perf list'), e.g. stalled-cycles-backend:k; none: no counters", OPTION_OTHER, .parse = parse_perf_events, .commands = RUN},
	{"interval", "TIME", "refresh interval of the live view, 50ms to 1h (default 1s)",
	 OPTION_TIME, AT(interval_ns), "a time from 50ms to 1h such as 1s", 50000000, 3600000000000, .commands = RUN},
	TITLE(RUN | DOCTOR, "Output:"),
#define X(id, name, help) {#name, "FILE", help, OPTION_STRING, AT(output[OUTPUT_##id]), .commands = OUTPUT_##id == OUTPUT_JSON ? RUN | DOCTOR : RUN},
	OUTPUTS(X)
#undef X
	{"assert", "EXPR", "exit with 5 if EXPR is false, e.g. 'onecopy.copies_per_byte <= 2.01'; repeatable", OPTION_OTHER, .parse = parse_assertion, .commands = RUN},
	{"details", NULL, "also print every field of the result and each reason; doctor: every check and hook", OPTION_FLAG, AT(details), .commands = RUN | DOCTOR},
	{"quiet", NULL, "no live view, no final text, errors only", OPTION_FLAG, AT(quiet), .letter = 'q', .commands = RUN | SWEEP | SERVE},
	{"verbose", NULL, "print progress; -vv: also libbpf's messages", OPTION_LEVEL, AT(verbose), .letter = 'v', .commands = ALL},
};
/* clang-format on */

#define ROWS_NR (sizeof(rows) / sizeof(rows[0]))

_Static_assert(ROWS_NR + 4 < OPTION_ROWS_MAX, "a command line has room for all rows");

size_t options__rows(const struct options_command *c, struct option_row *to)
{
	size_t n = 0;

	for (size_t i = 0; i < ROWS_NR; i++) {
		if (!(rows[i].commands & c->bit))
			continue;
		to[n] = rows[i];
		to[n++].help = option__help(&rows[i], c->helps);
	}
	return n;
}

const struct option_row *options__of_sweep(size_t i)
{
	for (const struct option_row *row = rows; row < rows + ROWS_NR; row++)
		if (row->key && row->commands & SWEEP && !i--)
			return row;
	return NULL;
}

static void set_defaults(struct options *o)
{
	/* As the load generator does: Nagle's algorithm must not delay a message. */
	o->workload.nodelay |= o->workload.request_response;
	o->workload.fields = mode__fields(o->modes[0], &o->workload);
	if (!o->workload.uring_depth)
		o->workload.uring_depth = 1;
	if (!o->workload.rounds)
		o->workload.rounds = o->modes_nr > 1 && !o->workload.messages ? ROUNDS_OF_ALL : 1;
	if (!o->workload.messages && !o->workload.duration_ns)
		o->workload.duration_ns = DEFAULT_DURATION_NS;
	if (o->workload.warmup_ns == UINT64_MAX) {
		o->workload.warmup_ns = DEFAULT_WARMUP_NS;
		if (o->workload.duration_ns &&
		    workload__round_ns(&o->workload) / 2 < o->workload.warmup_ns)
			o->workload.warmup_ns = workload__round_ns(&o->workload) / 2;
	}
}

/* With --connect, the receiver is another machine's. */
static void refuse_of_receiver(const struct workload *w)
{
	char buf[OPTION_TEXT_MAX];

	for (size_t i = 0; i < WORKLOAD_OPTIONS_NR; i++)
		if ((workload_options[i].commands & ON_BOTH) == ON_RECEIVER &&
		    option__text(&workload_options[i], w, buf))
			usage_error("--%s belongs to the receiver: give it to netiotrace serve on "
				    "the other machine.",
				    workload_options[i].name);
}

static void check_rules(const struct options *o)
{
	const struct output_option outputs[] = {
#define X(id, name, help) {"--" #name, o->output[OUTPUT_##id]},
		OUTPUTS(X)
#undef X
	};
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
		{o->token && !o->remote && !o->listen.host[0],
		 "--token is for two machines: it needs --connect"},
		{o->token && o->insecure, "--token and --insecure exclude each other: senders "
					  "prove the token, or need none"},
		{o->mtu && o->path != NETPATH_VETH,
		 "--mtu needs --path veth: the loopback device is not changed"},
		{o->follow && o->workload.messages,
		 "--follow needs a round of 10 s: with --messages only these are sent"},
		{o->backend == BACKEND_NONE && o->count_calls,
		 "--count-calls needs a backend other than none"},
	};
	char why[MODE_WHY];
	const char *conflict;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].wrong)
			usage_error("%s.", rules[i].why);
	if (o->remote)
		refuse_of_receiver(&o->workload);
	conflict = mode__conflict(o->modes, o->modes_nr, &o->workload, why);
	if (conflict)
		usage_error("%s.", conflict);
	command_line__check_outputs(outputs, OUTPUT_NR);
}

void options__finish(struct options *o)
{
	if (!o->modes_nr)
		set_all_modes(o);
	check_rules(o);
	set_defaults(o);
	if (o->workload.duration_ns && workload__round_ns(&o->workload) < ROUND_NS_MIN)
		usage_error("rounds are shorter than 10 ms: raise --duration or lower --rounds.");
	log_set_verbosity(o->quiet, o->verbose);
}

void options__init(struct options *o, int argc, char **argv)
{
	*o = (struct options){
		.workload =
			{
				.size = DEFAULT_SIZE,
				.threads = 1,
				.warmup_ns = UINT64_MAX,
			},
		.backend = BACKEND_AUTO,
		.interval_ns = DEFAULT_INTERVAL_NS,
		.argc = argc,
		.argv = argv,
	};
}

void options__parse(struct options *o, const struct options_command *c, int argc, char **argv)
{
	struct option_row table[OPTION_ROWS_MAX];
	const struct option_command command = {
		.name = c->name,
		.doc = c->doc,
		.option_rows = table,
		.nr = options__rows(c, table),
		.check = refuse_list,
	};

	options__init(o, argc, argv);
	option_command__parse(&command, argc, argv, o);
	options__finish(o);
}

EMBED(run_doc, "user/run/run.help");

void options__parse_run(struct options *o, int argc, char **argv)
{
	static const struct options_command command = {
		.name = "run", .doc = run_doc, .bit = OPTIONS_RUN};

	options__parse(o, &command, argc, argv);
}

void options__clear(struct options *o)
{
	for (size_t i = 0; i < o->assertions_nr; i++)
		assertion__free(o->assertions[i]);
	o->assertions_nr = 0;
}
