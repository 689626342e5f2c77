/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks: what the facts of diagnosis.h mean for a run, and remedies. Pure. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <linux/capability.h>

#include "common/units.h"
#include "diagnosis.h"
#include "model/preemption.h"
#include "model/tap_parse.h"

/* A clock that takes longer to read needs a system call or a device (no vDSO). */
#define CLOCK_DEAR_NS 150
/* The default since Linux 6.7; before, about 20 KiB, which a few hundred sends fill. */
#define OPTMEM_ENOUGH (64 * 1024)
/* The default of today's distributions. */
#define MEMLOCK_ENOUGH (8 * 1024 * 1024)
/* More than this for each CPU: something else is running. */
#define LOAD_MAX 0.5

const struct doctor_capability doctor_capabilities[DOCTOR_CAPABILITIES] = {
	{CAP_BPF, "CAP_BPF", "loads BPF programs and maps", "the kernel cannot be watched"},
	{CAP_PERFMON, "CAP_PERFMON",
	 "lets BPF programs read the kernel's memory; performance counters",
	 "the kernel cannot be watched"},
	{CAP_NET_ADMIN, "CAP_NET_ADMIN", "makes the devices of --path veth",
	 "--path veth cannot be made"},
	{CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "makes the network namespaces of --path veth",
	 "--path veth cannot be made"},
	{CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE",
	 "raises RLIMIT_MEMLOCK for BPF maps where they count against it (before Linux 5.11)",
	 "they may not fit"},
	{CAP_SYS_PTRACE, "CAP_SYS_PTRACE", "sees which process holds a packet tap",
	 "taps of other users have no name"},
};

const char doctor__leave_namespace[] =
	"start it outside of this user namespace (of a rootless container?)";

struct checklist {
	struct check *checks; /* CHECKS_MAX of them */
	size_t nr;
	const char *group;
};

/* Writes to an array of a check: value, means, remedy. */
#define SET(field, ...) snprintf((field), sizeof(field), __VA_ARGS__)

static struct check *add(struct checklist *l, const char *name, enum check_state state)
{
	struct check *c = &l->checks[l->nr < CHECKS_MAX ? l->nr++ : CHECKS_MAX - 1];

	*c = (struct check){.group = l->group, .state = state};
	SET(c->name, "%s", name);
	return c;
}

/* reason NULL: could not be read. */
static struct check *add_unknown(struct checklist *l, const char *name, const char *reason)
{
	struct check *c = add(l, name, CHECK_UNKNOWN);

	SET(c->value, "n/a");
	SET(c->means, "%s", reason ? reason : "could not be read");
	return c;
}

/*
 * The check of something that was read (known), or NULL after adding that it was not. limited: it
 * means this, and that helps.
 */
static struct check *add_read(struct checklist *l, const char *name, bool known, const char *reason,
			      bool limited, const char *means, const char *remedy)
{
	struct check *c;

	if (!known) {
		add_unknown(l, name, reason);
		return NULL;
	}
	c = add(l, name, limited ? CHECK_LIMITED : CHECK_OK);
	if (limited) {
		SET(c->means, "%s", means);
		SET(c->remedy, "%s", remedy);
	}
	return c;
}

/* ---- kernel ---- */

static void check_btf(struct checklist *l, const struct facts *f)
{
	char size[UNITS_BUF];
	struct check *c;

	if (f->btf_size.known) {
		c = add(l, "btf", CHECK_OK);
		SET(c->value, "/sys/kernel/btf/vmlinux, %s",
		    format_bytes_si(size, sizeof(size), (double)f->btf_size.value));
		return;
	}
	c = add(l, "btf", CHECK_MISSING);
	SET(c->value, "no /sys/kernel/btf/vmlinux");
	SET(c->means, "the programs cannot be fitted to this kernel");
	SET(c->remedy, "use a kernel built with CONFIG_DEBUG_INFO_BTF");
}

