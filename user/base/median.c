/* SPDX-License-Identifier: GPL-2.0-only */
/* The median by selection, in linear time; see median.h. Pure. */
#include "median.h"

static void swap_values(double *a, double *b)
{
	double x = *a;

	*a = *b;
	*b = x;
}

/* Puts the k-th smallest of n at its place, smaller ones before it: Hoare's selection. */
static double select_rank(double *v, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		double pivot = v[low + (high - low) / 2];
		size_t i = low, j = high;

		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i <= j) {
				swap_values(&v[i++], &v[j]);
				if (!j--)
					break;
			}
		}
		if (k < i && (j == (size_t)-1 || k > j))
			break;
		if (j != (size_t)-1 && k <= j)
			high = j;
		else
			low = i;
	}
	return v[k];
}

double median__lower(double *values, size_t n)
{
	return n ? select_rank(values, n, (n - 1) / 2) : 0;
}
