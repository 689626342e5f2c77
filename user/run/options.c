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

static void refuse_list(const char *option, const char *of_sweep, const char *arg)
{
	if (strchr(arg, ','))
		usage_error("--%s takes one value, not '%s'; several are compared by 'netiotrace "
			    "sweep --%s %s'.",
			    option, arg, of_sweep, arg);
}

static void check_size(void *field, const char *arg)
{
	(void)field;
	refuse_list("size", "sizes", arg);
}

static void check_threads(void *field, const char *arg)
{
	(void)field;
	refuse_list("threads", "threads", arg);
}

static void ignore_cpu(unsigned int cpu, void *arg)
{
	(void)cpu;
	(void)arg;
}

static void check_cpus(const char *option, const char *arg)
{
	if (parse_cpu_list(arg, CPUS_MAX, ignore_cpu, NULL))
		usage_error("--%s takes a list of CPUs such as 0-3,8, not '%s'.", option, arg);
}

static void check_sender_cpus(void *field, const char *arg)
{
	(void)field;
	check_cpus("cpu-sender", arg);
}

static void check_receiver_cpus(void *field, const char *arg)
{
	(void)field;
	check_cpus("cpu-receiver", arg);
}

static void take_rate(void *rate, const char *arg)
{
	if (parse_rate(arg, LIMIT_RATE_MAX, rate))
		usage_error("--rate takes a number of messages a second such as 2000/s, up to "
			    "100000000/s, not '%s'.",
			    arg);
}

static void set_all_modes(struct options *o)
{
	o->modes_nr = MODE_NR;
	for (int m = 0; m < MODE_NR; m++)
		o->modes[m] = m;
}

static void take_mode(void *options, const char *arg)
{
	struct options *o = options;

	if (same_word(arg, "all")) {
		set_all_modes(o);
		return;
	}
	o->modes_nr = 1;
	mode__parse(arg, &o->modes[0]);
}

static void take_path(void *options, const char *arg)
{
	struct options *o = options;

	netpath__parse(arg, &o->path);
	o->path_given = true;
}

static void take_backend(void *backend, const char *arg)
{
	backend__parse(arg, backend);
}

static void set_times(struct options *o, enum times times)
{
	if (o->times != TIMES_APART && o->times != times)
		usage_error("--times and --no-times exclude each other.");
	o->times = times;
}

static void take_times(void *options, const char *arg)
{
	(void)arg;
	set_times(options, TIMES_ON);
}

static void take_no_times(void *options, const char *arg)
{
	(void)arg;
	set_times(options, TIMES_OFF);
}

static void take_without(void *options, const char *hook)
{
	struct options *o = options;

	if (o->without_nr == WITHOUT_MAX)
		usage_error("at most %d --without can be given.", WITHOUT_MAX);
	if (!plan__withhold(OBJECT_RUN, NULL, hook))
		usage_error("no hook is called '%s': netiotrace doctor lists those in use.", hook);
	o->without[o->without_nr++] = hook;
}

static void take_connect(void *options, const char *arg)
{
	struct options *o = options;

	if (address__parse(arg, false, &o->connect))
		usage_error("--connect takes ADDRESS:PORT such as 192.0.2.7:5201 or "
			    "[2001:db8::7]:5201, not '%s'.",
			    arg);
	o->remote = true;
}

static void take_listen(void *options, const char *arg)
{
	struct options *o = options;

	if (address__parse(arg, true, &o->listen))
		usage_error(
			"--listen takes ADDRESS:PORT such as 0.0.0.0:5201 or [::]:5201, not '%s'.",
			arg);
}

static void take_assertion(void *options, const char *arg)
{
	struct options *o = options;
	char message[256];

	if (o->assertions_nr == ASSERTIONS_MAX)
		usage_error("at most %d --assert can be given.", ASSERTIONS_MAX);
	if (assertion__parse(&o->assertions[o->assertions_nr], arg, message, sizeof(message)))
		usage_error("%s", message);
	o->assertions_nr++;
}

static void take_perf_events(void *options, const char *arg)
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
#define SOCKBUF    "a size from 4k to 1g", LIMIT_SOCKBUF_MIN, LIMIT_SOCKBUF_MAX

