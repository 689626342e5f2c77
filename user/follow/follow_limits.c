/* SPDX-License-Identifier: GPL-2.0-only */
/* Refusals of follow; see follow_limits.h. */
#include <dirent.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/read_file.h"
#include "follow_limits.h"
#include "kernel/pidns.h"

#define YAMA_NO_ATTACH 3

void follow_machine__read(struct follow_machine *m)
{
	struct num n = read_file__num("/proc/sys/kernel/yama/ptrace_scope");
	char lockdown[128];
	cpu_set_t cpus;

	*m = (struct follow_machine){.own_pids = pidns__own() != 0,
				     .may_trace = privileges__have(CAP_SYS_PTRACE)};
	/* A larger mask than cpu_set_t: more than 1024 CPUs. */
	m->cpus = sched_getaffinity(0, sizeof(cpus), &cpus) ? 2 : (unsigned int)CPU_COUNT(&cpus);
	m->yama = n.known ? (unsigned int)n.value : 0;
	n = read_file__num("/sys/kernel/realtime");
	m->realtime = n.known && n.value;
	if (!read_file__line("/sys/kernel/security/lockdown", lockdown, sizeof(lockdown)))
		m->confidentiality = strstr(lockdown, "[confidentiality]") != NULL;
}

const char *follow_machine__refusal(const struct follow_machine *m)
{
	if (m->cpus < 2)
		return "follow needs two CPUs: a held thread waits on one until the other stops it";
	if (m->realtime)
		return "follow does not run on a real-time kernel (PREEMPT_RT): it would hold "
		       "threads with preemption disabled";
	if (m->yama >= YAMA_NO_ATTACH)
		return "follow needs ptrace, which kernel.yama.ptrace_scope=3 forbids until the "
		       "next boot";
	if (m->confidentiality)
		return "follow reads memory of programs, which kernel lockdown (confidentiality) "
		       "forbids";
	if (m->own_pids)
		return "follow works only in the initial PID namespace: start it outside the "
		       "container";
	if (!m->may_trace)
		return "follow needs CAP_SYS_PTRACE: run it as root";
	return NULL;
}

bool follow_uses_io_uring(pid_t pid)
{
	char path[64], link[64];
	struct dirent *entry;
	bool found = false;
	ssize_t len;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		len = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);
		link[len > 0 ? len : 0] = '\0';
		found = strstr(link, "[io_uring]") != NULL;
	}
	if (dir)
		closedir(dir);
	return found;
}
