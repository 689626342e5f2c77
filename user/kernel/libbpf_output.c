/* SPDX-License-Identifier: GPL-2.0-only */
/* The output of libbpf, and when it is printed; see libbpf_output.h. */
#include <stdarg.h>
#include <stdio.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "libbpf_output.h"

__attribute__((format(printf, 2, 0))) static int print_nothing(enum libbpf_print_level level,
							       const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* libbpf speaks only when asked to (-vv): its messages describe attempts that are meant to fail. */
__attribute__((format(printf, 2, 0))) static int print_debug(enum libbpf_print_level level,
							     const char *format, va_list args)
{
	if (level == LIBBPF_DEBUG)
		return 0;
	return vfprintf(stderr, format, args);
}

void libbpf_output__set(void)
{
	libbpf_set_print(log_level() >= LOG_DEBUG ? print_debug : print_nothing);
}
