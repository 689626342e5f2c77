/* SPDX-License-Identifier: GPL-2.0-only */
/* libbpf's own messages: on stderr with -vv, else nowhere. */
#ifndef NETIOTRACE_LIBBPF_OUTPUT_H
#define NETIOTRACE_LIBBPF_OUTPUT_H

void libbpf_output__set(void);

#endif
