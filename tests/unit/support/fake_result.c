/* SPDX-License-Identifier: GPL-2.0-only */
/* The sample data of fake_result.h. Deterministic, because golden files hold views of it. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/hist_layout.h"
#include "support/fake_result.h"

#define MESSAGE  65536ULL
#define MESSAGES 15259ULL
#define PAYLOAD  (MESSAGE * MESSAGES)

static const char not_zerocopy[] = "only zero-copy sends complete";

static struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

static void book(struct run_result *run, enum nio_stage stage, uint64_t size, const char *event)
{
	struct stage_result *s = &run->stages[stage];

	s->quality = QUALITY_EXACT;
	s->reason = NULL;
	s->event = event;
	s->events = size ? PAYLOAD / size : 0;
	s->bytes = size ? PAYLOAD : 0;
	s->sizes = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);
	assert(s->sizes);
	if (size)
		hist__add_bucket(s->sizes, hist_bucket(size, NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS),
				 s->events);
}

/* A bell curve on a logarithmic axis around centre, with a tail ten times as slow. */
static struct hist *bell(double centre, uint64_t events)
{
	struct hist *h = hist__new_latency();
	uint64_t i, k;
	double x;

	assert(h);
	for (i = 0; i < 41; i++) {
		x = ((double)i - 20) / 10;
		for (k = 0; k < (uint64_t)((double)events / 1000 * exp(-x * x * 2) * 80); k++)
			hist__record(h, (uint64_t)(centre * exp(x * 0.6)));
	}
	for (i = 0; i < events / 500; i++)
		hist__record(h, (uint64_t)(centre * 10 + (double)i * 100));
	return h;
}

/* As with tracepoints: the load generator's times are known, the kernel's are not. */
static void fill_times(struct run_result *run, enum mode mode)
{
	const struct num unknown = {.reason = FAKE_TIME_REASON};
	int i;

	for (i = NIO_STAGE_TX_COPY; i <= NIO_STAGE_OTHER_COPY; i++)
		run->stages[i].ns = run->stages[i].timed = unknown;
	for (; i < NIO_STAGE_NR; i++)
		run->stages[i].ns = run->stages[i].timed = known(0);
	run->stages[NIO_STAGE_USER_GATHER].ns = known(mode == MODE_TWOCOPY ? MESSAGES * 1953 : 0);
	run->stages[NIO_STAGE_USER_GATHER].timed = known(mode == MODE_TWOCOPY ? MESSAGES / 64 : 0);
	for (i = PATH_SEND_TOTAL + 1; i < PATH_NR; i++)
		run->path_ns[i] = unknown;
	run->path_ns[PATH_SEND_TOTAL] = known(run->app.latency[LATENCY_SEND_CALL].hist->sum);
	run->path_calls = run->pinned.completed_bytes = unknown;
	run->path_reason = run->places_reason = FAKE_TIME_REASON;
}

static void fill_stages(struct run_result *run, enum mode mode)
{
	bool zc = mode == MODE_ZEROCOPY;

	book(run, NIO_STAGE_USER_GATHER, mode == MODE_TWOCOPY ? MESSAGE : 0, "message");
	book(run, NIO_STAGE_TX_COPY, zc ? 0 : MESSAGE, "send call");
	book(run, NIO_STAGE_TX_PIN, zc ? MESSAGE : 0, "send call");
	book(run, NIO_STAGE_TX_SPLICE, 0, "send call");
	book(run, NIO_STAGE_DEFERRED_COPY, zc ? 32768 : 0, "skb");
	book(run, NIO_STAGE_RX_COPY, 16384, "skb");
	for (int s = NIO_STAGE_RX_MAP; s <= NIO_STAGE_RX_SPLICE; s++)
		book(run, s, 0, "receive call");
	run->stages[NIO_STAGE_OTHER_COPY].reason = FAKE_OTHER_REASON;
	for (int later = NIO_STAGE_OTHER_COPY + 1; later < NIO_STAGE_NR; later++)
		book(run, later, 0, "copy");
	run->ledger_known = true;
	run->ledger_reason = NULL;
	run->balance_known = true;
	run->copies_per_byte = (struct real){.value = mode == MODE_TWOCOPY ? 3 : 2, .known = true};
	run->copies_per_byte_at_most = run->copies_per_byte;
}

