/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums over CPUs: of the statistics of bpf/kernel.bpf.h in mapped memory (the rows of CPU 0, then
 * of CPU 1, up to the highest possible CPU), and of the values of per-CPU maps.
 */
#ifndef KERNEL_PERCPU_H
#define KERNEL_PERCPU_H

#include <stddef.h>
#include <stdint.h>

/*
 * The number of rows for all CPUs, from the text of /sys/devices/system/cpu/possible ("0-3,8"): the
 * highest number plus one, since programs index by CPU number and numbers may have gaps. -EINVAL:
 * malformed.
 */
int percpu__rows(const char *possible);

/*
 * The sum over all CPUs of row i, into out: `size` bytes each, made of u64 only; `rows` per CPU. at
 * may be written concurrently: each u64 is read atomically.
 */
void percpu__sum(const void *at, unsigned int cpus, uint32_t rows, uint32_t i, void *out,
		 size_t size);

/* The same for one u64 at `offset` of each row. */
uint64_t percpu__sum_one(const void *at, unsigned int cpus, uint32_t rows, uint32_t i, size_t size,
			 size_t offset);

/* Statistics of programs in an mmapable array, mapped: `rows` of each CPU. */
struct percpu_rows {
	const void *at;
	size_t len;
	uint32_t rows;
	unsigned int cpus;
};

struct bpf_map;

/* Before loading: makes the array large enough for `rows` of each CPU. 0 or -errno. */
int percpu__size(struct bpf_map *map, uint32_t rows);
/* After loading: maps the array for reading. 0 or -errno. */
int percpu__open(struct percpu_rows *r, const struct bpf_map *map, uint32_t rows);
void percpu__close(struct percpu_rows *r); /* takes a zeroed one */

/*
 * The sum over all CPUs of an element of a per-CPU map, whose values are `size` bytes of u64. 0 or
 * -errno, with out 0.
 */
int percpu__lookup(int map_fd, const void *key, void *out, size_t size);

#endif
