/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns what a sender alone may claim; see remote.h. Pure. */
#include <stddef.h>
#include <string.h>

#include "ledger.h"
#include "remote.h"

static const char no_totals[] = REMOTE_REASON ", which tells its totals at the end only";
static const char at_end[] = REMOTE_REASON ": known at the end of a round";
static const char one_side[] = "the receiver's machine took no sample";
static const char two_clocks[] = REMOTE_REASON ": two clocks cannot be compared";

/* The last stage that the receivers can feed, from RX_COPY on. */
static int last_taken(const struct run_result *r)
{
	return receive__has(r->receive, RECEIVE_MAPS | RECEIVE_DISCARDS | RECEIVE_SPLICES)
		       ? NIO_STAGE_RX_SPLICE
		       : NIO_STAGE_RX_COPY;
}

bool remote__owns_stage(const struct run_result *r, enum nio_stage stage)
{
	return r->sender_side && stage >= NIO_STAGE_RX_COPY && (int)stage <= last_taken(r);
}

void remote__begin(struct run_result *r)
{
	struct app_result *app = &r->app;

	r->sender_side = true;
	r->cpu.softirq_reason = one_side;
	app->rx_reason = no_totals;
	app->tcp_received_reason = REMOTE_REASON;
	app->verify_errors = num__unknown(no_totals);
	app->rx_uncopied = num__unknown(REMOTE_REASON);
	numbers__forget(replies__numbers, &app->replies, REMOTE_REASON);
	app->receiver_cpu_ns = num__unknown(REMOTE_REASON);
	app->latency[LATENCY_DELIVERY].reason = two_clocks;
	app->latency[LATENCY_RECV_CALL].reason = REMOTE_REASON;
	for (int c = 0; c < PERF_NR; c++)
		r->perf[NIO_SIDE_RECEIVER][c] = num__unknown(REMOTE_REASON);
}

static void clear_stage(struct stage_result *stage)
{
	hist__free(stage->sizes);
	hist__free(stage->times);
	*stage = (struct stage_result){
		.quality = QUALITY_UNAVAILABLE,
		.reason = at_end,
		.ns = {.reason = REMOTE_REASON},
	};
}

void remote__book(struct run_result *r)
{
	if (!r->sender_side)
		return;
	r->perf_window[NIO_PERF_RX_COPY] = (struct perf_window){.reason = REMOTE_REASON};
	for (int s = NIO_STAGE_RX_COPY; s <= last_taken(r); s++)
		clear_stage(&r->stages[s]);
}

void remote__app(struct run_result *r, const struct load_report *sender, bool verify)
{
	struct app_result *app = &r->app;

	if (!sender->confirmed.known)
		return;
	app->rx_reason = NULL;
	app->rx_bytes = sender->confirmed.rx_bytes;
	app->rx_messages = sender->confirmed.rx_messages;
	r->duration_ns = sender->confirmed.elapsed_ns;
	/* Without --verify only sequence numbers are compared: then 0 errors say nothing. */
	if (verify || sender->confirmed.verify_errors)
		app->verify_errors = num__known(sender->confirmed.verify_errors);
	else
		app->verify_errors = num__unknown("--verify was not given");
}

#define CPUS_MAX 8192 /* the most that Linux can use on any architecture */

/* Of threads that run for wall_ns, with some tolerance for clocks of different rates. */
static uint64_t most_ns(uint64_t wall_ns, unsigned int threads)
{
	return (wall_ns + wall_ns / 100 + 1000000) * threads;
}

/* More samples than processors can have taken. */
static bool impossible_samples(const struct cpu_result *cpu, uint64_t wall_ns)
{
	double most = (double)most_ns(wall_ns, CPUS_MAX) / 1e9 * cpu->hz;

	return (double)cpu->by[NIO_SAMPLE_RECEIVER].samples > most ||
	       (double)cpu->by[NIO_SAMPLE_ELSEWHERE].samples > most;
}

/* What the receivers took, by the stages that their way to receive can feed. */
static uint64_t taken_by(const struct run_result *run, const struct run_result *half)
{
	uint64_t bytes = 0;

	for (int s = NIO_STAGE_RX_COPY; s <= last_taken(run); s++)
		bytes += half->stages[s].bytes;
	return bytes;
}

