/* SPDX-License-Identifier: GPL-2.0-only */
/* Doctor's checks on invented machines: each one good and bad. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>

#include "support/doctor_case.h"
#include "support/test.h"

/* The check with that name; the last one if there are several. */
static const struct check *check(const struct facts *f, const char *name)
{
	static struct check checks[CHECKS_MAX];
	const struct check *found = NULL;
	size_t n = doctor__check(f, checks);

	assert_in_range(n, 1, CHECKS_MAX);
	for (size_t i = 0; i < n; i++) {
		/* A check that is not OK has a remedy or a reason. */
		assert_true(checks[i].value[0]);
		assert_true(checks[i].state == CHECK_OK || checks[i].remedy[0] ||
			    (checks[i].state == CHECK_UNKNOWN && checks[i].means[0]));
		assert_true(checks[i].state != CHECK_OK || !checks[i].remedy[0]);
		/* Every text is whole. */
		assert_null(strstr(checks[i].value, "..."));
		assert_null(strstr(checks[i].means, "..."));
		assert_null(strstr(checks[i].remedy, "..."));
		if (!strcmp(checks[i].name, name))
			found = &checks[i];
	}
	if (!found)
		fail_msg("there is no check %s", name);
	return found;
}

static struct facts healthy_facts(void)
{
	struct facts f;

	healthy(&f);
	return f;
}

/* The check has this state, and the text in its value, meaning or remedy. */
static void check_says(const struct facts *f, const char *name, enum check_state state,
		       const char *text)
{
	const struct check *c = check(f, name);

	assert_string_equal(check_state__key(c->state), check_state__key(state));
	if (!strstr(c->value, text) && !strstr(c->means, text) && !strstr(c->remedy, text))
		fail_msg("%s does not say '%s': %s: %s -> %s", name, text, c->value, c->means,
			 c->remedy);
}

static void check_is(const struct facts *f, const char *name, enum check_state state)
{
	check_says(f, name, state, "");
}

TEST(healthy_machine_has_one_limit_local_delivery)
{
	struct check checks[CHECKS_MAX];
	struct facts f = healthy_facts();
	size_t n;

	n = doctor__check(&f, checks);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(checks[i].state,
				 strcmp(checks[i].name, "delivery") ? CHECK_OK : CHECK_LIMITED);
}

TEST(machine_without_watchpoints_is_a_limit_for_follow)
{
	struct facts f = healthy_facts();

	f.follow_slots = 4;
	check_says(&f, "watchpoints", CHECK_OK, "4 free");
	snprintf(f.no_follow, sizeof(f.no_follow), "follow needs two CPUs");
	check_says(&f, "watchpoints", CHECK_LIMITED, "follow needs two CPUs");
}

TEST(preemptible_kernel_is_a_limit_for_events)
{
	struct facts f = healthy_facts();

	f.env.machine.preemption = "lazy";
	check_says(&f, "preemption", CHECK_LIMITED, "bytes are exact");
	assert_non_null(strstr(check(&f, "preemption")->remedy, "--backend kprobe"));
	f.env.machine.preemption = NULL;
	check_is(&f, "preemption", CHECK_UNKNOWN);
}

