/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading the machine's setup, its CPUs and CPU times; see machine.h. */
#include "machine.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/printable.h"
#include "base/read_file.h"
#include "common/cpu_mask.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "model/preemption.h"

#define CPU             "/sys/devices/system/cpu/cpu"
#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities/"

void machine__active_word(const char *path, char *out, size_t len)
{
	char text[128], *word, *end;

	out[0] = '\0';
	if (read_file__line(path, text, sizeof(text)))
		return;
	word = strchr(text, '[');
	end = word ? strchr(word, ']') : NULL;
	if (!end)
		return;
	*end = '\0';
	snprintf(out, len, "%s", word + 1);
}

/* "mixed" if CPUs differ. CPU numbers may have gaps, and an offline CPU has no governor. */
static void read_governor(struct machine *m)
{
	char name[sizeof(m->governor)];
	glob_t files;

	if (!glob(CPU "[0-9]*/cpufreq/scaling_governor", 0, NULL, &files))
		for (size_t i = 0; i < files.gl_pathc; i++) {
			if (read_file__line(files.gl_pathv[i], name, sizeof(name)))
				continue;
			if (m->governor[0] && strcmp(m->governor, name))
				strcpy(name, "mixed");
			strcpy(m->governor, name);
		}
	globfree(&files);
}

/* Names of the vulnerabilities that the kernel mitigates; mitigations slow down system calls. */
static void read_mitigations(struct machine *m)
{
	char line[1024];
	glob_t files;

	m->mitigations_known = !glob(VULNERABILITIES "*", 0, NULL, &files);
	for (size_t i = 0; m->mitigations_known && i < files.gl_pathc; i++)
		if (!read_file__line(files.gl_pathv[i], line, sizeof(line)) &&
		    !strncmp(line, "Mitigation:", strlen("Mitigation:")))
			append__text(m->mitigations, sizeof(m->mitigations), "%s%s",
				     m->mitigations[0] ? " " : "",
				     files.gl_pathv[i] + strlen(VULNERABILITIES));
	globfree(&files);
}

static void read_nodes(struct machine *m)
{
	glob_t nodes;

	m->numa_nodes = num__unknown("this kernel knows no NUMA nodes");
	if (!glob("/sys/devices/system/node/node[0-9]*", GLOB_NOSORT, NULL, &nodes))
		m->numa_nodes = num__known(nodes.gl_pathc);
	globfree(&nodes);
}

#define CACHE CPU "0/cache/index"

static bool read_cache(unsigned int index, const char *member, char *text, size_t len)
{
	char path[96];

	snprintf(path, sizeof(path), CACHE "%u/%s", index, member);
	return !read_file__line(path, text, len);
}

static void read_caches(struct machine *m)
{
	char level[8], type[16], size[16], text[UNITS_BUF];

	for (unsigned int i = 0; read_cache(i, "level", level, sizeof(level)); i++) {
		if (!read_cache(i, "type", type, sizeof(type)) ||
		    !read_cache(i, "size", size, sizeof(size)))
			continue;
		/* The kernel writes KiB. */
		append__text(m->caches, sizeof(m->caches), "%sL%s%s %s", m->caches[0] ? ", " : "",
			     level,
			     *type == 'D'   ? "d"
			     : *type == 'I' ? "i"
					    : "",
			     format_size(text, sizeof(text), strtoull(size, NULL, 10) << 10));
	}
}

static void read_memory(struct machine *m)
{
	uint64_t kib;
	char line[128];

	m->memory = num__unknown("/proc/meminfo cannot be read");
	if (!read_file__line("/proc/meminfo", line, sizeof(line)) &&
	    sscanf(line, "MemTotal: %" SCNu64 " kB", &kib) == 1)
		m->memory = num__known(kib << 10);
}