static void check_lockdown(struct checklist *l, const struct facts *f)
{
	const char *mode = f->env.lockdown;
	struct check *c;

	if (!mode[0]) {
		c = add_unknown(l, "lockdown",
				"securityfs is not mounted, or the kernel has no lockdown");
		SET(c->remedy, "to know: mount -t securityfs securityfs /sys/kernel/security");
		return;
	}
	c = add(l, "lockdown", CHECK_OK);
	SET(c->value, "%s", mode);
	if (!strcmp(mode, "confidentiality")) {
		c->state = CHECK_MISSING;
		SET(c->means, "BPF programs may not read the kernel's memory, nor may kprobes be "
			      "set");
		SET(c->remedy, "boot with lockdown=integrity or without Secure Boot");
	} else if (!strcmp(mode, "integrity")) {
		SET(c->means, "refuses nothing that is needed here in stock kernels; the stages "
			      "below say what this one refused");
	}
}

static void check_jit(struct checklist *l, const struct facts *f)
{
	const struct num *n = &f->bpf_jit_enable;
	struct check *c = add_read(
		l, "bpf_jit", n->known, n->reason, !n->value,
		"programs are interpreted, which makes watching several times more expensive",
		"sysctl net.core.bpf_jit_enable=1");

	if (c)
		SET(c->value, "%s", n->value ? "on" : "off");
}

static void check_clock(struct checklist *l, const struct facts *f)
{
	const char *name = f->env.clocksource[0] ? f->env.clocksource : "n/a";
	bool tsc = strstr(f->clocksources, "tsc") && strcmp(f->env.clocksource, "tsc");
	struct check *c;

	if (!f->clock_ns.known) {
		c = add_unknown(l, "clocksource", f->clock_ns.reason);
		SET(c->value, "%s", name);
		return;
	}
	c = add_read(l, "clocksource", true, NULL, f->clock_ns.value > CLOCK_DEAR_NS,
		     "expensive to read, which makes times of single calls longer than they are",
		     "this machine also has tsc: boot with clocksource=tsc");
	SET(c->value, "%s, %.0f ns to read", name, f->clock_ns.value);
	if (c->state != CHECK_OK && !tsc)
		SET(c->remedy, "this machine has no cheaper one (%s); bytes are not affected",
		    f->clocksources[0] ? f->clocksources : "the kernel lists none");
}

/* ---- privileges ---- */

/*
 * The kernel checks these capabilities in its initial user namespace; in others a BPF token may
 * replace them (Linux 6.9). Loaded programs prove it.
 */
static bool is_of_namespace(const struct facts *f, unsigned int capability)
{
	return f->namespaced && !f->loaded && (capability == CAP_BPF || capability == CAP_PERFMON);
}

static bool holds(const struct facts *f, unsigned int capability)
{
	if (is_of_namespace(f, capability))
		return false;
	for (size_t i = 0; i < DOCTOR_CAPABILITIES; i++)
		if (doctor_capabilities[i].number == capability)
			return f->held[i];
	return false;
}

static const char *how_to_gain(const struct facts *f)
{
	return f->root ? "this root is without it: let whoever started it (a container?) grant it"
		       : "run it with sudo";
}

/* CAP_SYS_ADMIN was all of these before Linux 5.8, and still stands in for them. */
static bool stands_in(const struct facts *f, unsigned int capability)
{
	return (capability == CAP_BPF || capability == CAP_PERFMON) && holds(f, CAP_SYS_ADMIN) &&
	       !is_of_namespace(f, capability);
}

static void check_capability(struct checklist *l, const struct facts *f, size_t i)
{
	const struct doctor_capability *cap = &doctor_capabilities[i];
	bool needed = cap->number == CAP_BPF || cap->number == CAP_PERFMON;
	struct check *c = add(l, cap->name, CHECK_OK);

	SET(c->means, "%s", cap->use);
	if (is_of_namespace(f, cap->number)) {
		c->state = CHECK_MISSING;
		SET(c->value, "held in a user namespace only");
		SET(c->means, "%s; without that of the machine %s", cap->use, cap->without);
		SET(c->remedy, "%s", doctor__leave_namespace);
	} else if (f->held[i]) {
		SET(c->value, "held");
	} else if (stands_in(f, cap->number)) {
		SET(c->value, "missing, CAP_SYS_ADMIN replaces it");
	} else if (cap->number == CAP_SYS_RESOURCE && f->loaded) {
		SET(c->value, "not held, and not needed here (programs were loaded)");
	} else {
		c->state = needed ? CHECK_MISSING : CHECK_LIMITED;
		SET(c->value, "not held");
		SET(c->means, "%s; without it %s", cap->use, cap->without);
		SET(c->remedy, "%s", how_to_gain(f));
	}
}

