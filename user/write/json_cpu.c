/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU time by class as JSON: docs/OUTPUT.md, "Where CPU time goes". */
#include "json.h"
#include "model/cpu_figures.h"

static json_t *bounds_json(const struct cpu_figure *f)
{
	json_t *o = json_object();
	bool known = f->value.known;
	int err = 0;

	if (!known)
		err |= json_put(o, "reason", json_value__text(f->value.reason));
	err |= json_put(o, "value", known ? json_value__real(f->value.value) : json_null());
	err |= json_put(o, "low", known ? json_value__real(f->low) : json_null());
	err |= json_put(o, "high", known ? json_value__real(f->high) : json_null());
	return json_finish(o, err);
}

static json_t *per_kib_json(const struct run_result *run, enum nio_sample_whose w)
{
	json_t *o = json_object();
	int err = 0;

	for (int c = 0; c < CPU_CLASS_NR; c++) {
		struct cpu_figure f = cpu_figures__per_kib(run, w, c);

		err |= json_put(o, cpu_class__key(c), bounds_json(&f));
	}
	return json_finish(o, err);
}

static json_t *ns_json(const struct run_result *run, enum nio_sample_whose w, struct num total)
{
	uint64_t ns[CPU_CLASS_NR];
	json_t *o = json_object();
	int err = 0;

	cpu_time__divide(&run->cpu.by[w], total.known ? total.value : 0, ns);
	if (!total.known)
		err |= json_put(o, "reason", json_value__text(total.reason));
	for (int c = 0; c < CPU_CLASS_NR; c++)
		err |= json_put(o, cpu_class__key(c),
				total.known ? json_value__u64(ns[c]) : json_null());
	return json_finish(o, err);
}

static int put_count(json_t *o, const char *key, const struct run_result *run, uint64_t value)
{
	return json_put(o, key, run->cpu.known ? json_value__u64(value) : json_null());
}

static json_t *whose_json(const struct run_result *run, enum nio_sample_whose w)
{
	const struct cpu_samples *s = &run->cpu.by[w];
	struct num total = cpu_figures__total(run, w);
	json_t *o = json_object();
	int err = 0;

	if (!total.known)
		err |= json_put(o, "reason", json_value__text(total.reason));
	err |= put_count(o, "samples", run, s->samples);
	err |= put_count(o, "lost", run, s->lost);
	err |= put_count(o, "shifted", run, s->shifted);
	err |= put_count(o, "unclassified", run, s->classes[CPU_CLASS_OTHER]);
	err |= json_put(o, "cpu_ns", total.known ? json_value__u64(total.value) : json_null());
	err |= json_put(o, "ns", ns_json(run, w, total));
	err |= json_put(o, "ns_per_kib", per_kib_json(run, w));
	return json_finish(o, err);
}

/* As --folded writes them, but without the mode: the run has one. */
static json_t *stacks_json(const struct profile *p)
{
	json_t *list = json_array();
	int err = 0;

	for (size_t i = 0; i < p->nr; i++)
		err |= json_array_append_new(list, json_sprintf("%s;%s %" JSON_INTEGER_FORMAT,
								cpu_time__whose(p->stacks[i].whose),
								p->stacks[i].frames,
								(json_int_t)p->stacks[i].count));
	return json_finish(list, err);
}

json_t *json_document__cpu(const struct run_result *run)
{
	const struct cpu_result *c = &run->cpu;
	json_t *o = json_object();
	int err = 0;

	err |= json_put(
		o, "quality",
		json_value__text(quality__name(c->known ? QUALITY_SAMPLED : QUALITY_UNAVAILABLE)));
	if (!c->known)
		err |= json_put(o, "reason", json_value__text(c->reason));
	err |= json_put(o, "source", json_value__text(c->known ? c->source : NULL));
	if (c->known && c->no_cycles[0])
		err |= json_put(o, "source_reason", json_value__text(c->no_cycles));
	err |= put_count(o, "hz", run, c->hz);
	err |= json_put(o, "sampled_s",
			c->known ? json_value__real((double)c->duration_ns / 1e9) : json_null());
	for (int w = 0; w < NIO_SAMPLE_WHOSE_NR; w++)
		err |= json_put(o, cpu_time__whose(w), whose_json(run, w));
	err |= json_put(o, "stacks", stacks_json(&c->profile));
	return json_finish(o, err);
}
