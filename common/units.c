/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses and formats sizes, counts, durations and CPU lists. Pure: no locale, no I/O. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "units.h"

/* Reads the digits at *s and advances *s past them. -EINVAL: no digit; -ERANGE: overflow. */
static int scan_digits(const char **s, uint64_t *out)
{
	const char *p = *s;
	bool overflow = false;
	uint64_t v = 0;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++)
		overflow |= __builtin_mul_overflow(v, 10, &v) ||
			    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v);
	*s = p;
	*out = v;
	return overflow ? -ERANGE : 0;
}

/* Bits to shift by for "", "b", "k", "kb", "KiB", ...; -EINVAL for other text. */
static int size_suffix_shift(const char *s)
{
	static const char letters[] = "kmgt";
	const char *letter;

	if (!*s || !strcasecmp(s, "b"))
		return 0;
	letter = strchr(letters, tolower((unsigned char)*s));
	if (!letter || (s[1] && strcasecmp(s + 1, "b") && strcasecmp(s + 1, "ib")))
		return -EINVAL;
	return 10 * (int)(letter - letters + 1);
}

int parse_size(const char *s, uint64_t *out)
{
	uint64_t v = 0;
	int err, shift;

	err = scan_digits(&s, &v);
	if (err == -EINVAL)
		return err;
	shift = size_suffix_shift(s);
	if (shift < 0)
		return shift;
	if (err || __builtin_mul_overflow(v, 1ULL << shift, &v))
		return -ERANGE;
	*out = v;
	return 0;
}

int parse_count(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;
	int err;

	err = scan_digits(&s, &v);
	if (err == -EINVAL || *s)
		return -EINVAL;
	if (err || v < min || v > max)
		return -ERANGE;
	*out = v;
	return 0;
}

int parse_rate(const char *s, uint64_t max, uint64_t *out)
{
	size_t len = strlen(s);
	char number[32];

	if (len > 2 && !strcmp(s + len - 2, "/s"))
		len -= 2;
	if (len >= sizeof(number))
		return -EINVAL;
	memcpy(number, s, len);
	number[len] = '\0';
	return parse_count(number, 1, max, out);
}

static int duration_unit_ns(const char *s, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"", 1000000000},  {"ns", 1},          {"us", 1000},         {"ms", 1000000},
		{"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(s, units[i].name)) {
			*ns = units[i].ns;
			return 0;
		}
	}
	return -EINVAL;
}

/* Converts the n digits after a decimal point to ns; -EINVAL unless a whole number of ns. */
static int fraction_ns(const char *digits, size_t n, uint64_t unit, uint64_t *ns)
{
	*ns = 0;
	for (size_t i = 0; i < n; i++) {
		if (digits[i] == '0' && unit % 10)
			continue;
		if (unit % 10)
			return -EINVAL;
		unit /= 10;
		*ns += (uint64_t)(digits[i] - '0') * unit;
	}
	return 0;
}

int parse_duration(const char *s, uint64_t *ns)
{
	uint64_t whole = 0, fraction, unit;
	const char *digits = "";
	size_t n = 0;
	int err;

	err = scan_digits(&s, &whole);
	if (err == -EINVAL)
		return err;
	if (*s == '.') {
		digits = s + 1;
		n = strspn(digits, "0123456789");
		if (!n)
			return -EINVAL;
		s = digits + n;
	}
	if (duration_unit_ns(s, &unit) || fraction_ns(digits, n, unit, &fraction))
		return -EINVAL;
	if (err || __builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, fraction, &whole))
		return -ERANGE;
	*ns = whole;
	return 0;
}

/* Reads "N" or "N-M" at *s and advances *s. -EINVAL; -ERANGE if the text is a range. */
static int scan_cpu_range(const char **s, unsigned int max_cpus, uint64_t *first, uint64_t *last)
{
	int err, err_last;

	err = scan_digits(s, first);
	if (err == -EINVAL)
		return err;
	*last = *first;
	if (**s == '-') {
		(*s)++;
		err_last = scan_digits(s, last);
		if (err_last == -EINVAL)
			return err_last;
		err = err ? err : err_last;
	}
	if (err || *last >= max_cpus)
		return -ERANGE;
	return *first > *last ? -EINVAL : 0;
}

/* Walks the list; set may be NULL (check only). -EINVAL takes precedence over -ERANGE. */
static int walk_cpu_list(const char *s, unsigned int max_cpus,
			 void (*set)(unsigned int cpu, void *arg), void *arg)
{
	uint64_t cpu, first = 0, last = 0;
	int err, out_of_range = 0;

	for (;;) {
		err = scan_cpu_range(&s, max_cpus, &first, &last);
		if (err == -ERANGE)
			out_of_range = err;
		else if (err)
			return err;
		for (cpu = first; set && cpu <= last; cpu++)
			set((unsigned int)cpu, arg);
		if (!*s)
			return out_of_range;
		if (*s++ != ',')
			return -EINVAL;
	}
}

