/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes and their namespaces, by /proc; see target.h. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "common/xalloc.h"
#include "target.h"

/* Opens a file of a process. NULL with errno set. */
static FILE *open_proc(pid_t pid, const char *file)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	return fopen(path, "re");
}

int target__comm(pid_t pid, char comm[16])
{
	FILE *f = open_proc(pid, "comm");
	size_t len;
	int err = 0;

	if (!f)
		return -errno;
	len = fread(comm, 1, 15, f);
	if (ferror(f))
		err = -errno;
	fclose(f);
	/* A name may contain line breaks: only the last one is not part of it. */
	if (len && comm[len - 1] == '\n')
		len--;
	memset(comm + len, 0, 16 - len);
	return err;
}

bool target__is_short(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* A number in /proc/PID/status; `none` if there is none. */
static int status_number(pid_t pid, const char *key, int none)
{
	FILE *f = open_proc(pid, "status");
	char line[256];
	int number = none;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			number = atoi(line + strlen(key));
	if (f)
		fclose(f);
	return number;
}

pid_t target__process_of(pid_t thread)
{
	return status_number(thread, "Tgid:", -1);
}

pid_t target__tracer(pid_t pid)
{
	return status_number(pid, "TracerPid:", 0);
}

uint32_t target__parent(pid_t pid)
{
	return (uint32_t)status_number(pid, "PPid:", 0);
}

uint64_t target__started(pid_t pid)
{
	FILE *f = open_proc(pid, "stat");
	char line[1024];
	const char *rest;
	size_t len;

	if (!f)
		return 0;
	len = fread(line, 1, sizeof(line) - 1, f);
	fclose(f);
	line[len] = '\0';
	/* The name may contain spaces and brackets; 19 fields follow before the start time. */
	rest = strrchr(line, ')');
	for (int i = 0; rest && i <= 19; i++)
		rest = strchr(rest + 1, ' ');
	return rest ? strtoull(rest, NULL, 10) : 0;
}

int target__read_bytes(pid_t pid, uint64_t *bytes)
{
	FILE *f = open_proc(pid, "io");
	int found;

	if (!f)
		return -errno;
	found = fscanf(f, "rchar: %" SCNu64, bytes);
	fclose(f);
	return found == 1 ? 0 : -ENODATA;
}

/* Gives each process of /proc to handle(). 0 or -errno. */
static int each_process(void (*handle)(void *arg, pid_t pid), void *arg)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc)
		return -errno;
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			handle(arg, atoi(entry->d_name));
	closedir(proc);
	return 0;
}

struct by_comm {
	const char *comm;
	void (*handle)(void *arg, pid_t pid);
	void *arg;
};

static void handle_if_named(void *arg, pid_t pid)
{
	const struct by_comm *by = arg;
	char name[16];

	if (!target__comm(pid, name) && !strncmp(name, by->comm, 15))
		by->handle(by->arg, pid);
}

int target__by_comm(const char *comm, void (*handle)(void *arg, pid_t pid), void *arg)
{
	struct by_comm by = {comm, handle, arg};

	return each_process(handle_if_named, &by);
}

static void count_other(void *arg, pid_t pid)
{
	*(size_t *)arg += pid != getpid();
}

int target__check_names(const struct target_options *t, const char *command)
{
	size_t nr;

	for (size_t i = 0; i < t->comms_nr && !t->wait && !t->command; i++) {
		nr = 0;
		target__by_comm(t->comms[i], count_other, &nr);
		if (nr)
			continue;
		log_error("no process is called '%s'; wait for one with --wait, or put -- before a "
			  "command: netiotrace %s -- COMMAND.",
			  t->comms_asked[i], command);
		return EXIT_RUN_FAILED;
	}
	return EXIT_DONE;
}

/* PID_MAX_LIMIT of 64-bit kernels. */
#define PIDS_MAX (4 * 1024 * 1024)

struct family {
	unsigned char *known; /* a byte for each process id: a descendant of those asked for */
	struct relation {
		uint32_t pid, parent;
	} * list;
	size_t nr;
};

static void add_relation(void *arg, pid_t pid)
{
	struct family *f = arg;

	f->list = xgrow(f->list, f->nr, sizeof(*f->list));
	f->list[f->nr++] = (struct relation){(uint32_t)pid, target__parent(pid)};
}

/* Gives the new members of a list to handle(). A list may have a child before its parent. */
static bool handle_new(struct family *f, void (*handle)(void *arg, pid_t pid), void *arg)
{
	bool any = false, found;

	do {
		found = false;
		for (size_t i = 0; i < f->nr; i++) {
			const struct relation *r = &f->list[i];

			if (r->pid >= PIDS_MAX || r->parent >= PIDS_MAX || f->known[r->pid] ||
			    !f->known[r->parent])
				continue;
			f->known[r->pid] = 1;
			handle(arg, (pid_t)r->pid);
			found = any = true;
		}
	} while (found);
	return any;
}

/* Until a list has no new process: a process may start others while the list is made. */
int target__descendants(const uint32_t *parents, size_t nr, void (*handle)(void *arg, pid_t pid),
			void *arg)
{
	struct family f = {.known = xcalloc(PIDS_MAX, 1)};
	int err;

	for (size_t i = 0; i < nr; i++)
		if (parents[i] && parents[i] < PIDS_MAX)
			f.known[parents[i]] = 1;
	do {
		f.nr = 0;
		err = each_process(add_relation, &f);
	} while (!err && handle_new(&f, handle, arg));
	free(f.known);
	free(f.list);
	return err;
}
