/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the loaded programs are attached; see session.h. */
#include <errno.h>

#include "link_info.h"
#include "skeleton.h"

bool session__wants(const struct plan *plan, const char *name)
{
	for (int probe = 0; plan && probe < PROBE_NR; probe++)
		if (plan->chosen[probe] && session__has_program(plan->chosen[probe], name))
			return true;
	return false;
}

/* What the kernel passed over at a kprobe is told by its link, and gone with it. */
static void keep_missed(struct session *s, size_t i)
{
	uint64_t missed = 0;

	if (!s->links[i] || bpf_program__type(s->programs[i]) != BPF_PROG_TYPE_KPROBE)
		return;
	if (link_info__kprobe_missed(bpf_link__fd(s->links[i]), &missed))
		s->untold[i] = true;
	else
		s->passed_over[i] += missed;
}

void session__detach(struct session *s, size_t i)
{
	keep_missed(s, i);
	bpf_link__destroy(s->links[i]);
	s->links[i] = NULL;
}

static bool is_at_trampoline(const struct bpf_program *prog)
{
	enum bpf_attach_type type = bpf_program__expected_attach_type(prog);

	return type == BPF_TRACE_FENTRY || type == BPF_TRACE_FEXIT;
}

static bool can_attach_again(const struct session *s, const struct bpf_program *prog)
{
	return s->trampolines_again || !is_at_trampoline(prog);
}

static void detach_others(struct session *s, const struct plan *plan)
{
	for (size_t i = 0; i < s->programs_nr; i++)
		if (s->links[i] && can_attach_again(s, s->programs[i]) &&
		    !session__wants(plan, bpf_program__name(s->programs[i])))
			session__detach(s, i);
}

static int attach_missing(struct session *s, const struct plan *plan)
{
	for (size_t i = 0; i < s->programs_nr; i++) {
		if (s->links[i] || !session__wants(plan, bpf_program__name(s->programs[i])))
			continue;
		s->links[i] = bpf_program__attach(s->programs[i]);
		if (!s->links[i])
			return -errno;
	}
	return 0;
}

int session__attach(struct session *s, const struct plan *plan)
{
	s->plan = *plan;
	s->skel->bss->nio_resting = false;
	detach_others(s, plan);
	return attach_missing(s, plan);
}

static bool is_at_tracepoint(const struct bpf_program *prog)
{
	return bpf_program__expected_attach_type(prog) == BPF_TRACE_RAW_TP;
}

void session__rest(struct session *s, const struct plan *rest)
{
	s->skel->bss->nio_resting = true;
	for (size_t i = 0; i < s->programs_nr; i++)
		if (s->links[i] && is_at_tracepoint(s->programs[i]) &&
		    !session__wants(rest, bpf_program__name(s->programs[i])))
			session__detach(s, i);
}
