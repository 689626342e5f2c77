/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures the receiver's side of rounds; see receiver_half.h. */
#include "receiver_half.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aux_round.h"
#include "base/log.h"
#include "base/privileges.h"
#include "common/xalloc.h"
#include "event_sampling.h"
#include "kernel/btf_lookup.h"
#include "kernel/sampler.h"
#include "model/ledger.h"
#include "probe_setup.h"
#include "round_phases.h"
#include "write/half_document.h"
#include "watched_sockets.h"

/* What is measured of a receiver is the same in every mode but ktls, whose events show records. */
#define THE_MODE MODE_ONECOPY

static const char no_privileges[] = "netiotrace serve lacks CAP_BPF and CAP_PERFMON (or root)";
static const char refused[] = "the kernel cannot be watched: see what netiotrace serve says";
static const char only_samples[] = "a sampled round is not watched";
static const char not_asked[] = "the sender's netiotrace has --backend none";
static const char dropped[] = "the receiver's process reported an error during the round";
static const char no_route[] = "no route to the sender was found";

static void set_options(struct receiver_half *h, const struct options *serve)
{
	options__init(&h->o, serve->argc, serve->argv);
	h->o.quiet = serve->quiet;
	h->o.verbose = serve->verbose;
	h->o.modes[0] = THE_MODE;
	h->o.modes_nr = 1;
	/* The plan has what every way to receive needs: choose_plan() leaves out the rest. */
	h->o.workload.receive = RECEIVE_MMAP;
	options__finish(&h->o);
	h->o.modes[h->o.modes_nr++] = MODE_KTLS;
	h->o.workload.tls = WORKLOAD_TLS_1_2;
	h->runner.o = &h->o;
	h->runner.workload = h->o.workload;
}

struct receiver_half *receiver_half__open(const struct options *serve,
					  const struct serve_token *token)
{
	struct receiver_half *h = xcalloc(1, sizeof(*h));
	static const uint64_t size = 65536;

	h->token = *token;
	runner__init(&h->runner);
	run_result__init(&h->out);
	set_options(h, serve);
	environment__read(&h->runner.result.env, NULL, btf_lookup__irq_time());
	perf_watch__init(&h->runner.perf, NULL, 0, environment__is_virtual(&h->runner.result.env));
	/* A failure is reported, and the halves say it: senders are served all the same. */
	if (!privileges__may_trace())
		h->none = no_privileges;
	else if (probe_setup__open(&h->runner, &size, 1))
		h->none = refused;
	probe_setup__describe(&h->runner);
	return h;
}

void receiver_half__close(struct receiver_half *h)
{
	if (!h)
		return;
	receiver_half__drop(h);
	run_result__clear(&h->out);
	runner__close(&h->runner);
	free(h);
}

/*
 * The route back to the sender, of which the environment tells the device. Its settings may have
 * changed since the last session.
 */
static void find_path(struct receiver_half *h, const char *peer)
{
	bool same = h->runner.path && !strcmp(h->peer, peer);
	struct address to = {.port = 1};
	struct sockaddr_storage ss;
	const char *why;

	if (!peer[0])
		return;
	netpath__close(h->runner.path);
	h->runner.path = NULL;
	snprintf(h->peer, sizeof(h->peer), "%s", peer);
	snprintf(to.host, sizeof(to.host), "%s", peer);
	if (address__resolve(&to, false, &ss, &why) ||
	    netpath__open_remote(&h->runner.path, &to, &ss, &why))
		log_info("no route to the sender at %s: %s", peer, why);
	if (same && h->runner.path)
		environment__read_path(&h->runner.result.env, h->runner.path);
	else
		environment__read(&h->runner.result.env, h->runner.path, btf_lookup__irq_time());
}

void receiver_half__session(struct receiver_half *h, const struct load_report *ready, pid_t pid)
{
	struct round *r = &h->r;

	receiver_half__drop(h);
	h->due = false;
	snprintf(h->sender, sizeof(h->sender), "%s", ready->peer);
	/* It has megabytes: too much for the stack. */
	memset(r, 0, sizeof(*r));
	r->runner = &h->runner;
	h->receive = ready->receive;
	h->direct = !strcmp(ready->tls, workload__tls_name(WORKLOAD_TLS_1_2));
	r->mode = ready->tls[0] ? MODE_KTLS : THE_MODE;
	r->out = &h->out;
	r->plan = &h->plan;
	r->port = h->port;
	/* The process is the server's: here it is only named. */
	r->drivers[NIO_SIDE_RECEIVER].child.pid = pid;
	r->cookies_nr[NIO_SIDE_RECEIVER] = ready->cookies_nr;
	memcpy(r->cookies[NIO_SIDE_RECEIVER], ready->cookies, sizeof(ready->cookies));
}

static int read_base(struct receiver_half *h)
{
	int err = watched_sockets__watch(&h->r);

	return err ? err : watched_sockets__read_base(&h->r);
}

static bool is_watched(const struct receiver_half *h)
{
	bool asked = h->kind == HALF_SHARE || h->kind == HALF_CALLS || h->kind == HALF_TIMES;

	return asked && h->runner.probes && h->runner.path && !h->failed[0];
}

