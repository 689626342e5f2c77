/* SPDX-License-Identifier: GPL-2.0-only */
/* When the programs that see each call and packet are attached; see attach_probes.h. */
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <bpf/bpf.h>

#include "base/loop.h"
#include "base/read_file.h"
#include "attach_probes_internal.h"
#include "percpu.h"

/*
 * Up to EVENTS_MANY per second the programs stay attached, at a cost of 0.3 % of a CPU; a burst may
 * have as many as in two seconds. Above that they are attached for a window of each period, until a
 * window has fewer than EVENTS_FEW per second.
 */
#define EVENTS_MANY 20000
#define EVENTS_FEW  15000
#define CREDIT_MAX  (2.0 * EVENTS_MANY)
#define WINDOW_NS   20000000ULL
#define PERIOD_NS   1000000000ULL
/* A window costs 1 ms. The period doubles after this many, and again after as many more. */
#define WINDOWS_MANY 30
#define LOOK_NS      100000000ULL

/*
 * For this long after a watched socket used MSG_ZEROCOPY, the program that sees deferred copies
 * stays attached at any rate. The others also stay if they do not see messages: without them, an id
 * taken by another call between two windows would be booked to the first call seen.
 */
#define ZEROCOPY_NS 3000000000ULL

/* All 0 if the map cannot be read. */
static void read_counts(const struct attach_probes *w, struct nio_event_counts *sum)
{
	const uint32_t zero = 0;

	percpu__lookup(bpf_map__fd(w->skel->maps.nio_event_counts), &zero, sum, sizeof(*sum));
}

static uint64_t period_ns(const struct attach_sampling *s)
{
	size_t doubled = s->periods / WINDOWS_MANY;

	return PERIOD_NS << (doubled < 2 ? doubled : 2);
}

/* One period of the sample: events since the last step, per second. */
static double end_period(struct attach_probes *w, uint64_t now_ns)
{
	struct attach_sampling *s = &w->sampling;
	struct nio_event_counts now;
	double kind[NIO_CALL_NR], sent = 0, ns = (double)(now_ns - s->since_ns);
	double runs;

	read_counts(w, &now);
	runs = (double)(now.runs - s->counts.runs);
	for (int k = 0; k < NIO_CALL_NR; k++) {
		kind[k] = (double)(now.sent[k] - s->counts.sent[k]);
		sent += kind[k];
	}
	s->counts = now;
	s->seen_ns += now_ns - s->since_ns;
	if (sent > 0) {
		s->periods++;
		s->sent += sent;
		s->sent2 += sent * sent;
		for (int k = 0; k < NIO_CALL_NR; k++) {
			s->kind[k] += kind[k];
			s->kind2[k] += kind[k] * kind[k];
			s->cross[k] += kind[k] * sent;
		}
	}
	s->credit += EVENTS_MANY * ns / 1e9 - runs;
	if (s->credit > CREDIT_MAX)
		s->credit = CREDIT_MAX;
	return ns > 0 ? runs * 1e9 / ns : 0;
}

/* Do the programs stay attached, after a period of `rate` events a second? */
static bool has_credit(struct attach_sampling *s, double rate)
{
	if (s->in_windows && rate <= EVENTS_FEW) {
		s->in_windows = false;
		s->credit = EVENTS_MANY;
	}
	return !s->in_windows && s->credit > 0;
}

static void set_window(struct attach_probes *w)
{
	++*(volatile __u32 *)&w->skel->bss->nio_window;
}

static bool uses_zerocopy(const struct attach_probes *w, uint64_t now_ns)
{
	uint64_t last = *(volatile __u64 *)&w->skel->bss->nio_zerocopy_ns;

	return last && now_ns < last + ZEROCOPY_NS;
}

static bool is_always_attached(const struct attach_probes *w, uint64_t now_ns)
{
	return uses_zerocopy(w, now_ns) && !w->skel->rodata->nio_told;
}

/* Programs that stay attached between windows, with deferred copies for zero-copy senders. */
static struct plan resting(const struct attach_probes *w, uint64_t now_ns)
{
	struct plan rest = w->rest;

	rest.without_seconds = w->plan.without_seconds;
	if (uses_zerocopy(w, now_ns))
		rest.chosen[PROBE_DEFERRED_COPY] = w->plan.chosen[PROBE_DEFERRED_COPY];
	return rest;
}

static void detach(struct attach_probes *w, uint64_t now_ns)
{
	struct plan rest = resting(w, now_ns);

	set_window(w);
	loader__rest(&w->loader, &rest);
	w->sampling.attached = false;
	w->sampling.sampled = true;
}

static void attach_arrival(struct attach_probes *w, uint64_t now_ns)
{
	struct plan rest = resting(w, now_ns);

	loader__attach(&w->loader, &rest);
}

