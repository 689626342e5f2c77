/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks that were sampled, each with how often: what flame graphs are made of. Pure. */
#ifndef NETIOTRACE_PROFILE_H
#define NETIOTRACE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/samples.h"
#include "cpu_class.h"

struct profile_stack {
	char *frames; /* names apart by ';', outermost first; owned */
	uint64_t count;
	enum nio_sample_whose whose;
	enum cpu_class class;
};

struct profile {
	struct profile_stack *stacks;
	size_t nr;
};

/* Adds to a stack that is there, or adds it; frames are copied. */
void profile__add(struct profile *p, const struct profile_stack *stack);
void profile__merge(struct profile *p, const struct profile *other); /* takes NULL */

/* Puts them in the order of their frames by whose, so that what is written depends on nothing else.
 */
void profile__sort(struct profile *p);

void profile__clear(struct profile *p); /* leaves an empty one */

#endif
