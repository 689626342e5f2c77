/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of bpf/kernel.bpf.h as they lie in memory: rows of CPU 0, rows of CPU 1, and so on
 * up to the highest CPU there can ever be; and the values of per-CPU maps.
 */
#ifndef KERNEL_PERCPU_H
#define KERNEL_PERCPU_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many CPUs rows are needed for, from the text of /sys/devices/system/cpu/possible ("0-3,8"):
 * one more than the highest number, since programs know a CPU by its number, and numbers may have
 * holes. -EINVAL when it is no such list.
 */
int percpu__rows(const char *possible);

/*
 * The sum over all CPUs of row i, into out: `size` bytes each, made of u64 only; `rows` a CPU. at
 * may be written to meanwhile: each u64 is read whole.
 */
void percpu__sum(const void *at, unsigned int cpus, uint32_t rows, uint32_t i, void *out,
		 size_t size);

/* Of such rows one u64 alone, `offset` bytes from their beginning: the rest is not touched. */
uint64_t percpu__sum_one(const void *at, unsigned int cpus, uint32_t rows, uint32_t i, size_t size,
			 size_t offset);

/*
 * The sum over all CPUs of an element of a per-CPU map, whose values are `size` bytes of u64. 0 or
 * -errno, with out 0.
 */
int percpu__lookup(int map_fd, const void *key, void *out, size_t size);

#endif
