/* SPDX-License-Identifier: GPL-2.0-only */
/* Errors of hooks that were tried, in words, and what helps; see plan.h. Pure. */
#include <errno.h>
#include <stddef.h>

#include "plan_table.h"

/* The kernel's own "not supported", which user space has no name for. */
#define ENOTSUPP 524

const char *plan__refusal(int err)
{
	switch (-err) {
	case 0:
		return "not tried";
	case ENOENT:
	case ESRCH:
		return "this kernel has no such hook";
	case ECANCELED:
		return "withheld by --without";
	case EPROTOTYPE:
		return "the function takes other arguments in this kernel";
	case EPERM:
	case EACCES:
		return "this kernel refused the program (permission denied)";
	case EOPNOTSUPP:
	case ENOTSUPP:
		return "this kernel does not support such programs";
	case EMFILE:
		return "could not be tried (too many open files)";
	case ENFILE:
	case ENOMEM:
	case EAGAIN:
	case EBUSY:
		return "could not be tried (out of a resource)";
	default:
		return "this kernel refused the program";
	}
}

const char *plan__remedy(int err)
{
	switch (-err) {
	case ECANCELED:
		return NULL;
	case EMFILE:
		return "allow more open files (ulimit -n), and try again";
	case ENFILE:
	case ENOMEM:
	case EAGAIN:
	case EBUSY:
		return "end what else uses memory, files or performance counters, and try again";
	default:
		return "a distribution's stock kernel, built with BTF and not locked down, has "
		       "it; netiotrace doctor tries every hook";
	}
}
