/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes and reads the receiver's half; see half_document.h. No I/O. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "half_document.h"
#include "json.h"
#include "json_value.h"
#include "model/result.h"

#define HALF_SCHEMA "netiotrace.half/1"

/* A document of netiotrace has 7 levels. */
#define DEPTH_MAX 16
/* Larger numbers are not exact in JSON; no sum of two of them overflows. */
#define NUMBER_MAX (1ULL << 53)

static char *dump(const json_t *document)
{
	return json_dumps(document,
			  JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
}

/* Stacks of other tasks of this machine stay here. */
static void drop_foreign_stacks(json_t *cpu)
{
	const char *receiver = cpu_time__whose(NIO_SAMPLE_RECEIVER);
	json_t *stacks = json_object_get(cpu, "stacks");
	size_t len = strlen(receiver);

	for (size_t i = json_array_size(stacks); i--;) {
		const char *stack = json_string_value(json_array_get(stacks, i));

		if (strncmp(stack, receiver, len) != 0 || stack[len] != ';')
			json_array_remove(stacks, i);
	}
}

char *half_document__write(const struct environment *env, const struct run_result *run)
{
	/* Of the sender alone. */
	static const char *const unused[] = {"verdict", "kernel_zerocopy", "times", "path_ns"};
	json_t *document = json_object(), *side = json_document__run(run);
	char *text;

	for (size_t i = 0; i < sizeof(unused) / sizeof(unused[0]); i++)
		json_object_del(side, unused[i]);
	drop_foreign_stacks(json_object_get(side, "cpu"));
	json_put(document, "schema", json_string(HALF_SCHEMA));
	json_put(document, "environment", json_document__environment(env));
	json_put(document, "boot_id", json_string(env->machine.boot_id));
	json_put_reason_if(document, "softirq_reason", run->cpu.softirq_reason);
	json_put(document, "run", side);
	text = dump(document);
	if (strlen(text) > HALF_MAX) {
		free(text);
		json_object_del(json_object_get(side, "cpu"), "stacks");
		text = dump(document);
	}
	json_decref(document);
	return text;
}

static const char *text_at(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* Printable text into an array; empty: there is none. */
#define HALF_TEXT(to, o, key) printable(to, sizeof(to), text_at(o, key) ? text_at(o, key) : "")

/*
 * Reasons and names are static texts, and other machines give few different ones: they are kept
 * until the end, up to a limit.
 */
static const char *keep(const char *text)
{
	static char kept[64][192];
	static unsigned int nr;
	char printed[sizeof(kept[0])];

	printable(printed, sizeof(printed), text);
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(kept[i], printed))
			return kept[i];
	if (nr == sizeof(kept) / sizeof(kept[0]))
		return "the receiver's machine gives one more reason";
	return strcpy(kept[nr++], printed);
}

static const char *keep_reason(const char *reason)
{
	char text[192];

	snprintf(text, sizeof(text), "on the receiver's machine: %s",
		 reason ? reason : "not measured");
	return keep(text);
}

static struct flag flag_of(const json_t *o, const char *key)
{
	const json_t *value = json_object_get(o, key);

	return (struct flag){.value = json_is_true(value),
			     .known = json_is_boolean(value),
			     .reason = keep_reason(json_value__reason(o, key))};
}

static unsigned int small(const json_t *o, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(o, key));

	return n > 0 && n < 1000000 ? (unsigned int)n : 0;
}

/* "unlimited" stays as it is. */
static struct real quota_of(const json_t *o)
{
	const json_t *value = json_object_get(o, "cpu_quota");
	const char *reason = json_value__reason(o, "cpu_quota");

	if (json_is_number(value) && json_number_value(value) > 0)
		return real__known(json_number_value(value));
	return real__unknown(reason && !strcmp(reason, QUOTA_UNLIMITED) ? QUOTA_UNLIMITED
									: keep_reason(reason));
}

