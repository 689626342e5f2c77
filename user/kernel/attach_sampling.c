/* SPDX-License-Identifier: GPL-2.0-only */
/* When the programs that see each call and packet are attached; see attach_probes.h. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <bpf/bpf.h>

#include "base/loop.h"
#include "base/read_file.h"
#include "common/xalloc.h"
#include "attach_probes_internal.h"

/* How often the use of zero-copy is looked at while the programs are detached. */
#define CHECK_NS 100000000ULL

/*
 * Sockets that moved bytes so recently count as moving, so that a program's pauses do not decide
 * which of its bytes meet a window.
 */
#define MOVED_NS 5000000000ULL

/* Looking whether sockets move takes at most this part of the time. */
#define MOVED_PART 1000

/*
 * For this long after a watched socket used MSG_ZEROCOPY or SEND_ZC, the program that sees
 * deferred copies stays attached at any rate, and after SEND_ZC the one of its notifications. The
 * others also stay if they do not see messages: without them, an id taken by another call between
 * two windows would be booked to the first call seen.
 */
#define ZEROCOPY_NS 3000000000ULL

static void read_counts(const struct attach_probes *probes, struct nio_event_counts *sum)
{
	const struct percpu_rows *r = &probes->counts;

	percpu__sum(r->at, r->cpus, r->rows, 0, sum, sizeof(*sum));
}

_Static_assert(NIO_CALL_NR <= SAMPLED_PARTS && NIO_MOVED_NR <= SAMPLED_PARTS, "parts fit");

/* Attaching takes part of a window: it stands for its period by the time in which events were seen.
 */
static double weight_of(const struct event_windows *w, uint64_t ns)
{
	return (double)w->period_ns / (double)u64__most(ns, w->window_ns / 4);
}

/* The bytes by kind since `last`, and by way. A program that is interrupted can set a count back.
 */
static void subtract(double sent[SAMPLED_PARTS], double moved[SAMPLED_PARTS],
		     const struct nio_moved_sums *now, const struct nio_moved_sums *last)
{
	for (int k = 0; k < NIO_CALL_NR; k++)
		sent[k] = (double)u64__minus(now->sent[k], last->sent[k]);
	for (int k = 0; k < NIO_MOVED_NR; k++)
		moved[k] = (double)u64__minus(now->moved[k], last->moved[k]);
}

/*
 * Adds what a group moved on one CPU since `last`, which is of another group or of this one. A row
 * that another group takes at this moment is left to the next reading.
 */
static void add_group(struct seen_groups *groups, struct nio_group_counts *last,
		      const struct nio_group_counts *row, uint64_t now_ns)
{
	double sent[SAMPLED_PARTS] = {0}, moved[SAMPLED_PARTS] = {0};
	const struct nio_group none = {0};
	struct nio_group_counts now;
	struct nio_group after;

	percpu__sum(row, 1, 1, 0, &now, sizeof(now));
	percpu__sum(row, 1, 1, 0, &after, sizeof(after));
	if (memcmp(&now.group, &last->group, sizeof(after)) != 0)
		memset(last, 0, sizeof(*last));
	if (memcmp(&now.group, &after, sizeof(after)) != 0 ||
	    !memcmp(&now.group, &none, sizeof(none)) ||
	    !memcmp(&now.sums, &last->sums, sizeof(now.sums)))
		return;
	subtract(sent, moved, &now.sums, &last->sums);
	*last = now;
	if (now_ns)
		seen_groups__add(groups, &now.group, sent, moved, now_ns);
}

/* Adds what the groups moved since the last reading. now_ns 0: the next window begins here. */
static void read_groups(struct attach_probes *probes, uint64_t now_ns)
{
	const struct percpu_rows *r = &probes->groups;
	const struct nio_group_counts *rows = r->at;
	const volatile __u8 *used = probes->skel->bss->nio_group_used;
	struct attach_sampling *s = &probes->sampling;

	if (!rows)
		return;
	if (!s->group_counts)
		s->group_counts = xcalloc((size_t)r->cpus * NIO_GROUPS, sizeof(*rows));
	++*(volatile __u32 *)&probes->skel->data->nio_epoch;
	for (size_t i = 0; i < (size_t)r->cpus * NIO_GROUPS; i++)
		if (used[i % NIO_GROUPS])
			add_group(&s->groups, &s->group_counts[i], &rows[i], now_ns);
}

void attach_probes__free_groups(struct attach_probes *probes)
{
	free(probes->sampling.group_counts);
	free(probes->sampling.groups.list);
	free(probes->sampling.copied.list);
}