const char *remote__contradiction(const struct run_result *run, const struct run_result *half,
				  uint64_t wall_ns)
{
	const struct app_result *app = &half->app;
	const struct hist *calls = app->latency[LATENCY_RECV_CALL].hist;

	if (app->rx_bytes != run->app.rx_bytes || app->rx_messages != run->app.rx_messages)
		return "it counts other bytes than it confirmed";
	if (half->stages[NIO_STAGE_RX_COPY].quality == QUALITY_EXACT &&
	    half->sequence.rx_bytes.known && taken_by(run, half) != half->sequence.rx_bytes.value)
		return "its copies are not what its sockets took";
	if (half->stages[NIO_STAGE_TLS_COPY].bytes > app->rx_bytes)
		return "it decrypted more than it received";
	if (app->rx_uncopied.known && app->rx_uncopied.value > app->rx_bytes)
		return "it mapped, dropped or spliced more than it received";
	/* The main thread has CPU time too. */
	if (app->receiver_cpu_ns.known &&
	    app->receiver_cpu_ns.value > most_ns(wall_ns, run->threads + 1))
		return "it claims more CPU time than has passed";
	if (half->cpu.known && run->cpu.known && half->cpu.hz != run->cpu.hz)
		return "it samples its CPUs at another rate";
	if (half->cpu.known && impossible_samples(&half->cpu, wall_ns))
		return "it claims more samples than its CPUs can have taken";
	if (calls && calls->sum > most_ns(wall_ns, run->threads))
		return "its receive calls took more time than has passed";
	if (app->replies.tx_bytes.known && app->replies.tx_bytes.value != run->app.replies.rx_bytes)
		return "it counts other replies than arrived";
	return NULL;
}

static void move_hist(struct hist **to, struct hist **from)
{
	hist__free(*to);
	*to = *from;
	*from = NULL;
}

static void join_app(struct app_result *app, struct app_result *half)
{
	struct latency_result *delivery = &app->latency[LATENCY_DELIVERY];

	app->tcp_bytes_received = half->tcp_bytes_received;
	app->tcp_received_reason = half->tcp_received_reason;
	app->receiver_cpu_ns = half->receiver_cpu_ns;
	app->rx_uncopied = half->rx_uncopied;
	app->replies.tx_bytes = half->replies.tx_bytes;
	app->replies.tx_messages = half->replies.tx_messages;
	app->latency[LATENCY_RECV_CALL].reason = half->latency[LATENCY_RECV_CALL].reason;
	move_hist(&app->latency[LATENCY_RECV_CALL].hist, &half->latency[LATENCY_RECV_CALL].hist);
	/* Its load generator takes the time only if both sides have one clock. */
	move_hist(&delivery->hist, &half->latency[LATENCY_DELIVERY].hist);
	if (delivery->hist)
		delivery->reason = NULL;
}

/* On one machine both sides sample all softirq work. NULL: there are two machines. */
static const char *why_one_machine(const struct environment *env)
{
	const char *here = env->machine.boot_id;
	const char *there = env->receiver ? env->receiver->machine.boot_id : "";

	return *here && *there && strcmp(here, there) ? NULL : "both halves may be of one machine";
}

static void join_cpu(struct cpu_result *cpu, const struct cpu_result *half,
		     const struct environment *env)
{
	if (!cpu->known || !half->known)
		return;
	if (cpu->softirq_reason == one_side)
		cpu->softirq_reason =
			half->softirq_reason ? half->softirq_reason : why_one_machine(env);
	cpu->by[NIO_SAMPLE_RECEIVER] = half->by[NIO_SAMPLE_RECEIVER];
	cpu->by[NIO_SAMPLE_RECEIVER_ELSEWHERE] = half->by[NIO_SAMPLE_ELSEWHERE];
	cpu->both_machines = true;
	cpu->source = cpu_time__source(cpu->source, half->source);
	profile__merge(&cpu->profile, &half->profile);
	profile__sort(&cpu->profile);
}

/* The share of a half in whose time events were attached. Each side has half of the sum. */
static void join_share(struct health *h, const struct health *half, uint64_t duration_ns)
{
	if (half->attached_ns == half->phase_ns && !h->phase_ns)
		return;
	if (!h->phase_ns)
		h->attached_ns = h->phase_ns = duration_ns;
	h->attached_ns += half->phase_ns
				  ? (uint64_t)((double)h->phase_ns * (double)half->attached_ns /
					       (double)half->phase_ns)
				  : h->phase_ns;
	h->phase_ns *= 2;
}

