/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the classes of CPU time; see cpu_class.h. */
#include "cpu_class.h"

static const struct {
	const char *key, *heading, *help, *colour;
} classes[] = {
#define X(id, ...) [CPU_CLASS_##id] = {__VA_ARGS__},
	CPU_CLASSES(X)
#undef X
};

const char *cpu_class__key(enum cpu_class c)
{
	return classes[c].key;
}

const char *cpu_class__heading(enum cpu_class c)
{
	return classes[c].heading;
}

const char *cpu_class__help(enum cpu_class c)
{
	return classes[c].help;
}

const char *cpu_class__colour(enum cpu_class c)
{
	return classes[c].colour;
}