static void choose_plan(struct receiver_half *h)
{
	enum mode mode = h->r.mode;
	bool timed = h->kind == HALF_TIMES && h->runner.timing.any[mode];

	h->runner.kind = h->kind == HALF_SAMPLES ? ROUND_SAMPLED
			 : h->kind == HALF_TIMES ? ROUND_TIMED
						 : ROUND_COMPARED;
	h->o.count_calls = h->kind == HALF_CALLS;
	if (h->kind == HALF_SAMPLES || h->kind == HALF_COUNTS)
		memset(&h->plan, 0, sizeof(h->plan));
	else
		h->plan = timed ? h->runner.timing.plans[mode] : h->runner.plans[mode];
	/* kTLS copies every byte, or its events tell which. */
	if (mode == MODE_KTLS && !h->direct) {
		h->plan.chosen[PROBE_RX_COPY] = NULL;
		h->plan.reason[PROBE_RX_COPY] = plan__records_only;
	}
	h->plan.takes = probe_setup__takes(h->receive);
	if (h->plan.takes)
		return;
	h->plan.chosen[PROBE_TAKEN] = NULL;
	h->plan.reason[PROBE_TAKEN] = plan__by_receiver;
}

static void begin(struct receiver_half *h, pid_t pid)
{
	struct runner *runner = &h->runner;
	int err = 0;

	run_result__clear(&h->out);
	h->out.receive = h->receive;
	h->failed[0] = '\0';
	choose_plan(h);
	perf_watch__begin(&runner->perf, &h->out);
	if (is_watched(h))
		err = read_base(h);
	else
		watched_sockets__rest(runner);
	if (err)
		snprintf(h->failed, sizeof(h->failed), "the sockets cannot be watched: %s",
			 strerror(-err));
	if (h->kind == HALF_SAMPLES && !h->none && !aux_round__load(runner))
		round_phases__start_samples(&h->r);
	if (h->runner.kind == ROUND_COMPARED) {
		perf_watch__open(&runner->perf, NIO_SIDE_RECEIVER, pid);
		perf_watch__enable(&runner->perf);
	}
	h->r.measuring = true;
	if (is_watched(h))
		event_sampling__begin(&h->r);
}

int receiver_half__begin(struct receiver_half *h, struct driver *d)
{
	unsigned int kind = d->report.half_kind;
	char line[32];

	if (h->token.len &&
	    !serve_token__accepts(&h->token, d->report.challenge, d->report.proof)) {
		receiver_half__drop(h);
		snprintf(line, sizeof(line), "refuse %u", d->report.session);
		return child__send_line(&d->child, line);
	}
	/* Nothing of this machine is looked at before the token is proved. */
	find_path(h, h->sender);
	h->kind = kind > HALF_NONE && kind < HALF_KIND_NR ? kind : HALF_COUNTS;
	h->due = true;
	h->idle = false;
	begin(h, d->child.pid);
	snprintf(line, sizeof(line), "measure %u", d->report.session);
	return child__send_line(&d->child, line);
}

void receiver_half__turn(struct receiver_half *h, uint64_t now_ns)
{
	if (event_sampling__turn(&h->r, now_ns))
		snprintf(h->failed, sizeof(h->failed), "%.*s", (int)sizeof(h->failed) - 1,
			 h->runner.reason);
}

static void close_books(struct receiver_half *h)
{
	struct round *r = &h->r;
	int err;

	event_sampling__note(r, &r->now);
	err = watched_sockets__read_now(r, true);
	if (err) {
		snprintf(h->failed, sizeof(h->failed), "cannot read the kernel's counters: %s",
			 strerror(-err));
		return;
	}
	ledger__book(&h->out, r->plan, &r->base, &r->now);
	ledger__close(&h->out, true);
}

static const char *why_unwatched(const struct receiver_half *h)
{
	if (h->none)
		return h->none;
	if (h->failed[0])
		return h->failed;
	switch (h->kind) {
	case HALF_NONE:
		return dropped;
	case HALF_SAMPLES:
		return only_samples;
	case HALF_COUNTS:
		return not_asked;
	default:
		return no_route;
	}
}

static void measure_end(struct receiver_half *h, const struct load_report *report)
{
	struct runner *runner = &h->runner;
	const struct sampling *s = &runner->sampling;

	perf_watch__finish(&runner->perf, NIO_SIDE_RECEIVER, &h->out);
	h->r.measuring = false;
	if (h->kind == HALF_SAMPLES && s->sampler)
		round_phases__stop_samples(&h->r);
	if (h->kind == HALF_SAMPLES && !h->out.cpu.known)
		cpu_time__none(&h->out.cpu, h->none ? h->none : s->sampler ? s->why : s->none);
	ledger__app(&h->out, report, NIO_SIDE_RECEIVER);
	if (is_watched(h))
		close_books(h);
	if (!is_watched(h))
		run_result__no_kernel(&h->out, why_unwatched(h));
}

int receiver_half__end(struct receiver_half *h, struct driver *d)
{
	char line[32], *text;
	int err;

	if (!h->due)
		return 0;
	h->due = false;
	measure_end(h, &d->report);
	text = half_document__write(&h->runner.result.env, &h->out);
	snprintf(line, sizeof(line), "half %zu", strlen(text));
	err = child__send_line(&d->child, line);
	if (!err)
		err = child__send(&d->child, text, strlen(text));
	free(text);
	receiver_half__drop(h);
	return err;
}

void receiver_half__drop(struct receiver_half *h)
{
	struct round *r = &h->r;

	if (h->kind == HALF_SAMPLES && r->measuring && h->runner.sampling.sampler)
		sampler__stop(h->runner.sampling.sampler);
	perf_watch__end(&h->runner.perf);
	if (h->runner.probes && r->runner)
		watched_sockets__unwatch(r);
	r->cookies_nr[NIO_SIDE_RECEIVER] = 0;
	r->measuring = false;
	h->kind = HALF_NONE;
}

void receiver_half__rest(struct receiver_half *h)
{
	if (h->kind == HALF_NONE && h->idle)
		watched_sockets__rest(&h->runner);
	h->idle = true;
}
