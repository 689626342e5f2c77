/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives the mapped files of a process to the process that names frames; see frames.h. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "frame_server.h"
#include "frames_request.h"

#define TIMEOUT_MS    5000
#define PROCESSES_MAX 16 /* as frame_server.c keeps */

struct frame_namer {
	struct worker worker;
	uint64_t number;
	struct {
		uint32_t tgid;
		char *maps; /* as they were sent */
	} sent[PROCESSES_MAX];
	unsigned int next;
};

int frame_namer__open(struct frame_namer **n)
{
	static const struct worker_task task = {.serve = frame_server__run,
						.timeout_ms = TIMEOUT_MS};
	int err;

	*n = xcalloc(1, sizeof(**n));
	(*n)->worker.fd = -1;
	err = worker__start(&(*n)->worker, &task);
	if (err) {
		free(*n);
		*n = NULL;
	}
	return err;
}

void frame_namer__close(struct frame_namer *n)
{
	if (!n)
		return;
	worker__stop(&n->worker);
	for (int i = 0; i < PROCESSES_MAX; i++)
		free(n->sent[i].maps);
	free(n);
}

static void bound_text(char *text, size_t len)
{
	text[len - 1] = '\0';
	printable__in_place(text);
}

void frames__bound(struct frames *f)
{
	if (f->nr > FRAMES_MAX)
		f->nr = 0;
	for (uint32_t i = 0; i < f->nr; i++) {
		struct frame *frame = &f->frame[i];

		bound_text(frame->function, sizeof(frame->function));
		bound_text(frame->file, sizeof(frame->file));
		bound_text(frame->object, sizeof(frame->object));
		bound_text(frame->build_id, sizeof(frame->build_id));
	}
}

/* After an answer too late, or none: the process is stuck or dead, and is not asked again. */
static bool ask(struct frame_namer *n, struct frames_request *r, int fd, struct frames *frames)
{
	static struct frames_answer answer;

	r->number = ++n->number;
	if (worker__ask(&n->worker, r, sizeof(*r), fd, &answer, sizeof(answer)) &&
	    answer.number == r->number) {
		frames__bound(&answer.frames);
		if (frames)
			*frames = answer.frames;
		return true;
	}
	worker__stop(&n->worker);
	return false;
}

static char *read_maps(uint32_t tgid)
{
	char path[64], *text = NULL, block[4096];
	size_t len, n;
	FILE *in, *out;

	snprintf(path, sizeof(path), "/proc/%u/maps", tgid);
	in = fopen(path, "re");
	if (!in)
		return NULL;
	out = xopen_memstream(&text, &len);
	while ((n = fread(block, 1, sizeof(block), in)) > 0)
		fwrite(block, 1, n, out);
	xclose_memstream(out);
	fclose(in);
	return text;
}

/* The file that is mapped, whatever its name is a link to by now. A device is not opened. */
static int open_mapped(uint32_t tgid, const char *range)
{
	char path[96];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%s", tgid, range);
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* A line of maps: the first mapping of each file that has code. */
static bool send_mapping(struct frame_namer *n, uint32_t tgid, const char *line)
{
	struct frames_request r = {.op = FRAMES_MODULE, .tgid = tgid};
	uint64_t start, end, offset, inode;
	int path = 0, fd;
	char range[48];
	bool sent;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64 " %n", &start, &end,
		   &offset, &inode, &path) < 4 ||
	    offset || !inode || line[path] != '/')
		return true;
	snprintf(range, sizeof(range), "%" PRIx64 "-%" PRIx64, start, end);
	fd = open_mapped(tgid, range);
	if (fd < 0)
		return true;
	r.module.start = start;
	snprintf(r.module.path, sizeof(r.module.path), "%s", line + path);
	sent = ask(n, &r, fd, NULL);
	close(fd);
	return sent;
}

static bool send_maps(struct frame_namer *n, uint32_t tgid, const char *maps)
{
	struct frames_request r = {.op = FRAMES_CLEAR, .tgid = tgid};
	char *copy = xstrdup(maps), *rest = copy, *line;
	bool sent = ask(n, &r, -1, NULL);

	while (sent && (line = strsep(&rest, "\n")))
		sent = send_mapping(n, tgid, line);
	free(copy);
	return sent;
}

/* Code that was mapped since the last stack needs its file. */
static bool update_maps(struct frame_namer *n, uint32_t tgid)
{
	char *maps = read_maps(tgid);
	unsigned int i;

	if (!maps)
		return false;
	for (i = 0; i < PROCESSES_MAX; i++)
		if (n->sent[i].maps && n->sent[i].tgid == tgid)
			break;
	if (i < PROCESSES_MAX && !strcmp(n->sent[i].maps, maps)) {
		free(maps);
		return true;
	}
	if (i == PROCESSES_MAX)
		i = n->next++ % PROCESSES_MAX;
	free(n->sent[i].maps);
	n->sent[i].maps = maps;
	n->sent[i].tgid = tgid;
	return send_maps(n, tgid, maps);
}

bool frame_namer__name(struct frame_namer *n, const struct stack_copy *stack, struct frames *to)
{
	static struct frames_request r;

	to->nr = 0;
	if (!n || n->worker.pid <= 0 || !update_maps(n, stack->tgid))
		return false;
	r = (struct frames_request){.op = FRAMES_STACK, .tgid = stack->tgid};
	r.stack = *stack;
	return ask(n, &r, -1, to) && to->nr;
}

void frame_namer__region(pid_t pid, uint64_t address, char *to, size_t len)
{
	char *maps = read_maps((uint32_t)pid), *rest = maps, *line;

	*to = '\0';
	while (rest && (line = strsep(&rest, "\n"))) {
		uint64_t start, end;
		int path = 0;
		const char *name;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &start, &end,
			   &path) < 2 ||
		    address < start || address >= end)
			continue;
		name = path ? line + path : "";
		if (*name == '/')
			name = strrchr(name, '/') + 1;
		printable(to, len,
			  !strcmp(name, "[heap]")    ? "heap"
			  : !strcmp(name, "[stack]") ? "stack"
			  : *name                    ? name
						     : "mapped memory");
		break;
	}
	free(maps);
}
