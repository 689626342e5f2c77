/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A result in which everything is known, for tests of the outputs: two modes, one run each, unique
 * values. Only shape and values: nothing adds up.
 */
#ifndef SUPPORT_FULL_RESULT_H
#define SUPPORT_FULL_RESULT_H

#include <stdio.h>
#include <string.h>

#include "model/result.h"

struct full_result {
	struct result result;
	struct run_result runs[2];
	struct plan_row plan[2];
	char words[3][16];
	char *argv[4];
};

static inline struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

static inline void full_app__fill(struct app_result *app)
{
	int i;

	*app = (struct app_result){
		.tx_bytes = 1000000001,
		.tx_messages = 15258,
		.rx_bytes = 1000000000,
		.rx_messages = 15257,
		.zc = {.sends = 101,
		       .completed = 100,
		       .copied = 75,
		       .not_copied = 25,
		       .enobufs = 3,
		       .fallback_bytes = 196608},
		.replies = {.tx_bytes = known(8001),
			    .tx_messages = known(8002),
			    .rx_bytes = 0,
			    .rx_messages = 8004,
			    .errors = 8005},
		.partial_sends = 4,
		.eagain = 5,
		.eintr = 6,
		.tcp_bytes_acked = 7001,
		.tcp_bytes_received = 7002,
		.tcp_bytes_retrans = 7003,
		.sender_cpu_ns = known(100000000),
		.receiver_cpu_ns = known(150000000),
	};
	for (i = 0; i < LATENCY_NR; i++) {
		app->latency[i].hist = hist__new_latency();
		hist__record(app->latency[i].hist, 10 + (uint64_t)i);
		hist__record(app->latency[i].hist, 20 + (uint64_t)i);
	}
}

static inline void full_detail__fill(struct perf_detail *d, uint64_t base)
{
	d->user = known(base + 100);
	d->kernel = known(base + 200);
	d->running = (struct real){.value = 1, .known = true};
}

/* Adds the function backends' part of the ledger. */
static inline void full_kernel__fill(struct run_result *run)
{
	struct pinned_result *p = &run->pinned;

	run->path_calls = known(89);
	run->path_quality = QUALITY_SAMPLED;
	run->path_reason = "only some returns are seen";
	run->places_reason = NULL;
	run->places[0] = (struct place_result){NIO_CONTEXT_SOFTIRQ, "nio-sender", "lo",
					       .bytes = 900,        .events = 9,  .ns = 99};
	run->places[1] = (struct place_result){NIO_CONTEXT_PROCESS, "ksoftirqd/0", "",
					       .bytes = 104,        .events = 1,   .ns = 11};
	run->places_nr = 2;
	run->others[0] = (struct other_result){
		.caller = "tcp_collapse", .bytes = 1006, .events = 106, .ns = 10006};
	run->others_nr = 1;
	p->completed_bytes = known(50001);
	p->completion.hist = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);
	hist__add_bucket(p->completion.hist, 7, 9);
	p->outstanding.hist = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);
	hist__add_bucket(p->outstanding.hist, 4, 201);
	run->enobufs_optmem = known(2);
	run->enobufs_memlock = known(1);
}

static inline void full_stages__fill(struct run_result *run)
{
	int i;

	for (i = 0; i < NIO_STAGE_NR; i++) {
		run->stages[i] = (struct stage_result){
			.quality = QUALITY_EXACT,
			.bytes = 1000 + (uint64_t)i,
			.events = 100 + (uint64_t)i,
			.event = "send call",
			.ns = known(10000 + (uint64_t)i),
			.timed = known(90 + (uint64_t)i),
			.open_bytes = known((uint64_t)i),
			.sizes = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS),
			.times = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS),
		};
		hist__add_bucket(run->stages[i].sizes, 5, 100 + (uint64_t)i);
		hist__add_bucket(run->stages[i].times, 6, 90 + (uint64_t)i);
	}
}

/* The watched path, and the kernel's other counts. */
static inline void full_health__fill(struct run_result *run)
{
	run->health = (struct health){
		.coverage = {.value = 0.9375, .known = true},
		.covered_bytes = 1875,
		.coverable_bytes = 2000,
		.missed = known(0),
		.dropped = known(1),
		.map_full = known(2),
		.unmatched = known(3),
		.anomalies = known(4),
	};
	run->sequence = (struct sequence_result){
		.source = "iter/task_file",
		.tx_bytes = known(987654321),
		.rx_bytes = known(987654320),
		.tx_retrans = known(77),
		.tx_ids = known(201),
		.tls = {{known(301), known(302), known(303)}, {known(304), known(305), known(306)}},
	};
	run->unclassified = known(25);
}

