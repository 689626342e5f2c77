/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading the machine and kernel behind a result; see environment.h. */
#include "environment.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/mount.h>
#include <linux/sockios.h>

#include "netns.h"
#include "base/printable.h"
#include "base/read_file.h"
#include "cgroup_cpu.h"
#include "machine.h"
#include "netlink.h"
#include "common/units.h"
#include "common/xalloc.h"

#define IPV4 "/proc/sys/net/ipv4/"

/* Does a line of /proc/cpuinfo say that software executes the instructions? QEMU names its x86; Arm
 * reserves implementer 0 for software, which QEMU's "max" has. A copy of a real CPU is not
 * detected. */
static bool names_emulator(const char *key, const char *value)
{
	if (!strcmp(key, "CPU implementer"))
		return !strtoul(value, NULL, 0);
	return !strcmp(key, "model name") && strstr(value, "QEMU TCG CPU");
}

static void read_cpu(struct environment *env)
{
	bool has_flags = false, is_virtual = false, is_emulated = false;
	FILE *f = fopen("/proc/cpuinfo", "re");
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char line[8192], product[128], *value, *key;

	/* "key : value" of the first processor; keys differ between architectures. */
	while (f && fgets(line, sizeof(line), f) && line[0] != '\n') {
		value = strchr(line, ':');
		if (!value)
			continue;
		*value++ = '\0';
		key = text__trim(line);
		if (!strcmp(key, "model name"))
			snprintf(env->cpu, sizeof(env->cpu), "%.*s", (int)sizeof(env->cpu) - 1,
				 text__trim(value));
		if (!strcmp(key, "flags")) {
			has_flags = true;
			is_virtual = strstr(value, " hypervisor");
		}
		is_emulated |= names_emulator(key, value);
	}
	if (f)
		fclose(f);
	env->cpus = cpus > 0 ? cpus : 0;
	if (is_emulated)
		strcpy(env->virtualization, "vm, emulated");
	else if (is_virtual &&
		 !read_file__line("/sys/class/dmi/id/product_name", product, sizeof(product)) &&
		 product[0])
		append__text(env->virtualization, sizeof(env->virtualization), "vm (%s)", product);
	else if (has_flags)
		strcpy(env->virtualization, is_virtual ? "vm" : "none");
}

static int read_optmem(void *text)
{
	return read_file__line("/proc/sys/net/core/optmem_max", text, UNITS_BUF);
}

/* Per network namespace since Linux 6.8; before, only the initial namespace has the file. */
static struct num optmem_of(int netns)
{
	char text[UNITS_BUF];
	uint64_t bytes;
	int err = netns__visit(netns, read_optmem, text);

	if (err == -ENOENT)
		err = read_optmem(text);
	if (err || parse_count(text, 0, UINT64_MAX, &bytes))
		return num__unknown("net.core.optmem_max cannot be read");
	return num__known(bytes);
}

#define AVAILABLE_CONGESTION IPV4 "tcp_available_congestion_control"
#define ALLOWED_CONGESTION   IPV4 "tcp_allowed_congestion_control"

static int read_congestion(void *arg)
{
	struct congestion *c = arg;
	int err = read_file__line(IPV4 "tcp_congestion_control", c->system, sizeof(c->system));

	/* Before 4.15 only the initial namespace had this file. */
	read_file__line(AVAILABLE_CONGESTION, c->available, sizeof(c->available));
	read_file__line(ALLOWED_CONGESTION, c->allowed, sizeof(c->allowed));
	return err;
}

int environment__own_congestion(struct congestion *c)
{
	memset(c, 0, sizeof(*c));
	return read_congestion(c);
}

/* ---- sysctls: one row each in model/sysctl.h ---- */

#define SYSCTL_PATH(x, kind, key, path, unit) [SYSCTL_##key] = "/proc/sys/" path,
static const char *const sysctl_paths[SYSCTL_NR] = {SYSCTLS(SYSCTL_PATH, )};

