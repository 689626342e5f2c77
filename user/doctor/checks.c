/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks: what the facts of diagnosis.h mean for a run, and remedies. Pure. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <linux/capability.h>

#include "base/printable.h"
#include "base/privileges.h"
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

/* The words of checks. NULL: none, or made by the check itself. */
static const struct words {
	const char *name;
	const char *fine;           /* what it means where nothing is limited */
	const char *means, *remedy; /* where something is */
} all_words[] = {
	{"btf", NULL, "the programs cannot be fitted to this kernel",
	 "use a kernel built with CONFIG_DEBUG_INFO_BTF"},
	{"lockdown", NULL, "BPF programs may not read the kernel's memory, nor may kprobes be set",
	 "boot with lockdown=integrity or without Secure Boot"},
	{"bpf_jit", NULL,
	 "programs are interpreted, which makes watching several times more expensive",
	 "sysctl net.core.bpf_jit_enable=1"},
	{"clocksource", NULL,
	 "expensive to read, which makes times of single calls longer than they are",
	 "this machine also has tsc: boot with clocksource=tsc"},
	{"unprivileged_bpf", "does not matter: programs that trace the kernel need CAP_BPF anyway",
	 NULL, NULL},
	{"perf_event_paranoid", NULL, "the kernel's share is not counted without CAP_PERFMON",
	 "run it with sudo, or sysctl kernel.perf_event_paranoid=1"},
	{"optmem_max", "bounds the zero-copy sends of a socket whose notifications are outstanding",
	 "bounds the zero-copy sends of a socket whose notifications are outstanding",
	 "if runs show ENOBUFS: sysctl net.core.optmem_max=131072"},
	{"memlock", "RLIMIT_MEMLOCK bounds the bytes that all senders together have pinned",
	 "RLIMIT_MEMLOCK bounds the bytes that all senders together have pinned",
	 "if runs show ENOBUFS: ulimit -l 65536 before, or LimitMEMLOCK="},
	{"preemption", "programs are not preempted: every backend sees every event",
	 "programs can be preempted and then miss events: fentry many, tracepoint "
	 "some from Linux 7.0 on, kprobe next to none; bytes are exact",
	 "--backend kprobe where health.coverage is below 1"},
	{"governor", NULL,
	 "the CPUs' frequency follows the load, so that figures depend on what ran "
	 "before",
	 "cpupower frequency-set -g performance"},
	{"mitigations", "make each system call take longer: compare figures on one machine only",
	 NULL, NULL},
	{"huge_pages",
	 "transparent huge pages lower the number of pages that a zero-copy send pins", NULL, NULL},
	{"numa_nodes", NULL, "copies between nodes take longer, and threads move",
	 "pin both sides: --cpu-sender, --cpu-receiver"},
	{"load", NULL, "other programs use the CPUs, which lowers throughput and raises latency",
	 "end them, or pin: --cpu-sender, --cpu-receiver"},
	{"cpu_steal", NULL, "the hypervisor gives this machine's CPUs to others",
	 "compare by CPU time rather than by throughput, with more rounds"},
	{"cpu_quota", "no cgroup limits the CPU time of a run",
	 "the kernel stops a run that has used its share of a period (throttling), which limits "
	 "throughput and latency",
	 "raise cpu.max (v1: cpu.cfs_quota_us) of the cgroup, or run outside of it"},
	{"scatter_gather", NULL,
	 "packets are copied into one piece in front of the device: no "
	 "zero-copy",
	 NULL},
	{"tx_checksum", NULL, "the kernel computes each checksum, and allows no scatter-gather",
	 NULL},
	{"tso", NULL, "the kernel, not the device, cuts large sends into packets", NULL},
	{"gro", NULL, "TCP receives packets one by one, which costs CPU time", NULL},
	{"congestion", NULL,
	 "paces: a timer that holds packets back can limit a path of this machine "
	 "before copying does; runs on such paths use another, unless "
	 "--congestion system is given",
	 "for other programs: sysctl net.ipv4.tcp_congestion_control=cubic"},
	{"watchpoints", "follow can find the copies that programs make", NULL,
	 "docs/man/netiotrace-follow.md lists its conditions"},
	{"delivery", NULL, NULL, "zero-copy is zero-copy only on the way to another machine"},
	{"packet_tap", "no packet tap gets the path's packets",
	 "gets every packet: zero-copy pages are copied for it, and every mode "
	 "is slower",
	 NULL},
};

