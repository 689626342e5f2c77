/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the loss of privileges of a running exporter. */
#ifndef EXPORT_CONFINEMENT_H
#define EXPORT_CONFINEMENT_H

#include <stdbool.h>

/*
 * Drops all capabilities and the way back to them (no_new_privs, bounding set). Keeps CAP_BPF and
 * CAP_PERFMON if keep_bpf: kernels before 5.19 check them at each bpf(), and kprobes are opened
 * again for each window. As root, becomes the user nobody unless keep_user. 0 or -errno.
 */
int confinement__enter(bool keep_bpf, bool keep_user);

/*
 * Runs work() in a child process without any capability, as nobody or, if keep_user, as the present
 * user. Returns what work() returned: 0 or -errno; -ECHILD: the child did not end by itself.
 */
int confinement__try(int (*work)(void *arg), void *arg, bool keep_user);

#endif