/* Adds the bytes since the last reading to the sums. */
static void add_bytes(struct attach_probes *probes, const struct nio_event_counts *now,
		      uint64_t now_ns)
{
	struct attach_sampling *s = &probes->sampling;
	double sent[SAMPLED_PARTS] = {0}, moved[SAMPLED_PARTS] = {0};
	bool whole = !s->windows.in_windows;
	double weight = weight_of(&s->windows, now_ns - s->counted_ns);

	subtract(sent, moved, &now->sums, &s->counts.sums);
	s->counts = *now;
	s->counted_ns = now_ns;
	seen_bytes__add(&s->events.seen, sent, moved, whole, weight);
	read_groups(probes, now_ns);
	seen_groups__end(&s->groups, whole, weight_of(&s->windows, now_ns - s->grouped_ns), now_ns);
	s->grouped_ns = now_ns;
}

void attach_probes__change_window(struct attach_probes *probes, uint32_t by)
{
	*(volatile __u32 *)&probes->skel->bss->nio_window += by;
}

static bool is_in_use(const volatile __u64 *last_ns, uint64_t now_ns)
{
	uint64_t last = *last_ns;

	return last && now_ns < last + ZEROCOPY_NS;
}

/* MSG_ZEROCOPY or SEND_ZC. */
static bool uses_zerocopy(const struct attach_probes *probes, uint64_t now_ns)
{
	return is_in_use(&probes->skel->bss->nio_zerocopy_ns, now_ns);
}

/* Programs that stay attached between windows, with deferred copies for zero-copy senders. */
static struct plan base_plan_at(const struct attach_probes *probes, uint64_t now_ns)
{
	struct plan base_plan = probes->base_plan;

	base_plan.without_seconds = probes->plan.without_seconds;
	if (uses_zerocopy(probes, now_ns))
		base_plan.chosen[PROBE_DEFERRED_COPY] = probes->plan.chosen[PROBE_DEFERRED_COPY];
	if (is_in_use(&probes->skel->bss->nio_request_ns, now_ns))
		base_plan.chosen[PROBE_REQUEST] = probes->plan.chosen[PROBE_REQUEST];
	return base_plan;
}

/* A program that cannot be attached again counts as missed: its events are no longer seen. */
static void attach(struct attach_probes *probes)
{
	*(volatile __u32 *)&probes->skel->data->nio_weight = probes->sampling.windows.weight;
	loader__attach(&probes->loader, &probes->plan);
	attach_probes__change_window(probes, 1);
	/* Programs that were detached or attached one by one saw a part of the events. */
	probes->sampling.grouped_ns = loop__now_ns();
	read_groups(probes, 0);
	read_counts(probes, &probes->sampling.counts);
	probes->sampling.counted_ns = loop__now_ns();
}

/* The programs are attached already, and from now on every event counts once. */
static void watch_whole(struct attach_probes *probes)
{
	attach_probes__change_window(probes, 1);
	*(volatile __u32 *)&probes->skel->data->nio_weight = 1;
	attach_probes__change_window(probes, 1);
}

/* Whether watched sockets have moved bytes. An iteration finds out unless events have shown it. */
static bool is_moving(struct attach_probes *probes, uint64_t now_ns)
{
	struct attach_sampling *s = &probes->sampling;
	const volatile __u64 *moved_ns = &probes->skel->bss->nio_moved_ns;

	if (now_ns >= s->check_ns) {
		attach_probes__note_moved(probes);
		s->check_ns = now_ns + (loop__now_ns() - now_ns) * MOVED_PART;
	}
	return *moved_ns && now_ns < *moved_ns + MOVED_NS;
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

uint64_t attach_probes__refused(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);
	int fd = bpf_program__fd(prog);

	return fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : info.recursion_misses;
}

/*
 * Receive packet steering moves packets to other CPUs by interrupts, so softirqs often run on top
 * of a program. Only devices of the own network namespace are visible.
 */
static bool steers_packets(void)
{
	bool steers = false;
	char cpus[4096]; /* 8192 CPUs: nine characters for each 32 */
	glob_t g;

	if (glob("/sys/class/net/*/queues/rx-*/rps_cpus", GLOB_NOSORT, NULL, &g))
		return false;
	for (size_t i = 0; i < g.gl_pathc && !steers; i++)
		steers = !read_file__line(g.gl_pathv[i], cpus, sizeof(cpus)) &&
			 cpus[strspn(cpus, "0,")];
	globfree(&g);
	return steers;
}

void attach_probes__note_births(struct attach_probes *probes)
{
	const struct attach_bpf *skel = probes->skel;
	bool seconds = probes->sampling.needs_seconds;
	uint64_t now_ns = loop__now_ns();

	if (!probes->sampling.seconds_failed && (seconds || probes->plan.without_seconds) &&
	    !attach_probes__refused(seconds ? skel->progs.nio_at_state2 : skel->progs.nio_at_state))
		probes->births_ns = now_ns;
}

