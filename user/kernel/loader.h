/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads a BPF object (the meter, attach), attaches the programs that a plan chose, and finds out
 * which alternatives of the table this kernel has. For meter.c, attach_probes.c and whoever plans;
 * what the programs count is not its business.
 */
#ifndef KERNEL_LOADER_H
#define KERNEL_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/plan.h"

struct attach_bpf;
struct bpf_link;
struct bpf_map;
struct bpf_object;
struct bpf_object_skeleton;
struct bpf_program;
struct meter_bpf;

/* A program that some plan chose. */
struct loaded_program {
	struct bpf_program *program;
	const char *name;
	struct bpf_link *link; /* NULL: not attached */
	/* Of closed links: runs that the kernel skipped, or why it does not count them. */
	uint64_t skipped;
	bool uncounted;
};

#define LOADER_PROGRAMS_MAX 96

struct loader {
	enum bpf_object_id id;
	struct meter_bpf *meter;   /* the skeleton of OBJECT_RUN, else NULL */
	struct attach_bpf *attach; /* the skeleton of OBJECT_ATTACH, else NULL */
	struct bpf_object *object;
	struct bpf_object_skeleton *skeleton;
	struct loaded_program programs[LOADER_PROGRAMS_MAX];
	size_t programs_nr;
	bool trampolines_again; /* loader__attaches_again() */
	bool interruptible;     /* loader__attach() ends with -EINTR on a signal that ends us */
};

/* Opens an object; set rodata and map sizes, then load. 0 or -errno: then l needs no closing. */
int loader__open(struct loader *l, enum bpf_object_id id);

/* Loads every program that one of the plans (NULL: unused) chose. 0 or -errno. */
int loader__load(struct loader *l, const struct plan *const *plans, size_t plans_nr);
void loader__close(struct loader *l); /* accepts a zeroed loader */

/*
 * Makes the attached programs match plan: detaches the rest, except fentry and fexit if this kernel
 * cannot attach them again, then attaches the missing ones, as far as possible. 0 or the first
 * -errno.
 */
int loader__attach(struct loader *l, const struct plan *plan);

/* Detaches from tracepoints the programs that plan does not need. */
void loader__detach_others(struct loader *l, const struct plan *plan);

/*
 * Runs of program i that the kernel refused or skipped so far, into *runs. *uncounted: it does not
 * count all of them (kprobes before Linux 6.7). 0 or -errno.
 */
int loader__missed(const struct loader *l, size_t i, uint64_t *runs, bool *uncounted);

struct snapshot;

/*
 * Adds such runs of all programs to out->missed, and those of the probes of a plan to
 * out->missed_of; notes where they are not all counted. 0 or -errno.
 */
int loader__add_missed(const struct loader *l, const struct plan *plan, struct snapshot *out);

/* What an iterator program wrote. */
struct loader_records {
	char *list; /* the caller frees it, also after an error */
	size_t bytes;
};

/*
 * Runs an attached iterator program to its end. process: over its files only, where the kernel can
 * (6.1); 0: over all. Fills *out. 0 or -errno; -EOPNOTSUPP: the program is not attached.
 */
int loader__iterate(const struct loader *l, const char *program, pid_t process,
		    struct loader_records *out);

/*
 * What run, or attach, can use, from the kernel's BTF; one function is tried with fentry, and where
 * that is refused one with kprobes (or with `backend` only, unless AUTO). Quick and usually right.
 * 0, or the first -errno that says nothing about the kernel, as of memory or open files;
 * probe_results are filled all the same.
 */
int loader__presume(enum bpf_object_id who, struct probe_result *probe_results,
		    enum backend backend);

/*
 * Tries each alternative that BTF does not exclude: load and attach, tens of milliseconds each. 0,
 * or -errno if nothing could be tried (-EPERM: privileges).
 */
int loader__try_all(struct probe_result *probe_results);

/* Whether an fentry or fexit program can be attached again after it was detached (Linux 5.13). */
bool loader__attaches_again(void);

/*
 * Reads the copies of watched sockets' states where no iterator over map elements is allowed: takes
 * all out of the map of copies (nio_snapshots). *out gets, for each, its size (__u64) and so many
 * bytes of it, as of nio_at_read. The caller frees out->list. 0 or -errno.
 */
int loader__take_states(int snapshots_fd, struct loader_records *out);

#endif
