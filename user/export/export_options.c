/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the command line of `netiotrace export`; see export_options.h. */
#include "export_options.h"

#include "aggregates.h"
#include "base/command_line.h"
#include "base/log.h"
#include "base/option_command.h"

/* In the order of enum export_by. */
#define BY_WORDS "cgroup|comm|port"

static const char doc[] =
	"Serves the copy ledger of every service on this machine to Prometheus, over HTTP.\n"
	"\n"
	"  sudo netiotrace export\n"
	"  sudo netiotrace export --listen :9753 --by comm\n"
	"  sudo netiotrace export --textfile /run/netiotrace.prom\n"
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

static void parse_filter(void *options, const char *arg)
{
	struct export_options *o = options;

	if (o->filters_nr == EXPORT_FILTERS_MAX)
		usage_error("at most %d --filter can be given.", EXPORT_FILTERS_MAX);
	o->filters[o->filters_nr++] = arg;
}

#define AT(field) .offset = offsetof(struct export_options, field)

/* clang-format off */
static const struct option_row option_rows[] = {
	OPTION_TITLE_ROW("Groups:"),
	{"by", BY_WORDS, "one group per unit, container or pod (default cgroup), per process name, or per listening port", OPTION_CHOICE, AT(by)},
	{"filter", "PATTERN", "only matching groups have their own series, e.g. 'nginx*'; the rest counts as other; repeatable", OPTION_OTHER, .parse = parse_filter},
	{"groups", "N", "at most N groups, 1 to 1024 (default 64); the rest counts as other", OPTION_COUNT, AT(groups), "a number from 1 to 1024", 1, AGGREGATES_MAX},
	{"this-netns", NULL, "leave out sockets of other network namespaces (default: all of this machine)", OPTION_FLAG, AT(this_netns)},
	OPTION_TITLE_ROW("Output:"),
	{"listen", "ADDR:PORT", "address of the HTTP server, :PORT for all addresses, or unix:PATH (default 127.0.0.1:9753)", OPTION_STRING, AT(listen)},
	{"textfile", "FILE", "write the page to FILE at each interval instead, for node_exporter", OPTION_STRING, AT(textfile)},
	{"once", NULL, "print the page after one interval, then exit", OPTION_FLAG, AT(once)},
	{"ready-file", "FILE", "write FILE when ready, with the address; removed at the end", OPTION_STRING, AT(ready_file)},
	{"quiet", NULL, "errors only", OPTION_FLAG, AT(quiet), .letter = 'q'},
	{"verbose", NULL, "print progress; -vv: also libbpf's messages", OPTION_LEVEL, AT(verbose), .letter = 'v'},
	OPTION_TITLE_ROW("Measurement:"),
	{"interval", "TIME", "read the sockets this often, 50ms to 1h (default 5s)", OPTION_TIME, AT(interval_ns), "a time from 50ms to 1h such as 5s", 50000000, 3600000000000},
	{"backend", "auto|fentry|kprobe|tracepoint", "type of BPF program (default auto)", OPTION_OTHER, AT(backend), .parse = backend__store},
	{"max-sockets", "N", "sockets at once, up to 1048576 (default 32768)", OPTION_COUNT, AT(sockets_max), "a number from 1 to 1048576", 1, NIO_SOCKETS_MAX},
	{"count-calls", NULL, "process every send and receive event at any rate; costs several percent", OPTION_FLAG, AT(count_calls)},
};
/* clang-format on */

void export_options__parse(struct export_options *o, int argc, char **argv)
{
	static const struct option_command command = {
		.name = "export",
		.doc = doc,
		.option_rows = option_rows,
		.nr = sizeof(option_rows) / sizeof(option_rows[0]),
	};

	*o = (struct export_options){
		.groups = 64,
		.interval_ns = 5000000000,
		.sockets_max = NIO_SOCKETS_DEFAULT,
		.backend = BACKEND_AUTO,
	};
	option_command__parse(&command, argc, argv, o);
	if (o->once + !!o->textfile + !!o->listen > 1)
		usage_error("--listen, --textfile and --once exclude each other.");
	if (!o->listen)
		o->listen = "127.0.0.1:9753";
	log_set_verbosity(o->quiet, o->verbose);
}
