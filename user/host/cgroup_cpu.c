/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading CPU quotas; see cgroup_cpu.h. */
#include "cgroup_cpu.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/read_file.h"
#include "common/units.h"

/* Is word one of a list separated by commas? */
static bool lists(const char *list, size_t list_len, const char *word)
{
	size_t len = strlen(word);

	for (const char *end = list + list_len; list < end; list++) {
		const char *comma = memchr(list, ',', end - list);
		const char *stop = comma ? comma : end;

		if ((size_t)(stop - list) == len && !memcmp(list, word, len))
			return true;
		list = stop;
	}
	return false;
}

/* The path in a line "ID:CONTROLLERS:PATH": of v1 with the controller cpu, else of v2. */
static const char *find_cgroup(const char *text, size_t *len, bool *v1)
{
	const char *found = NULL;

	*v1 = false;
	for (const char *line = text; *line; line += *line == '\n') {
		const char *end = line + strcspn(line, "\n"), *path;
		const char *controllers = memchr(line, ':', end - line);

		path = controllers ? memchr(controllers + 1, ':', end - controllers - 1) : NULL;
		line = end;
		if (!path || path[1] != '/')
			continue;
		controllers++;
		*v1 = lists(controllers, path - controllers, "cpu");
		if (*v1 || path == controllers) {
			found = path + 1;
			*len = end - found;
		}
		if (*v1)
			break;
	}
	return found;
}

struct mounted {
	char root[PATH_MAX], point[PATH_MAX];
};

/* "ID PARENT DEV ROOT POINT OPTIONS ... - TYPE SOURCE SUPER_OPTIONS" (proc_pid_mountinfo(5)). */
static bool is_mount(const char *line, bool v1, struct mounted *m)
{
	const char *rest = strstr(line, " - ");
	char type[16], options[256];

	_Static_assert(PATH_MAX == 4096, "the widths below");
	if (!rest || sscanf(line, "%*s %*s %*s %4095s %4095s", m->root, m->point) != 2 ||
	    sscanf(rest, " - %15s %*s %255s", type, options) != 2)
		return false;
	if (!v1)
		return !strcmp(type, "cgroup2");
	return !strcmp(type, "cgroup") && lists(options, strlen(options), "cpu");
}

/* Below this cgroup or the same. A path above the root of a namespace begins with "/..". */
static bool is_below(const char *path, size_t len, const char *root)
{
	size_t root_len = strcmp(root, "/") ? strlen(root) : 0;

	return len >= root_len && !memcmp(path, root, root_len) &&
	       (len == root_len || path[root_len] == '/') &&
	       (strncmp(path, "/..", 3) || (len > 3 && path[3] != '/'));
}

int cgroup_cpu__find(const char *cgroups, const char *mounts, char *dir, size_t len, size_t *root,
		     bool *v1)
{
	size_t path_len, skip, line_len;
	const char *path = find_cgroup(cgroups, &path_len, v1);
	char line[2 * PATH_MAX + 512];
	struct mounted m;
	int err = -EXDEV;

	if (!path)
		return -ENOENT;
	for (; *mounts; mounts += line_len + (mounts[line_len] == '\n')) {
		line_len = strcspn(mounts, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)u64__least(line_len, sizeof(line) - 1),
			 mounts);
		if (!is_mount(line, *v1, &m) || !is_below(path, path_len, m.root))
			continue;
		skip = strcmp(m.root, "/") ? strlen(m.root) : 0;
		*root = strlen(m.point);
		path_len -= skip;
		if (path_len == 1) /* "/" */
			path_len = 0;
		if (*root + path_len >= len)
			return -ENAMETOOLONG;
		snprintf(dir, len, "%s%.*s", m.point, (int)path_len, path + skip);
		return 0;
	}
	return err;
}

double cgroup_cpu__parse_quota(const char *text)
{
	char quota[24], period[24], more;
	uint64_t q, p;

	if (sscanf(text, "%23s %23s %c", quota, period, &more) != 2 ||
	    parse_count(period, 1, 1000000000, &p))
		return NAN;
	if (!strcmp(quota, "max") || !strcmp(quota, "-1"))
		return INFINITY;
	return parse_count(quota, 1, INT64_MAX, &q) ? NAN : (double)q / (double)p;
}

struct throttling cgroup_cpu__parse_stat(const char *text)
{
	struct throttling t = {num__known(0), num__known(0), num__known(0)};

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		char key[32], value[24];
		uint64_t n;

