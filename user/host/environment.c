/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading the machine and kernel behind a result; see environment.h. */
#include "environment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "device.h"
#include "netns.h"
#include "base/procfile.h"
#include "machine.h"
#include "rtnl.h"
#include "tap.h"
#include "common/units.h"

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
	if (procfile__line("/sys/class/dmi/id/product_name", product, sizeof(product)) ||
	    !product[0])
		strcpy(env->virtualization, "vm");
	else
		snprintf(env->virtualization, sizeof(env->virtualization), "vm (%s)", product);
}

static int optmem__read(void *text)
{
	return procfile__line(OPTMEM_MAX, text, UNITS_BUF);
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
	int err = procfile__line(IPV4 "tcp_congestion_control", c->system, sizeof(c->system));

	/* Before 4.15 only the initial namespace had this file. */
	procfile__line(IPV4 "tcp_allowed_congestion_control", c->allowed, sizeof(c->allowed));
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
		procfile__line(IPV4 "tcp_allowed_congestion_control", env->congestion.allowed,
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

/* "none [integrity] confidentiality": the word in brackets is active. */
static void environment__read_lockdown(struct environment *env)
{
	char text[128], *word, *end;

	if (procfile__line("/sys/kernel/security/lockdown", text, sizeof(text)))
		return;
	word = strchr(text, '[');
	end = word ? strchr(word, ']') : NULL;
	if (!end)
		return;
	*end = '\0';
	snprintf(env->lockdown, sizeof(env->lockdown), "%s", word + 1);
}

static void environment__read_features(struct environment *env, const struct netpath *path)
{
	struct device_features f = {.device = env->device, .ipv6 = env->ipv6};
	int netns = netpath__netns(path, NIO_SIDE_SENDER);
	int err = netns__visit(netns, device__read_features, &f);
	const char *reason = err == -EOPNOTSUPP ? "this kernel does not tell it by ethtool"
			     : err              ? "the device could not be asked"
						: NULL;

	env->device_scatter_gather =
		(struct flag){.value = f.scatter_gather, .known = !err, .reason = reason};
	env->device_tx_checksum =
		(struct flag){.value = f.tx_checksum, .known = !err, .reason = reason};
	env->tso = (struct flag){.value = f.tso, .known = !err, .reason = reason};
	env->gso = (struct flag){.value = f.gso, .known = !err, .reason = reason};
	env->gro = (struct flag){.value = f.gro, .known = !err, .reason = reason};
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
	procfile__line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		       env->clocksource, sizeof(env->clocksource));
	environment__read_optmem(env, path);
	environment__read_memlock(env);
	environment__read_lockdown(env);
	environment__read_congestion(env, path);
	machine__read(&env->machine);
	tap__look(&env->taps, path);
}

bool environment__is_virtual(const struct environment *env)
{
	return !strncmp(env->virtualization, "vm", 2);
}