static void read_sysctl(const json_t *o, const char *key, struct sysctl *to)
{
	const json_t *value = json_object_get(o, key);

	HALF_TEXT(to->text, o, key);
	if (json_is_integer(value) && json_integer_value(value) >= 0)
		snprintf(to->text, sizeof(to->text), "%" JSON_INTEGER_FORMAT,
			 json_integer_value(value));
	to->reason = to->text[0] ? NULL : keep_reason(json_value__reason(o, key));
}

#define READ_SYSCTL(o, kind, key, path, unit) read_sysctl(o, #key, &env->sysctls[SYSCTL_##key]);

static void read_environment(const json_t *o, struct environment *env)
{
	const json_t *offloads = json_object_get(o, "offloads");

	memset(env, 0, sizeof(*env));
	HALF_TEXT(env->machine.host, o, "host");
	HALF_TEXT(env->kernel, o, "kernel");
	HALF_TEXT(env->cpu, o, "cpu");
	HALF_TEXT(env->device, o, "device");
	HALF_TEXT(env->driver, o, "driver");
	HALF_TEXT(env->qdisc, o, "qdisc");
	HALF_TEXT(env->virtualization, o, "virtualization");
	HALF_TEXT(env->machine.governor, o, "governor");
	env->cpus = small(o, "cpus");
	env->mtu = small(o, "mtu");
	env->machine.numa_nodes = num_or(small(o, "numa_nodes"), small(o, "numa_nodes"),
					 keep_reason(json_value__reason(o, "numa_nodes")));
	env->tso = flag_of(offloads, "tso");
	env->gso = flag_of(offloads, "gso");
	env->gro = flag_of(offloads, "gro");
	env->arfs = flag_of(o, "arfs");
	HALF_TEXT(env->congestion.system, o, "system_congestion_control");
	HALF_TEXT(env->machine.mitigations, o, "mitigations");
	env->machine.mitigations_known = text_at(o, "mitigations");
	env->machine.irq_time = flag_of(o, "irq_time_accounting");
	env->machine.quota = quota_of(o);
	read_sysctl(o, "rps_cpus", &env->rps);
	SYSCTLS(READ_SYSCTL, o)
}

struct reading {
	const json_t *run;
	char *why; /* HALF_WHY bytes; empty: nothing is wrong so far */
	char path[96];
};

/* The first reason stays. */
__attribute__((format(printf, 2, 3))) static void refuse(struct reading *in, const char *format,
							 ...)
{
	char text[HALF_WHY];
	va_list args;

	if (in->why[0])
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printable(in->why, HALF_WHY, text);
}

/* Of a number or an object; until the next call. */
__attribute__((format(printf, 2, 3))) static const char *path_of(struct reading *in,
								 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(in->path, sizeof(in->path), format, args);
	va_end(args);
	return in->path;
}

/* A number from 0 to 2^53, or null with a reason. */
static struct real real_at(struct reading *in, const char *path)
{
	const json_t *parent, *value;
	const char *name;

	value = json_value__at(in->run, path, &parent, &name);
	if (json_is_number(value)) {
		double x = json_number_value(value);

		if (x >= 0 && x <= (double)NUMBER_MAX)
			return real__known(x);
	}
	if (value && !json_is_null(value))
		refuse(in, "\"%s\" is not a possible number", path);
	return real__unknown(keep_reason(json_value__reason(parent, name)));
}

static struct num num_at(struct reading *in, const char *path)
{
	struct real x = real_at(in, path);

	if (x.known && x.value != floor(x.value))
		refuse(in, "\"%s\" is not a whole number", path);
	return (struct num){(uint64_t)x.value, x.known, x.reason};
}

