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
		s->seen[i] += bytes[i];
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

/* As many windows with equal bytes would tell as much: a burst makes one of many. */
static double effective_windows(const struct sampled_sums *s, uint32_t all)
{
	double sum = sum_of(s->sum, all), squares = 0;

	for (int i = 0; i < SAMPLED_PARTS; i++)
		squares += all >> i & 1 ? sum_of(s->cross[i], all) : 0;
	return squares > 0 ? sum * sum / squares : 1;
}

/*
 * The bytes of the parts `of` in the time between windows, of which the parts `all` have `rest`.
 * What the windows leave open by themselves is in proportion to the bytes that they stand for
 * (`stand`).
 */
static void bound_rest(struct sampled_share *share, const struct sampled_sums *s, uint32_t of,
		       uint32_t all, double stand, double rest)
{
	double r = stand > 0 ? sum_of(s->sum, of) / sum_of(s->sum, all) : 0, unseen = 1, half = 0;
	double seen = sum_of(s->seen, of), others = sum_of(s->seen, all) - seen;

	if (s->windows > 1) {
		unseen = 1 - pow(0.05, 1 / effective_windows(s, all));
		half = student(s->windows - 1) * error_of(s, of, all, r);
	}
	share->low = stand * (1 - unseen) * (r - half) - fmax(0, stand - rest);
	share->high = stand * fmin(1, (1 - unseen) * (r + half) + unseen) + fmax(0, rest - stand);
	share->low = fmin(fmax(share->low, seen), rest);
	share->high = fmax(fmin(share->high, rest - others), share->low);
	share->share = fmin(fmax(rest * r, share->low), share->high);
}

struct sampled_share sampled_share__of(const struct sampled_sums *s, uint32_t of, uint32_t all,
				       double total)
{
	double whole = sum_of(s->whole, all), exact = sum_of(s->whole, of);
	double stand = sum_of(s->sum, all) * (s->scale > 0 ? s->scale : 1);
	double rest = total > whole ? total - whole : 0, sum = whole + rest;
	struct sampled_share share = {.high = 1};

	if (whole + stand <= 0 || sum <= 0)
		return share;
	bound_rest(&share, s, of, all, stand, rest);
	if (stand <= 0)
		share.share = rest * exact / whole;
	share.known = true;
	share.share = (exact + share.share) / sum;
	share.low = (exact + share.low) / sum;
	share.high = (exact + share.high) / sum;
	return share;
}
