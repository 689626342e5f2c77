/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU time of watched processes by class, from samples: shares, intervals, sentences. Pure. */
#ifndef ATTACH_CPU_SPLIT_H
#define ATTACH_CPU_SPLIT_H

#include <stdio.h>

#include "base/num.h"
#include "model/stack_rules.h"

/* Samples of one process, or of all. */
struct cpu_split {
	struct cpu_samples samples;
	uint64_t encrypted; /* of CPU_CLASS_USER: in a library that encrypts */
};

/* A share of the samples, 0..1, between which values in 95 of 100 cases. */
struct cpu_part {
	struct real share;
	double low, high; /* meaningless unless share is known */
};

/*
 * The classes of attach: all but CPU_CLASS_GATHER, which takes the load generator. What a program
 * copies itself is part of CPU_CLASS_USER.
 */
#define CPU_SPLIT_NR (CPU_CLASS_NR - 1)
enum cpu_class cpu_split__class(unsigned int i);
const char *cpu_split__key(unsigned int i);

/*
 * "3 to 15 %": shares of 0..1 between which the truth is, both rounded outwards. The one text for
 * intervals of shares in sentences, so that one interval is the same in each. Fills buf.
 */
#define INTERVAL_LEN 16
char *interval__text(char buf[INTERVAL_LEN], double low, double high);

struct cpu_part cpu_split__part(const struct cpu_split *s, enum cpu_class c);

void cpu_split__add(struct cpu_split *s, struct stack_class sample, bool encrypted);

/*
 * Where the CPU time of these samples goes, or why that is not known: a sentence. cpu: how they
 * were taken, and what was lost.
 */
void cpu_split__print(FILE *f, const struct cpu_result *cpu, const struct cpu_split *split);

/* Is it a stack of this process ("nginx 4242")? */
bool cpu_split__is_of(const struct profile_stack *s, const char *process);

/* The frames of a stack ("a;b;c"), innermost first, as many as fit in columns. */
void cpu_split__print_stack(FILE *f, const char *frames, size_t columns);

#endif