/* The rows of a table that a half has. */
static void read_numbers(struct reading *in, const char *object, const struct number_row *rows,
			 void *to)
{
	for (; rows->member; rows++) {
		void *at = (char *)to + rows->at;
		const char *path;

		if (rows->half == NUMBER_HERE)
			continue;
		path = path_of(in, "%s.%s", object, rows->key);
		if (rows->type == NUMBER_real)
			*(struct real *)at = real_at(in, path);
		else if (rows->type == NUMBER_u64)
			*(uint64_t *)at = num_at(in, path).value;
		else if (rows->absent == NUMBER_ZERO && !json_value__at(in->run, path, NULL, NULL))
			*(struct num *)at = num__known(0);
		else
			*(struct num *)at = num_at(in, path);
	}
}

/* A number that must be known. */
static uint64_t count_at(struct reading *in, const char *path)
{
	struct num n = num_at(in, path);

	if (!n.known)
		refuse(in, "\"%s\" is missing", path);
	return n.value;
}

static const json_t *list_at(struct reading *in, const char *path)
{
	const json_t *list = json_value__at(in->run, path, NULL, NULL);

	if (list && !json_is_array(list) && !json_is_null(list))
		refuse(in, "\"%s\" is not a list", path);
	return list;
}

static void add_bucket(struct reading *in, struct hist *h, const char *path, const json_t *item)
{
	json_int_t low = json_integer_value(json_array_get(item, 0));
	json_int_t count = json_integer_value(json_array_get(item, 2));
	uint32_t i = low < 0 ? 0 : hist__bucket(h, (uint64_t)low);

	if (low < 0 || hist__bucket_low(h, i) != (uint64_t)low || h->buckets[i] || count <= 0 ||
	    h->count + (uint64_t)count > NUMBER_MAX)
		refuse(in, "\"%s\" has an impossible bucket", path);
	else
		hist__add_bucket(h, i, (uint64_t)count);
}

/* NULL: none. sum: of the values, where it is known. */
static struct hist *hist_at(struct reading *in, const char *path, uint32_t sub_bits,
			    uint32_t n_buckets, struct real sum)
{
	const json_t *list = list_at(in, path), *item;
	struct hist *h;
	size_t i;

	if (!json_array_size(list))
		return NULL;
	h = hist__new(sub_bits, n_buckets);
	json_array_foreach(list, i, item)
		add_bucket(in, h, path, item);
	if (sum.known && !(sum.value >= (double)h->min * (double)h->count &&
			   sum.value <= (double)h->max * (double)h->count))
		refuse(in, "\"%s\" cannot have this sum", path);
	if (sum.known && !in->why[0])
		h->sum = (uint64_t)sum.value;
	return h;
}

static void read_latency(struct reading *in, struct app_result *app, enum latency_kind kind)
{
	struct latency_result *l = &app->latency[kind];
	const char *key = latency__key(kind);
	struct real mean = real_at(in, path_of(in, "app.latency_ns.%s.mean", key));

	hist__free(l->hist);
	l->hist = hist_at(in, path_of(in, "app.latency_ns.%s.buckets", key), HIST_LATENCY_SUB_BITS,
			  HIST_LATENCY_BUCKETS, real__unknown(NULL));
	l->reason = l->hist ? NULL : mean.reason ? mean.reason : keep_reason(NULL);
	if (!l->hist || !mean.known)
		return;
	mean.value *= (double)l->hist->count;
	if (mean.value >= (double)l->hist->min * (double)l->hist->count * (1 - 1e-9) &&
	    mean.value <= (double)l->hist->max * (double)l->hist->count * (1 + 1e-9))
		l->hist->sum = (uint64_t)(mean.value + 0.5);
	else
		refuse(in, "\"%s\" cannot have this mean", in->path);
}

static void read_app(struct reading *in, struct run_result *r)
{
	struct app_result *app = &r->app;
	struct num received = num_at(in, "app.tcp.bytes_received");
	struct real cpu_s = real_at(in, "app.cpu_s.receiver");

	app->rx_bytes = count_at(in, "app.rx_bytes");
	app->rx_messages = count_at(in, "app.rx_messages");
	app->rx_uncopied = num_at(in, "app.rx_uncopied_bytes");
	app->tcp_bytes_received = received.value;
	app->tcp_received_reason = received.known ? NULL : received.reason;
	cpu_s.value *= 1e9;
	if (cpu_s.value > (double)NUMBER_MAX)
		refuse(in, "\"app.cpu_s.receiver\" is not a possible time");
	else
		app->receiver_cpu_ns = num__rounded(cpu_s);
	read_numbers(in, "app.replies", replies__numbers, &app->replies);
	for (int k = 0; k < LATENCY_NR; k++)
		if (latency__side(k) == NIO_SIDE_RECEIVER)
			read_latency(in, app, k);
}

