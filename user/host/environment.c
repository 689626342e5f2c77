/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading the machine and kernel behind a result; see environment.h. */
#include "environment.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>

#include "netns.h"
#include "base/read_file.h"
#include "machine.h"
#include "rtnl.h"
#include "tap.h"
#include "common/units.h"
#include "common/xalloc.h"

#define OPTMEM_MAX "/proc/sys/net/core/optmem_max"
#define IPV4       "/proc/sys/net/ipv4/"

static void environment__read_kernel(struct environment *env)
{
	struct utsname name;

	if (!uname(&name))
		snprintf(env->kernel, sizeof(env->kernel), "%s", name.release);
}

enum hypervisor {
	HYPERVISOR_UNKNOWN, /* this architecture has no such flag */
	HYPERVISOR_NO,
	HYPERVISOR_YES,
};

struct cpuinfo {
	char model[128];
	enum hypervisor hypervisor;
};

/* Takes a "key : value" line of /proc/cpuinfo; keys differ between architectures. */
static void cpuinfo__take(struct cpuinfo *info, char *line)
{
	char *value = strchr(line, ':'), *key, *flag, *save;

	if (!value)
		return;
	*value++ = '\0';
	key = text__trim(line);
	if (!strcmp(key, "model name"))
		snprintf(info->model, sizeof(info->model), "%s", text__trim(value));
	if (strcmp(key, "flags"))
		return;
	info->hypervisor = HYPERVISOR_NO;
	for (flag = strtok_r(value, " \t\n", &save); flag; flag = strtok_r(NULL, " \t\n", &save))
		if (!strcmp(flag, "hypervisor"))
			info->hypervisor = HYPERVISOR_YES;
}

/* Reads the first processor only. */
static void cpuinfo__read(struct cpuinfo *info)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[8192];

	memset(info, 0, sizeof(*info));
	if (!f)
		return;
	while (fgets(line, sizeof(line), f) && line[0] != '\n')
		cpuinfo__take(info, line);
	fclose(f);
}

static void environment__read_cpu(struct environment *env)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct cpuinfo info;
	char product[40];

	cpuinfo__read(&info);
	snprintf(env->cpu, sizeof(env->cpu), "%s", info.model);
	env->cpus = cpus > 0 ? cpus : 0;
	if (info.hypervisor == HYPERVISOR_NO)
		strcpy(env->virtualization, "none");
	if (info.hypervisor != HYPERVISOR_YES)
		return;
	if (read_file__line("/sys/class/dmi/id/product_name", product, sizeof(product)) ||
	    !product[0])
		strcpy(env->virtualization, "vm");
	else
		snprintf(env->virtualization, sizeof(env->virtualization), "vm (%s)", product);
}

static int optmem__read(void *text)
{
	return read_file__line(OPTMEM_MAX, text, UNITS_BUF);
}

/* Per network namespace since Linux 6.8; before, only the initial namespace has the file. */
static void environment__read_optmem(struct environment *env, const struct netpath *path)
{
	int netns = path ? netpath__netns(path, NIO_SIDE_SENDER) : -1;
	struct num *n = &env->optmem_max;
	char text[UNITS_BUF];
	int err;

	err = netns__visit(netns, optmem__read, text);
	if (err == -ENOENT)
		err = optmem__read(text);
	if (!err)
		err = parse_count(text, 0, UINT64_MAX, &n->value);
	n->known = !err;
	n->reason = err ? "net.core.optmem_max cannot be read" : NULL;
}

static int congestion__read(void *arg)
{
	struct congestion *c = arg;
	int err = read_file__line(IPV4 "tcp_congestion_control", c->system, sizeof(c->system));

	/* Before 4.15 only the initial namespace had this file. */
	read_file__line(IPV4 "tcp_allowed_congestion_control", c->allowed, sizeof(c->allowed));
	return err;
}

int environment__own_congestion(struct congestion *c)
{
	memset(c, 0, sizeof(*c));
	return congestion__read(c);
}

static void environment__read_congestion(struct environment *env, const struct netpath *path)
{
	int netns = path ? netpath__netns(path, NIO_SIDE_SENDER) : -1;

	netns__visit(netns, congestion__read, &env->congestion);
	if (!env->congestion.allowed[0])
		read_file__line(IPV4 "tcp_allowed_congestion_control", env->congestion.allowed,
				sizeof(env->congestion.allowed));
}

static int qdisc__read(void *arg)
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

static void environment__read_memlock(struct environment *env)
{
	struct num *n = &env->memlock;
	struct rlimit limit;

	n->known = !getrlimit(RLIMIT_MEMLOCK, &limit);
	if (n->known)
		n->value = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
	else
		n->reason = "getrlimit(RLIMIT_MEMLOCK) failed";
}

/* ---- features of the device that matter to zero-copy sends, by ethtool ---- */

struct device_features {
	const char *device;  /* in: name in the caller's network namespace */
	bool ipv6;           /* in: address family of tx_checksum and tso */
	bool scatter_gather; /* NETIF_F_SG is active: payload may be in pages */
	bool tx_checksum;    /* TCP checksum offload is active */
	bool tso, gso, gro;
};

/* A kernel has about 60 features; refuse absurd counts. */
#define FEATURES_MAX 1024

struct feature_table {
	uint32_t nr;
	struct ethtool_gstrings *names;
	struct ethtool_gfeatures *states;
};

static int device__request(int fd, const char *device, void *request)
{
	struct ifreq ifr = {.ifr_data = request};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", device);
	return ioctl(fd, SIOCETHTOOL, &ifr) ? -errno : 0;
}

