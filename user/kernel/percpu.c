/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums over CPUs; see percpu.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/read_file.h"
#include "common/cpu_mask.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "percpu.h"

static void raise(unsigned int cpu, void *arg)
{
	int *rows = arg;

	if (*rows <= (int)cpu)
		*rows = (int)cpu + 1;
}

int percpu__rows(const char *possible)
{
	int rows = 0;

	if (parse_cpu_list(possible, CPUS_MAX, raise, &rows))
		return -EINVAL;
	return rows ? rows : -EINVAL;
}

void percpu__sum(const void *at, unsigned int cpus, uint32_t rows, uint32_t i, void *out,
		 size_t size)
{
	size_t words = size / sizeof(uint64_t);
	uint64_t *total = out;

	memset(out, 0, size);
	for (size_t cpu = 0; cpu < cpus; cpu++) {
		const volatile uint64_t *row = (const uint64_t *)at + (cpu * rows + i) * words;

		for (size_t w = 0; w < words; w++)
			total[w] += row[w];
	}
}

uint64_t percpu__sum_one(const void *at, unsigned int cpus, uint32_t rows, uint32_t i, size_t size,
			 size_t offset)
{
	uint64_t total = 0;

	for (size_t cpu = 0; cpu < cpus; cpu++)
		total += *(const volatile uint64_t *)((const char *)at + (cpu * rows + i) * size +
						      offset);
	return total;
}

int percpu__size(struct bpf_map *map, uint32_t rows)
{
	char text[1024];
	int err = read_file__line("/sys/devices/system/cpu/possible", text, sizeof(text));
	int cpus = err ? err : percpu__rows(text);

	return cpus < 0 ? cpus : bpf_map__set_max_entries(map, (uint32_t)cpus * rows);
}

int percpu__open(struct percpu_rows *r, const struct bpf_map *map, uint32_t rows)
{
	size_t len = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
	void *at = mmap(NULL, len, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);

	if (at == MAP_FAILED)
		return -errno;
	*r = (struct percpu_rows){at, len, rows, bpf_map__max_entries(map) / rows};
	return 0;
}

void percpu__close(struct percpu_rows *r)
{
	if (r->at)
		munmap((void *)r->at, r->len);
	r->at = NULL;
}

int percpu__lookup(int map_fd, const void *key, void *out, size_t size)
{
	int cpus = libbpf_num_possible_cpus(), err;
	void *values;

	memset(out, 0, size);
	if (cpus < 0)
		return cpus;
	values = xcalloc((size_t)cpus, size);
	err = bpf_map_lookup_elem(map_fd, key, values) ? -errno : 0;
	percpu__sum(values, (unsigned int)cpus, 1, 0, out, size);
	free(values);
	return err;
}
