/* SPDX-License-Identifier: GPL-2.0-only */
/* libbpf's own messages: on stderr with -vv, else nowhere. */
#ifndef KERNEL_LIBBPF_OUTPUT_H
#define KERNEL_LIBBPF_OUTPUT_H

void libbpf_output__set(void);

#endif