static int device__count_features(int fd, const char *device, uint32_t *nr)
{
	struct {
		struct ethtool_sset_info header;
		uint32_t count;
	} info = {
		.header = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_FEATURES},
	};
	int err = device__request(fd, device, &info);

	if (err)
		return err;
	*nr = info.header.sset_mask ? info.count : 0;
	return *nr && *nr <= FEATURES_MAX ? 0 : -EOPNOTSUPP;
}

static void feature_table__clear(struct feature_table *t)
{
	free(t->names);
	free(t->states);
}

static int feature_table__read(struct feature_table *t, int fd, const char *device)
{
	uint32_t blocks;
	int err;

	err = device__count_features(fd, device, &t->nr);
	if (err)
		return err;
	blocks = (t->nr + 31) / 32;
	t->names = xcalloc(1, sizeof(*t->names) + (size_t)t->nr * ETH_GSTRING_LEN);
	t->states = xcalloc(1, sizeof(*t->states) + blocks * sizeof(t->states->features[0]));
	t->names->cmd = ETHTOOL_GSTRINGS;
	t->names->string_set = ETH_SS_FEATURES;
	t->names->len = t->nr;
	err = device__request(fd, device, t->names);
	if (err)
		return err;
	t->states->cmd = ETHTOOL_GFEATURES;
	t->states->size = blocks;
	return device__request(fd, device, t->states);
}

static bool feature_table__find(const struct feature_table *t, const char *name, uint32_t *index)
{
	const char *names = (const char *)t->names->data;

	for (*index = 0; *index < t->nr; ++*index)
		if (!strncmp(names + (size_t)*index * ETH_GSTRING_LEN, name, ETH_GSTRING_LEN))
			return true;
	return false;
}

static bool feature_table__active(const struct feature_table *t, const char *name)
{
	uint32_t i;

	return feature_table__find(t, name, &i) &&
	       (t->states->features[i / 32].active & 1U << i % 32);
}

static int feature_table__judge(const struct feature_table *t, struct device_features *f)
{
	uint32_t i;

	if (!feature_table__find(t, "tx-scatter-gather", &i))
		return -EOPNOTSUPP;
	f->scatter_gather = feature_table__active(t, "tx-scatter-gather");
	f->tx_checksum =
		feature_table__active(t, "tx-checksum-ip-generic") ||
		feature_table__active(t, f->ipv6 ? "tx-checksum-ipv6" : "tx-checksum-ipv4");
	f->tso = feature_table__active(t, f->ipv6 ? "tx-tcp6-segmentation" : "tx-tcp-segmentation");
	f->gso = feature_table__active(t, "tx-generic-segmentation");
	f->gro = feature_table__active(t, "rx-gro");
	return 0;
}

/*
 * Reads the active features by name (ETHTOOL_GFEATURES; numbers differ between kernels). arg: a
 * struct device_features. 0 or -errno; -EOPNOTSUPP: the kernel lacks these names.
 */
static int device__read(void *arg)
{
	struct device_features *f = arg;
	struct feature_table table = {0};
	int fd, err;

	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	err = feature_table__read(&table, fd, f->device);
	if (!err)
		err = feature_table__judge(&table, f);
	feature_table__clear(&table);
	close(fd);
	return err;
}

static void environment__read_features(struct environment *env, const struct netpath *path)
{
	struct device_features f = {.device = env->device, .ipv6 = env->ipv6};
	int netns = netpath__netns(path, NIO_SIDE_SENDER);
	int err = netns__visit(netns, device__read, &f);
	const char *reason = err == -EOPNOTSUPP ? "this kernel does not tell it by ethtool"
			     : err              ? "the device could not be asked"
						: NULL;
	const struct {
		struct flag *to;
		const bool *from;
	} flags[] = {
		{&env->device_scatter_gather, &f.scatter_gather},
		{&env->device_tx_checksum, &f.tx_checksum},
		{&env->tso, &f.tso},
		{&env->gso, &f.gso},
		{&env->gro, &f.gro},
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		*flags[i].to =
			(struct flag){.value = *flags[i].from, .known = !err, .reason = reason};
}

static void environment__read_path(struct environment *env, const struct netpath *path)
{
	if (!path) {
		env->ipv6 = !access("/proc/net/if_inet6", F_OK);
		env->device_scatter_gather.reason = "no path was made";
		env->device_tx_checksum.reason = "no path was made";
		env->tso = env->gso = env->gro = env->device_tx_checksum;
		return;
	}
	snprintf(env->path, sizeof(env->path), "%s", netpath__name(netpath__kind(path)));
	snprintf(env->device, sizeof(env->device), "%s", netpath__device(path));
	env->mtu = netpath__mtu(path);
	env->ipv6 = strchr(netpath__address(path), ':');
	environment__read_features(env, path);
	netns__visit(netpath__netns(path, NIO_SIDE_SENDER), qdisc__read, env);
}

void environment__read(struct environment *env, const struct netpath *path,
		       struct flag tap_per_netns)
{
	memset(env, 0, sizeof(*env));
	env->taps.per_netns = tap_per_netns;
	environment__read_kernel(env);
	environment__read_cpu(env);
	environment__read_path(env, path);
	read_file__line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			env->clocksource, sizeof(env->clocksource));
	environment__read_optmem(env, path);
	environment__read_memlock(env);
	machine__active_word("/sys/kernel/security/lockdown", env->lockdown, sizeof(env->lockdown));
	environment__read_congestion(env, path);
	machine__read(&env->machine);
	tap__look(&env->taps, path);
}

bool environment__is_virtual(const struct environment *env)
{
	return !strncmp(env->virtualization, "vm", 2);
}