static enum quality quality_of(struct reading *in, const json_t *stage)
{
	const char *name = text_at(stage, "quality");

	for (int q = 0; name && q <= QUALITY_SAMPLED; q++)
		if (!strcmp(name, quality__name(q)))
			return q;
	refuse(in, "a stage has no quality");
	return QUALITY_UNAVAILABLE;
}

static void read_stage(struct reading *in, struct run_result *r, enum nio_stage stage)
{
	const char *key = stage__key(stage);
	const json_t *o = json_object_get(json_object_get(in->run, "ledger"), key);
	const char *reason = text_at(o, "reason"), *no_events = text_at(o, "events_reason");
	struct stage_result *s = &r->stages[stage];
	const char *event = text_at(o, "event");
	struct num most;

	s->quality = quality_of(in, o);
	s->reason = reason || s->quality != QUALITY_EXACT ? keep_reason(reason) : NULL;
	s->ns = num_at(in, path_of(in, "ledger.%s.ns", key));
	s->timed = num_at(in, path_of(in, "ledger.%s.timed", key));
	if (s->quality == QUALITY_UNAVAILABLE)
		return;
	s->bytes = num_at(in, path_of(in, "ledger.%s.bytes", key)).value;
	most = num_at(in, path_of(in, "ledger.%s.bytes_at_most", key));
	if (most.known && most.value < s->bytes)
		refuse(in, "\"%s\" has fewer bytes at most than bytes", key);
	s->open_bytes = num__known(most.known ? most.value - s->bytes : 0);
	s->events = num_at(in, path_of(in, "ledger.%s.events", key)).value;
	s->no_events = no_events ? keep_reason(no_events) : NULL;
	s->event = event ? keep(event) : NULL;
	hist__free(s->sizes);
	s->sizes = hist_at(in, path_of(in, "ledger.%s.sizes", key), NIO_HIST_SUB_BITS,
			   NIO_HIST_BUCKETS, real__unknown(NULL));
	hist__free(s->times);
	s->times = hist_at(in, path_of(in, "ledger.%s.ns_buckets", key), NIO_HIST_SUB_BITS,
			   NIO_HIST_BUCKETS,
			   s->ns.known ? real__known((double)s->ns.value) : real__unknown(NULL));
}

/* Earlier versions, which lack the stage, received by copies alone, and without kTLS. */
static void read_later_stage(struct reading *in, struct run_result *r, enum nio_stage stage)
{
	if (json_object_get(json_object_get(in->run, "ledger"), stage__key(stage)))
		read_stage(in, r, stage);
	else
		r->stages[stage].quality = QUALITY_EXACT;
}

static void read_callers(struct reading *in, struct run_result *r)
{
	const json_t *list = list_at(in, "ledger.other_copy.callers"), *item;
	size_t i;

	json_array_foreach(list, i, item) {
		struct reading one = {.run = item, .why = in->why};
		const char *name = text_at(item, "caller");

		if (i == OTHERS_SHOWN)
			return;
		printable(r->others[i].caller, sizeof(r->others[i].caller), name ? name : "?");
		r->others[i].bytes = count_at(&one, "bytes");
		r->others[i].events = count_at(&one, "events");
		r->others[i].ns = count_at(&one, "ns");
		r->others_nr = i + 1;
	}
}