/* Another number of samples in each class. */
static inline void full_cpu__fill(struct cpu_result *cpu)
{
	cpu_time__clear(cpu);
	*cpu = (struct cpu_result){.known = true,
				   .source = "cpu-clock",
				   .hz = 997,
				   .duration_ns = 200000000,
				   .payload = 500000000};
	for (int w = 0; w < NIO_SAMPLE_OWNER_NR; w++) {
		struct cpu_samples *s = &cpu->by[w];

		s->lost = 3 + (uint64_t)w;
		s->shifted = 5 + (uint64_t)w;
		for (int c = 0; c < CPU_CLASS_NR; c++) {
			s->classes[c] = 10 * (uint64_t)c + (uint64_t)w + 1;
			s->samples += s->classes[c];
		}
	}
}

static inline void full_run__fill(struct run_result *run, enum mode mode, unsigned int round)
{
	int i;

	run_result__init(run);
	run->mode = mode;
	run->size = 65536;
	run->fields = 8;
	run->threads = 1;
	run->round = round;
	run->duration_ns = 1000000000;
	full_app__fill(&run->app);
	run->ledger_known = run->kernel_zc_known = run->balance_known = true;
	full_stages__fill(run);
	full_kernel__fill(run);
	run->notifications = known(8);
	run->zc_unseen = known(7);
	run->unreported = known(5);
	run->misreported = known(4);
	for (i = 0; i < NIO_REFUSAL_NR; i++)
		run->refused[i] = known(31 + i);
	run->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED] =
		(struct nio_uncovered){.bytes = 3000, .events = 2};
	run->kernel_zc =
		(struct zc_counts){.sends = 201, .completed = 200, .copied = 150, .not_copied = 50};
	run->unaccounted_tx = -12;
	run->copies_per_byte = (struct real){.value = 2.25, .known = true};
	run->copies_per_byte_at_most = (struct real){.value = 2.5, .known = true};
	run->verdict.copied_fraction = (struct real){.value = 0.75, .known = true};
	run->verdict.cause = run->verdict.causes[0].cause = ZC_CAUSE_LOCAL;
	run->verdict.causes_nr = 1;
	strcpy(run->verdict.causes[0].evidence, "the path is local");
	snprintf(run->verdict.text, sizeof(run->verdict.text), "copied, \"local\"");
	for (i = 0; i < PATH_NR; i++)
		run->path_ns[i] = known(20000 + (uint64_t)i);
	for (i = 0; i < PERF_NR; i++) {
		run->perf[NIO_SIDE_SENDER][i] = known(30000 + (uint64_t)i);
		run->perf[NIO_SIDE_RECEIVER][i] = known(40000 + (uint64_t)i);
		full_detail__fill(&run->perf_detail[NIO_SIDE_SENDER][i], 30000 + (uint64_t)i);
		full_detail__fill(&run->perf_detail[NIO_SIDE_RECEIVER][i], 40000 + (uint64_t)i);
	}
	for (i = 0; i < NIO_PERF_WINDOW_NR; i++)
		run->perf_window[i] = (struct perf_window){
			.quality = QUALITY_SAMPLED,
			.windows = known(6100),
			.samples = known(90),
			.discarded = known(10),
			.bytes = known(90 << 10),
			.cycles = known(180 << 10),
			.llc_misses = known(270),
		};
	/* One window lacks last-level misses, to write the reason. */
	run->perf_window[NIO_PERF_PIN].llc_misses = (struct num){.reason = "no such event"};
	run->perf_asked_nr = 1;
	run->perf_asked[0] = (struct perf_asked){
		.name = "LLC-loads:k",
		.count = {known(501), known(502)},
		.running = {{.value = 1, .known = true}, {.value = 1, .known = true}},
	};
	full_health__fill(run);
	full_cpu__fill(&run->cpu);
}

