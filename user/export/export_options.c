/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the command line of `netiotrace export`; see export_options.h. */
#include "export_options.h"

#include <argp.h>
#include <string.h>

#include "aggregates.h"
#include "base/command_line.h"
#include "base/log.h"
#include "base/setting.h"

enum key {
	KEY_LISTEN = 256,
	KEY_BY,
	KEY_FILTER,
	KEY_GROUPS,
	KEY_THIS_NETNS,
	KEY_INTERVAL,
	KEY_ONCE,
	KEY_TEXTFILE,
	KEY_READY_FILE,
	KEY_SOCKETS,
	KEY_BACKEND,
	KEY_COUNT_CALLS,
};

/* In the order of enum export_by. */
#define BY_WORDS "cgroup|comm|port"

static const char doc[] =
	"Serves the copy ledger of every service on this machine to Prometheus, over HTTP.\n"
	"\n"
	"  sudo netiotrace export\n"
	"  sudo netiotrace export --listen [::]:9753 --by comm\n"
	"  sudo netiotrace export --textfile /var/lib/prometheus/node-exporter/netiotrace.prom\n"
	"  sudo netiotrace export --once --interval 10s"
	"\v"
	"GET /metrics returns OpenMetrics 1.0, or Prometheus text 0.0.4 where Accept does not name "
	"OpenMetrics. A socket passed by systemd (LISTEN_FDS) is used instead of --listen. After "
	"start the exporter drops its privileges. It has no password and no encryption: listen on "
	"addresses that only Prometheus can reach.\n"
	"\n"
	"Exit status: 0 SIGTERM, Ctrl-C or --once done, 1 failed, 2 usage error, 3 not supported "
	"by "
	"this kernel, 4 missing privileges.";

static const struct argp_option options[] = {
	{NULL, 0, NULL, 0, "Groups:", 1},
	{"by", KEY_BY, BY_WORDS, 0,
	 "one group per unit, container or pod (default cgroup), per process name, or per "
	 "listening "
	 "port",
	 1},
	{"filter", KEY_FILTER, "PATTERN", 0,
	 "give only matching groups a place, e.g. 'nginx*'; the rest counts as other; repeatable",
	 1},
	{"groups", KEY_GROUPS, "N", 0,
	 "at most N groups, 1 to 1024 (default 64); the rest is other", 1},
	{"this-netns", KEY_THIS_NETNS, NULL, 0,
	 "leave out sockets of other network namespaces (default: all of this machine)", 1},
	{NULL, 0, NULL, 0, "Output:", 2},
	{"listen", KEY_LISTEN, "ADDR:PORT", 0,
	 "address of the HTTP server, or unix:PATH (default 127.0.0.1:9753)", 2},
	{"textfile", KEY_TEXTFILE, "FILE", 0,
	 "write the page to FILE at each interval instead, for node_exporter", 2},
	{"once", KEY_ONCE, NULL, 0, "print the page after one interval, then exit", 2},
	{"ready-file", KEY_READY_FILE, "FILE", 0,
	 "write FILE when ready, with the address; removed at the end", 2},
	{"quiet", 'q', NULL, 0, "errors only", 2},
	{"verbose", 'v', NULL, 0, "print progress; -vv: also libbpf's messages", 2},
	{NULL, 0, NULL, 0, "Measurement:", 3},
	{"interval", KEY_INTERVAL, "TIME", 0,
	 "read the sockets this often, 50ms to 1h (default 5s)", 3},
	{"backend", KEY_BACKEND, "auto|fentry|kprobe|tracepoint", 0,
	 "type of BPF program (default auto)", 3},
	{"max-sockets", KEY_SOCKETS, "N", 0, "sockets at once, up to 1048576 (default 32768)", 3},
	{"count-calls", KEY_COUNT_CALLS, NULL, 0,
	 "process every send and receive event at any rate; costs several percent", 3},
	{0},
};

#define AT(field) .offset = offsetof(struct export_options, field)

static const struct setting settings[] = {
	{KEY_LISTEN, SETTING_STRING, AT(listen)},
	{KEY_BY, SETTING_CHOICE, AT(by), "--by", BY_WORDS},
	{KEY_GROUPS, SETTING_COUNT, AT(groups), "--groups", "a number from 1 to 1024", 1,
	 AGGREGATES_MAX},
	{KEY_THIS_NETNS, SETTING_FLAG, AT(this_netns)},
	{KEY_INTERVAL, SETTING_TIME, AT(interval_ns), "--interval",
	 "a time from 50ms to 1h such as 5s", 50000000, 3600000000000},
	{KEY_ONCE, SETTING_FLAG, AT(once)},
	{KEY_TEXTFILE, SETTING_STRING, AT(textfile)},
	{KEY_READY_FILE, SETTING_STRING, AT(ready_file)},
	{KEY_SOCKETS, SETTING_COUNT, AT(sockets_max), "--max-sockets", "a number from 1 to 1048576",
	 1, NIO_SOCKETS_MAX},
	{KEY_COUNT_CALLS, SETTING_FLAG, AT(count_calls)},
	{'q', SETTING_FLAG, AT(quiet)},
	{'v', SETTING_LEVEL, AT(verbose)},
};

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct export_options *o = state->input;

	switch (key) {
	case KEY_FILTER:
		if (o->filters_nr == EXPORT_FILTERS_MAX)
			usage_error("at most %d --filter can be given.", EXPORT_FILTERS_MAX);
		o->filters[o->filters_nr++] = arg;
		return 0;
	case KEY_BACKEND:
		backend__parse(arg, &o->backend);
		return 0;
	case ARGP_KEY_ARG:
		usage_error("'%s' is one argument too many: export takes options only.", arg);
	default:
		return setting__take(settings, sizeof(settings) / sizeof(settings[0]), key, arg, o)
			       ? 0
			       : ARGP_ERR_UNKNOWN;
	}
}

void export_options__parse(struct export_options *o, int argc, char **argv)
{
	static const struct argp argp = {.options = options, .parser = take, .doc = doc};

	*o = (struct export_options){
		.groups = 64,
		.interval_ns = 5000000000,
		.sockets_max = NIO_SOCKETS_DEFAULT,
		.backend = BACKEND_AUTO,
	};
	command_line__parse(&argp, "export", argc, argv, o);
	if (o->once + !!o->textfile + !!o->listen > 1)
		usage_error("--listen, --textfile and --once exclude each other.");
	if (!o->listen)
		o->listen = "127.0.0.1:9753";
	log_set_verbosity(o->quiet, o->verbose);
}