static void check_unprivileged_bpf(struct checklist *l, const struct facts *f)
{
	const struct num *n = &f->unprivileged_bpf_disabled;
	bool held = holds(f, CAP_BPF) || stands_in(f, CAP_BPF);
	struct check *c = add_read(l, "unprivileged_bpf", n->known, n->reason, false, NULL, NULL);

	if (!c)
		return;
	SET(c->value, "%" PRIu64, n->value);
	SET(c->means, held ? "does not matter with CAP_BPF"
			   : "of no matter, since what traces the kernel needs CAP_BPF anyway");
}

static void check_paranoid(struct checklist *l, const struct facts *f)
{
	const struct real *n = &f->perf_event_paranoid;
	bool held = holds(f, CAP_PERFMON) || stands_in(f, CAP_PERFMON);
	struct check *c = add_read(
		l, "perf_event_paranoid", n->known, n->reason, !held && n->value >= 2,
		n->value > 2 ? "no performance counters without CAP_PERFMON"
			     : "the kernel's share is not counted without CAP_PERFMON",
		f->namespaced ? doctor__leave_namespace
			      : "run it with sudo, or sysctl kernel.perf_event_paranoid=1");

	if (!c)
		return;
	SET(c->value, "%.0f", n->value);
	if (held)
		SET(c->means, "does not matter with CAP_PERFMON");
}

/* ---- limits ---- */

/* A limit of the kernel that zero-copy sends need `enough` bytes of. */
static void check_bytes(struct checklist *l, const char *name, const struct num *n, uint64_t enough,
			const char *means, const char *remedy)
{
	struct check *c = add_read(l, name, n->known, n->reason, n->value < enough, means, remedy);
	char size[UNITS_BUF];

	if (!c)
		return;
	SET(c->value, "%s",
	    n->value == UINT64_MAX ? "unlimited" : format_size(size, sizeof(size), n->value));
	SET(c->means, "%s", means);
}

static void check_limit(struct checklist *l, const struct facts *f, enum limit which)
{
	const struct limit_facts *limit = &limit_facts[which];
	uint64_t value = f->limits.value[which];
	bool low = value < limit->enough;
	struct check *c = add(l, limit->key, low ? CHECK_LIMITED : CHECK_OK);
	char text[UNITS_BUF];

	if (value == UINT64_MAX)
		SET(c->value, "unlimited");
	else if (limit->bytes)
		SET(c->value, "%s", format_size(text, sizeof(text), value));
	else
		SET(c->value, "%" PRIu64, value);
	SET(c->means, "%s bounds the %s of a process", limit->name, limit->what);
	if (!low)
		return;
	SET(c->means, "%s bounds the %s of a process: too low to load the programs", limit->name,
	    limit->what);
	SET(c->remedy, "%s", limit->remedy);
}

/* ---- confounders: influences on the figures other than copying ---- */

static void check_governor(struct checklist *l, const struct machine *m)
{
	struct check *c = add_read(
		l, "governor", true, NULL, m->governor[0] && strcmp(m->governor, "performance"),
		"the CPUs' frequency follows the load, so that figures depend on what "
		"ran before",
		"cpupower frequency-set -g performance");

	SET(c->value, "%s", m->governor[0] ? m->governor : "none");
	if (!m->governor[0])
		SET(c->means, "nothing here changes the CPUs' frequency by load");
}

/* A preempted program makes the kernel refuse programs to other tasks of that CPU meanwhile. */
static void check_preemption(struct checklist *l, const struct machine *m)
{
	struct check *c =
		add_read(l, "preemption", m->preemption,
			 "neither debugfs nor the kernel's version and configuration tell it",
			 m->preemption && preemption__anywhere(m->preemption),
			 "programs can be preempted and then miss events: fentry many, "
			 "tracepoint some from Linux 7.0 on, kprobe next to none; bytes are exact",
			 "--backend kprobe where health.coverage is below 1");

	if (!c)
		return;
	SET(c->value, "%s", m->preemption);
	if (c->state == CHECK_OK)
		SET(c->means, "programs are not preempted: every backend sees every event");
}