static void fill_app(struct app_result *app, enum mode mode)
{
	bool zc = mode == MODE_ZEROCOPY;

	app->tx_bytes = app->rx_bytes = PAYLOAD;
	app->tx_messages = app->rx_messages = MESSAGES;
	app->sender_cpu_ns = known(120000000 + 40000000 * (uint64_t)mode);
	app->receiver_cpu_ns = known(90000000);
	app->latency[LATENCY_SEND_CALL].hist = bell(zc ? 21000 : 12000, 9000);
	app->latency[LATENCY_DELIVERY].hist = bell(zc ? 160000 : 90000, 9000);
	app->latency[LATENCY_RECV_CALL].hist = bell(zc ? 16000 : 9000, 9000);
	if (zc)
		app->latency[LATENCY_COMPLETION].hist = bell(210000, 9000);
	else
		app->latency[LATENCY_COMPLETION].reason = not_zerocopy;
	if (zc)
		app->zc = (struct zc_counts){MESSAGES, MESSAGES, MESSAGES, 0, 0, 0};
}

static void fill_verdict(struct verdict *v)
{
	v->copied_fraction = (struct real){.value = 1, .known = true};
	v->cause = ZC_CAUSE_LOCAL;
	snprintf(v->text, sizeof(v->text),
		 "15 259 of 15 259 sends were copied after all: the path is local (lo), where the "
		 "kernel copies pinned pages on delivery (skb_copy_ubufs).");
}

static void fake_counter__none(struct run_result *run, int side, int c)
{
	static const struct num none = {
		.reason = "no hardware counters: virtual machine without a PMU"};

	run->perf[side][c] = none;
	run->perf_detail[side][c] = (struct perf_detail){none, none, {.reason = none.reason}};
}

/* As measured on Linux 6.18 over loopback, rounded. */
static void fill_cpu(struct cpu_result *cpu, enum mode mode)
{
	struct cpu_samples *s = &cpu->by[NIO_SAMPLE_SENDER], *r = &cpu->by[NIO_SAMPLE_RECEIVER];

	cpu_time__clear(cpu);
	*cpu = (struct cpu_result){.known = true,
				   .source = "cpu-clock",
				   .hz = 997,
				   .duration_ns = 1000000000,
				   .payload = 1 << 30};
	s->samples = r->samples = 1000;
	s->shifted = 30;
	s->classes[CPU_CLASS_GATHER] = mode == MODE_TWOCOPY ? 280 : 0;
	s->classes[CPU_CLASS_TX_COPY] = mode == MODE_ZEROCOPY ? 0 : 350;
	s->classes[CPU_CLASS_TX_PIN] = mode == MODE_ZEROCOPY ? 120 : 0;
	s->classes[CPU_CLASS_DEFERRED_COPY] = mode == MODE_ZEROCOPY ? 410 : 0;
	s->classes[CPU_CLASS_OTHER] = 2;
	s->classes[CPU_CLASS_TCP_IP] = s->samples;
	for (int c = 0; c < CPU_CLASS_NR; c++)
		if (c != CPU_CLASS_TCP_IP)
			s->classes[CPU_CLASS_TCP_IP] -= s->classes[c];
	r->classes[CPU_CLASS_RX_COPY] = 700;
	r->classes[CPU_CLASS_SCHEDULING] = 300;
}

void fake_run__fill(struct run_result *run, enum mode mode)
{
	int side, c;

	run_result__init(run);
	run->mode = mode;
	run->size = MESSAGE;
	run->fields = 8;
	run->threads = 1;
	run->duration_ns = 250000000;
	fill_stages(run, mode);
	fill_app(&run->app, mode);
	fill_times(run, mode);
	if (mode == MODE_ZEROCOPY)
		fill_verdict(&run->verdict);
	for (side = 0; side < NIO_SIDE_NR; side++)
		for (c = 0; c < PERF_NR; c++)
			fake_counter__none(run, side, c);
	run->health = (struct health){.coverage = {1, true, NULL},
				      .missed = known(0),
				      .dropped = known(0),
				      .map_full = known(0),
				      .unmatched = known(0),
				      .anomalies = known(0)};
	run->sequence.source = "iter/task_file";
	fill_cpu(&run->cpu, mode);
}