		if (sscanf(text, "%31s %23s", key, value) != 2 ||
		    parse_count(value, 0, INT64_MAX, &n))
			continue;
		if (!strcmp(key, "nr_periods"))
			t.periods.value = n;
		else if (!strcmp(key, "nr_throttled"))
			t.throttled.value = n;
		else if (!strcmp(key, "throttled_usec"))
			t.ns.value = n < INT64_MAX / 1000 ? n * 1000 : 0;
		else if (!strcmp(key, "throttled_time"))
			t.ns.value = n;
	}
	return t;
}

/* The beginning of a file of the kernel. 0 or -errno. */
static int read_text(const char *path, char *text, size_t len)
{
	FILE *f = fopen(path, "re");
	size_t n;

	text[0] = '\0';
	if (!f)
		return -errno;
	n = fread(text, 1, len - 1, f);
	text[n] = '\0';
	fclose(f);
	return 0;
}

/* A level without the file has no limit of its own: the root, or no controller. */
static double read_quota(const char *dir, bool v1)
{
	char path[PATH_MAX + 32], quota[64] = "", period[32] = "";
	int err;

	snprintf(path, sizeof(path), "%s/%s", dir, v1 ? "cpu.cfs_quota_us" : "cpu.max");
	err = read_file__line(path, quota, 32);
	if (!err && v1) {
		snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", dir);
		err = read_file__line(path, period, sizeof(period));
		snprintf(quota + strlen(quota), sizeof(quota) - strlen(quota), " %s", period);
	}
	return err == -ENOENT ? INFINITY : err ? NAN : cgroup_cpu__parse_quota(quota);
}

static void read_levels(struct cgroup_cpu *c, char *dir, size_t root, bool v1)
{
	char path[PATH_MAX + 32], text[4096];
	double least = INFINITY, cpus;
	bool unknown = access(dir, X_OK) != 0;

	for (size_t len = strlen(dir); !unknown; len = strrchr(dir, '/') - dir) {
		if (c->levels_nr == CGROUP_LEVELS_MAX || len < root)
			break;
		dir[len] = '\0';
		cpus = read_quota(dir, v1);
		unknown = isnan(cpus);
		least = cpus < least ? cpus : least;
		snprintf(path, sizeof(path), "%s/cpu.stat", dir);
		read_text(path, text, sizeof(text));
		c->levels[c->levels_nr++] = cgroup_cpu__parse_stat(text);
		if (len == root)
			break;
	}
	if (unknown)
		c->quota = real__unknown("the quota of a cgroup cannot be read");
	else
		c->quota = isinf(least) ? real__unknown(QUOTA_UNLIMITED) : real__known(least);
}

void cgroup_cpu__read(struct cgroup_cpu *c)
{
	static char cgroups[16384], mounts[256 * 1024]; /* too much for the stack */
	char dir[PATH_MAX];
	size_t root;
	bool v1;
	int err;

	memset(c, 0, sizeof(*c));
	err = read_text("/proc/self/cgroup", cgroups, sizeof(cgroups));
	if (!err)
		err = read_text("/proc/self/mountinfo", mounts, sizeof(mounts));
	if (err) {
		c->quota = real__unknown("/proc/self/cgroup or mountinfo cannot be read");
		return;
	}
	err = cgroup_cpu__find(cgroups, mounts, dir, sizeof(dir), &root, &v1);
	if (!err)
		read_levels(c, dir, root, v1);
	else
		c->quota = real__unknown(err == -ENOENT ? QUOTA_UNLIMITED
							: "the cgroup is not mounted here");
}

struct throttling cgroup_cpu__between(const struct cgroup_cpu *begin, const struct cgroup_cpu *end)
{
	struct throttling most = {num__known(0), num__known(0), num__known(0)};
	const char *why = NULL;

	if (!end->levels_nr && end->quota.reason && strcmp(end->quota.reason, QUOTA_UNLIMITED) != 0)
		why = end->quota.reason;
	else if (begin->levels_nr != end->levels_nr)
		why = "the process moved to another cgroup";
	for (size_t i = 0; !why && i < end->levels_nr; i++) {
		const struct throttling *b = &begin->levels[i], *e = &end->levels[i];

		if (e->periods.value < b->periods.value ||
		    e->throttled.value < b->throttled.value || e->ns.value < b->ns.value)
			why = "the cgroup's counts went back";
		else if (e->throttled.value - b->throttled.value > most.throttled.value ||
			 (e->throttled.value - b->throttled.value == most.throttled.value &&
			  e->periods.value - b->periods.value > most.periods.value))
			most = (struct throttling){
				num__known(e->periods.value - b->periods.value),
				num__known(e->throttled.value - b->throttled.value),
				num__known(e->ns.value - b->ns.value)};
	}
	if (why)
		return (struct throttling){num__unknown(why), num__unknown(why), num__unknown(why)};
	return most;
}
