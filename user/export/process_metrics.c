/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the metrics of the exporter's own process; see process_metrics.h. */
#include "process_metrics.h"

#include <dirent.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/read_file.h"

#define STARTTIME_FIELD 22 /* proc_pid_stat(5), in clock ticks since boot */

static void put(FILE *f, bool open, const char *name, bool counter, const char *help, double value)
{
	const char *suffix = counter ? "_total" : "";

	/* OpenMetrics names the family of a counter without its suffix. */
	fprintf(f, "# HELP %s%s %s\n# TYPE %s%s %s\n%s%s %.17g\n", name, open ? "" : suffix, help,
		name, open ? "" : suffix, counter ? "counter" : "gauge", name, suffix, value);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Fields are counted from 3, after the name, which may contain spaces and parentheses. */
static bool read_start(double *since_epoch)
{
	unsigned long long ticks;
	char line[1024], *rest;
	int n = 2;

	if (read_file__line("/proc/self/stat", line, sizeof(line)))
		return false;
	rest = strrchr(line, ')');
	while (rest && n < STARTTIME_FIELD && (rest = strchr(rest + 1, ' ')))
		n++;
	if (!rest || sscanf(rest, "%llu", &ticks) != 1)
		return false;
	*since_epoch = now(CLOCK_REALTIME) - now(CLOCK_BOOTTIME) +
		       (double)ticks / (double)sysconf(_SC_CLK_TCK);
	return true;
}

static size_t count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	/* ".", ".." and the directory itself. */
	return nr > 3 ? nr - 3 : 0;
}

void process_metrics__write(FILE *f, bool open)
{
	unsigned long pages, resident;
	struct rlimit limit;
	struct rusage used;
	double start;
	char line[128];
	size_t fds = count_fds();

	if (!getrusage(RUSAGE_SELF, &used))
		put(f, open, "process_cpu_seconds", true,
		    "User and system CPU time of the exporter, in seconds.",
		    seconds(used.ru_utime) + seconds(used.ru_stime));
	if (read_start(&start))
		put(f, open, "process_start_time_seconds", false,
		    "Start of the exporter, in seconds since 1970.", start);
	if (!read_file__line("/proc/self/statm", line, sizeof(line)) &&
	    sscanf(line, "%lu %lu", &pages, &resident) == 2) {
		put(f, open, "process_virtual_memory_bytes", false,
		    "Virtual memory of the exporter.",
		    (double)pages * (double)sysconf(_SC_PAGESIZE));
		put(f, open, "process_resident_memory_bytes", false,
		    "Resident memory of the exporter.",
		    (double)resident * (double)sysconf(_SC_PAGESIZE));
	}
	if (fds)
		put(f, open, "process_open_fds", false, "Open file descriptors.", (double)fds);
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		put(f, open, "process_max_fds", false, "Limit of open file descriptors.",
		    (double)limit.rlim_cur);
}
