/* SPDX-License-Identifier: GPL-2.0-only */
/* Every option that more than one command can have: its name, key and words; see options.h. */
#include <string.h>

#include "options_table.h"

static const struct argp_option option_table[] = {
	{"mode", KEY_MODE, MODE_CHOICES "all", 0, "copy mode (default all)", 0},
	{"size", KEY_SIZE, "SIZE", 0, "bytes per message, 64 to 16m; 4k, 1m (default 64k)", 0},
	{"fields", KEY_FIELDS, "N", 0, "fields per message, 1 to 64 (default 8)", 0},
	{"header", KEY_HEADER, "SIZE", 0,
	 "bytes before the fields of each message, in their own iovec, up to 64k (default 0)", 0},
	{"threads", KEY_THREADS, "N", 0, "threads per side, 1 to 256 (default 1)", 0},
	{"connections", KEY_CONNECTIONS, "N", 0,
	 "connections, spread over the threads, up to 4096 (default: one per thread)", 0},
	{"rate", KEY_RATE, "N/s", 0,
	 "messages per second; latencies count from the time a message is due (default: no limit)",
	 0},
	{"request-response", KEY_REQUEST_RESPONSE, 0, 0,
	 "wait for a reply of the same size after each message; sets TCP_NODELAY", 0},
	{"duration", KEY_DURATION, "TIME", 0,
	 "measured time per mode, all rounds together; 5s, 500ms (default 5s)", 0},
	{"messages", KEY_MESSAGES, "N", 0, "send exactly N messages per round instead", 0},
	{"warmup", KEY_WARMUP, "TIME", 0,
	 "warm-up before each round, not counted (default 500ms, at most half a round)", 0},
	{"rounds", KEY_ROUNDS, "N", 0,
	 "rounds per mode, 1 to 1000; modes take turns (default 5 with --mode all and --duration, "
	 "else 1)",
	 0},
	{"verify", KEY_VERIFY, 0, 0, "the receiver checks every byte", 0},
	{"path", KEY_PATH, "loopback|veth", 0,
	 "loopback, or veth: a veth pair between two temporary network namespaces", 0},
	{"connect", KEY_CONNECT, "ADDR:PORT", 0,
	 "send to another machine that runs 'netiotrace serve'", 0},
	{"listen", KEY_LISTEN, "ADDR:PORT", 0, "address to listen on; port 0: any free port", 0},
	{"mtu", KEY_MTU, "BYTES", 0, "MTU of the veth pair, 1280 to 65535", 0},
	{"ipv6", KEY_IPV6, 0, 0, "IPv6 instead of IPv4", 0},
	{"sndbuf", KEY_SNDBUF, "SIZE", 0, "SO_SNDBUF of the senders", 0},
	{"rcvbuf", KEY_RCVBUF, "SIZE", 0, "SO_RCVBUF of the receivers", 0},
	{"congestion", KEY_CONGESTION, "NAME", 0,
	 "congestion control of the senders; system: the system's default (default: the same, but "
	 "cubic or reno on local paths if the system's default paces)",
	 0},
	{"nodelay", KEY_NODELAY, 0, 0, "TCP_NODELAY on the senders", 0},
	{"spin", KEY_SPIN, "TIME", 0, "busy-poll this long before blocking, up to 1s (default 0)",
	 0},
	{"rcvlowat", KEY_RCVLOWAT, "SIZE", 0,
	 "SO_RCVLOWAT of the receivers: wake up for this many bytes, up to 1m", 0},
	{"cpu-sender", KEY_CPU_SENDER, "LIST", 0, "pin the senders to these CPUs: 0-3,8", 0},
	{"cpu-receiver", KEY_CPU_RECEIVER, "LIST", 0, "pin the receivers", 0},
	{"backend", KEY_BACKEND, "auto|fentry|kprobe|tracepoint|none", 0,
	 "type of BPF program (default auto); none: load generator only, needs no root", 0},
	{"count-calls", KEY_COUNT_CALLS, 0, 0,
	 "process every send and receive event and count every call; costs several percent below "
	 "16k",
	 0},
	{"times", KEY_TIMES, 0, 0,
	 "measure the parts of send calls in every round; costs several percent (default: in a "
	 "short extra round after each round)",
	 0},
	{"no-times", KEY_NO_TIMES, 0, 0, "do not measure times in the kernel, only bytes", 0},
	{"no-cpu", KEY_NO_CPU, 0, 0,
	 "do not sample CPU time (in a short extra round after each round)", 0},
	{"without", KEY_WITHOUT, "HOOK", 0,
	 "pretend that this kernel lacks HOOK, a function or tracepoint; repeatable", 0},
	{"perf-events", KEY_PERF_EVENTS, "LIST", 0,
	 "also count these events (names as in 'perf list'), e.g. stalled-cycles-backend:k; none: "
	 "no counters",
	 0},
	{"interval", KEY_INTERVAL, "TIME", 0,
	 "refresh interval of the live view, 50ms to 1h (default 1s)", 0},
/* clang-format off */
#define X(id, name, help) {#name, KEY_##id, "FILE", 0, help, 0},
	OUTPUTS(X)
#undef X
	/* clang-format on */
	{"assert", KEY_ASSERT, "EXPR", 0,
	 "exit with 5 if EXPR is false, e.g. 'onecopy.copies_per_byte <= 2.01'; repeatable", 0},
	{"ready-file", KEY_READY_FILE, "FILE", 0,
	 "write the address to FILE when listening; FILE is removed at the end", 0},
	{"details", KEY_DETAILS, 0, 0,
	 "print all tables at the end: stages, call parts, reasons, missed events", 0},
	{"quiet", 'q', 0, 0, "no live view, no final text, errors only", 0},
	{"verbose", 'v', 0, 0, "print progress; -vv: also libbpf's messages", 0},
	{0, 0, 0, 0, 0, 0},
};

