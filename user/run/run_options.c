/* SPDX-License-Identifier: GPL-2.0-only */
/* Which options a run has; see run_options.h. */
#include "run_options.h"

static const char doc[] =
	"Runs a load generator in one or all of its three copy modes and keeps the kernel's copy "
	"ledger of it: live histograms first, then the answer on one screen.\n"
	"\n"
	"  sudo netiotrace --mode onecopy --size 64k\n"
	"  sudo netiotrace --mode all --threads 4 --duration 10s --json out.json\n"
	"  sudo netiotrace --connect 192.0.2.7:5201     the sender here, the receiver there\n"
	"\n"
	"`netiotrace help' names the other commands."
	"\v"
	"Exit status: 0 done, 1 the run failed, 2 usage, 3 this kernel cannot do what was asked, "
	"4 privileges missing, 5 an --assert did not hold, 130 ended by Ctrl-C (the results so far "
	"are still given). q in the live view ends the run too, with status 0.";

static const char *const titles[] = {
	[1] = "What is sent:",
	[2] = "Over what:",
	[3] = "How it is watched:",
	[4] = "What comes out:",
};

/* clang-format off */
static const struct options_pick picks[] = {
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

void run_options__parse(struct options *o, int argc, char **argv)
{
	static const struct options_command command = {
		.name = "run",
		.doc = doc,
		.picks = picks,
		.picks_nr = sizeof(picks) / sizeof(picks[0]),
		.titles = titles,
	};

	options__parse(o, &command, argc, argv);
}
