/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sizes, counts and durations as people write and read them. Pure: shared with the load generator.
 * Every parser takes the whole string or refuses it: no trailing text, no sign, no overflow.
 */
#ifndef NETIOTRACE_UNITS_H
#define NETIOTRACE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes: "64", "4k", "1M", "2G" (powers of two; also "4KiB", "4kb", "64b"). Returns 0, -EINVAL for
 * what is not a size, -ERANGE for what does not fit 64 bits. *out is unchanged on error.
 */
int parse_size(const char *s, uint64_t *out);

/* A plain decimal number within [min, max]: 0, -EINVAL, -ERANGE (outside, or overflow). */
int parse_count(const char *s, uint64_t min, uint64_t max, uint64_t *out);

/* Of something a second: "2000/s" or "2000", within [1, max]. Errors as above. */
int parse_rate(const char *s, uint64_t max, uint64_t *out);

/* Nanoseconds: "500ms", "5s", "2m", "100us", "7ns", "1.5s"; a bare number is seconds. Errors as
 * above. */
int parse_duration(const char *s, uint64_t *ns);

/*
 * A list of CPUs as the kernel writes it, "0-3,8": calls set(cpu, arg) for each, ascending within
 * each range. CPUs must be below max_cpus. Errors as above; -EINVAL for an empty list.
 */
int parse_cpu_list(const char *s, unsigned int max_cpus, void (*set)(unsigned int cpu, void *arg),
		   void *arg);

/* Writers fill buf and return it. Enough room: UNITS_BUF bytes. */
#define UNITS_BUF 32
char *
format_size(char *buf, size_t len,
	    uint64_t bytes); /* "64 KiB", "1000 B", "16 MiB": exact if it divides, else 3 digits */
char *format_size_short(char *buf, size_t len, uint64_t bytes); /* "64k", "1000", "16m": for axes */
char *format_bytes_si(char *buf, size_t len,
		      double bytes); /* "22.1 GB", "613 MB": powers of ten, 3 digits */
char *format_ns(char *buf, size_t len, double ns);     /* "812 ns", "14.2 us", "3.1 ms", "1.25 s" */
char *format_count(char *buf, size_t len, uint64_t n); /* "92 113": thousands apart by a space */

/* What a noun ends in after a number: "0 runs", "1 run", "2 runs". */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