static const struct argp_option *row_of(const char *name)
{
	const struct argp_option *row = option_table;

	while (row->name && strcmp(row->name, name) != 0)
		row++;
	return row->name ? row : NULL;
}

size_t options__pick(struct argp_option *to, const struct options_pick *picks, size_t n,
		     const char *const *titles)
{
	size_t made = 0;
	int group = 0;

	for (size_t i = 0; i < n; i++) {
		const struct argp_option *row = row_of(picks[i].name);

		if (!row)
			continue;
		if (picks[i].group != group) {
			group = picks[i].group;
			to[made++] = (struct argp_option){.doc = titles[group], .group = group};
		}
		to[made] = *row;
		if (picks[i].help)
			to[made].doc = picks[i].help;
		made++;
	}
	to[made] = (struct argp_option){0};
	return made;
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

static const char *const run_titles[] = {
	[1] = "Workload:",
	[2] = "Path:",
	[3] = "Measurement:",
	[4] = "Output:",
};

/* clang-format off */
static const struct options_pick run_picks[] = {
	{"mode", NULL, 1}, {"size", NULL, 1}, {"fields", NULL, 1}, {"header", NULL, 1}, {"threads", NULL, 1}, {"connections", NULL, 1},
	{"duration", NULL, 1}, {"messages", NULL, 1}, {"warmup", NULL, 1}, {"rounds", NULL, 1},
	{"verify", NULL, 1}, {"rate", NULL, 1}, {"request-response", NULL, 1},
	{"path", NULL, 2}, {"connect", NULL, 2}, {"mtu", NULL, 2}, {"ipv6", NULL, 2},
	{"sndbuf", NULL, 2}, {"rcvbuf", NULL, 2}, {"congestion", NULL, 2},
	{"nodelay", NULL, 2}, {"spin", NULL, 2}, {"rcvlowat", NULL, 2}, {"cpu-sender", NULL, 2},
	{"cpu-receiver", NULL, 2},
	{"backend", NULL, 3}, {"count-calls", NULL, 3}, {"times", NULL, 3}, {"no-times", NULL, 3},
	{"no-cpu", NULL, 3},
	{"without", NULL, 3}, {"perf-events", NULL, 3}, {"interval", NULL, 3},
#define X(id, name, help) {#name, NULL, 4},
	OUTPUTS(X)
#undef X
	{"assert", NULL, 4}, {"details", NULL, 4}, {"quiet", NULL, 4},
	{"verbose", NULL, 4},
};
/* clang-format on */

void options__parse_run(struct options *o, int argc, char **argv)
{
	static const struct options_command command = {
		.name = "run",
		.doc = run_doc,
		.picks = run_picks,
		.picks_nr = sizeof(run_picks) / sizeof(run_picks[0]),
		.titles = run_titles,
	};

	options__parse(o, &command, argc, argv);
}
