/* SPDX-License-Identifier: GPL-2.0-only */
/* Every option that more than one command can have: its name, key and words; see options.h. */
#include <string.h>

#include "options_table.h"

static const struct argp_option option_table[] = {
	{"mode", KEY_MODE, MODE_CHOICES "all", 0, "how the fields are sent (default all)", 0},
	{"size", KEY_SIZE, "SIZE", 0, "bytes a message, 64 to 16m; 4k, 1m (default 64k)", 0},
	{"fields", KEY_FIELDS, "N", 0, "fields a message, 1 to 64 (default 8)", 0},
	{"header", KEY_HEADER, "SIZE", 0,
	 "send a header of SIZE bytes before the fields of each message, up to 64k (default 0)", 0},
	{"threads", KEY_THREADS, "N", 0, "threads of each side, 1 to 256 (default 1)", 0},
	{"connections", KEY_CONNECTIONS, "N", 0,
	 "connections, divided over the threads, up to 4096 (default one a thread)", 0},
	{"rate", KEY_RATE, "N/s", 0,
	 "messages a second, sent when each is due, latencies from that moment (default as fast as "
	 "it goes)",
	 0},
	{"request-response", KEY_REQUEST_RESPONSE, 0, 0,
	 "each message is answered by one of its size before the next; TCP_NODELAY on both sides",
	 0},
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
	{"path", KEY_PATH, "loopback|veth", 0,
	 "loopback, or veth: two network namespaces of our own", 0},
	{"connect", KEY_CONNECT, "ADDR:PORT", 0,
	 "to a receiver on another machine, where 'netiotrace serve' waits", 0},
	{"listen", KEY_LISTEN, "ADDR:PORT", 0, "the address to wait on; port 0: any", 0},
	{"mtu", KEY_MTU, "BYTES", 0, "MTU of the veth pair, 1280 to 65535", 0},
	{"ipv6", KEY_IPV6, 0, 0, "IPv6 instead of IPv4", 0},
	{"sndbuf", KEY_SNDBUF, "SIZE", 0, "SO_SNDBUF of the senders", 0},
	{"rcvbuf", KEY_RCVBUF, "SIZE", 0, "SO_RCVBUF of the receivers", 0},
	{"congestion", KEY_CONGESTION, "NAME", 0,
	 "congestion control of the senders; system: the system's (default: that, but on paths of "
	 "this machine cubic or reno where the system's paces)",
	 0},
	{"nodelay", KEY_NODELAY, 0, 0, "TCP_NODELAY on the senders", 0},
	{"spin", KEY_SPIN, "TIME", 0,
	 "how long threads ask again before they sleep, up to 1s (default 0)", 0},
	{"rcvlowat", KEY_RCVLOWAT, "SIZE", 0,
	 "SO_RCVLOWAT: wake the receivers for so many bytes only, up to 1m", 0},
	{"cpu-sender", KEY_CPU_SENDER, "LIST", 0, "pin the senders to these CPUs: 0-3,8", 0},
	{"cpu-receiver", KEY_CPU_RECEIVER, "LIST", 0, "pin the receivers", 0},
	{"backend", KEY_BACKEND, "auto|trampoline|kprobe|tracepoint|none", 0,
	 "how the kernel is watched (default auto); none: load generator only, no root needed", 0},
	{"count-calls", KEY_COUNT_CALLS, 0, 0,
	 "look at every event of sending and receiving, all of the time, and count every send call "
	 "even of "
	 "messages under 16k, where that costs several percent",
	 0},
	{"times", KEY_TIMES, 0, 0,
	 "take the time of each part of a send call in every round, all of the time, where that "
	 "costs "
	 "several percent (default: in a short round of its own after each)",
	 0},
	{"no-times", KEY_NO_TIMES, 0, 0, "take no times in the kernel, only bytes", 0},
	{"no-cpu", KEY_NO_CPU, 0, 0,
	 "no short round for samples of where the CPU time goes, after each round", 0},
	{"without", KEY_WITHOUT, "HOOK", 0,
	 "do as if the kernel did not have this hook, function or tracepoint; repeatable", 0},
	{"perf-events", KEY_PERF_EVENTS, "LIST", 0,
	 "count these besides: names as of perf list, e.g. stalled-cycles-backend:k; none: no "
	 "counters",
	 0},
	{"interval", KEY_INTERVAL, "TIME", 0, "refresh of the live view, 50ms to 1h (default 1s)",
	 0},
/* clang-format off */
#define X(id, name, help) {#name, KEY_##id, "FILE", 0, help, 0},
	OUTPUTS(X)
#undef X
	/* clang-format on */
	{"assert", KEY_ASSERT, "EXPR", 0,
	 "exit 5 unless it holds, e.g. 'onecopy.copies_per_byte <= 2.01'; repeatable", 0},
	{"ready-file", KEY_READY_FILE, "FILE", 0,
	 "a file that is there while it listens, with its address; removed at the end", 0},
	{"details", KEY_DETAILS, 0, 0,
	 "print everything at the end: stages, call parts, reasons, what the probes missed", 0},
	{"quiet", 'q', 0, 0, "no live view, no text at the end, errors only", 0},
	{"verbose", 'v', 0, 0, "say what is done; -vv: libbpf's messages too", 0},
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