/* Reads those that no file was found for. */
static int read_sysctls(void *sysctls)
{
	struct sysctl *s = sysctls;

	for (size_t i = 0; i < SYSCTL_NR; i++) {
		if (s[i].reason != read_file__reason(-ENOENT))
			continue;
		s[i].reason = read_file__reason(
			read_file__line(sysctl_paths[i], s[i].text, sizeof(s[i].text)));
		/* The kernel separates numbers by tabs. */
		for (char *tab = s[i].text; (tab = strchr(tab, '\t'));)
			*tab = ' ';
	}
	return 0;
}

/* Those that only the initial network namespace has hold for every namespace. */
static void read_all_sysctls(struct environment *env, int netns)
{
	for (size_t i = 0; i < SYSCTL_NR; i++)
		env->sysctls[i] = (struct sysctl){.reason = read_file__reason(-ENOENT)};
	if (!netns__visit(netns, read_sysctls, env->sysctls))
		read_sysctls(env->sysctls);
}

/* ---- receive packet steering: Documentation/networking/scaling.rst ---- */

/*
 * A sysfs shows the network namespace in which it was mounted, so that of another needs a mount of
 * its own (Linux 5.2), which no path leads to. A descriptor, or -errno.
 */
static int open_sysfs(bool own_namespace)
{
	int context = (int)syscall(SYS_fsopen, "sysfs", FSOPEN_CLOEXEC), fd = -1, err;

	if (context >= 0 && !syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
	err = -errno;
	if (context >= 0)
		close(context);
	if (fd < 0 && own_namespace)
		fd = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err : fd;
}

struct rps {
	const char *device;
	bool own_namespace;
	struct sysctl *to;
};

/* Each mask of the device's receive queues once. */
static int read_masks(void *arg)
{
	const struct rps *r = arg;
	int sysfs = open_sysfs(r->own_namespace);
	char pattern[128], mask[sizeof(r->to->text)];
	glob_t found;
	int err;

	if (sysfs < 0)
		return sysfs;
	snprintf(pattern, sizeof(pattern), "/proc/self/fd/%d/class/net/%s/queues/rx-*/rps_cpus",
		 sysfs, r->device);
	err = glob(pattern, 0, NULL, &found) ? -ENOENT : 0;
	for (size_t i = 0; !err && i < found.gl_pathc; i++) {
		err = read_file__line(found.gl_pathv[i], mask, sizeof(mask));
		if (!err && !strstr(r->to->text, mask))
			append__text(r->to->text, sizeof(r->to->text), "%s%s",
				     r->to->text[0] ? " " : "", mask);
	}
	globfree(&found);
	close(sysfs);
	return err;
}

static void read_rps(struct environment *env, int netns)
{
	struct rps r = {env->device, netns < 0, &env->rps};
	int err;

	memset(&env->rps, 0, sizeof(env->rps));
	err = netns__visit(netns, read_masks, &r);
	if (err)
		env->rps.text[0] = '\0';
	env->rps.reason = err == -EPERM ? "without CAP_SYS_ADMIN, /sys does not show the network "
					  "namespace of the device"
					: read_file__reason(err);
}

static int read_qdisc(void *arg)
{
	struct environment *env = arg;
	struct rtnl_link link;
	struct rtnl rtnl;
	int err = rtnl__open(&rtnl);

	if (err)
		return err;
	err = rtnl__link_get(&rtnl, env->device, &link);
	if (!err)
		snprintf(env->qdisc, sizeof(env->qdisc), "%s", link.qdisc);
	rtnl__close(&rtnl);
	return err;
}

static struct num read_memlock(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return num__unknown("getrlimit(RLIMIT_MEMLOCK) failed");
	return num__known(limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur);
}

/* ---- features of the device that matter to zero-copy sends, by ethtool ---- */

/* A kernel has about 60 features; refuse absurd counts. */
#define FEATURES_MAX 1024

/* By name, since numbers differ between kernels. */
struct feature_table {
	const char *device; /* in the caller's network namespace */
	char driver[32];    /* of the device; empty: unknown */
	uint32_t nr;
	struct ethtool_gstrings *names;
	struct ethtool_gfeatures *states;
};

static int ask_device(int fd, const char *device, void *request)
{
	struct ifreq ifr = {.ifr_data = request};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", device);
	return ioctl(fd, SIOCETHTOOL, &ifr) ? -errno : 0;
}

static int ask_features(struct feature_table *t, int fd)
{
	struct {
		struct ethtool_sset_info header;
		uint32_t count;
	} info = {
		.header = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_FEATURES},
	};
	int err = ask_device(fd, t->device, &info);
	uint32_t blocks;

	if (err)
		return err;
	t->nr = info.header.sset_mask ? info.count : 0;
	if (!t->nr || t->nr > FEATURES_MAX)
		return -EOPNOTSUPP;
	blocks = (t->nr + 31) / 32;
	t->names = xcalloc(1, sizeof(*t->names) + (size_t)t->nr * ETH_GSTRING_LEN);
	t->states = xcalloc(1, sizeof(*t->states) + blocks * sizeof(t->states->features[0]));
	t->names->cmd = ETHTOOL_GSTRINGS;
	t->names->string_set = ETH_SS_FEATURES;
	t->names->len = t->nr;
	t->states->cmd = ETHTOOL_GFEATURES;
	t->states->size = blocks;
	err = ask_device(fd, t->device, t->names);
	return err ? err : ask_device(fd, t->device, t->states);
}

