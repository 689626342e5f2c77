/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs of attach did not see or could not keep; see attach_probes.h. */
#include <string.h>

#include "attach_probes_internal.h"

static struct nio_attach_loss raw_losses(const struct attach_probes *probes)
{
	return *(const volatile struct nio_attach_loss *)&probes->skel->bss->nio_attach_losses;
}

/*
 * Processes that may not be watched because the kernel refused their event, at most. Those of a
 * cgroup are found when they use a socket.
 */
static uint64_t tasks_refused(const struct attach_probes *probes)
{
	const struct attach_bpf *skel = probes->skel;
	uint64_t names = 0;

	if (skel->rodata->nio_comms_nr)
		names = attach_probes__refused(skel->progs.nio_at_exec) +
			attach_probes__refused(skel->progs.nio_at_rename);
	else if (!skel->rodata->nio_by_task || !skel->rodata->nio_follow_children)
		return 0;
	return names + attach_probes__refused(probes->plan.without_seconds
						      ? skel->progs.nio_at_fork
						      : skel->progs.nio_at_fork2);
}

struct nio_attach_loss attach_probes__losses(const struct attach_probes *probes)
{
	struct nio_attach_loss loss = raw_losses(probes);

	loss.ends_missed += probes->unsure_most;
	loss.tasks_full += tasks_refused(probes);
	return loss;
}

/*
 * One of a pair: if the kernel skips one program, the other does its work. changes_missed counts
 * what neither did of a socket, tasks_refused() of a fork.
 */
static bool is_twin(const char *name)
{
	static const char *const twins[] = {"nio_at_state",    "nio_at_state2", "nio_at_destroy",
					    "nio_at_destroy2", "nio_at_fork",   "nio_at_fork2"};

	for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++)
		if (!strcmp(name, twins[i]))
			return true;
	return false;
}

struct num attach_probes__missed(const struct attach_probes *probes)
{
	struct num sum = {.known = true,
			  .value = raw_losses(probes).changes_missed +
				   raw_losses(probes).ends_missed};
	bool unknown = false;

	if (probes->stopped)
		return probes->missed;
	for (size_t i = 0; i < probes->loader.programs_nr; i++) {
		uint64_t runs;
		bool uncounted;

		if (is_twin(probes->loader.programs[i].name))
			continue;
		if (loader__missed(&probes->loader, i, &runs, &uncounted))
			return (struct num){.reason = "the kernel does not report it"};
		sum.value += runs;
		unknown |= uncounted;
	}
	if (unknown)
		return (struct num){.reason = "this kernel does not count probes that it passes "
					      "over (it does from 6.7 on)"};
	return sum;
}