/* ns of each event of a stage; one in sixteen took twice as long. */
static void time_stage(struct run_result *run, enum nio_stage stage, uint64_t ns)
{
	struct stage_result *s = &run->stages[stage];
	uint64_t slow = s->events / 16;

	s->timed = known(s->events);
	s->ns = known((s->events + slow) * ns);
	s->times = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);
	assert(s->times);
	hist__add_bucket(s->times, hist_bucket(ns, NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS),
			 s->events - slow);
	hist__add_bucket(s->times, hist_bucket(2 * ns, NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS), slow);
}

/* Percent of the load generator's total: lock, copy, pin, wait, ... */
static void fill_path(struct run_result *run)
{
	static const unsigned int copying[NIO_PATH_NR] = {0, 39, 0, 0, 7, 38, 2, 0, 9};
	static const unsigned int pinning[NIO_PATH_NR] = {0, 0, 2, 21, 4, 58, 1, 3, 7};
	const unsigned int *share = run->mode == MODE_ZEROCOPY ? pinning : copying;
	uint64_t total = run->path_ns[PATH_SEND_TOTAL].value;
	int p;

	for (p = 0; p < NIO_PATH_NR; p++)
		run->path_ns[PATH_SEND_TOTAL + 1 + p] = known(total / 100 * share[p]);
	run->path_ns[PATH_LOCK] = known(total / 400);
	run->path_calls = known(run->app.latency[LATENCY_SEND_CALL].hist->count);
	run->path_quality = QUALITY_EXACT;
	run->path_reason = NULL;
}

static void fill_zerocopy(struct run_result *run)
{
	struct pinned_result *p = &run->pinned;

	run->places[0] = (struct place_result){NIO_CONTEXT_SOFTIRQ, "nio-sender", "lo",
					       PAYLOAD - 32768,     30517,        1};
	run->places_nr = 1;
	run->kernel_zc = run->app.zc;
	run->kernel_zc_known = true;
	run->notifications = known(2345);
	p->completed_bytes = known(PAYLOAD);
	p->completion.hist = bell(61000, 2345);
	p->outstanding.hist = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);
	assert(p->outstanding.hist);
	hist__add_bucket(p->outstanding.hist,
			 hist_bucket(8 * MESSAGE, NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS), MESSAGES);
	run->enobufs_optmem = run->enobufs_memlock = known(0);
}

void fake_run__fentry(struct run_result *run)
{
	bool zc = run->mode == MODE_ZEROCOPY;

	book(run, NIO_STAGE_OTHER_COPY, 0, "copy");
	fill_path(run);
	time_stage(run, NIO_STAGE_TX_COPY, 4600);
	time_stage(run, NIO_STAGE_TX_PIN, 420);
	time_stage(run, NIO_STAGE_DEFERRED_COPY, 3900);
	time_stage(run, NIO_STAGE_RX_COPY, zc ? 1900 : 1300);
	time_stage(run, NIO_STAGE_OTHER_COPY, 1);
	run->places_reason = NULL;
	if (zc)
		fill_zerocopy(run);
}

static void fill_environment(struct environment *env)
{
	snprintf(env->kernel, sizeof(env->kernel), "6.18.44");
	snprintf(env->path, sizeof(env->path), "loopback");
	snprintf(env->device, sizeof(env->device), "lo");
}

void fake_result__rounds(struct result *r, enum mode mode, double low, double high, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->runs_nr; i++)
		if (r->runs[i].mode != mode)
			r->runs[kept++] = r->runs[i];
	r->runs = reallocarray(r->runs, kept + n, sizeof(*r->runs));
	assert(r->runs || !(kept + n));
	for (size_t i = 0; i < n; i++) {
		double gbps = n > 1 ? low + (high - low) * (double)i / (double)(n - 1) : low;

		run_result__init(&r->runs[kept + i]);
		r->runs[kept + i].mode = mode;
		r->runs[kept + i].duration_ns = 1000000000;
		r->runs[kept + i].app.rx_bytes = (uint64_t)(gbps * 1e9 / 8);
		r->runs[kept + i].app.sender_cpu_ns = known(900000000);
		r->runs[kept + i].app.receiver_cpu_ns = known(900000000);
		/* Sampled: no softirq work on other tasks. */
		r->runs[kept + i].cpu = (struct cpu_result){
			.known = true, .hz = 997, .payload = r->runs[kept + i].app.rx_bytes};
	}
	r->runs_nr = kept + n;
}

