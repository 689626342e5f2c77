/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The skeleton and what a session keeps of it: for the files of session.h only, which are the only
 * ones that know it. session.c loads, attaches and watches, session_offers.c tries what this kernel
 * takes, session_read.c reads what was counted.
 */
#ifndef NETIOTRACE_SKELETON_H
#define NETIOTRACE_SKELETON_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ksym.h"
#include "netiotrace.skel.h"
#include "perf/windows.h"
#include "session.h"

#define PROGRAMS_MAX 96

/* What one stack of nio_stacks says about who called. Stacks never change: looked up once. */
struct caller {
	int32_t stack;
	char name[KSYM_NAME_MAX];
};

struct session {
	struct netiotrace_bpf *skel;
	struct nio_conn *conns; /* nio_conns, mapped */
	uint32_t ring;          /* first entry of nio_zc_sends that is nobody's */
	size_t senders;         /* watched, that have a ring */
	int cpus;
	void *percpu; /* one element of the largest per-CPU map, for every CPU */
	struct bpf_program *programs[PROGRAMS_MAX];
	struct bpf_link *links[PROGRAMS_MAX]; /* by program; NULL: not attached */
	size_t programs_nr;
	bool trampolines_again; /* can be attached again, once detached */
	struct plan plan;       /* whose programs are attached */
	struct caller callers[NIO_OTHERS_MAX];
	size_t callers_nr;
	struct perf_stage *perf;
	const char *no_perf; /* why there is none; NULL: there is */
};

/* Is name one of the programs of alt? */
bool session__has_program(const struct alternative *alt, const char *name);

/* The skeleton with its maps sized for so many ledgers; NULL with *err set. */
struct netiotrace_bpf *session__open_skeleton(unsigned int slots, int *err);

#endif