struct checklist {
	struct check *checks; /* CHECKS_MAX of them */
	size_t nr;
	const char *group;
};

__attribute__((format(printf, 3, 4))) static void set(char *field, size_t len, const char *format,
						      ...)
{
	va_list args;

	field[0] = '\0';
	va_start(args, format);
	append__args(field, len, format, args);
	va_end(args);
}

/* Writes to an array of a check: value, means, remedy. A text that does not fit ends in "...". */
#define SET(field, ...) set((field), sizeof(field), __VA_ARGS__)

static const struct words *words_of(const char *name)
{
	static const struct words none;

	for (size_t i = 0; i < sizeof(all_words) / sizeof(all_words[0]); i++)
		if (!strcmp(all_words[i].name, name))
			return &all_words[i];
	return &none;
}

/* Adds a check, ok or limited. The format is of its value. */
__attribute__((format(printf, 4, 5))) static struct check *
add(struct checklist *l, const char *name, bool limited, const char *format, ...)
{
	struct check *c = &l->checks[l->nr < CHECKS_MAX ? l->nr++ : CHECKS_MAX - 1];
	const struct words *w = words_of(name);
	const char *means = limited ? w->means : w->fine;
	va_list args;

	*c = (struct check){.group = l->group, .state = limited ? CHECK_LIMITED : CHECK_OK};
	SET(c->name, "%s", name);
	SET(c->means, "%s", means ? means : "");
	SET(c->remedy, "%s", limited && w->remedy ? w->remedy : "");
	va_start(args, format);
	append__args(c->value, sizeof(c->value), format, args);
	va_end(args);
	return c;
}

/* Adds a check of what is not known. reason NULL: could not be read. */
static struct check *add_unknown(struct checklist *l, const char *name, const char *reason)
{
	struct check *c = add(l, name, false, "n/a");

	c->state = CHECK_UNKNOWN;
	SET(c->means, "%s", reason ? reason : "could not be read");
	return c;
}

/* Adds a check, or that its value is not known. */
#define ADD_IF(known, reason, l, name, ...) \
	((known) ? add(l, name, __VA_ARGS__) : add_unknown(l, name, reason))

/* ---- kernel ---- */

static void check_btf(struct checklist *l, const struct facts *f)
{
	const struct num *size = &f->btf_size;
	char text[UNITS_BUF];
	struct check *c;

	if (size->known) {
		add(l, "btf", false, "/sys/kernel/btf/vmlinux, %s",
		    format_bytes_si(text, sizeof(text), (double)size->value));
		return;
	}
	c = add(l, "btf", true, "no /sys/kernel/btf/vmlinux");
	c->state = CHECK_MISSING;
	if (f->no_sys)
		SET(c->remedy, "%s", mounts__no_sys);
}