static int read_features(void *table)
{
	struct ethtool_drvinfo driver = {.cmd = ETHTOOL_GDRVINFO};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;
	struct feature_table *t = table;

	if (fd < 0)
		return -errno;
	if (!ask_device(fd, t->device, &driver))
		snprintf(t->driver, sizeof(t->driver), "%.*s", (int)sizeof(t->driver) - 1,
			 driver.driver);
	err = ask_features(t, fd);
	close(fd);
	return err;
}

/* Index of a feature; t->nr: the kernel lacks the name. */
static uint32_t find_feature(const struct feature_table *t, const char *name)
{
	const char *names = (const char *)t->names->data;
	uint32_t i = 0;

	while (i < t->nr && strncmp(names + (size_t)i * ETH_GSTRING_LEN, name, ETH_GSTRING_LEN))
		i++;
	return i;
}

static bool is_active(const struct feature_table *t, const char *name)
{
	uint32_t i = find_feature(t, name);

	return i < t->nr && (t->states->features[i / 32].active & 1U << i % 32);
}

/* ---- accelerated receive flow steering: Documentation/networking/scaling.rst ---- */

/* A number above 0 in the file; -errno: unreadable. */
static int is_above_zero(const char *path)
{
	char text[UNITS_BUF];
	uint64_t n = 0;
	int err = read_file__line(path, text, sizeof(text));

	return err ? err : !parse_count(text, 1, UINT64_MAX, &n);
}

/* Has a queue of the device, in the caller's network namespace, room for flows? -errno: unknown. */
static int has_flows(const char *device)
{
	char pattern[96];
	int any = -ENOENT;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "/sys/class/net/%s/queues/rx-*/rps_flow_cnt", device);
	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && any <= 0; i++)
			any = is_above_zero(found.gl_pathv[i]);
	globfree(&found);
	return any;
}

/* Needs all three: filters in the device, a table of flows, and room for flows in its queues. */
static struct flag read_arfs(const struct feature_table *t)
{
	int flows, table;

	if (!is_active(t, "rx-ntuple-filter"))
		return (struct flag){.known = true};
	table = is_above_zero("/proc/sys/net/core/rps_sock_flow_entries");
	flows = has_flows(t->device);
	if (table < 0 || flows < 0)
		return (struct flag){.reason = "the files of receive flow steering cannot be read"};
	return (struct flag){.value = table && flows, .known = true};
}