static void check_load(struct checklist *l, const struct facts *f)
{
	const struct real *load = &f->env.machine.load;
	struct check *c =
		add_read(l, "load", load->known, load->reason,
			 f->env.cpus && load->value > LOAD_MAX * f->env.cpus,
			 "other programs use the CPUs, which lowers throughput and raises latency",
			 "end them, or pin: --cpu-sender, --cpu-receiver");

	if (c)
		SET(c->value, "%.2f on %u CPUs", load->value, f->env.cpus);
}

static void check_steal(struct checklist *l, const struct facts *f)
{
	const struct real *steal = &f->env.machine.steal;
	struct check *c =
		add_read(l, "cpu_steal", steal->known, steal->reason, steal->value > 0.01,
			 "the hypervisor gives this machine's CPUs to others",
			 "compare by CPU time rather than by throughput, with more rounds");

	if (c)
		SET(c->value, "%.1f %% since boot", steal->value * 100);
}

static void check_mitigations(struct checklist *l, const struct machine *m)
{
	struct check *c =
		add_read(l, "mitigations", m->mitigations_known,
			 "this kernel does not list CPU vulnerabilities", false, NULL, NULL);

	if (!c)
		return;
	SET(c->value, "%.100s", m->mitigations[0] ? m->mitigations : "none");
	SET(c->means, "make each system call take longer: figures hold for this machine");
}

static void check_nodes(struct checklist *l, const struct machine *m)
{
	const struct num *n = &m->numa_nodes;
	struct check *c = add_read(l, "numa_nodes", n->known, n->reason, n->value > 1,
				   "copies between nodes take longer, and threads move",
				   "pin both sides: --cpu-sender, --cpu-receiver");

	if (c)
		SET(c->value, "%" PRIu64, n->value);
}

static void check_huge_pages(struct checklist *l, const struct machine *m)
{
	struct check *c = add(l, "huge_pages", CHECK_OK);

	SET(c->value, "%s", m->huge_pages[0] ? m->huge_pages : "none");
	SET(c->means, "transparent ones: how many pages a zero-copy send has to pin");
}

/* ---- path ---- */

static void check_congestion(struct checklist *l, const struct environment *env)
{
	const char *name = env->congestion.system;
	struct flag paces = congestion__paces(name);
	struct check *c;

	if (!name[0] || !paces.known) {
		c = add_unknown(l, "congestion", paces.reason);
		SET(c->value, "%s", name[0] ? name : "n/a");
		return;
	}
	c = add_read(l, "congestion", true, NULL, paces.value,
		     "paces: a timer that holds packets back can limit a path of this machine "
		     "before copying does; runs on such paths use another, unless told "
		     "--congestion system",
		     "for other programs: sysctl net.ipv4.tcp_congestion_control=cubic");
	SET(c->value, "%s", name);
}

static void check_device(struct checklist *l, const struct facts *f)
{
	const struct environment *env = &f->env;
	struct check *c;

	if (f->path_err) {
		c = add(l, "device", CHECK_UNKNOWN);
		SET(c->value, "n/a");
		SET(c->means, "cannot make the %s path (%s): %s", f->path, f->path_step,
		    strerror(-f->path_err));
		if (f->path_err == -EPERM || f->path_err == -EACCES)
			SET(c->remedy, "%s", how_to_gain(f));
		return;
	}
	c = add(l, "device", CHECK_OK);
	SET(c->value, "%s, MTU %u", env->device, env->mtu);
}

static void check_feature(struct checklist *l, const struct environment *env, const char *name,
			  const struct flag *flag, const char *option, const char *without)
{
	struct check *c = add_read(l, name, flag->known, flag->reason, !flag->value, without, "");

	if (!c)
		return;
	SET(c->value, "%s", flag->value ? "on" : "off");
	if (!flag->value)
		SET(c->remedy, "if the device can: ethtool -K %s %s on", env->device, option);
}

static void check_delivery(struct checklist *l, const struct facts *f)
{
	struct check *c = add(l, "delivery", CHECK_LIMITED);

	SET(c->value, "on this machine");
	SET(c->means,
	    "%s never leaves it, and the kernel copies zero-copy pages on delivery "
	    "(skb_copy_ubufs)",
	    f->path);
	SET(c->remedy, "zero-copy is zero-copy only on the way to another machine");
}

