/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes, counts and durations as text. Parsers take the whole string: no sign, no trailing text. */
#ifndef COMMON_UNITS_H
#define COMMON_UNITS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes: "64", "4k", "1M", "2G" (powers of two; also "4KiB", "4kb", "64b"). 0, -EINVAL (not a size)
 * or -ERANGE (above 64 bits). Parsers leave *out unchanged on error.
 */
int parse_size(const char *s, uint64_t *out);

/* Parses a decimal number within [min, max]. 0, -EINVAL or -ERANGE (outside, overflow). */
int parse_count(const char *s, uint64_t min, uint64_t max, uint64_t *out);

/* Parses a rate per second, "2000/s" or "2000", within [1, max]. Errors as parse_count(). */
int parse_rate(const char *s, uint64_t max, uint64_t *out);

/* To ns: "500ms", "5s", "2m", "100us", "7ns", "1.5s"; a plain number is seconds. */
int parse_duration(const char *s, uint64_t *ns);

/*
 * A CPU list in the kernel's format, "0-3,8": calls set(cpu, arg), unless NULL, for each CPU.
 * -EINVAL: bad or empty list. -ERANGE: a CPU >= max_cpus. On error set() is not called.
 */
int parse_cpu_list(const char *s, unsigned int max_cpus, void (*set)(unsigned int cpu, void *arg),
		   void *arg);

/* Formatters fill buf and return it. UNITS_BUF bytes are always enough. */
#define UNITS_BUF 32
char *
format_size(char *buf, size_t len,
	    uint64_t bytes); /* "64 KiB", "1000 B", "16 MiB": 3 digits, or all of a whole part */
char *format_size_short(char *buf, size_t len, uint64_t bytes); /* "64k", "1000", "16m": for axes */
char *format_bytes_si(char *buf, size_t len,
		      double bytes); /* "22.1 GB", "613 MB": powers of ten, 3 significant digits */
/* Bounds of bytes, rounded outwards: a lower bound down, an upper bound up. */
char *format_bytes_least(char *buf, size_t len, double bytes);
char *format_ns_least(char *buf, size_t len, double ns);
char *format_bytes_most(char *buf, size_t len, double bytes);
char *format_ns(char *buf, size_t len, double ns);     /* "812 ns", "14.2 us", "3.1 ms", "1.25 s" */
char *format_count(char *buf, size_t len, uint64_t n); /* "92 113": thousands separated by spaces */

/* The same in a buffer that lives as long as the enclosing block, for arguments of printf. */
#define TEXT_SIZE(bytes)  format_size((char[UNITS_BUF]){0}, UNITS_BUF, bytes)
#define TEXT_BYTES(bytes) format_bytes_si((char[UNITS_BUF]){0}, UNITS_BUF, (double)(bytes))
#define TEXT_LEAST(bytes) format_bytes_least((char[UNITS_BUF]){0}, UNITS_BUF, (double)(bytes))
#define TEXT_MOST(bytes)  format_bytes_most((char[UNITS_BUF]){0}, UNITS_BUF, (double)(bytes))
#define TEXT_COUNT(n)     format_count((char[UNITS_BUF]){0}, UNITS_BUF, n)

/*
 * A lower and an upper bound for printf("%.*f", decimals, ...). A value that differs from a number
 * of so many decimals by the error of arithmetic alone is that number.
 */
double round_least(double v, int decimals);
double round_most(double v, int decimals);

/* The plural ending after a number: "0 runs", "1 run", "2 runs". */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