/* A program that cannot be attached again counts as missed: its events are no longer seen. */
static void attach(struct attach_probes *w)
{
	loader__attach(&w->loader, &w->plan);
	read_counts(w, &w->sampling.counts);
	w->sampling.attached = true;
	set_window(w);
}

/*
 * From Linux 7.0 on, a tracepoint program can be preempted. Before, only a softirq can interrupt
 * it, and none does while a socket is destroyed.
 */
static bool is_preemptible(void)
{
	struct utsname name;

	return !uname(&name) && atoi(name.release) >= 7;
}

static bool was_refused(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);

	return !bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len) && info.recursion_misses;
}

/*
 * Receive packet steering moves packets to other CPUs by interrupts, so softirqs often run on top
 * of a program. Only devices of the own network namespace are visible.
 */
static bool steers_packets(void)
{
	bool steers = false;
	char cpus[1024];
	glob_t g;

	if (glob("/sys/class/net/*/queues/rx-*/rps_cpus", GLOB_NOSORT, NULL, &g))
		return false;
	for (size_t i = 0; i < g.gl_pathc && !steers; i++)
		steers = !read_file__line(g.gl_pathv[i], cpus, sizeof(cpus)) &&
			 cpus[strspn(cpus, "0,")];
	globfree(&g);
	return steers;
}

/* Attaches the second programs, which do what the kernel refuses the first ones. */
static void attach_seconds(struct attach_probes *w, uint64_t now_ns)
{
	struct plan rest;

	if (!w->plan.without_seconds ||
	    !(w->sampling.needs_seconds || was_refused(w->skel->progs.nio_at_state)))
		return;
	w->plan.without_seconds = false;
	rest = resting(w, now_ns);
	loader__attach(&w->loader, w->sampling.attached ? &w->plan : &rest);
}

int attach_probes__begin_events(struct attach_probes *w, bool count_calls)
{
	struct attach_sampling *s = &w->sampling;

	s->windowed = plan__can_rest(&w->plan, &w->rest) && !count_calls;
	s->attached = true;
	s->credit = CREDIT_MAX;
	s->begun_ns = s->since_ns = loop__now_ns();
	s->needs_seconds = is_preemptible() || steers_packets();
	set_window(w);
	attach_seconds(w, s->since_ns);
	return 0;
}

uint64_t attach_probes__step_events(struct attach_probes *w, uint64_t now_ns)
{
	struct attach_sampling *s = &w->sampling;
	double rate;

	if (w->stopped)
		return UINT64_MAX;
	attach_seconds(w, now_ns);
	if (!s->attached) {
		if (uses_zerocopy(w, now_ns))
			attach_arrival(w, now_ns);
		if (now_ns < s->next_ns && !is_always_attached(w, now_ns))
			return now_ns + LOOK_NS < s->next_ns ? now_ns + LOOK_NS : s->next_ns;
		attach(w);
		s->since_ns = loop__now_ns();
		s->next_ns = s->since_ns + period_ns(s);
		return s->since_ns + WINDOW_NS;
	}
	rate = end_period(w, now_ns);
	s->since_ns = now_ns;
	if (!s->windowed || is_always_attached(w, now_ns) || has_credit(s, rate))
		return now_ns + LOOK_NS;
	s->in_windows = true;
	detach(w, now_ns);
	if (s->next_ns <= now_ns)
		s->next_ns = now_ns + period_ns(s) - WINDOW_NS;
	return now_ns + LOOK_NS < s->next_ns ? now_ns + LOOK_NS : s->next_ns;
}

/* The share of one kind in the bytes of all, a ratio of two sums over the periods. */
static void estimate(const struct attach_sampling *s, int k, struct attach_events *e)
{
	double r = s->kind[k] / s->sent, n = (double)s->periods;
	double squares = s->kind2[k] - 2 * r * s->cross[k] + r * r * s->sent2;
	double half = n > 1 && squares > 0 ? 1.96 * sqrt(squares * n / (n - 1)) / s->sent : 0;

	e->sent[k].share = r;
	e->sent[k].low = r > half ? r - half : 0;
	e->sent[k].high = r + half < 1 ? r + half : 1;
}

struct attach_events attach_probes__events(const struct attach_probes *w)
{
	const struct attach_sampling *s = &w->sampling;
	struct attach_events e = {
		.seen_ns = s->seen_ns,
		.all_ns = (s->attached ? s->since_ns : loop__now_ns()) - s->begun_ns,
		.windows = s->periods,
		.sampled = s->sampled,
		.sent_bytes = s->sent,
	};

	for (int k = 0; k < NIO_CALL_NR && s->sent > 0; k++)
		estimate(s, k, &e);
	return e;
}
