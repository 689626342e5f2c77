/* SPDX-License-Identifier: GPL-2.0-only */
/* What of the machine moves figures besides copying, and what to do about it. Pure. */
#include <inttypes.h>
#include <string.h>

#include "checklist.h"
#include "model/preemption.h"

static void check_governor(struct checklist *l, const struct machine *m)
{
	struct check *c = checklist__add(l, "governor", CHECK_OK);

	SET(c->value, "%s", m->governor[0] ? m->governor : "none");
	if (!m->governor[0]) {
		SET(c->means, "nothing here changes the CPUs' frequency by load");
	} else if (strcmp(m->governor, "performance")) {
		c->state = CHECK_LIMITED;
		SET(c->means,
		    "the CPUs' frequency follows the load, so that figures depend on what "
		    "ran before");
		SET(c->remedy, "cpupower frequency-set -g performance");
	}
}

/* Where programs are preempted, the kernel refuses them to other tasks of that CPU meanwhile. */
static void check_preemption(struct checklist *l, const struct machine *m)
{
	struct check *c;

	if (!m->preemption) {
		checklist__unknown(l, "preemption",
				   "neither debugfs nor the kernel's version and "
				   "configuration tell it");
		return;
	}
	c = checklist__add(l, "preemption", CHECK_OK);
	SET(c->value, "%s", m->preemption);
	SET(c->means, "programs are not preempted: every backend sees every event");
	if (!preemption__anywhere(m->preemption))
		return;
	c->state = CHECK_LIMITED;
	SET(c->means, "programs can be preempted and then miss events: trampoline many, "
		      "tracepoint some from Linux 7.0 on, kprobe next to none; bytes are exact");
	SET(c->remedy, "--backend kprobe where health.coverage is below 1");
}

/* More than this for each CPU: something else is running. */
#define LOAD_MAX 0.5

static void check_load(struct checklist *l, const struct facts *f)
{
	const struct real *load = &f->env.machine.load;
	struct check *c;

	if (!load->known) {
		checklist__unknown(l, "load", load->reason);
		return;
	}
	c = checklist__add(l, "load", CHECK_OK);
	SET(c->value, "%.2f on %u CPUs", load->value, f->env.cpus);
	if (!f->env.cpus || load->value <= LOAD_MAX * f->env.cpus)
		return;
	c->state = CHECK_LIMITED;
	SET(c->means, "other programs use the CPUs: throughput and latency are theirs, too");
	SET(c->remedy, "end them, or pin: --cpu-sender, --cpu-receiver");
}

static void check_steal(struct checklist *l, const struct facts *f)
{
	const struct real *steal = &f->env.machine.steal;
	struct check *c;

	if (!steal->known) {
		checklist__unknown(l, "cpu_steal", steal->reason);
		return;
	}
	c = checklist__add(l, "cpu_steal", steal->value > 0.01 ? CHECK_LIMITED : CHECK_OK);
	SET(c->value, "%.1f %% since boot", steal->value * 100);
	if (c->state == CHECK_OK)
		return;
	SET(c->means, "the hypervisor gives this machine's CPUs to others");
	SET(c->remedy, "compare by CPU time rather than by throughput, with more rounds");
}

static void check_mitigations(struct checklist *l, const struct machine *m)
{
	struct check *c;

	if (!m->mitigations_known) {
		checklist__unknown(l, "mitigations",
				   "this kernel does not list CPU vulnerabilities");
		return;
	}
	c = checklist__add(l, "mitigations", CHECK_OK);
	SET(c->value, "%.100s", m->mitigations[0] ? m->mitigations : "none");
	SET(c->means, "make each system call take longer: figures hold for this machine");
}

static void check_nodes(struct checklist *l, const struct machine *m)
{
	struct check *c;

	if (!m->numa_nodes.known) {
		checklist__unknown(l, "numa_nodes", m->numa_nodes.reason);
		return;
	}
	c = checklist__add(l, "numa_nodes", m->numa_nodes.value > 1 ? CHECK_LIMITED : CHECK_OK);
	SET(c->value, "%" PRIu64, m->numa_nodes.value);
	if (c->state == CHECK_OK)
		return;
	SET(c->means, "copies between nodes take longer, and threads move");
	SET(c->remedy, "pin both sides: --cpu-sender, --cpu-receiver");
}

static void check_huge_pages(struct checklist *l, const struct machine *m)
{
	struct check *c = checklist__add(l, "huge_pages", CHECK_OK);

	SET(c->value, "%s", m->huge_pages[0] ? m->huge_pages : "none");
	SET(c->means, "transparent ones: how many pages a zero-copy send has to pin");
}

void doctor__check_machine(struct checklist *l, const struct facts *f)
{
	check_preemption(l, &f->env.machine);
	check_governor(l, &f->env.machine);
	check_mitigations(l, &f->env.machine);
	check_huge_pages(l, &f->env.machine);
	check_nodes(l, &f->env.machine);
	check_load(l, f);
	check_steal(l, f);
}
