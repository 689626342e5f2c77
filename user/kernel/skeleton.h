/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The skeleton and what a session keeps of it: for the files of session.h only, which are the only
 * ones that know it. session.c loads and watches, session_attach.c attaches, session_offers.c tries
 * what this kernel takes, session_read.c reads what was counted.
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

/* Statistics by CPU, mapped: user/kernel/percpu.h. */
struct mapped {
	const void *at;
	size_t len;
	uint32_t rows; /* of one CPU */
};

enum session_map {
	SESSION_CELLS,
	SESSION_ZC,
	SESSION_PATHS,
	SESSION_UNCOVERED,
	SESSION_LOSSES,
	SESSION_PERF,
	SESSION_MAPS_NR,
};

struct session {
	struct netiotrace_bpf *skel;
	struct nio_conn *conns; /* nio_conns, mapped */
	uint32_t ring;          /* first entry of nio_zc_sends that is nobody's */
	size_t senders;         /* watched, that have a ring */
	struct mapped maps[SESSION_MAPS_NR];
	unsigned int cpus;      /* that rows are for */
	int possible;           /* CPUs that values of the kernel's per-CPU maps are for */
	struct nio_sum *percpu; /* such a value */
	struct bpf_program *programs[PROGRAMS_MAX];
	struct bpf_link *links[PROGRAMS_MAX]; /* by program; NULL: not attached */
	/* by program, of its links that are gone: runs that were passed over; not told of some */
	uint64_t passed_over[PROGRAMS_MAX];
	bool untold[PROGRAMS_MAX];
	size_t programs_nr;
	bool trampolines_again; /* can be attached again, once detached */
	struct plan plan;       /* whose programs are attached */
	struct caller callers[NIO_OTHERS_MAX];
	size_t callers_nr;
	struct perf_stage *perf;
	const char *no_perf[NIO_PERF_EVENT_NR]; /* why there is none; NULL: there is */
};

/* Did plan choose an alternative that this program serves? NULL: there is no plan. */
bool session__wants(const struct plan *plan, const char *name);

void session__detach(struct session *s, size_t i); /* program i, attached or not */

/* Is name one of the programs of alt? */
bool session__has_program(const struct alternative *alt, const char *name);

/* The map of the skeleton that is kept so. */
struct bpf_map *session__map(const struct netiotrace_bpf *skel, enum session_map which);

/* The skeleton with its maps sized for so many ledgers; NULL with *err set. */
struct netiotrace_bpf *session__open_skeleton(unsigned int slots, int *err);

#endif