static void join_health(struct run_result *r, const struct run_result *half)
{
	const struct num *bytes = &half->sequence.rx_bytes;
	const struct health *from = &half->health;
	struct health *h = &r->health;

	numbers__add(health__numbers, NUMBER_ADD, h, from);
	join_share(h, from, r->duration_ns);
	if (!from->coverage.known || !bytes->known || !bytes->value)
		return;
	h->covered_bytes += (uint64_t)(from->coverage.value * (double)bytes->value + 0.5);
	h->coverable_bytes += bytes->value;
	h->coverage = real__known((double)h->covered_bytes / (double)h->coverable_bytes);
}

/* Adds a stage that both machines have. False: it is unavailable here. */
static bool join_stage(struct run_result *r, const struct run_result *half, enum nio_stage stage)
{
	const struct stage_result *from = &half->stages[stage];
	struct stage_result *to = &r->stages[stage];

	if (to->quality == QUALITY_UNAVAILABLE)
		return false;
	to->quality = from->quality == QUALITY_UNAVAILABLE || to->quality == QUALITY_EXACT
			      ? from->quality
			      : to->quality;
	to->reason = to->reason ? to->reason : from->reason;
	to->bytes += from->bytes;
	to->events += from->events;
	to->ns = num__sum(to->ns, from->ns);
	to->timed = num__sum(to->timed, from->timed);
	if (to->sizes && from->sizes)
		hist__add(to->sizes, from->sizes);
	if (to->times && from->times)
		hist__add(to->times, from->times);
	return true;
}

static void join_ledger(struct run_result *r, struct run_result *half)
{
	r->sender_side = false;
	for (int s = NIO_STAGE_RX_COPY; s <= last_taken(r); s++) {
		hist__free(r->stages[s].sizes);
		hist__free(r->stages[s].times);
		r->stages[s] = half->stages[s];
		half->stages[s].sizes = half->stages[s].times = NULL;
	}
	join_stage(r, half, NIO_STAGE_TLS_COPY);
	for (size_t i = 0, n = join_stage(r, half, NIO_STAGE_OTHER_COPY) ? half->others_nr : 0;
	     i < n; i++)
		ledger__add_other(r, &half->others[i]);
	r->sequence.tls[NIO_SIDE_RECEIVER] = half->sequence.tls[NIO_SIDE_RECEIVER];
	r->sequence.rx_bytes = half->sequence.rx_bytes;
	memcpy(r->uncovered[NIO_SIDE_RECEIVER], half->uncovered[NIO_SIDE_RECEIVER],
	       sizeof(r->uncovered[NIO_SIDE_RECEIVER]));
	/* The receiver does not know the mode, and watches events that tell nothing of kTLS. */
	if (!mode__has(r->mode, MODE_ENCRYPTS))
		join_health(r, half);
}

static void set_reason(struct run_result *r, const char *reason)
{
	for (int s = NIO_STAGE_RX_COPY; s <= last_taken(r); s++)
		r->stages[s].reason = reason;
}

void remote__join(struct run_result *r, struct run_result *half, const struct environment *env)
{
	join_app(&r->app, &half->app);
	memcpy(r->perf[NIO_SIDE_RECEIVER], half->perf[NIO_SIDE_RECEIVER],
	       sizeof(r->perf[NIO_SIDE_RECEIVER]));
	memcpy(r->perf_detail[NIO_SIDE_RECEIVER], half->perf_detail[NIO_SIDE_RECEIVER],
	       sizeof(r->perf_detail[NIO_SIDE_RECEIVER]));
	join_cpu(&r->cpu, &half->cpu, env);
	if (half->health.paused_ns > r->health.paused_ns)
		r->health.paused_ns = half->health.paused_ns;
	if (!r->ledger_known)
		return;
	if (half->stages[NIO_STAGE_RX_COPY].quality == QUALITY_UNAVAILABLE)
		set_reason(r, half->stages[NIO_STAGE_RX_COPY].reason);
	else if (r->request_response)
		set_reason(r, REMOTE_REASON ": between machines replies are not in the ledger");
	else if (mode__has(r->mode, MODE_ENCRYPTS) &&
		 !half->sequence.tls[NIO_SIDE_RECEIVER].records.value)
		set_reason(r, REMOTE_REASON ", which did not count the records of kTLS");
	else
		join_ledger(r, half);
}

void remote__no_half(struct run_result *r)
{
	set_reason(r, REMOTE_NO_HALF);
}
