/* SPDX-License-Identifier: GPL-2.0-only */
/* Shares of bytes by samples; see sampled_share.h. Pure. */
#include "sampled_share.h"

#include <math.h>

static double sum_of(const double parts[SAMPLED_PARTS], uint32_t mask)
{
	double sum = 0;

	for (int i = 0; i < SAMPLED_PARTS; i++)
		sum += mask >> i & 1 ? parts[i] : 0;
	return sum;
}

void sampled_sums__add(struct sampled_sums *s, const double bytes[SAMPLED_PARTS], uint32_t all,
		       bool whole, double weight)
{
	double v[SAMPLED_PARTS];

	if (sum_of(bytes, all) <= 0)
		return;
	for (int i = 0; i < SAMPLED_PARTS; i++) {
		s->whole[i] += whole ? bytes[i] : 0;
		v[i] = bytes[i] * weight;
	}
	if (whole)
		return;
	s->windows++;
	for (int i = 0; i < SAMPLED_PARTS; i++) {
		s->sum[i] += v[i];
		for (int j = 0; j < SAMPLED_PARTS; j++)
			s->cross[i][j] += v[i] * v[j];
	}
}

/* The 97.5 % quantile of Student's t. */
static double student(size_t freedom)
{
	static const double few[] = {INFINITY, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365};
	double f = (double)freedom;

	if (freedom < sizeof(few) / sizeof(few[0]))
		return few[freedom];
	return 1.96 + 2.372 / f + 2.823 / (f * f);
}

/* Standard error of the ratio r of two sums over windows, by linearization. */
static double error_of(const struct sampled_sums *s, uint32_t of, uint32_t all, double r)
{
	double n = (double)s->windows, squares = 0, all_sum = sum_of(s->sum, all);
	double a[SAMPLED_PARTS];

	for (int i = 0; i < SAMPLED_PARTS; i++)
		a[i] = (of >> i & 1 ? 1 : 0) - (all >> i & 1 ? r : 0);
	for (int i = 0; i < SAMPLED_PARTS; i++)
		for (int j = 0; j < SAMPLED_PARTS; j++)
			squares += a[i] * a[j] * s->cross[i][j];
	return squares > 0 ? sqrt(squares * n / (n - 1)) / all_sum : 0;
}

struct sampled_share sampled_share__of(const struct sampled_sums *s, uint32_t of, uint32_t all,
				       double total)
{
	double whole = sum_of(s->whole, all), exact = sum_of(s->whole, of);
	double sampled = sum_of(s->sum, all), rest = total > whole ? total - whole : 0;
	double r = sampled > 0 ? sum_of(s->sum, of) / sampled : 0, unseen = 1, half = 0;
	struct sampled_share share = {.high = 1};
	double sum = whole + rest;

	if (whole + sampled <= 0)
		return share;
	if (sampled <= 0)
		r = exact / whole;
	if (s->windows > 1) {
		unseen = 1 - pow(0.05, 1 / (double)s->windows);
		half = student(s->windows - 1) * error_of(s, of, all, r);
	}
	share.known = true;
	share.share = (exact + rest * r) / sum;
	share.low = (exact + rest * fmax(0, (1 - unseen) * (r - half))) / sum;
	share.high = (exact + rest * fmin(1, (1 - unseen) * (r + half) + unseen)) / sum;
	return share;
}
