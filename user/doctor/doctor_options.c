/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of doctor: those of a run that affect probes. */
#include "doctor_options.h"

static const char doc[] =
	"Prints what this machine can measure, by which hook, what is missing, and the remedy. "
	"Tries every hook, which needs root; changes nothing.\n"
	"\n"
	"  sudo netiotrace doctor\n"
	"  sudo netiotrace doctor --path veth --json doctor.json"
	"\v"
	"Exit status: 0 runs can use BPF, 1 failure, 2 usage error, 3 this kernel shows neither "
	"sent nor received bytes, 4 missing privileges: no hook was tried.";

static const char *const titles[] = {
	[1] = "Planned run:",
	[2] = "Output:",
};

static const struct options_pick picks[] = {
	{"path", NULL, 1},
	{"mtu", NULL, 1},
	{"ipv6", NULL, 1},
	{"size", NULL, 1},
	{"backend", "type of BPF program (default auto)", 1},
	{"count-calls", NULL, 1},
	{"times", NULL, 1},
	{"no-times", NULL, 1},
	{"without", NULL, 1},
	{"json", "write the diagnosis as a JSON document (- for stdout)", 2},
	{"verbose", NULL, 2},
};

void doctor_options__parse(struct options *o, int argc, char **argv)
{
	static const struct options_command command = {
		.name = "doctor",
		.doc = doc,
		.picks = picks,
		.picks_nr = sizeof(picks) / sizeof(picks[0]),
		.titles = titles,
	};

	options__parse(o, &command, argc, argv);
}