static void read_time(struct machine *m)
{
	time_t now = time(NULL);
	struct tm utc;

	if (gmtime_r(&now, &utc))
		strftime(m->started, sizeof(m->started), "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Read only where debugfs is mounted already. */
#define DEBUGFS "/sys/kernel/debug/sched/preempt"

/* The first of the options that the file sets to y; "": none; NULL: the file cannot be read. */
static const char *find_option(const char *path, const char *const *options, size_t nr)
{
	gzFile f = gzopen(path, "re"); /* also reads uncompressed files */
	const char *found = f ? "" : NULL;
	char line[256];

	while (f && !*found && gzgets(f, line, sizeof(line)))
		for (size_t i = 0; i < nr; i++) {
			size_t len = strlen(options[i]);

			if (!strncmp(line, options[i], len) && !strcmp(line + len, "=y\n"))
				found = options[i];
		}
	if (f)
		gzclose(f);
	return found;
}

/* The same of the running kernel's configuration. */
static const char *read_option(const char *const *options, size_t nr)
{
	const char *option = find_option("/proc/config.gz", options, nr);
	struct utsname name;
	char path[128];

	if (option || uname(&name))
		return option;
	snprintf(path, sizeof(path), "/boot/config-%s", name.release);
	return find_option(path, options, nr);
}

static struct flag read_irq_time(struct flag by_types)
{
	static const char *const options[] = {"CONFIG_IRQ_TIME_ACCOUNTING"};
	const char *option = read_option(options, 1);

	return option ? (struct flag){.value = *option, .known = true} : by_types;
}

/* The active preemption model, a static string; NULL: unknown. */
static const char *read_preemption(void)
{
	static const char *const options[] = {"CONFIG_PREEMPT", "CONFIG_PREEMPT_NONE",
					      "CONFIG_PREEMPT_VOLUNTARY", "CONFIG_PREEMPT_LAZY"};
	char debugfs[64], cmdline[4096];
	struct preemption_signs signs = {0};
	struct utsname name;

	if (!read_file__line(DEBUGFS, debugfs, sizeof(debugfs)))
		signs.debugfs = debugfs;
	if (!read_file__line("/proc/cmdline", cmdline, sizeof(cmdline)))
		signs.cmdline = cmdline;
	if (uname(&name))
		return preemption__model(&signs);
	signs.version = name.version;
	signs.config = read_option(options, sizeof(options) / sizeof(options[0]));
	if (signs.config && !*signs.config)
		signs.config = NULL;
	return preemption__model(&signs);
}

struct real machine__load(void)
{
	double load;

	return getloadavg(&load, 1) == 1 ? real__known(load)
					 : real__unknown("/proc/loadavg cannot be read");
}

void machine__read(struct machine *m, struct flag irq_time)
{
	static const char not_ended[] = "the session has not ended";
	const struct num later = num__unknown(not_ended);
	struct utsname name;

	memset(m, 0, sizeof(*m));
	if (!uname(&name))
		snprintf(m->host, sizeof(m->host), "%.*s", (int)sizeof(m->host) - 1, name.nodename);
	read_file__line("/proc/sys/kernel/random/boot_id", m->boot_id, sizeof(m->boot_id));
	read_time(m);
	m->preemption = read_preemption();
	read_governor(m);
	read_mitigations(m);
	machine__active_word("/sys/kernel/mm/transparent_hugepage/enabled", m->huge_pages,
			     sizeof(m->huge_pages));
	read_nodes(m);
	read_caches(m);
	read_memory(m);
	m->irq_time = read_irq_time(irq_time);
	m->load = machine__load();
	m->load_end = m->steal = m->others = real__unknown(not_ended);
	m->throttling = (struct throttling){later, later, later};
}

void machine__times(struct cpu_times *t)
{
	uint64_t v[8] = {0};
	char line[256];

	*t = (struct cpu_times){0};
	if (read_file__line("/proc/stat", line, sizeof(line)))
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
	t->tasks = v[0] + v[1] + v[2];
	t->interrupts = v[5] + v[6];
}

static bool add_clock(uint64_t *ns, clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		return false;
	*ns += (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return true;
}

void machine__mark(struct cpu_mark *m, const pid_t *pids, size_t nr)
{
	clockid_t clock;

	*m = (struct cpu_mark){0};
	machine__times(&m->machine);
	m->known = add_clock(&m->ours_ns, CLOCK_PROCESS_CPUTIME_ID);
	for (size_t i = 0; i < nr; i++)
		m->known &= !pids[i] || (!clock_getcpuclockid(pids[i], &clock) &&
					 add_clock(&m->ours_ns, clock));
}

void machine__book(struct health *h, const struct cpu_mark *begin, const struct cpu_mark *end,
		   struct flag irq_time)
{
	const struct cpu_times *b = &begin->machine, *e = &end->machine;
	uint64_t tick = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK), used;

	if (!b->known || !e->known || !begin->known || !end->known || !irq_time.known ||
	    e->total <= b->total || end->ours_ns < begin->ours_ns)
		return;
	/* Without the option, a task's time includes the interrupts on top of it. */
	used = u64__minus(e->tasks, b->tasks);
	if (!irq_time.value)
		used += u64__minus(e->interrupts, b->interrupts);
	h->machine_ns += (e->total - b->total) * tick;
	h->machine_stolen_ns += u64__minus(e->steal, b->steal) * tick;
	h->machine_others_ns += u64__minus(used * tick, end->ours_ns - begin->ours_ns);
}

struct real machine__steal(const struct cpu_times *begin, const struct cpu_times *end)
{
	if (!begin->known || !end->known)
		return real__unknown("/proc/stat cannot be read");
	if (end->total <= begin->total || end->steal < begin->steal)
		return real__unknown("no CPU time passed");
	return real__known((double)(end->steal - begin->steal) /
			   (double)(end->total - begin->total));
}

/* "0,4" or "0-1": the lowest CPU identifies the core. Without sysfs data, a CPU is a core. */
static unsigned int core_of(unsigned int cpu)
{
	char path[96], line[256], *end;
	unsigned long first;

	snprintf(path, sizeof(path), CPU "%u/topology/thread_siblings_list", cpu);
	if (read_file__line(path, line, sizeof(line)))
		return cpu;
	first = strtoul(line, &end, 10);
	return end == line ? cpu : (unsigned int)first;
}

/* A CPU's directory has a link named after its node: "node1". */
static unsigned int node_of(unsigned int cpu)
{
	const struct dirent *entry;
	unsigned int node = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), CPU "%u", cpu);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "node%u", &node) == 1)
			break;
	if (dir)
		closedir(dir);
	return node;
}

int machine__cpus(struct cpu_place **cpus, size_t *n)
{
	struct cpu_mask usable;
	size_t room = 1;

	*n = 0;
	if (sched_getaffinity(0, sizeof(usable), cpu_mask__set(&usable)))
		return -errno;
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
		room += cpu_mask__has(&usable, cpu);
	*cpus = xcalloc(room, sizeof(**cpus));
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
		if (cpu_mask__has(&usable, cpu))
			(*cpus)[(*n)++] = (struct cpu_place){cpu, core_of(cpu), node_of(cpu)};
	return 0;
}