struct result *fake_result__new(size_t n)
{
	static const struct spread gbps[MODE_NR] = {
		{31.4, 30.2, 32.0, 5}, {35.2, 33.9, 36.0, 5}, {23.6, 22.8, 24.4, 5}};
	static const struct spread cpu[MODE_NR] = {
		{215, 210, 222, 5}, {256, 250, 259, 5}, {297, 290, 301, 5}};
	struct result *r = calloc(1, sizeof(*r));
	size_t i;

	assert(r);
	r->version = "0.1";
	r->backend = "tracepoint";
	fill_environment(&r->env);
	r->rounds = 5;
	r->round_duration_ns = 600000000;
	r->probes = 8;
	r->summary_nr = r->modes_nr = n;
	for (i = 0; i < n; i++) {
		r->summary[i].mode = (enum mode)i;
		r->summary[i].size = MESSAGE;
		r->summary[i].threads = 1;
		r->summary[i].rounds = 5;
		r->summary[i].throughput_gbps = gbps[i];
		r->summary[i].copies_per_byte = (struct spread){i ? 2 : 3, i ? 2 : 3, i ? 2 : 3, 5};
		r->summary[i].cpu_ns_per_kib = cpu[i];
		r->modes[i] = (enum mode)i;
		fake_run__fill(&r->summary[i].total, (enum mode)i);
		fake_result__rounds(r, (enum mode)i, gbps[i].low, gbps[i].high, gbps[i].n);
	}
	return r;
}

void fake_result__free(struct result *r)
{
	size_t i;

	for (i = 0; i < r->summary_nr; i++)
		run_result__clear(&r->summary[i].total);
	free(r->runs);
	free(r);
}

struct live_frame *fake_frame__new(size_t n)
{
	static struct environment env;
	struct live_frame *f = calloc(1, sizeof(*f));
	size_t i;
	int s;

	assert(f);
	fill_environment(&env);
	*f = (struct live_frame){.version = "0.1",
				 .env = &env,
				 .backend = "tracepoint",
				 .phase = LIVE_RUNNING,
				 .size = MESSAGE,
				 .fields = 8,
				 .threads = 1,
				 .round = 2,
				 .rounds = 5,
				 .elapsed_ns = 3000000000,
				 .planned_ns = 10000000000,
				 .modes_nr = n,
				 .probes = 8};
	for (i = 0; i < n; i++) {
		f->modes[i].mode = (enum mode)i;
		f->modes[i].seen = true;
		f->modes[i].running = i == n - 1;
		f->modes[i].gbps = 35.2 - 4.1 * (double)i;
		fake_run__fill(&f->modes[i].total, (enum mode)i);
		for (s = 0; s < NIO_STAGE_NR; s++)
			if (f->modes[i].total.stages[s].bytes)
				f->modes[i].stage_rate[s] = f->modes[i].gbps / 8 * 1e9;
	}
	f->health = (struct health){.coverage = {1, true, NULL},
				    .missed = known(0),
				    .dropped = known(0),
				    .map_full = known(0),
				    .unmatched = known(0),
				    .anomalies = known(0)};
	return f;
}

void fake_frame__free(struct live_frame *f)
{
	size_t i;

	for (i = 0; i < f->modes_nr; i++)
		run_result__clear(&f->modes[i].total);
	free(f);
}

void fake_result__fentry(struct result *r)
{
	size_t i;

	r->backend = "fentry";
	r->probes = 16;
	for (i = 0; i < r->summary_nr; i++)
		fake_run__fentry(&r->summary[i].total);
}

void fake_frame__fentry(struct live_frame *f)
{
	size_t i;

	f->backend = "fentry";
	f->probes = 16;
	for (i = 0; i < f->modes_nr; i++)
		fake_run__fentry(&f->modes[i].total);
}
