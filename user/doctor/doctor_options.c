/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of doctor: the options of run that affect probes. */
#include "diagnosis.h"

static const char doc[] =
	"Prints what this machine can measure, what is missing, and the remedy. "
	"Tries every hook, which needs root; changes nothing.\n"
	"\n"
	"  sudo netiotrace doctor\n"
	"  sudo netiotrace doctor --details\n"
	"  sudo netiotrace doctor --path veth --json doctor.json"
	"\v"
	"Exit status: 0 runs can use BPF, 1 failure, 2 usage error, 3 this kernel shows neither "
	"sent nor received bytes, 4 missing privileges: no hook was tried.";

static const struct options_help helps[] = {
	{"backend", "type of BPF program (default auto)"},
	{"details", "print every check, hook and counter"},
	{"json", "write the diagnosis as a JSON document (- for stdout)"},
};

void doctor_options__parse(struct options *o, int argc, char **argv)
{
	static const struct options_command command = {
		.name = "doctor",
		.doc = doc,
		.bit = OPTIONS_DOCTOR,
		.helps = helps,
		.helps_nr = sizeof(helps) / sizeof(helps[0]),
	};

	options__parse(o, &command, argc, argv);
}