int parse_cpu_list(const char *s, unsigned int max_cpus, void (*set)(unsigned int cpu, void *arg),
		   void *arg)
{
	int err;

	/* Check the whole list first: a refused list sets nothing. */
	err = walk_cpu_list(s, max_cpus, NULL, NULL);
	return err ? err : walk_cpu_list(s, max_cpus, set, arg);
}

/* The error of a few operations on doubles. */
#define ARITHMETIC 1e-12

double round_least(double v, int decimals)
{
	double by = pow(10, decimals);

	return floor(v * by + fabs(v * by) * ARITHMETIC) / by;
}

double round_most(double v, int decimals)
{
	return 0 - round_least(-v, decimals); /* no -0 */
}

static double round_nearest(double v, int decimals)
{
	(void)decimals; /* printf() rounds */
	return v;
}

typedef double (*rounding)(double v, int decimals);

/* Writes v with three significant digits, or all digits of its whole part; no trailing zeros. */
static void format_3_digits(char *buf, size_t len, double v, rounding round)
{
	double magnitude = fabs(v);
	int decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
	size_t n;

	snprintf(buf, len, "%.*f", decimals, round(v, decimals));
	if (!strchr(buf, '.'))
		return;
	n = strlen(buf);
	while (buf[n - 1] == '0')
		buf[--n] = '\0';
	if (buf[n - 1] == '.')
		buf[n - 1] = '\0';
}

/* Scales v to the largest fitting unit and returns its index. 1023.9 KiB rounds up to 1 MiB. */
static size_t scale(double *v, double step, size_t n, rounding round)
{
	size_t i = 0;

	while (i + 1 < n && fabs(round(*v, 0)) >= step - (round == round_nearest ? 0.5 : 0)) {
		*v /= step;
		i++;
	}
	return i;
}

static char *format_scaled(char *buf, size_t len, double v, double step, const char *const *units,
			   size_t n, rounding round)
{
	char digits[UNITS_BUF];
	size_t unit;

	if (!isfinite(v)) {
		snprintf(buf, len, "n/a");
		return buf;
	}
	unit = scale(&v, step, n, round);
	format_3_digits(digits, sizeof(digits), v, round);
	snprintf(buf, len, "%s%s", digits, units[unit]);
	return buf;
}

/* Sizes below 1024 bytes are printed as whole numbers. */
static char *format_binary(char *buf, size_t len, uint64_t bytes, const char *const *units,
			   size_t n)
{
	if (bytes < 1024) {
		snprintf(buf, len, "%u%s", (unsigned int)bytes, units[0]);
		return buf;
	}
	return format_scaled(buf, len, (double)bytes, 1024, units, n, round_nearest);
}

char *format_size(char *buf, size_t len, uint64_t bytes)
{
	static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};

	return format_binary(buf, len, bytes, units, sizeof(units) / sizeof(units[0]));
}

char *format_size_short(char *buf, size_t len, uint64_t bytes)
{
	static const char *const units[] = {"", "k", "m", "g", "t", "p", "e"};

	return format_binary(buf, len, bytes, units, sizeof(units) / sizeof(units[0]));
}

static char *format_si(char *buf, size_t len, double bytes, rounding round)
{
	static const char *const units[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};

	return format_scaled(buf, len, bytes, 1000, units, sizeof(units) / sizeof(units[0]), round);
}

char *format_bytes_si(char *buf, size_t len, double bytes)
{
	return format_si(buf, len, bytes, round_nearest);
}

char *format_bytes_least(char *buf, size_t len, double bytes)
{
	return format_si(buf, len, bytes, round_least);
}

char *format_bytes_most(char *buf, size_t len, double bytes)
{
	return format_si(buf, len, bytes, round_most);
}

static const char *const ns_units[] = {" ns", " us", " ms", " s"};
#define NS_UNITS (sizeof(ns_units) / sizeof(ns_units[0]))

char *format_ns(char *buf, size_t len, double ns)
{
	return format_scaled(buf, len, ns, 1000, ns_units, NS_UNITS, round_nearest);
}

char *format_ns_least(char *buf, size_t len, double ns)
{
	return format_scaled(buf, len, ns, 1000, ns_units, NS_UNITS, round_least);
}

char *format_count(char *buf, size_t len, uint64_t n)
{
	char digits[UNITS_BUF], spaced[UNITS_BUF];
	size_t i, used = 0, nr;

	nr = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	for (i = 0; i < nr; i++) {
		if (i && (nr - i) % 3 == 0)
			spaced[used++] = ' ';
		spaced[used++] = digits[i];
	}
	spaced[used] = '\0';
	snprintf(buf, len, "%s", spaced);
	return buf;
}