static void read_uncovered(struct reading *in, struct run_result *r)
{
	const json_t *list = list_at(in, "uncovered"), *item;
	size_t i;

	json_array_foreach(list, i, item) {
		struct reading one = {.run = item, .why = in->why};
		const char *kind = text_at(item, "kind"), *side = text_at(item, "side");

		for (int k = 0; kind && side && k < NIO_UNCOVERED_NR; k++) {
			struct nio_uncovered *u = &r->uncovered[NIO_SIDE_RECEIVER][k];

			if (strcmp(side, "receiver") || strcmp(kind, uncovered__key(k)))
				continue;
			u->bytes = count_at(&one, "bytes");
			u->events = count_at(&one, "events");
		}
	}
}

static void read_health(struct reading *in, struct run_result *r)
{
	struct health *h = &r->health;
	struct real paused = real_at(in, "health.paused_s");
	struct real share = real_at(in, "health.events_share");

	read_numbers(in, "health", health__numbers, h);
	h->paused_ns = (uint64_t)(paused.value < 1e6 ? paused.value * 1e9 : 1e15);
	if (h->coverage.value > 1 || share.value > 1)
		refuse(in, "a share of the events is above 1");
	/* In parts of a million: the share alone is told. */
	h->phase_ns = share.known ? 1000000 : 0;
	h->attached_ns = (uint64_t)(share.value * 1e6 + 0.5);
}

static void read_perf(struct reading *in, struct run_result *r)
{
	for (int c = 0; c < PERF_NR; c++) {
		struct perf_detail *d = &r->perf_detail[NIO_SIDE_RECEIVER][c];
		struct num *n = &r->perf[NIO_SIDE_RECEIVER][c];
		const char *key = perf_counter__key(c);
		const json_t *o =
			json_value__at(in->run, path_of(in, "perf.receiver.%s", key), NULL, NULL);

		*n = num_at(in, path_of(in, "perf.receiver.%s.value", key));
		d->user = num_at(in, path_of(in, "perf.receiver.%s.user", key));
		d->kernel = num_at(in, path_of(in, "perf.receiver.%s.kernel", key));
		d->running = real_at(in, path_of(in, "perf.receiver.%s.running", key));
		/* A known value with a reason was scaled. */
		if (n->known && json_is_true(json_object_get(o, "scaled")))
			n->reason = keep_reason(text_at(o, "reason"));
	}
}

/* The classes are told as parts of the CPU time: samples are far fewer than nanoseconds. */
static void read_classes(struct reading *in, struct cpu_samples *s, const char *object)
{
	struct num total = num_at(in, path_of(in, "%s.cpu_ns", object));
	uint64_t sum = 0;

	read_numbers(in, object, samples__numbers, s);
	for (int c = 0; c < CPU_CLASS_NR && s->samples; c++) {
		struct num ns = num_at(in, path_of(in, "%s.ns.%s", object, cpu_class__key(c)));

		if (!total.value || !ns.known)
			break;
		s->classes[c] =
			(uint64_t)((double)ns.value * (double)s->samples / (double)total.value +
				   0.5);
		sum += s->classes[c];
	}
	if (sum != s->samples)
		refuse(in, "\"%s.ns\" does not add up", object);
}

/* "receiver;FRAMES COUNT"; others are of other processes there. */
static void read_stacks(struct reading *in, struct cpu_result *c)
{
	static const char owner[] = "receiver;";
	const json_t *list = list_at(in, "cpu.stacks"), *item;
	size_t i;

	json_array_foreach(list, i, item) {
		const char *text = json_string_value(item);
		const char *blank = text ? strrchr(text, ' ') : NULL;
		struct profile_stack stack = {.owner = NIO_SAMPLE_RECEIVER,
					      .class = CPU_CLASS_OTHER};
		char *frames;

		if (!blank || strncmp(text, owner, sizeof(owner) - 1))
			continue;
		stack.count = strtoull(blank + 1, NULL, 10);
		if (!stack.count || stack.count > c->by[NIO_SAMPLE_RECEIVER].samples) {
			refuse(in, "\"cpu.stacks\" has an impossible count");
			return;
		}
		frames = xstrdup(text + sizeof(owner) - 1);
		frames[blank - text - (ptrdiff_t)sizeof(owner) + 1] = '\0';
		stack.frames = printable__in_place(frames);
		profile__add(&c->profile, &stack);
		free(frames);
	}
}

