/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of libbpf: shown with -vv only, where all messages go. */
#ifndef KERNEL_LIBBPF_OUTPUT_H
#define KERNEL_LIBBPF_OUTPUT_H

void libbpf_output__set(void);

#endif
