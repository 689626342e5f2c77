/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns a program that makes a text, in a child process: its standard descriptors are files in
 * memory. It runs without root, in its own session, and ends with this process.
 */
#ifndef BASE_FILTER_H
#define BASE_FILTER_H

struct filter {
	int (*execute)(const void *arg); /* in the child; returns -errno only if it cannot */
	const void *arg;
	int limit_ms; /* its time; it has the time again whenever it has written something */
};

struct filter_output {
	char *text, *errors; /* what it wrote, with a NUL behind; NULL: nothing is known */
};

#define FILTER_OUTPUT_MAX (1U << 30)

/*
 * Runs it to its end. out: the caller frees both texts, also after an error. Its exit status, or
 * 128 + signal; -errno: it was not started; -ETIMEDOUT, -EINTR (a blocked signal that ends this
 * program is pending), -EFBIG (its output is larger than FILTER_OUTPUT_MAX): it was killed.
 */
int filter__run(const struct filter *f, struct filter_output *out);

#endif
