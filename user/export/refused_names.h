/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the names of groups without a slot: each counts once while it is remembered, and a name
 * with open sockets in "other" stays there, so that no byte counts for two groups. Bounded. Pure.
 */
#ifndef EXPORT_REFUSED_NAMES_H
#define EXPORT_REFUSED_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFUSED_NAMES_MAX 4096

/* Open sockets: in this refresh or, between two, in the last one; in the last finished one. */
struct refused_use {
	bool now, before;
};

struct refused_name;

/* Zeroed: empty. */
struct refused_names {
	struct refused_name *list; /* sorted by name */
	size_t nr;
	uint64_t total;          /* names so far */
	struct refused_use rest; /* sockets of names that could not be remembered */
};

void refused_names__clear(struct refused_names *r);

/* Must the name's sockets count for "other", since some that do may be open? */
bool refused_names__must_stay(const struct refused_names *r, const char *name);

/* A socket of this name counts for "other". */
void refused_names__note(struct refused_names *r, const char *name, bool open);

/* The name has got a slot. */
void refused_names__forget(struct refused_names *r, const char *name);

/* A refresh: between these each open socket is noted. */
void refused_names__begin(struct refused_names *r);
void refused_names__end(struct refused_names *r);

#endif
