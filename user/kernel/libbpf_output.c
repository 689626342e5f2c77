/* SPDX-License-Identifier: GPL-2.0-only */
/* The output of libbpf, and when it is printed; see libbpf_output.h. */
#include <stdarg.h>
#include <stdio.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "libbpf_output.h"

/* Silent without -vv: the messages describe attempts that are meant to fail. */
__attribute__((format(printf, 2, 0))) static int print(enum libbpf_print_level level,
						       const char *format, va_list args)
{
	if (level == LIBBPF_DEBUG || log_level() < LOG_DEBUG)
		return 0;
	return vfprintf(log_stream(), format, args);
}

void libbpf_output__set(void)
{
	libbpf_set_print(print);
}
