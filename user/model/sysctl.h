/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sysctls that decide the figures of a run: one row each, X(..., kind, key, path, unit).
 *
 * kind  num (one number) or text (as the kernel prints it, with single blanks)
 * key   in documents, in "environment" and in "environment.receiver"
 * path  below /proc/sys
 * unit  as in docs/reference/run.md
 *
 * host/environment.c reads each in the network namespace of the side; write/json_environment.c
 * writes and write/half_environment.c reads each.
 */
#ifndef MODEL_SYSCTL_H
#define MODEL_SYSCTL_H

/* clang-format off */
#define SYSCTLS(X, ...)                                                  \
	X(__VA_ARGS__, text, tcp_rmem, "net/ipv4/tcp_rmem", "text")      \
	X(__VA_ARGS__, text, tcp_wmem, "net/ipv4/tcp_wmem", "text")      \
	X(__VA_ARGS__, text, tcp_mem,  "net/ipv4/tcp_mem",  "text")      \
	X(__VA_ARGS__, num,  rmem_max, "net/core/rmem_max", "bytes")     \
	X(__VA_ARGS__, num,  wmem_max, "net/core/wmem_max", "bytes")
/* clang-format on */

#define SYSCTL_ID(x, kind, key, path, unit) SYSCTL_##key,
enum sysctl_id { SYSCTLS(SYSCTL_ID, ) SYSCTL_NR };

struct sysctl {
	char text[80];      /* empty: unknown */
	const char *reason; /* why it is unknown */
};

#endif
