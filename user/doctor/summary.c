/* SPDX-License-Identifier: GPL-2.0-only */
/* The first lines of doctor: what can run, what is not seen, what to do; see diagnosis.h. */
#include <string.h>

#include "base/printable.h"
#include "common/units.h"
#include "diagnosis.h"

#define LABEL_WIDTH 11
#define TEXTS_MAX   (CHECKS_MAX + STAGE_LINES_MAX + PLAN_ROWS_MAX)

/* Texts without repetition. */
struct texts {
	const char *text[TEXTS_MAX];
	size_t nr;
};

static void add_text(struct texts *t, const char *text)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->text[i], text))
			return;
	if (t->nr < TEXTS_MAX)
		t->text[t->nr++] = text;
}

/* What a name of the details means to somebody who reads the summary only; else the name. */
static const char *plain_name(const char *name)
{
	static const char *const names[][2] = {
		{"tx_copy", "bytes that send calls copy"},
		{"tx_pin", "bytes of zero-copy sends"},
		{"tx_splice", "bytes sent by sendfile or splice"},
		{"deferred_copy", "later copies of zero-copy sends"},
		{"rx_copy", "bytes that receive calls copy"},
		{"other_copy", "unexpected copies in the kernel"},
		{"zero-copy verdict", "whether zero-copy sends were copied"},
		{"cause of ENOBUFS", "why the kernel refuses zero-copy sends"},
		{"path_ns", "time of the parts of a send call"},
		{"rx_copy time", "time of receive copies"},
		{"taken", "bytes received without a copy, by call"},
		{"rx_map", "bytes received by TCP_ZEROCOPY_RECEIVE"},
		{"rx_discard", "bytes dropped by MSG_TRUNC"},
		{"rx_splice", "bytes received by splice"},
		{"completion", "whether zero-copy sends were copied"},
		{"mptcp_send", "bytes sent through MPTCP"},
		{"send_return", "send calls of other programs"},
		{"numa_nodes", "copies between NUMA nodes take longer"},
		{"load", "other programs use the CPUs"},
		{"cpu_steal", "the host takes CPU time from this machine"},
		{"cpu_quota", "a cgroup limits the CPU time of a run"},
		{"governor", "the CPUs change their frequency"},
		{"congestion", "the system's congestion control limits the rate of other programs"},
		{"delivery", "the kernel copies zero-copy sends that stay on this machine"},
		{"packet_tap", "a program captures packets, so zero-copy sends are copied"},
		{"optmem_max", "optmem_max is low: zero-copy sends may be refused"},
		{"memlock", "RLIMIT_MEMLOCK is low: zero-copy sends may be refused"},
		{"scatter_gather", "the device copies zero-copy sends: no scatter-gather"},
		{"tx_checksum", "the device copies zero-copy sends: no checksum offload"},
		{"clocksource", "reading the clock takes long"},
		{"lockdown", "the kernel is locked down, so fewer hooks are possible"},
		{"bpf_jit", "BPF programs are interpreted, so watching costs more"},
		{"perf_event_paranoid", "counters leave out the kernel"},
		{"preemption", "some events are missed; bytes stay exact"},
		{"tso", "the kernel cuts sends into packets, not the device"},
		{"gro", "TCP receives packets one by one"},
		{"watchpoints", "follow cannot run"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i][0], name))
			return names[i][1];
	return name;
}

static bool is_seen(const struct stage_line *lines, size_t nr, const char *stage)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(lines[i].stage, stage) && lines[i].quality != QUALITY_UNAVAILABLE)
			return true;
	return false;
}

/* What has no hook and needs none has no remedy. */
static void add_unseen(struct texts *unseen, struct texts *remedies, const struct stage_line *lines,
		       size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!lines[i].remedy[0] || is_seen(lines, nr, lines[i].stage))
			continue;
		add_text(unseen, plain_name(lines[i].stage));
		add_text(remedies, lines[i].remedy);
	}
}

static void print_line(FILE *f, unsigned int width, const char *label, const char *text)
{
	fprintf(f, "%-*s", LABEL_WIDTH, label);
	doctor__wrap(f, width, LABEL_WIDTH, LABEL_WIDTH, text);
}

/* Remedies of runs end in a hint at this command. */
static void print_remedy(FILE *f, unsigned int width, const char *remedy)
{
	const char *hint = strstr(remedy, "; netiotrace doctor");
	char text[512];

	snprintf(text, sizeof(text), "%.*s", (int)(hint ? (size_t)(hint - remedy) : strlen(remedy)),
		 remedy);
	print_line(f, width, "to do", text);
}

static void print_list(FILE *f, unsigned int width, const char *label, const char *between,
		       const struct texts *t)
{
	char list[2048] = "";

	for (size_t i = 0; i < t->nr; i++)
		append__text(list, sizeof(list), "%s%s", i ? between : "", t->text[i]);
	print_line(f, width, label, list[0] ? list : "nothing is missing");
}

const char *doctor__answer(const struct diagnosis *d)
{
	if (!d->tried)
		return "whether a run can watch the kernel was not tried";
	if (d->probe_err)
		return "hooks could not be probed";
	if (!d->usable)
		return "a run cannot watch the kernel with this backend";
	return limits__culprit(&d->facts.limits, 0) == LIMIT_NR
		       ? "a run can watch the kernel"
		       : "a run can watch the kernel once its resource limits are raised";
}

static const char *can_run(const struct diagnosis *d)
{
	if (!d->tried)
		return "not known: nothing was tried, because privileges are missing";
	if (d->probe_err)
		return "not known: the kernel's hooks could not be probed";
	if (!d->usable)
		return d->attach_usable ? "attach and export can watch here; run cannot"
					: "nothing can watch here: not run, attach or export";
	if (!d->attach_usable)
		return "run can watch here; attach and export cannot";
	return limits__culprit(&d->facts.limits, 0) == LIMIT_NR
		       ? "yes: run, attach and export can watch here"
		       : "run, attach and export can watch here once resource limits are raised";
}

void doctor__print_summary(FILE *f, unsigned int width, const struct diagnosis *d)
{
	struct texts unseen = {.nr = 0}, remedies = {.nr = 0}, limited = {.nr = 0};
	bool probed = d->tried && !d->probe_err;
	unsigned int unknown = 0;
	char details[96];

	if (probed) {
		add_unseen(&unseen, &remedies, d->stages, d->stages_nr);
		add_unseen(&unseen, &remedies, d->attach_lines, d->attach_rows_nr);
	}
	for (size_t i = 0; i < d->checks_nr; i++) {
		const struct check *c = &d->checks[i];

		if (c->state == CHECK_MISSING && c->remedy[0])
			add_text(&remedies, c->remedy);
		else if (c->state == CHECK_LIMITED && strcmp(c->group, "privileges"))
			add_text(&limited, plain_name(c->name));
		unknown += c->state == CHECK_UNKNOWN;
	}
	print_line(f, width, "can run", can_run(d));
	if (probed)
		print_list(f, width, "not seen", ", ", &unseen);
	for (size_t i = 0; i < remedies.nr; i++)
		print_remedy(f, width, remedies.text[i]);
	if (limited.nr)
		print_list(f, width, "expect", "; ", &limited);
	snprintf(details, sizeof(details), "netiotrace doctor --details");
	if (unknown)
		append__text(details, sizeof(details), " (%u check%s could not be made)", unknown,
			     plural(unknown));
	print_line(f, width, "details", details);
}
