/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting for BPF programs that are at work; see grace_period.h.
 *
 * Programs that do not sleep run inside rcu_read_lock(), those of kprobes and tracepoints with
 * preemption off besides: synchronize_rcu() waits for both. Whoever changes a map of maps is made
 * to wait so (maybe_wait_bpf_programs(), since Linux 4.20), just in order to know that no program
 * works with the old one. membarrier(MEMBARRIER_CMD_GLOBAL) would do the same where there is more
 * than one CPU and none is nohz_full; with one, a program that was preempted is not waited for.
 */
#include <errno.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "grace_period.h"

static int change(int outer, int inner)
{
	const unsigned int first = 0;

	return bpf_map_update_elem(outer, &first, &inner, BPF_ANY) ? -errno : 0;
}

static int make_and_change(int inner)
{
	struct bpf_map_create_opts opts = {.sz = sizeof(opts), .inner_map_fd = (unsigned int)inner};
	int outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "nio_outer", 4, 4, 1, &opts);
	int err;

	if (outer < 0)
		return outer;
	err = change(outer, inner);
	close(outer);
	return err;
}

int grace_period__pass(void)
{
	int inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "nio_inner", 4, 4, 1, NULL), err;

	if (inner < 0)
		return inner;
	err = make_and_change(inner);
	close(inner);
	return err;
}