static void read_cpu(struct reading *in, struct run_result *r)
{
	const json_t *o = json_object_get(in->run, "cpu");
	const char *quality = text_at(o, "quality"), *reason = text_at(o, "reason");
	const char *source = text_at(o, "source"), *no_cycles = text_at(o, "source_reason");

	if (!quality || strcmp(quality, quality__name(QUALITY_SAMPLED))) {
		cpu_time__none(&r->cpu, keep_reason(reason));
		return;
	}
	r->cpu.known = true;
	r->cpu.source =
		source && !strcmp(source, CPU_SOURCE_CYCLES) ? CPU_SOURCE_CYCLES : CPU_SOURCE_CLOCK;
	if (no_cycles)
		printable(r->cpu.no_cycles, sizeof(r->cpu.no_cycles), no_cycles);
	r->cpu.hz = (unsigned int)(count_at(in, "cpu.hz") % 100000);
	read_classes(in, &r->cpu.by[NIO_SAMPLE_RECEIVER], "cpu.receiver");
	read_classes(in, &r->cpu.by[NIO_SAMPLE_ELSEWHERE], "cpu.elsewhere");
	read_stacks(in, &r->cpu);
}

static void read_run(struct reading *in, struct run_result *r)
{
	const char *source = text_at(json_object_get(in->run, "sequence"), "source");

	read_app(in, r);
	read_stage(in, r, NIO_STAGE_RX_COPY);
	for (int s = NIO_STAGE_RX_COPY + 1; s <= NIO_STAGE_RX_SPLICE; s++)
		read_later_stage(in, r, s);
	read_later_stage(in, r, NIO_STAGE_TLS_COPY);
	read_numbers(in, "tls_rx", tls__numbers, &r->sequence.tls[NIO_SIDE_RECEIVER]);
	read_stage(in, r, NIO_STAGE_OTHER_COPY);
	read_callers(in, r);
	r->sequence.source = source ? keep(source) : NULL;
	read_numbers(in, "sequence", sequence__numbers, &r->sequence);
	read_uncovered(in, r);
	read_health(in, r);
	read_perf(in, r);
	read_cpu(in, r);
}

/* Before it is parsed, since parsing recurses. */
static bool is_too_deep(const char *text)
{
	unsigned int depth = 0;
	bool quoted = false;

	for (; *text; text++) {
		if (quoted && *text == '\\' && text[1])
			text++;
		else if (*text == '"')
			quoted = !quoted;
		else if (!quoted && (*text == '{' || *text == '['))
			depth++;
		else if (!quoted && depth && (*text == '}' || *text == ']'))
			depth--;
		if (depth > DEPTH_MAX)
			return true;
	}
	return false;
}

int half_document__read(const char *text, struct run_result *run, struct environment *env,
			char why[HALF_WHY])
{
	struct reading in = {.why = why};
	json_t *document = NULL;
	json_error_t error;
	const char *schema;

	why[0] = '\0';
	if (strlen(text) > HALF_MAX || is_too_deep(text))
		refuse(&in, "it is too long or too deep");
	else
		document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	schema = text_at(document, "schema");
	if (!schema || strcmp(schema, HALF_SCHEMA))
		refuse(&in, "it is not a document of this kind (" HALF_SCHEMA ")");
	in.run = json_object_get(document, "run");
	if (!why[0])
		read_run(&in, run);
	read_environment(json_object_get(document, "environment"), env);
	HALF_TEXT(env->machine.boot_id, document, "boot_id");
	if (text_at(document, "softirq_reason"))
		run->cpu.softirq_reason = keep_reason(text_at(document, "softirq_reason"));
	json_decref(document);
	return why[0] ? -EPROTO : 0;
}
