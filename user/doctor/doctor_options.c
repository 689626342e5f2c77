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

static const struct options_pick picks[] = {
	{NULL, "Planned run:"}, {"path", NULL},
	{"mtu", NULL},          {"ipv6", NULL},
	{"size", NULL},         {"backend", "type of BPF program (default auto)"},
	{"count-calls", NULL},  {"times", NULL},
	{"no-times", NULL},     {"without", NULL},
	{NULL, "Output:"},      {"json", "write the diagnosis as a JSON document (- for stdout)"},
	{"verbose", NULL},
};

void doctor_options__parse(struct options *o, int argc, char **argv)
{
	static const struct options_command command = {
		.name = "doctor",
		.doc = doc,
		.picks = picks,
		.picks_nr = sizeof(picks) / sizeof(picks[0]),
	};

	options__parse(o, &command, argc, argv);
}
