/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the list of system calls that a running exporter may make. */
#ifndef EXPORT_SYSCALL_FILTER_H
#define EXPORT_SYSCALL_FILTER_H

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

#endif