static void check_tap(struct checklist *l, const struct tap *t)
{
	struct check *c = add(l, "packet_tap", CHECK_LIMITED);
	char name[TAP_NAME_LEN];

	SET(c->value, "%s%s%s", tap__name(t, name), t->inode && t->function[0] ? ", " : "",
	    t->inode ? t->function : "");
	SET(c->means, "is handed every packet: zero-copy pages are copied for it, and every mode "
		      "is slower");
	if (t->pid.known)
		SET(c->remedy, "end %s (pid %" PRIu64 ") while measuring", t->process,
		    t->pid.value);
	else if (t->inode)
		SET(c->remedy, "%s; to know: ss -0pn as root", t->pid.reason);
	else
		SET(c->remedy, "unload what registered %s", t->function);
}

static void check_taps(struct checklist *l, const struct facts *f)
{
	const struct taps *taps = &f->env.taps;
	struct check *c;

	for (unsigned int i = 0; taps->known && i < taps->nr; i++)
		check_tap(l, &taps->list[i]);
	if (taps->known && taps->nr)
		return;
	c = add_read(l, "packet_tap", taps->known, taps->reason, false, NULL, NULL);
	if (!c)
		return;
	SET(c->value, "none");
	SET(c->means, "no packet tap is handed the path's packets");
}

static void check_path(struct checklist *l, const struct facts *f)
{
	struct check *qdisc;

	check_device(l, f);
	if (f->path_err)
		return;
	check_feature(l, &f->env, "scatter_gather", &f->env.device_scatter_gather, "sg",
		      "packets are copied into one piece in front of the device: no zero-copy");
	check_feature(l, &f->env, "tx_checksum", &f->env.device_tx_checksum, "tx",
		      "the kernel sums every packet, and allows no scatter-gather");
	check_feature(l, &f->env, "tso", &f->env.tso, "tso",
		      "the kernel cuts large sends into packets itself");
	check_feature(l, &f->env, "gro", &f->env.gro, "gro",
		      "each packet is received by itself, which costs CPU time");
	check_congestion(l, &f->env);
	qdisc = add_read(l, "qdisc", f->env.qdisc[0], NULL, false, NULL, NULL);
	if (qdisc)
		SET(qdisc->value, "%s", f->env.qdisc);
	check_delivery(l, f);
	check_taps(l, f);
}

size_t doctor__check(const struct facts *f, struct check checks[CHECKS_MAX])
{
	struct checklist l = {.checks = checks, .group = "kernel"};

	check_btf(&l, f);
	check_lockdown(&l, f);
	check_jit(&l, f);
	check_clock(&l, f);
	l.group = "privileges";
	for (size_t i = 0; i < DOCTOR_CAPABILITIES; i++)
		check_capability(&l, f, i);
	check_unprivileged_bpf(&l, f);
	check_paranoid(&l, f);
	l.group = "limits";
	check_bytes(&l, "optmem_max", &f->env.optmem_max, OPTMEM_ENOUGH,
		    "bounds the zero-copy sends of a socket whose notifications are outstanding",
		    "if runs show ENOBUFS: sysctl net.core.optmem_max=131072");
	check_bytes(&l, "memlock", &f->env.memlock, MEMLOCK_ENOUGH,
		    "RLIMIT_MEMLOCK bounds the bytes that all senders together have pinned",
		    "if runs show ENOBUFS: ulimit -l 65536 before, or LimitMEMLOCK=");
	check_limit(&l, f, LIMIT_FILES);
	check_limit(&l, f, LIMIT_MEMORY);
	check_limit(&l, f, LIMIT_DATA);
	l.group = "confounders";
	check_preemption(&l, &f->env.machine);
	check_governor(&l, &f->env.machine);
	check_mitigations(&l, &f->env.machine);
	check_huge_pages(&l, &f->env.machine);
	check_nodes(&l, &f->env.machine);
	check_load(&l, f);
	check_steal(&l, f);
	l.group = "path";
	check_path(&l, f);
	return l.nr;
}

const char *check_state__key(enum check_state s)
{
	static const char *const keys[] = {
		[CHECK_OK] = "ok",
		[CHECK_LIMITED] = "limited",
		[CHECK_MISSING] = "missing",
		[CHECK_UNKNOWN] = "unknown",
	};

	return (size_t)s < sizeof(keys) / sizeof(keys[0]) ? keys[s] : "?";
}
