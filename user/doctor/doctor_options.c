/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of doctor: the options of run that affect probes. */
#include "common/embed.h"
#include "diagnosis.h"

EMBED(doc, "user/doctor/doctor.help");

static const struct option_help helps[] = {
	{"backend", "type of BPF program (default auto)"},
	{"details", "print every check, hook and counter"},
	{"json", "write the diagnosis as a JSON document (- for stdout)"},
	{0},
};

void doctor_options__parse(struct options *o, int argc, char **argv)
{
	static const struct options_command command = {
		.name = "doctor",
		.doc = doc,
		.bit = OPTIONS_DOCTOR,
		.helps = helps,
	};

	options__parse(o, &command, argc, argv);
}