/* The options of run under their titles, then options of other commands only. */
/* clang-format off */
static const struct setting rows[] = {
	SETTING_TITLE_ROW("Workload:"),
	{"mode", MODE_CHOICES "all", "copy mode (default all)", SETTING_OTHER, .take = take_mode},
	{"size", "SIZE", "bytes per message, 64 to 16m; 4k, 1m (default 64k)",
	 SETTING_SIZE, AT(traffic.size), "a size from 64 to 16m such as 64k", LIMIT_SIZE_MIN, LIMIT_SIZE_MAX, check_size},
	{"fields", "N", "fields per message, 1 to 64 (default 8)",
	 SETTING_UINT, AT(traffic.fields), "a number from 1 to 64", 1, LIMIT_FIELDS_MAX},
	{"header", "SIZE", "bytes before the fields of each message, in their own iovec, up to 64k (default 0)",
	 SETTING_SIZE, AT(traffic.header), "a size from 0 to 64k such as 64", 0, LIMIT_HEADER_MAX},
	{"threads", "N", "threads per side, 1 to 256 (default 1)",
	 SETTING_UINT, AT(traffic.threads), "a number from 1 to 256", 1, LIMIT_THREADS_MAX, check_threads},
	{"connections", "N", "connections, spread over the threads, up to 4096 (default: one per thread)",
	 SETTING_UINT, AT(traffic.connections), "a number from 1 to 4096", 1, LOAD_CONNECTIONS_MAX},
	{"duration", "TIME", "measured time per mode, all rounds together; 5s, 500ms (default 5s)",
	 SETTING_TIME, AT(traffic.duration_ns), "a time such as 5s or 500ms, up to 24h", 1, LIMIT_DURATION_MAX},
	{"messages", "N", "send exactly N messages per round instead",
	 SETTING_COUNT, AT(traffic.messages), "a number from 1 to 2^48", 1, LIMIT_MESSAGES_MAX},
	{"warmup", "TIME", "warm-up before each round, not counted (default 500ms, at most half a round)",
	 SETTING_TIME, AT(traffic.warmup_ns), "a time such as 500ms, up to 24h", 0, LIMIT_DURATION_MAX},
	{"rounds", "N", "rounds per mode, 1 to 1000; modes take turns (default 5 with --mode all and --duration, else 1)",
	 SETTING_UINT, AT(traffic.rounds), "a number from 1 to 1000", 1, 1000},
	{"verify", NULL, "the receiver checks every byte", SETTING_FLAG, AT(traffic.verify)},
	{"rate", "N/s", "messages per second; latencies count from the time a message is due (default: no limit)",
	 SETTING_OTHER, AT(traffic.rate), .take = take_rate},
	{"request-response", NULL, "wait for a reply of the same size after each message; sets TCP_NODELAY", SETTING_FLAG, AT(traffic.request_response)},
	SETTING_TITLE_ROW("Path:"),
	{"path", "loopback|veth", "loopback, or veth: a veth pair between two temporary network namespaces", SETTING_OTHER, .take = take_path},
	{"connect", "ADDR:PORT", "send to another machine that runs 'netiotrace serve'", SETTING_OTHER, .take = take_connect},
	{"mtu", "BYTES", "MTU of the veth pair, 1280 to 65535", SETTING_UINT, AT(mtu), "a number from 1280 to 65535", 1280, 65535},
	{"ipv6", NULL, "IPv6 instead of IPv4", SETTING_FLAG, AT(ipv6)},
	{"sndbuf", "SIZE", "SO_SNDBUF of the senders", SETTING_SIZE, AT(traffic.sndbuf), SOCKBUF},
	{"rcvbuf", "SIZE", "SO_RCVBUF of the receivers", SETTING_SIZE, AT(traffic.rcvbuf), SOCKBUF},
	{"congestion", "NAME", "congestion control of the senders, or system for the system's default (default: system, but cubic or reno on local paths if the system's default paces)",
	 SETTING_STRING, AT(congestion)},
	{"nodelay", NULL, "TCP_NODELAY on the senders", SETTING_FLAG, AT(traffic.nodelay)},
	{"spin", "TIME", "busy-poll this long before blocking, up to 1s (default 0)",
	 SETTING_TIME, AT(traffic.spin_ns), "a time from 0 to 1s such as 50us", 0, LIMIT_SPIN_MAX},
	{"rcvlowat", "SIZE", "SO_RCVLOWAT of the receivers: wake up for this many bytes, up to 1m",
	 SETTING_SIZE, AT(traffic.rcvlowat), "a size from 1 to 1m", 1, LIMIT_RCVLOWAT_MAX},
	{"cpu-sender", "LIST", "pin the senders to these CPUs: 0-3,8", SETTING_STRING, AT(traffic.sender_cpus), .take = check_sender_cpus},
	{"cpu-receiver", "LIST", "pin the receivers", SETTING_STRING, AT(traffic.receiver_cpus), .take = check_receiver_cpus},
	SETTING_TITLE_ROW("Measurement:"),
	{"backend", "auto|fentry|kprobe|tracepoint|none", "type of BPF program (default auto); none: load generator only, needs no root", SETTING_OTHER, AT(backend), .take = take_backend},
	{"count-calls", NULL, "process every send and receive event and count every call; costs several percent below 16k", SETTING_FLAG, AT(count_calls)},
	{"times", NULL, "measure the parts of send calls in every round; costs several percent (default: in a short extra round after each round)", SETTING_OTHER, .take = take_times},
	{"no-times", NULL, "do not measure times in the kernel, only bytes", SETTING_OTHER, .take = take_no_times},
	{"no-cpu", NULL, "do not sample CPU time (in a short extra round after each round)", SETTING_FLAG, AT(no_cpu)},
	{"without", "HOOK", "pretend that this kernel lacks HOOK, a function or tracepoint; repeatable", SETTING_OTHER, .take = take_without},
	{"perf-events", "LIST", "also count these events (names as in 'perf list'), e.g. stalled-cycles-backend:k; none: no counters", SETTING_OTHER, .take = take_perf_events},
	{"interval", "TIME", "refresh interval of the live view, 50ms to 1h (default 1s)",
	 SETTING_TIME, AT(interval_ns), "a time from 50ms to 1h such as 1s", 50000000, 3600000000000},
	SETTING_TITLE_ROW("Output:"),
#define X(id, name, help) {#name, "FILE", help, SETTING_STRING, AT(output[OUTPUT_##id])},
	OUTPUTS(X)
#undef X
	{"assert", "EXPR", "exit with 5 if EXPR is false, e.g. 'onecopy.copies_per_byte <= 2.01'; repeatable", SETTING_OTHER, .take = take_assertion},
	{"details", NULL, "print all tables at the end: stages, call parts, reasons, missed events", SETTING_FLAG, AT(details)},
	{"quiet", NULL, "no live view, no final text, errors only", SETTING_FLAG, AT(quiet), .letter = 'q'},
	{"verbose", NULL, "print progress; -vv: also libbpf's messages", SETTING_LEVEL, AT(verbose), .letter = 'v'},
	SETTING_TITLE_ROW("Serve:"),
	{"listen", "ADDR:PORT", "address to listen on; port 0: any free port", SETTING_OTHER, .take = take_listen},
	{"ready-file", "FILE", "write the address to FILE when listening; FILE is removed at the end", SETTING_STRING, AT(ready_file)},
};
/* clang-format on */