static inline void full_environment__fill(struct environment *env)
{
	*env = (struct environment){
		.kernel = "6.1.0",
		.cpu = "A CPU, 2 GHz",
		.cpus = 2,
		.path = "loopback",
		.device = "lo",
		.mtu = 65536,
		.clocksource = "tsc",
		.optmem_max = known(131072),
		.memlock = known(8388608),
		.virtualization = "kvm",
		.lockdown = "none",
		.device_scatter_gather = {.value = true, .known = true},
		.device_tx_checksum = {.value = false, .known = true},
		.taps = {.nr = 1, .searches = 2, .known = true},
		.machine = {.host = "a-host",
			    .started = "2026-01-02T03:04:05Z",
			    .governor = "performance",
			    .preemption = "voluntary",
			    .huge_pages = "madvise",
			    .mitigations = "spectre_v1 spectre_v2",
			    .mitigations_known = true,
			    .numa_nodes = known(1),
			    .caches = "L1d 32 KiB, L2 1 MiB",
			    .memory = known(8589934592),
			    .load = {.value = 0.25, .known = true},
			    .load_end = {.value = 0.5, .known = true},
			    .steal = {.value = 0, .known = true},
			    .others = {.value = 0.125, .known = true},
			    .quota = {.reason = QUOTA_UNLIMITED},
			    .throttling = {known(0), known(0), known(0)},
			    .irq_time = {.value = false, .known = true}},
		.sysctls = {[SYSCTL_tcp_rmem] = {.text = "4096 131072 6291456"},
			    [SYSCTL_tcp_wmem] = {.text = "4096 16384 4194304"},
			    [SYSCTL_tcp_mem] = {.text = "1 2 3"},
			    [SYSCTL_rmem_max] = {.text = "212992"},
			    [SYSCTL_wmem_max] = {.reason = "permission was denied"}},
		.rps = {.text = "0"},
		.congestion = {.system = "cubic", .allowed = "reno cubic", .used = "cubic"},
		.qdisc = "noqueue",
		.tso = {.value = true, .known = true},
		.gso = {.value = true, .known = true},
		.gro = {.value = true, .known = true},
		.arfs = {.value = false, .known = true},
		.driver = "mlx5_core",
	};
	env->taps.list[0] = (struct tap){
		.device = "lo",
		.process = "tcpdump",
		.pid = known(4242),
		.function = "packet_rcv",
		.inode = 99,
		.sender = true,
		.receiver = true,
		.at_start = true,
	};
}

/* f must not move afterwards. */
static inline void full_result__init(struct full_result *f)
{
	struct mode_summary *s;
	int i;

	memset(f, 0, sizeof(*f));
	snprintf(f->words[0], sizeof(f->words[0]), "netiotrace");
	snprintf(f->words[1], sizeof(f->words[1]), "--mode");
	snprintf(f->words[2], sizeof(f->words[2]), "all");
	for (i = 0; i < 3; i++)
		f->argv[i] = f->words[i];
	f->plan[0] = (struct plan_row){.probe = "tx_bytes",
				       .stage = "tx_copy",
				       .backend = "tracepoint",
				       .hook = "tp_btf/sock_send_length",
				       .quality = QUALITY_EXACT};
	f->plan[1] = (struct plan_row){.probe = "collapse",
				       .stage = "other_copy",
				       .reason = "no tracepoint",
				       .remedy = "use kprobe"};
	f->result = (struct result){.version = "0.1",
				    .argc = 3,
				    .argv = f->argv,
				    .backend = "tracepoint",
				    .plan = f->plan,
				    .plan_nr = 2,
				    .runs = f->runs,
				    .runs_nr = 2,
				    .summary_nr = 2,
				    .workload = {.size = 65536,
						 .uring_depth = 1,
						 .threads = 1,
						 .fields = 8,
						 .warmup_ns = 500000000,
						 .rounds = 1,
						 .sndbuf = 1 << 20,
						 .rcvbuf = 1 << 20,
						 .sender_cpus = "0",
						 .receiver_cpus = "1"},
				    .modes = {MODE_TWOCOPY, MODE_ZEROCOPY},
				    .modes_nr = 2,
				    .rounds = 1,
				    .round_duration_ns = 1000000000,
				    .probes = 8};
	full_environment__fill(&f->result.env);
	for (i = 0; i < 2; i++) {
		full_run__fill(&f->runs[i], i ? MODE_ZEROCOPY : MODE_TWOCOPY, 1);
		s = &f->result.summary[i];
		full_run__fill(&s->total, f->runs[i].mode, 0);
		s->mode = f->runs[i].mode;
		s->size = 65536;
		s->threads = s->rounds = 1;
		s->throughput_gbps = (struct spread){.median = 8, .low = 7, .high = 9, .n = 1};
		s->copies_per_byte = (struct spread){.median = 2.25, .low = 2, .high = 3, .n = 1};
	}
}

static inline void full_result__clear(struct full_result *f)
{
	int i;

	for (i = 0; i < 2; i++) {
		run_result__clear(&f->runs[i]);
		run_result__clear(&f->result.summary[i].total);
	}
}

#endif
