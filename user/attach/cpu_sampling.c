/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of watched processes; see cpu_sampling.h. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "common/xalloc.h"
#include "cpu_sampling.h"
#include "kernel/sample_fold.h"
#include "kernel/sampler.h"
#include "kernel/target.h"

/* So long nothing has to move before no samples are taken any more. */
#define IDLE_NS 10000000000ULL

/* The destination of the samples of a refresh. */
struct refresh {
	struct cpu_sampling *s;
	struct attach_result *f;
};

void cpu_sampling__open(struct cpu_sampling *s, int tasks, uint64_t begun_ns,
			struct cpu_result *cpu)
{
	char *why = cpu->reason;
	size_t len = sizeof(cpu->reason);

	if (sampler__open(&s->sampler, tasks, why, len) ||
	    sampler__start(s->sampler, NULL, NULL, SAMPLER_HZ_TASKS, why, len)) {
		log_info("no samples of CPU time: %s", cpu->reason);
		sampler__close(s->sampler);
		s->sampler = NULL;
		return;
	}
	s->refresh_ns = begun_ns;
	sampler__describe(s->sampler, cpu);
}

static struct known_maps *slot_of(struct cpu_sampling *s, const struct nio_sample *sample)
{
	struct known_maps *oldest = &s->maps[0];

	for (size_t i = 0; i < CPU_SAMPLING_MAPS; i++) {
		if (s->maps[i].tgid == sample->tgid && s->maps[i].started == sample->started)
			return &s->maps[i];
		if (s->maps[i].read_at < oldest->read_at)
			oldest = &s->maps[i];
	}
	mappings__free(&oldest->maps);
	*oldest = (struct known_maps){.tgid = sample->tgid, .started = sample->started};
	return oldest;
}

/* The maps in this refresh, or the last ones of a process that has ended. Empty: unknown. */
static const struct mappings *maps_of(struct cpu_sampling *s, const struct nio_sample *sample)
{
	struct known_maps *k = slot_of(s, sample);
	struct mappings now;

	if (k->read_at == s->refresh)
		return &k->maps;
	k->read_at = s->refresh;
	/* Another may have its id by now. */
	if (mappings__read(&now, (pid_t)sample->tgid, true) ||
	    target__started((pid_t)sample->tgid) != sample->started) {
		mappings__free(&now);
		return &k->maps;
	}
	mappings__free(&k->maps);
	k->maps = now;
	return &k->maps;
}

static int compare_frames(const void *a, const void *b)
{
	return strcmp(((const struct profile_stack *)a)->frames,
		      ((const struct profile_stack *)b)->frames);
}

static void keep_stack(struct cpu_sampling *s, struct profile *p, const struct profile_stack *stack)
{
	struct profile_stack **known = tfind(stack, &s->stacks, compare_frames), *new;

	if (known) {
		(*known)->count++;
		return;
	}
	if (p->nr == CPU_STACKS_MAX) {
		p->left_out++;
		return;
	}
	/* All at once: the tree points to its elements. */
	if (!p->stacks)
		p->stacks = xcalloc(CPU_STACKS_MAX, sizeof(*p->stacks));
	new = &p->stacks[p->nr++];
	*new = *stack;
	new->frames = xstrdup(stack->frames);
	if (!tsearch(new, &s->stacks, compare_frames))
		xalloc_die();
}

static void forget_nothing(void *stack)
{
	(void)stack;
}

/* "nginx 4242;outermost;...;innermost": a ';' in a process's name would begin another frame. */
static void name_stack(char *text, size_t len, const struct process *p, const char *frames)
{
	char owner[OWNER_LEN] = "(other)";

	if (p)
		attach_result__owner(owner, p->comm, p->tgid);
	for (char *c = strchr(owner, ';'); c; c = strchr(c, ';'))
		*c = '?';
	snprintf(text, len, "%s;%s", owner, frames);
}

/* Libraries whose code a program runs for TLS and ssh. */
static bool encrypts(const char *object)
{
	static const char *const libraries[] = {"libcrypto.",     "libssl.",     "libgnutls.",
						"libnettle.",     "libgcrypt.",  "libfreebl",
						"libmbedcrypto.", "libwolfssl.", "libsodium."};

	for (size_t i = 0; object && i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (!strncmp(object, libraries[i], strlen(libraries[i])))
			return true;
	return false;
}

static int add_sample(const struct nio_sample *sample, void *arg)
{
	struct refresh *refresh = arg;
	struct process *p = table__process(&refresh->f->table, sample->tgid, sample->started);
	const struct mappings *maps = sample->frames ? NULL : maps_of(refresh->s, sample);
	char frames[SAMPLE_FOLD_LEN], text[SAMPLE_FOLD_LEN + OWNER_LEN], name[MAPPINGS_NAME];
	bool encrypted = encrypts(mappings__object(maps, sample->user_ip, name));
	struct stack_class found = sample_fold__one(
		frames, sample, sampler__symbols(refresh->s->sampler), maps, false);

	name_stack(text, sizeof(text), p, frames);
	keep_stack(refresh->s, &refresh->f->cpu.profile,
		   &(struct profile_stack){.frames = text, .count = 1, .class = found.class});
	cpu_split__add(&refresh->f->cpu_total, found, encrypted);
	if (p)
		cpu_split__add(&p->cpu, found, encrypted);
	return 0;
}

/* Sampling stops after a while without traffic, and starts again at the next refresh with some. */
static void choose_rest(struct cpu_sampling *s, struct attach_result *f)
{
	uint64_t moved_ns = f->table.total.last_ns;
	uint64_t since_ns = moved_ns > f->begun_ns ? moved_ns : f->begun_ns;
	bool idle = f->ended_ns > since_ns + IDLE_NS;

	if (!s->paused)
		f->cpu.duration_ns += f->ended_ns - s->refresh_ns;
	if (idle != s->paused)
		sampler__pause(s->sampler, idle);
	s->paused = idle;
	s->refresh_ns = f->ended_ns;
}

void cpu_sampling__read(struct cpu_sampling *s, struct attach_result *f)
{
	struct refresh refresh = {s, f};

	if (!s->sampler)
		return;
	s->refresh++;
	sampler__read(s->sampler, add_sample, &refresh);
	f->cpu.by[NIO_SAMPLE_TASK].lost = sampler__lost(s->sampler, NIO_SAMPLE_TASK);
	choose_rest(s, f);
}

void cpu_sampling__stop(struct cpu_sampling *s)
{
	if (s->sampler)
		sampler__stop(s->sampler);
}

void cpu_sampling__close(struct cpu_sampling *s)
{
	sampler__close(s->sampler);
	tdestroy(s->stacks, forget_nothing);
	for (size_t i = 0; i < CPU_SAMPLING_MAPS; i++)
		mappings__free(&s->maps[i].maps);
	memset(s, 0, sizeof(*s));
}