/* No /proc, no /sys, no path: every check is unknown or missing. */
TEST(unreadable_machine_gives_unknown_and_missing_checks)
{
	struct facts f = {.path = "loopback", .path_step = "read device lo", .path_err = -ENODEV};
	static const char *const names[] = {
		"lockdown",   "bpf_jit", "clocksource", "unprivileged_bpf", "perf_event_paranoid",
		"optmem_max", "memlock", "device"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_is(&f, names[i], CHECK_UNKNOWN);
	check_is(&f, "btf", CHECK_MISSING);
	check_is(&f, "CAP_BPF", CHECK_MISSING);
}

TEST(low_resource_limits_are_reported_as_limits)
{
	static const struct {
		enum limit limit;
		const char *name;
	} low[] = {{LIMIT_FILES, "open_files"},
		   {LIMIT_MEMORY, "virtual_memory"},
		   {LIMIT_DATA, "data_memory"}};

	for (size_t i = 0; i < sizeof(low) / sizeof(low[0]); i++) {
		struct facts f;

		healthy(&f);
		f.limits.value[low[i].limit] = limit_facts[low[i].limit].enough;
		check_is(&f, low[i].name, CHECK_OK);
		f.limits.value[low[i].limit]--;
		check_is(&f, low[i].name, CHECK_LIMITED);
		assert_non_null(strstr(check(&f, low[i].name)->remedy, "ulimit"));
	}
}

TEST(kernel_without_BTF_JIT_or_with_lockdown_is_reported)
{
	struct facts f = healthy_facts();

	f.btf_size = (struct num){.reason = "none"};
	check_says(&f, "btf", CHECK_MISSING, "CONFIG_DEBUG_INFO_BTF");
	f.no_sys = true;
	check_says(&f, "btf", CHECK_MISSING, "mount -t sysfs");
	strcpy(f.env.lockdown, "integrity");
	check_is(&f, "lockdown", CHECK_OK);
	strcpy(f.env.lockdown, "confidentiality");
	check_is(&f, "lockdown", CHECK_MISSING);
	f.bpf_jit_enable.value = 0;
	check_is(&f, "bpf_jit", CHECK_LIMITED);
}

TEST(clock_that_costs_900_ns_is_a_limit)
{
	struct facts f = healthy_facts();

	strcpy(f.env.clocksource, "hpet");
	check_is(&f, "clocksource", CHECK_OK); /* its cost counts, not its name */
	f.clock_ns.value = 900;
	check_says(&f, "clocksource", CHECK_LIMITED, "hpet, 900 ns");
	assert_non_null(strstr(check(&f, "clocksource")->remedy, "clocksource=tsc"));
	strcpy(f.clocksources, "hpet acpi_pm");
	assert_non_null(strstr(check(&f, "clocksource")->remedy, "no cheaper one"));
}

TEST(missing_capabilities_are_reported_with_a_remedy)
{
	struct facts f = healthy_facts();

	drop(&f, CAP_BPF);
	check_says(&f, "CAP_BPF", CHECK_OK, "CAP_SYS_ADMIN replaces it");
	drop(&f, CAP_SYS_ADMIN);
	check_is(&f, "CAP_BPF", CHECK_MISSING);
	check_is(&f, "CAP_PERFMON", CHECK_OK);
	check_is(&f, "CAP_SYS_ADMIN", CHECK_LIMITED);
	assert_non_null(strstr(check(&f, "CAP_BPF")->remedy, "this root is without it"));
	f.root = false;
	assert_non_null(strstr(check(&f, "CAP_BPF")->remedy, "sudo"));
	drop(&f, CAP_SYS_RESOURCE);
	check_is(&f, "CAP_SYS_RESOURCE", CHECK_OK); /* it was not needed */
	f.loaded = false;
	check_is(&f, "CAP_SYS_RESOURCE", CHECK_LIMITED);
}

/* Root in a rootless container has all capabilities, but the kernel refuses every program. */
TEST(cpu_quota_below_the_cpus_limits_a_run)
{
	struct facts f = healthy_facts();
	struct real *quota = &f.env.machine.quota;

	check_says(&f, "cpu_quota", CHECK_OK, "none");
	*quota = real__known(f.env.cpus);
	check_is(&f, "cpu_quota", CHECK_OK);
	*quota = real__known(0.2);
	check_says(&f, "cpu_quota", CHECK_LIMITED, "0.20 CPUs of 2");
	check_says(&f, "cpu_quota", CHECK_LIMITED, "cpu.max");
	*quota = real__unknown("the cgroup is not mounted here");
	check_says(&f, "cpu_quota", CHECK_UNKNOWN, "not mounted");
}

TEST(capabilities_of_a_user_namespace_count_only_if_programs_load)
{
	struct facts f = healthy_facts();

	f.namespaced = true;
	check_is(&f, "CAP_BPF", CHECK_OK); /* programs were loaded, by a BPF token */
	f.loaded = false;
	check_is(&f, "CAP_BPF", CHECK_MISSING);
	check_is(&f, "CAP_PERFMON", CHECK_MISSING);
	check_is(&f, "CAP_NET_ADMIN", CHECK_OK);
	assert_non_null(strstr(check(&f, "CAP_BPF")->remedy, "outside"));
	check_is(&f, "perf_event_paranoid", CHECK_LIMITED);
}

TEST(perf_event_paranoid_matters_without_privileges_only)
{
	struct facts f = healthy_facts();

	f.perf_event_paranoid.value = 4;
	check_is(&f, "perf_event_paranoid", CHECK_OK);
	memset(f.held, 0, sizeof(f.held));
	check_is(&f, "perf_event_paranoid", CHECK_LIMITED);
	f.perf_event_paranoid.value = -1;
	check_says(&f, "perf_event_paranoid", CHECK_OK, "-1");
}

TEST(low_optmem_max_and_memlock_are_limits)
{
	struct facts f = healthy_facts();

	f.env.optmem_max = known(20480); /* Linux 5.10 */
	check_is(&f, "optmem_max", CHECK_LIMITED);
	f.env.memlock = known(65536);
	check_is(&f, "memlock", CHECK_LIMITED);
	f.env.memlock = known(UINT64_MAX);
	assert_string_equal(check(&f, "memlock")->value, "unlimited");
}

TEST(device_without_scatter_gather_is_a_limit)
{
	struct facts f = healthy_facts();

	f.env.device_scatter_gather.value = false;
	check_says(&f, "scatter_gather", CHECK_LIMITED, "ethtool -K lo sg on");
	f.env.device_tx_checksum = (struct flag){.reason = "could not be asked"};
	check_is(&f, "tx_checksum", CHECK_UNKNOWN);
	f.path_err = -EPERM;
	f.path_step = "create a network namespace";
	f.path = "veth";
	f.root = false;
	check_says(&f, "device", CHECK_UNKNOWN, "create a network namespace");
	assert_non_null(strstr(check(&f, "device")->remedy, "sudo"));
}

TEST(packet_taps_are_named_with_a_remedy)
{
	struct facts f = healthy_facts();
	struct tap *t;

	t = &f.env.taps.list[0];
	f.env.taps.nr = 1;
	*t = (struct tap){.device = "lo", .process = "lldpd", .inode = 7, .function = "packet_rcv"};
	t->pid = known(99);
	check_says(&f, "packet_tap", CHECK_LIMITED, "lo (lldpd, pid 99), packet_rcv");
	assert_non_null(strstr(check(&f, "packet_tap")->remedy, "end lldpd (pid 99)"));
	t->pid = (struct num){.reason = "only root can see which process holds it"};
	assert_non_null(strstr(check(&f, "packet_tap")->remedy, "only root can see"));
	*t = (struct tap){.device = "lo", .function = "other_recv"};
	assert_non_null(strstr(check(&f, "packet_tap")->remedy, "other_recv"));
	f.env.taps = (struct taps){.reason = "no path was made"};
	check_is(&f, "packet_tap", CHECK_UNKNOWN);
}

TEST(pacing_congestion_control_is_a_limit)
{
	struct facts f = healthy_facts();

	strcpy(f.env.congestion.system, "bbr");
	check_says(&f, "congestion", CHECK_LIMITED, "unless --congestion system is given");
}

/* More taps than the list can hold must not overflow it. */
TEST(list_of_checks_does_not_overflow)
{
	struct check checks[CHECKS_MAX + 1];
	struct facts f = healthy_facts();

	memset(&checks[CHECKS_MAX], 0x5a, sizeof(checks[0]));
	f.env.taps.nr = TAPS_MAX;
	for (int i = 0; i < TAPS_MAX; i++)
		f.env.taps.list[i] = (struct tap){.inode = 1, .pid = {.reason = "hidden"}};
	assert_in_range(doctor__check(&f, checks), TAPS_MAX, CHECKS_MAX);
	for (size_t i = 0; i < sizeof(checks[0]); i++)
		assert_int_equal(((unsigned char *)&checks[CHECKS_MAX])[i], 0x5a);
}
