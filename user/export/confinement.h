/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns what a running exporter loses: most system calls, and its privileges. */
#ifndef EXPORT_CONFINEMENT_H
#define EXPORT_CONFINEMENT_H

#include <stdbool.h>

/*
 * Sanitizers make calls of their own at any time: LeakSanitizer, for one, starts a thread at the
 * end of the program and traces the program with it. Their builds run without the filter.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SYSCALL_FILTER_FITS false
#else
#define SYSCALL_FILTER_FITS true
#endif

/*
 * From now on this process, which has one thread, can make only the system calls that serving
 * metrics takes. All others give EPERM, clone3() gives ENOSYS, as on a kernel without it, and the
 * kernel logs each (audit type 1326). There is no way back. Sets no_new_privs. kprobes: programs on
 * kprobes are attached again, which takes perf_event_open(). Returns an error of libseccomp, below
 * 0, if no filter is loaded: the kernel or another filter allows none.
 */
int syscall_filter__load(bool kprobes);

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
