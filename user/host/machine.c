/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading the machine's setup and CPU times; see machine.h. */
#include "machine.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/procfile.h"
#include "preempt.h"

#define CPUS            "/sys/devices/system/cpu"
#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities"

/* "always [madvise] never": the word in brackets is active. */
static void bracketed(const char *path, char *out, size_t len)
{
	char text[128], *word, *end;

	out[0] = '\0';
	if (procfile__line(path, text, sizeof(text)))
		return;
	word = strchr(text, '[');
	end = word ? strchr(word, ']') : NULL;
	if (!end)
		return;
	*end = '\0';
	snprintf(out, len, "%s", word + 1);
}

/* cpu0, cpu12; not cpufreq. */
static int is_cpu(const struct dirent *d)
{
	return !strncmp(d->d_name, "cpu", 3) && d->d_name[3] >= '0' && d->d_name[3] <= '9';
}

static void add_governor(struct machine *m, const char *name)
{
	if (m->governor[0] && strcmp(m->governor, name))
		name = "mixed";
	snprintf(m->governor, sizeof(m->governor), "%s", name);
}

/* "mixed" if CPUs differ. CPU numbers may have gaps, and an offline CPU has no governor. */
static void read_governor(struct machine *m)
{
	struct dirent **names = NULL;
	int n = scandir(CPUS, &names, is_cpu, NULL);

	for (int i = 0; i < n; i++) {
		char path[320], name[sizeof(m->governor)];

		snprintf(path, sizeof(path), CPUS "/%s/cpufreq/scaling_governor", names[i]->d_name);
		if (!procfile__line(path, name, sizeof(name)))
			add_governor(m, name);
		free(names[i]);
	}
	free(names);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Names of the vulnerabilities that the kernel mitigates; mitigations slow down system calls. */
static void read_mitigations(struct machine *m)
{
	struct dirent **names = NULL;
	int n = scandir(VULNERABILITIES, &names, visible, by_name);
	size_t used = 0;

	m->mitigations_known = n >= 0;
	for (int i = 0; i < n; i++) {
		char path[320], line[256];

		snprintf(path, sizeof(path), VULNERABILITIES "/%s", names[i]->d_name);
		if (!procfile__line(path, line, sizeof(line)) &&
		    !strncmp(line, "Mitigation:", strlen("Mitigation:")) &&
		    used < sizeof(m->mitigations))
			used += (size_t)snprintf(m->mitigations + used,
						 sizeof(m->mitigations) - used, "%s%s",
						 used ? " " : "", names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

static int node(const struct dirent *d)
{
	return !strncmp(d->d_name, "node", 4) && d->d_name[4] >= '0' && d->d_name[4] <= '9';
}

static void read_nodes(struct machine *m)
{
	struct dirent **names = NULL;
	int n = scandir("/sys/devices/system/node", &names, node, NULL);

	m->numa_nodes = (struct num){.reason = "this kernel knows no NUMA nodes"};
	if (n > 0)
		m->numa_nodes = (struct num){.value = (uint64_t)n, .known = true};
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static void read_load(struct machine *m)
{
	char line[64];

	m->load = (struct real){.reason = "/proc/loadavg cannot be read"};
	if (procfile__line("/proc/loadavg", line, sizeof(line)))
		return;
	m->load = (struct real){.value = strtod(line, NULL), .known = true};
}

static void read_time(struct machine *m)
{
	time_t now = time(NULL);
	struct tm utc;

	if (gmtime_r(&now, &utc))
		strftime(m->started, sizeof(m->started), "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void machine__read(struct machine *m)
{
	struct utsname name;

	memset(m, 0, sizeof(*m));
	if (!uname(&name))
		snprintf(m->host, sizeof(m->host), "%.*s", (int)sizeof(m->host) - 1, name.nodename);
	read_time(m);
	m->preemption = preempt__read();
	read_governor(m);
	read_mitigations(m);
	bracketed("/sys/kernel/mm/transparent_hugepage/enabled", m->huge_pages,
		  sizeof(m->huge_pages));
	read_nodes(m);
	read_load(m);
	m->steal = (struct real){.reason = "the session has not ended"};
}

void machine__times(struct cpu_times *t)
{
	uint64_t v[8] = {0};
	char line[256];

	*t = (struct cpu_times){0};
	if (procfile__line("/proc/stat", line, sizeof(line)))
		return;
	/* user nice system idle iowait irq softirq steal; user includes guest time (proc.rst) */
	if (sscanf(line,
		   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) != 8)
		return;
	t->known = true;
	for (size_t i = 0; i < 8; i++)
		t->total += v[i];
	t->steal = v[7];
}

struct real machine__steal(const struct cpu_times *begin, const struct cpu_times *end)
{
	if (!begin->known || !end->known)
		return (struct real){.reason = "/proc/stat does not tell it"};
	if (end->total <= begin->total || end->steal < begin->steal)
		return (struct real){.reason = "no CPU time passed"};
	return (struct real){
		.value = (double)(end->steal - begin->steal) / (double)(end->total - begin->total),
		.known = true,
	};
}