/* t: NULL if the features are unknown, with the reason. */
static void set_features(struct environment *env, const struct feature_table *t, const char *reason)
{
	const struct {
		struct flag *to;
		const char *name, *or_name;
	} features[] = {
		{&env->device_scatter_gather, "tx-scatter-gather", ""},
		{&env->device_tx_checksum, "tx-checksum-ip-generic",
		 env->ipv6 ? "tx-checksum-ipv6" : "tx-checksum-ipv4"},
		{&env->tso, env->ipv6 ? "tx-tcp6-segmentation" : "tx-tcp-segmentation", ""},
		{&env->gso, "tx-generic-segmentation", ""},
		{&env->gro, "rx-gro", ""},
	};

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		*features[i].to = (struct flag){
			.value = !reason && t &&
				 (is_active(t, features[i].name) ||
				  is_active(t, features[i].or_name)),
			.known = !reason,
			.reason = reason,
		};
	env->arfs = (struct flag){.reason = reason};
	if (!reason)
		env->arfs = read_arfs(t);
}

static void read_device(struct environment *env, int netns)
{
	struct feature_table t = {.device = env->device};
	int err = netns__visit(netns, read_features, &t);

	if (!err && find_feature(&t, "tx-scatter-gather") == t.nr)
		err = -EOPNOTSUPP;
	set_features(env, &t,
		     err == -EOPNOTSUPP ? "ethtool of this kernel does not name the features"
		     : err              ? "ethtool could not read the device"
					: NULL);
	snprintf(env->driver, sizeof(env->driver), "%s", t.driver);
	free(t.names);
	free(t.states);
	netns__visit(netns, read_qdisc, env);
	read_rps(env, netns);
}

void environment__read_path(struct environment *env, const struct netpath *path)
{
	struct cgroup_cpu cgroup;

	cgroup_cpu__read(&cgroup);
	env->machine.quota = cgroup.quota;
	read_all_sysctls(env, path ? path->netns[NIO_SIDE_SENDER] : -1);
	if (!path) {
		env->rps = (struct sysctl){.reason = "no path was made"};
		env->ipv6 = !access("/proc/net/if_inet6", F_OK);
		set_features(env, NULL, "no path was made");
		return;
	}
	snprintf(env->path, sizeof(env->path), "%s", netpath__name(path->kind));
	snprintf(env->device, sizeof(env->device), "%s", path->device);
	env->mtu = path->mtu;
	env->ipv6 = path->ipv6;
	read_device(env, path->netns[NIO_SIDE_SENDER]);
}

void environment__read(struct environment *env, const struct netpath *path, struct flag irq_time)
{
	int netns = path ? path->netns[NIO_SIDE_SENDER] : -1;
	struct utsname name;

	memset(env, 0, sizeof(*env));
	env->taps.reason = "taps are not looked for";
	if (!uname(&name))
		snprintf(env->kernel, sizeof(env->kernel), "%s", name.release);
	read_cpu(env);
	machine__read(&env->machine, irq_time);
	environment__read_path(env, path);
	read_file__line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			env->clocksource, sizeof(env->clocksource));
	env->optmem_max = optmem_of(netns);
	env->memlock = read_memlock();
	machine__active_word("/sys/kernel/security/lockdown", env->lockdown, sizeof(env->lockdown));
	netns__visit(netns, read_congestion, &env->congestion);
	if (!env->congestion.available[0])
		read_file__line(AVAILABLE_CONGESTION, env->congestion.available,
				sizeof(env->congestion.available));
	if (!env->congestion.allowed[0])
		read_file__line(ALLOWED_CONGESTION, env->congestion.allowed,
				sizeof(env->congestion.allowed));
}

bool environment__is_virtual(const struct environment *env)
{
	return !strncmp(env->virtualization, "vm", 2);
}
