/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the frequency of this processor's TSC in kHz, as the kernel's clock counts time. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct reading {
	uint64_t tsc;
	uint64_t ns;
};

/* Of many readings the one that was interrupted least. */
static struct reading read_both(void)
{
	struct reading best = {0};
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t before = __rdtsc(), took;
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		took = __rdtsc() - before;
		if (took >= shortest)
			continue;
		shortest = took;
		best.tsc = before + took / 2;
		best.ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	}
	return best;
}

int main(void)
{
	struct reading begin = read_both(), end;

	nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
	end = read_both();
	printf("%" PRIu64 "\n", (end.tsc - begin.tsc) * 1000000 / (end.ns - begin.ns));
	return 0;
}
