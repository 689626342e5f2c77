/* SPDX-License-Identifier: GPL-2.0-only */
/* What this kernel offers of the alternatives of a plan, by trying them; see session.h. */
#include <errno.h>
#include <string.h>

#include "kprobes.h"
#include "libbpf_output.h"
#include "presence.h"
#include "skeleton.h"

/* Attaches all programs that are loaded, and detaches them again. */
static int try_attach(struct netiotrace_bpf *skel, const struct alternative *alt)
{
	struct bpf_link *links[8] = {NULL};
	struct bpf_program *prog = NULL;
	size_t n = 0;
	int err = 0;

	while ((prog = bpf_object__next_program(skel->obj, prog))) {
		if (!session__has_program(alt, bpf_program__name(prog)) || err || n == 8)
			continue;
		links[n] = bpf_program__attach(prog);
		if (!links[n])
			err = -errno;
		n++;
	}
	while (n)
		bpf_link__destroy(links[--n]);
	return err;
}

static int try_one(const struct alternative *alt)
{
	struct netiotrace_bpf *skel;
	struct bpf_program *prog = NULL;
	int err;

	skel = session__open_skeleton(1, &err);
	if (!skel)
		return err;
	bpf_map__set_max_entries(skel->maps.nio_conns, 1);
	while ((prog = bpf_object__next_program(skel->obj, prog)))
		bpf_program__set_autoload(prog, session__has_program(alt, bpf_program__name(prog)));
	err = netiotrace_bpf__load(skel);
	if (!err)
		err = try_attach(skel, alt);
	netiotrace_bpf__destroy(skel);
	return err;
}

/* Does the kernel have what alt is to be attached to? 0, -ENOENT, -EPROTOTYPE. */
static int presence_of(const struct presence *has, struct netiotrace_bpf *skel,
		       const struct alternative *alt)
{
	const char *function = alt->function;
	struct bpf_program *prog = NULL;
	int err;

	while ((prog = bpf_object__next_program(skel->obj, prog))) {
		const char *section = bpf_program__section_name(prog);

		if (!session__has_program(alt, bpf_program__name(prog)))
			continue;
		err = presence__section(has, section);
		if (err)
			return err;
		/* args speaks of the function of the last program when no other is named. */
		if (!alt->function)
			function = strchr(section, '/') + 1;
	}
	if (!alt->args && !alt->function)
		return 0;
	return presence__function(has, function, alt->args);
}

/* Fills offers with what the kernel's BTF says, in place of having tried. */
static int presume(struct offer *offers)
{
	const struct presence *has = presence__kernel();
	struct netiotrace_bpf *skel = NULL;
	int err = presence__kernel_error();

	if (!err)
		skel = session__open_skeleton(1, &err);
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		offers[i] =
			presence__offer(skel ? presence_of(has, skel, &plan_alternatives[i]) : err);
	netiotrace_bpf__destroy(skel);
	return err;
}

/* The first alternative of a backend that may be there. */
static size_t sample_of(const struct offer *offers, enum backend backend)
{
	size_t i = 0;

	while (i < plan_alternatives_nr &&
	       (plan_alternatives[i].backend != backend || offers[i].answer != ANSWER_YES))
		i++;
	return i;
}

/* Tries one alternative of a backend: a kernel that refuses it refuses them all, and for one
 * reason. */
static void presume_backend(struct offer *offers, enum backend backend)
{
	size_t sample = sample_of(offers, backend);
	struct offer offer;
	int err;

	if (sample == plan_alternatives_nr)
		return;
	err = backend == BACKEND_KPROBE ? kprobes__missing() : 0;
	offer = presence__offer(err ? err : try_one(&plan_alternatives[sample]));
	if (offer.answer == ANSWER_YES)
		return;
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].backend == backend && offers[i].answer == ANSWER_YES)
			offers[i] = offer;
}

/*
 * Before Linux 5.13 that gives -ENOENT (mended by f3a95075549e), which changed no type and no name
 * to be looked for: the helper is of the same release.
 */
bool session__attaches_again(void)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_TRACEPOINT, BPF_FUNC_snprintf, NULL) == 1;
}

int session__try_all(struct offer *offers)
{
	int err;

	libbpf_output__set();
	err = presume(offers);
	for (int b = BACKEND_TRAMPOLINE; !err && b < BACKEND_TRACEPOINT; b++)
		presume_backend(offers, b);
	for (size_t i = 0; !err && i < plan_alternatives_nr; i++)
		if (offers[i].answer == ANSWER_YES)
			offers[i] = presence__offer(try_one(&plan_alternatives[i]));
	return err;
}

void session__presume(struct offer *offers, enum backend backend)
{
	libbpf_output__set();
	if (presume(offers))
		return;
	for (int b = BACKEND_TRAMPOLINE; b < BACKEND_TRACEPOINT; b++)
		if (backend == BACKEND_AUTO || backend == (enum backend)b)
			presume_backend(offers, b);
}
