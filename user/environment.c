/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the description of the machine and kernel a result was made on, read from /proc and /sys;
 * see environment.h. Knows nothing of what the description is for.
 */
#include "environment.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "netns.h"
#include "units.h"

#define OPTMEM_MAX "/proc/sys/net/core/optmem_max"

/* Cuts white space off both ends, in place. */
static char *text__trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return s;
}

/* The first line of a file, trimmed: 0, or -errno with line empty. */
static int file__first_line(const char *path, char *line, size_t len)
{
	char buf[512];
	FILE *f;
	int err = 0;

	line[0] = '\0';
	f = fopen(path, "re");
	if (!f)
		return -errno;
	if (fgets(buf, sizeof(buf), f))
		snprintf(line, len, "%s", text__trim(buf));
	else
		err = -EIO;
	fclose(f);
	return err;
}

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

/* One "key : value" line of /proc/cpuinfo; keys differ between architectures. */
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

/* The first processor stands for all. */
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
	if (file__first_line("/sys/class/dmi/id/product_name", product, sizeof(product)) ||
	    !product[0])
		strcpy(env->virtualization, "vm");
	else
		snprintf(env->virtualization, sizeof(env->virtualization), "vm (%s)", product);
}

static int optmem__read(void *text)
{
	return file__first_line(OPTMEM_MAX, text, UNITS_BUF);
}

/* A value of the sender's namespace since Linux 6.8; before that of the machine, and only there. */
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

/* "none [integrity] confidentiality": the bracketed word is in force. */
static void environment__read_lockdown(struct environment *env)
{
	char text[128], *word, *end;

	if (file__first_line("/sys/kernel/security/lockdown", text, sizeof(text)))
		return;
	word = strchr(text, '[');
	end = word ? strchr(word, ']') : NULL;
	if (!end)
		return;
	*end = '\0';
	snprintf(env->lockdown, sizeof(env->lockdown), "%s", word + 1);
}

static void environment__read_path(struct environment *env, const struct netpath *path)
{
	if (!path) {
		env->ipv6 = !access("/proc/net/if_inet6", F_OK);
		return;
	}
	snprintf(env->path, sizeof(env->path), "%s", netpath__name(netpath__kind(path)));
	snprintf(env->device, sizeof(env->device), "%s", netpath__device(path));
	env->mtu = netpath__mtu(path);
	env->ipv6 = strchr(netpath__address(path), ':');
}

void environment__read(struct environment *env, const struct netpath *path)
{
	memset(env, 0, sizeof(*env));
	environment__read_kernel(env);
	environment__read_cpu(env);
	environment__read_path(env, path);
	file__first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			 env->clocksource, sizeof(env->clocksource));
	environment__read_optmem(env, path);
	environment__read_memlock(env);
	environment__read_lockdown(env);
}

bool environment__is_virtual(const struct environment *env)
{
	return !strncmp(env->virtualization, "vm", 2);
}