static void check_lockdown(struct checklist *l, const char *mode)
{
	struct check *c;

	if (!mode[0]) {
		c = add_unknown(l, "lockdown",
				"securityfs is not mounted, or the kernel has no lockdown");
		SET(c->remedy, "to know: mount -t securityfs securityfs /sys/kernel/security");
	} else if (!strcmp(mode, "confidentiality")) {
		add(l, "lockdown", true, "%s", mode)->state = CHECK_MISSING;
	} else {
		c = add(l, "lockdown", false, "%s", mode);
		if (!strcmp(mode, "integrity"))
			SET(c->means, "refuses nothing that is needed here in stock kernels; the "
				      "stages below say what this one refused");
	}
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
	c = add(l, "clocksource", f->clock_ns.value > CLOCK_DEAR_NS, "%s, %.0f ns to read", name,
		f->clock_ns.value);
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
	struct check *c = add(l, cap->name, false, "held");

	SET(c->means, "%s", cap->use);
	if (is_of_namespace(f, cap->number)) {
		c->state = CHECK_MISSING;
		SET(c->value, "held in a user namespace only");
		SET(c->means, "%s; without that of the machine %s", cap->use, cap->without);
		SET(c->remedy, "%s", doctor__leave_namespace);
	} else if (f->held[i]) {
		return;
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

static void check_sysctls(struct checklist *l, const struct facts *f)
{
	const struct num *bpf = &f->unprivileged_bpf_disabled;
	const struct real *perf = &f->perf_event_paranoid;
	bool may_trace = holds(f, CAP_BPF) || stands_in(f, CAP_BPF);
	bool may_count = holds(f, CAP_PERFMON) || stands_in(f, CAP_PERFMON);
	struct check *c = ADD_IF(bpf->known, bpf->reason, l, "unprivileged_bpf", false, "%" PRIu64,
				 bpf->value);

	if (bpf->known && may_trace)
		SET(c->means, "does not matter with CAP_BPF");
	c = ADD_IF(perf->known, perf->reason, l, "perf_event_paranoid",
		   !may_count && perf->value >= 2, "%.0f", perf->value);
	if (perf->known && may_count)
		SET(c->means, "does not matter with CAP_PERFMON");
	else if (perf->value > 2)
		SET(c->means, "no performance counters without CAP_PERFMON");
	if (c->state == CHECK_LIMITED && f->namespaced)
		SET(c->remedy, "%s", doctor__leave_namespace);
}

/* ---- limits ---- */

/* "64 KiB", "unlimited" */
static char *size_text(char buf[UNITS_BUF], uint64_t value)
{
	if (value == UINT64_MAX)
		snprintf(buf, UNITS_BUF, "unlimited");
	else
		format_size(buf, UNITS_BUF, value);
	return buf;
}

/* A limit of the kernel that zero-copy sends need `enough` bytes of. */
static void check_bytes(struct checklist *l, const char *name, const struct num *n, uint64_t enough)
{
	char size[UNITS_BUF];

	ADD_IF(n->known, n->reason, l, name, n->value < enough, "%s", size_text(size, n->value));
}

static void check_limit(struct checklist *l, const struct facts *f, enum limit which)
{
	const struct limit_facts *limit = &limit_facts[which];
	uint64_t value = f->limits.value[which];
	bool low = value < limit->enough;
	char text[UNITS_BUF];
	struct check *c;

	if (limit->bytes || value == UINT64_MAX)
		size_text(text, value);
	else
		snprintf(text, sizeof(text), "%" PRIu64, value);
	c = add(l, limit->key, low, "%s", text);
	SET(c->means, "%s bounds the %s of a process%s", limit->name, limit->what,
	    low ? ": too low to load the programs" : "");
	if (low)
		SET(c->remedy, "%s", limit->remedy);
}

/* ---- confounders: influences on the figures other than copying ---- */

static void check_quota(struct checklist *l, const struct environment *env)
{
	const struct real *quota = &env->machine.quota;

	if (quota->reason && !strcmp(quota->reason, QUOTA_UNLIMITED))
		add(l, "cpu_quota", false, "none");
	else
		ADD_IF(quota->known, quota->reason, l, "cpu_quota", quota->value < env->cpus,
		       "%.2f CPUs of %u", quota->value, env->cpus);
}

static void check_machine(struct checklist *l, const struct facts *f)
{
	const struct machine *m = &f->env.machine;
	struct check *c;

	/* A preempted program makes the kernel refuse programs to other tasks of that CPU. */
	ADD_IF(m->preemption, "neither debugfs nor the kernel's version and configuration show it",
	       l, "preemption", preemption__anywhere(m->preemption), "%s", m->preemption);
	c = add(l, "governor", m->governor[0] && strcmp(m->governor, "performance"), "%s",
		m->governor[0] ? m->governor : "none");
	if (!m->governor[0])
		SET(c->means, "nothing here changes the CPUs' frequency by load");
	ADD_IF(m->mitigations_known, "this kernel does not list CPU vulnerabilities", l,
	       "mitigations", false, "%s", m->mitigations[0] ? m->mitigations : "none");
	add(l, "huge_pages", false, "%s", m->huge_pages[0] ? m->huge_pages : "none");
	ADD_IF(m->numa_nodes.known, m->numa_nodes.reason, l, "numa_nodes", m->numa_nodes.value > 1,
	       "%" PRIu64, m->numa_nodes.value);
	ADD_IF(m->load.known, m->load.reason, l, "load",
	       f->env.cpus && m->load.value > LOAD_MAX * f->env.cpus, "%.2f on %u CPUs",
	       m->load.value, f->env.cpus);
	ADD_IF(m->steal.known, m->steal.reason, l, "cpu_steal", m->steal.value > 0.01,
	       "%.1f %% since boot", m->steal.value * 100);
	check_quota(l, &f->env);
}

/* ---- path ---- */

static void check_device(struct checklist *l, const struct facts *f)
{
	struct check *c;

	if (!f->path_err) {
		add(l, "device", false, "%s, MTU %u", f->env.device, f->env.mtu);
		return;
	}
	c = add_unknown(l, "device", NULL);
	SET(c->means, "cannot make the %s path (%s): %s", f->path, f->path_step,
	    strerror(-f->path_err));
	if (f->path_err == -EPERM || f->path_err == -EACCES)
		SET(c->remedy, "%s", how_to_gain(f));
}

/* option: the name of the feature for ethtool. */
static void check_feature(struct checklist *l, const struct environment *env, const char *name,
			  const struct flag *flag, const char *option)
{
	struct check *c = ADD_IF(flag->known, flag->reason, l, name, !flag->value, "%s",
				 flag->value ? "on" : "off");

	if (c->state == CHECK_LIMITED)
		SET(c->remedy, "if the device can: ethtool -K %s %s on", env->device, option);
}

static void check_congestion(struct checklist *l, const char *name)
{
	struct flag paces = congestion__paces(name);

	if (name[0] && paces.known)
		add(l, "congestion", paces.value, "%s", name);
	else
		SET(add_unknown(l, "congestion", paces.reason)->value, "%s",
		    name[0] ? name : "n/a");
}

static void check_tap(struct checklist *l, const struct tap *t)
{
	char name[TAP_NAME_LEN];
	struct check *c = add(l, "packet_tap", true, "%s%s%s", tap__name(t, name),
			      t->inode && t->function[0] ? ", " : "", t->inode ? t->function : "");

	if (t->pid.known)
		SET(c->remedy, "end %s (pid %" PRIu64 ") while measuring", t->process,
		    t->pid.value);
	else if (t->inode)
		SET(c->remedy, "%s; to know: ss -0pn as root", t->pid.reason);
	else
		SET(c->remedy, "unload what registered %s", t->function);
}

static void check_path(struct checklist *l, const struct facts *f)
{
	const struct environment *env = &f->env;
	const struct taps *taps = &env->taps;

	check_device(l, f);
	if (f->path_err)
		return;
	check_feature(l, env, "scatter_gather", &env->device_scatter_gather, "sg");
	check_feature(l, env, "tx_checksum", &env->device_tx_checksum, "tx");
	check_feature(l, env, "tso", &env->tso, "tso");
	check_feature(l, env, "gro", &env->gro, "gro");
	check_congestion(l, env->congestion.system);
	ADD_IF(env->qdisc[0], NULL, l, "qdisc", false, "%s", env->qdisc);
	SET(add(l, "delivery", true, "on this machine")->means,
	    "%s never leaves it, and the kernel copies zero-copy pages on delivery "
	    "(skb_copy_ubufs)",
	    f->path);
	if (!taps->known || !taps->nr)
		ADD_IF(taps->known, taps->reason, l, "packet_tap", false, "none");
	for (unsigned int i = 0; taps->known && i < taps->nr; i++)
		check_tap(l, &taps->list[i]);
}

size_t doctor__check(const struct facts *f, struct check checks[CHECKS_MAX])
{
	const struct num *jit = &f->bpf_jit_enable;
	struct checklist l = {.checks = checks, .group = "kernel"};

	check_btf(&l, f);
	check_lockdown(&l, f->env.lockdown);
	ADD_IF(jit->known, jit->reason, &l, "bpf_jit", !jit->value, "%s",
	       jit->value ? "on" : "off");
	check_clock(&l, f);
	SET(add(&l, "tls_module", false, f->has_tls ? "loaded" : "not loaded")->means,
	    "mode ktls %s", f->has_tls ? "can run" : "cannot run (modprobe tls)");
	l.group = "privileges";
	for (size_t i = 0; i < DOCTOR_CAPABILITIES; i++)
		check_capability(&l, f, i);
	check_sysctls(&l, f);
	l.group = "limits";
	check_bytes(&l, "optmem_max", &f->env.optmem_max, OPTMEM_ENOUGH);
	check_bytes(&l, "memlock", &f->env.memlock, MEMLOCK_ENOUGH);
	check_limit(&l, f, LIMIT_FILES);
	check_limit(&l, f, LIMIT_MEMORY);
	check_limit(&l, f, LIMIT_DATA);
	l.group = "confounders";
	check_machine(&l, f);
	l.group = "path";
	check_path(&l, f);
	l.group = "follow";
	if (f->no_follow[0])
		SET(add(&l, "watchpoints", true, "not available")->means, "%s", f->no_follow);
	else
		add(&l, "watchpoints", false, "%u free", f->follow_slots);
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

	return keys[s];
}