#define ROWS_NR     (sizeof(rows) / sizeof(rows[0]))
#define RUN_ROWS_NR (ROWS_NR - 3)

_Static_assert(ROWS_NR < SETTINGS_MAX, "a command line has room for all rows");

size_t options__pick(struct setting *to, const struct options_pick *picks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct setting *row = rows;

		while (picks[i].name && (!row->name || strcmp(row->name, picks[i].name) != 0))
			row++;
		to[i] = picks[i].name ? *row : (struct setting)SETTING_TITLE_ROW(picks[i].help);
		if (picks[i].help)
			to[i].help = picks[i].help;
	}
	return n;
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

static void parse(struct options *o, const struct setting_command *c, int argc, char **argv)
{
	options__init(o, argc, argv);
	setting__parse(c, argc, argv, o);
	options__finish(o);
}

void options__parse(struct options *o, const struct options_command *c, int argc, char **argv)
{
	struct setting table[SETTINGS_MAX];
	const struct setting_command command = {
		.name = c->name,
		.doc = c->doc,
		.settings = table,
		.nr = options__pick(table, c->picks, c->picks_nr),
	};

	parse(o, &command, argc, argv);
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
	static const struct setting_command command = {
		.name = "run", .doc = run_doc, .settings = rows, .nr = RUN_ROWS_NR};

	parse(o, &command, argc, argv);
}

void options__clear(struct options *o)
{
	for (size_t i = 0; i < o->assertions_nr; i++)
		assertion__free(o->assertions[i]);
	o->assertions_nr = 0;
}