/* Attaches the second programs, which do what the kernel refuses the first ones. */
static void attach_seconds(struct attach_probes *probes, uint64_t now_ns)
{
	struct plan base_plan;

	attach_probes__note_births(probes);
	if (!probes->plan.without_seconds ||
	    !(probes->sampling.needs_seconds ||
	      attach_probes__refused(probes->skel->progs.nio_at_state)))
		return;
	probes->plan.without_seconds = false;
	base_plan = base_plan_at(probes, now_ns);
	if (!loader__attach(&probes->loader,
			    probes->sampling.windows.attached ? &probes->plan : &base_plan))
		return;
	/* Perhaps the second programs are not attached: no birth from now on is sure. */
	probes->sampling.seconds_failed = true;
}

int attach_probes__begin_events(struct attach_probes *probes, const struct attach_filter *filter)
{
	struct attach_sampling *s = &probes->sampling;
	uint64_t seed = 0, now_ns = loop__now_ns();

	s->windowed = plan__can_detach(&probes->plan, &probes->base_plan) && !filter->count_calls;
	s->needs_seconds = is_preemptible() || steers_packets();
	/* Without a seed the moments are those of the last time, which is no error. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = now_ns;
	event_windows__begin(&s->windows, &filter->rule, now_ns, seed, (struct window_load){0});
	attach_probes__change_window(probes, 1);
	attach_seconds(probes, now_ns);
	return 0;
}

/*
 * The events so far, of *now. Programs on functions count messages, calls and copies of watched
 * sockets: their filter ends the others early, and the rest run seldom.
 */
static struct window_load counted_load(const struct attach_probes *probes,
				       struct nio_event_counts *now)
{
	read_counts(probes, now);
	return (struct window_load){.watched = now->watched,
				    .others = u64__minus(now->runs, now->watched)};
}

/* Looks whether the socket has moved bytes only where that decides. */
static struct window_load load_now(struct attach_probes *probes, uint64_t now_ns)
{
	struct attach_sampling *s = &probes->sampling;
	struct nio_event_counts now;
	struct window_load load;
	bool due = now_ns >= s->windows.due_ns;

	load = counted_load(probes, &now);
	load.keep = !s->windowed ||
		    (uses_zerocopy(probes, now_ns) && !probes->skel->rodata->nio_sees_calls);
	if (!s->windows.attached)
		load.moves = due && !load.keep && is_moving(probes, now_ns);
	else if (due)
		add_bytes(probes, &now, loop__now_ns());
	return load;
}

uint64_t attach_probes__step_events(struct attach_probes *probes, uint64_t now_ns)
{
	struct event_windows *windows = &probes->sampling.windows;
	bool attached = windows->attached;
	struct plan base_plan;

	if (probes->stopped)
		return UINT64_MAX;
	attach_seconds(probes, now_ns);
	if (!attached && uses_zerocopy(probes, now_ns)) {
		base_plan = base_plan_at(probes, now_ns);
		loader__attach(&probes->loader, &base_plan);
	}
	switch (event_windows__step(windows, now_ns, load_now(probes, now_ns))) {
	case WINDOW_ATTACH:
		attach(probes);
		break;
	case WINDOW_WHOLE:
		if (attached)
			watch_whole(probes);
		else
			attach(probes);
		break;
	case WINDOW_DETACH:
		base_plan = base_plan_at(probes, now_ns);
		attach_probes__change_window(probes, 1);
		loader__detach_others(&probes->loader, &base_plan);
		break;
	case WINDOW_STAY:
		break;
	}
	return u64__least(windows->due_ns, loop__now_ns() + CHECK_NS);
}

static void set_scale(struct seen_bytes *seen, double scale)
{
	seen->calls.scale = seen->ways.scale = seen->reads.scale = scale;
}

struct attach_events attach_probes__events(struct attach_probes *probes)
{
	const struct event_windows *windows = &probes->sampling.windows;
	const struct seen_groups *groups = &probes->sampling.groups;
	struct seen_groups *copied = &probes->sampling.copied;
	struct attach_events e = probes->sampling.events;
	struct nio_event_counts counts;
	uint64_t now_ns = loop__now_ns();

	e.spent_ns = event_windows__spent_ns(windows, counted_load(probes, &counts));
	e.seen_ns = event_windows__seen_ns(windows, now_ns);
	e.all_ns = now_ns - windows->begun_ns;
	e.sampled = windows->sampled;
	set_scale(&e.seen, event_windows__scale(windows, now_ns));
	copied->list = xreallocarray(copied->list, groups->nr + 1, sizeof(*copied->list));
	copied->nr = groups->nr;
	for (size_t i = 0; i < groups->nr; i++) {
		copied->list[i] = groups->list[i];
		set_scale(&copied->list[i].seen, e.seen.calls.scale);
	}
	e.groups = *copied;
	return e;
}
