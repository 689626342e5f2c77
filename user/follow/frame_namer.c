/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the process that reads the mappings of a followed program, opens its files, and gives them
 * to the process that names frames (frame_server.h); see frames.h. Only here is a file of the
 * followed program touched with privileges: a server of FUSE or NFS that stopped makes that wait in
 * the kernel, where not even SIGKILL ends it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "frame_server.h"
#include "kernel/mappings.h"

#define TIMEOUT_MS    4000 /* of one answer of the server */
#define PROCESSES_MAX 16   /* as frame_server.c keeps */
#define MODULES_STACK 64   /* files behind one stack */
#define MODULES_MAX   256  /* files of a process that the server has at a time */

/* In memory that both processes share. */
struct naming {
	uint32_t tgid;
	unsigned int links_nr;
	struct chain_link links[CHAIN_LINKS_MAX];
	struct follow_place places[CHAIN_LINKS_MAX];
};

struct frame_namer {
	pid_t pid;
	int fd; /* a byte: a question, or its answer */
	bool asked;
	struct naming *naming;
};

/* Of the process: what the server has. */
struct namer {
	struct worker server;
	uint64_t number; /* of the request */
	struct sent {
		uint32_t tgid;
		size_t nr;
		struct mapping files[MODULES_MAX]; /* without their paths */
	} sent[PROCESSES_MAX];
	unsigned int next;
};

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

/* After an answer too late, or none: the server is stuck or dead, and is not asked again. */
static bool ask(struct namer *n, struct frames_request *r, int fd, struct frames *frames)
{
	static struct frames_answer answer;

	r->number = ++n->number;
	if (worker__ask(&n->server, r, sizeof(*r), fd, &answer, sizeof(answer)) &&
	    answer.number == r->number) {
		frames__bound(&answer.frames);
		if (frames)
			*frames = answer.frames;
		return true;
	}
	worker__stop(&n->server);
	return false;
}

/* The file that is mapped, whatever its name is a link to by now. A device is not opened. */
static int open_mapped(uint32_t tgid, const struct mapping *a)
{
	char path[96];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, tgid, a->start,
		 a->end);
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool same_file(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->inode == b->inode && a->major == b->major &&
	       a->minor == b->minor;
}

static bool clear(struct namer *n, struct sent *p)
{
	struct frames_request r = {.op = FRAMES_CLEAR, .tgid = p->tgid};

	p->nr = 0;
	return ask(n, &r, -1, NULL);
}

/* The server forgets the files of a process if one of them is no longer mapped where it was. */
static struct sent *sent_of(struct namer *n, uint32_t tgid, const struct mappings *m)
{
	struct sent *p = n->sent;
	const struct mapping *now;

	while (p < n->sent + PROCESSES_MAX && p->tgid != tgid)
		p++;
	if (p == n->sent + PROCESSES_MAX) {
		p = &n->sent[n->next++ % PROCESSES_MAX];
		p->tgid = tgid;
		return clear(n, p) ? p : NULL;
	}
	for (size_t i = 0; i < p->nr; i++) {
		now = mappings__at(m, p->files[i].start);
		if (!now || !same_file(now, &p->files[i]))
			return clear(n, p) ? p : NULL;
	}
	return p;
}

static bool send_module(struct namer *n, struct sent *p, const struct mapping *a)
{
	struct frames_request r = {.op = FRAMES_MODULE, .tgid = p->tgid};
	bool sent;
	int fd;

	for (size_t i = 0; i < p->nr; i++)
		if (same_file(&p->files[i], a))
			return true;
	p->files[p->nr++] = *a;
	fd = open_mapped(p->tgid, a);
	if (fd < 0)
		return true;
	r.module.start = a->start;
	snprintf(r.module.path, sizeof(r.module.path), "%s", a->path);
	sent = ask(n, &r, fd, NULL);
	close(fd);
	return sent;
}

static void name_stack(struct namer *n, const struct mappings *m, const struct stack_copy *stack,
		       struct frames *to)
{
	static struct frames_request r;
	size_t modules[MODULES_STACK];
	size_t len = stack->len < sizeof(stack->bytes) ? stack->len : sizeof(stack->bytes);
	size_t nr =
		mappings__modules(m, stack->regs.rip, stack->bytes, len, modules, MODULES_STACK);
	struct sent *p = sent_of(n, stack->tgid, m);
	bool sent = p && (p->nr + nr <= MODULES_MAX || clear(n, p));

	for (size_t i = 0; i < nr && sent; i++)
		sent = send_module(n, p, &m->all[modules[i]]);
	r = (struct frames_request){.op = FRAMES_STACK, .tgid = stack->tgid};
	r.stack = *stack;
	if (sent)
		ask(n, &r, -1, to);
}

static void name_links(struct namer *n, struct naming *naming)
{
	struct mappings m;

	memset(naming->places, 0, sizeof(naming->places));
	mappings__read(&m, (pid_t)naming->tgid, false);
	for (unsigned int i = 0; i < naming->links_nr; i++) {
		const struct chain_link *l = &naming->links[i];
		struct follow_place *p = &naming->places[i];

		mappings__region(&m, l->from, p->from, sizeof(p->from));
		mappings__region(&m, l->to, p->to, sizeof(p->to));
		if (m.nr && n->server.pid > 0 && l->stack.tgid == naming->tgid)
			name_stack(n, &m, &l->stack, &p->frames);
	}
	mappings__free(&m);
}

/* Later children read hostile input, and get no part of this memory. */
static int hide(struct naming *naming)
{
	return madvise(naming, sizeof(*naming), MADV_DONTFORK) ? -errno : 0;
}

/*
 * A process that is stuck for ever must hold nothing that others wait for: no debug registers, and
 * no end of a pipe. Its socket becomes descriptor 0.
 */
static int confine(int fd, pid_t parent)
{
	/* Signals to the group of netiotrace are not for it. */
	setsid();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || dup2(fd, STDIN_FILENO) < 0 ||
	    syscall(SYS_close_range, STDOUT_FILENO, ~0U, 0) ||
	    open("/dev/null", O_RDWR) != STDOUT_FILENO || dup(STDOUT_FILENO) != STDERR_FILENO)
		return -errno;
	return getppid() == parent ? 0 : -ESRCH;
}

/* The server reads hostile files: it may not answer in the name of this process. */
static void run_server(int fd)
{
	close(STDIN_FILENO);
	frame_server__run(fd);
}

static _Noreturn void serve(struct naming *naming, int fd, pid_t parent)
{
	static const struct worker_task task = {.serve = run_server, .timeout_ms = TIMEOUT_MS};
	static struct namer n = {.server.fd = -1};
	int err = confine(fd, parent);
	char byte;

	if (!err)
		err = hide(naming);
	if (!err)
		err = worker__start(&n.server, &task);
	if (write(STDIN_FILENO, &err, sizeof(err)) != sizeof(err) || err)
		_exit(1);
	while (read(STDIN_FILENO, &byte, 1) == 1) {
		name_links(&n, naming);
		if (write(STDIN_FILENO, &byte, 1) != 1)
			break;
	}
	worker__stop(&n.server);
	_exit(0);
}

static int start(struct frame_namer *n)
{
	pid_t parent = getpid();
	int fds[2], err;

	n->naming = mmap(NULL, sizeof(*n->naming), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (n->naming == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -errno;
	n->fd = fds[0];
	n->pid = fork();
	if (!n->pid)
		serve(n->naming, fds[1], parent);
	err = n->pid < 0 ? -errno : hide(n->naming);
	close(fds[1]);
	if (!err && read(n->fd, &err, sizeof(err)) != sizeof(err))
		err = -ECHILD;
	return err;
}

int frame_namer__open(struct frame_namer **n)
{
	int err;

	*n = xcalloc(1, sizeof(**n));
	(*n)->fd = -1;
	err = start(*n);
	if (err) {
		frame_namer__close(*n);
		*n = NULL;
	}
	return err;
}

void frame_namer__close(struct frame_namer *n)
{
	if (!n)
		return;
	/* Its end, whoever has copies of this descriptor. */
	if (n->fd >= 0) {
		shutdown(n->fd, SHUT_RDWR);
		close(n->fd);
	}
	if (n->pid > 0) {
		if (n->asked)
			kill(n->pid, SIGKILL);
		waitpid(n->pid, NULL, n->asked ? WNOHANG : 0);
	}
	if (n->naming != MAP_FAILED)
		munmap(n->naming, sizeof(*n->naming));
	free(n);
}

bool frame_namer__ask(struct frame_namer *n, const struct chain *c)
{
	if (!n || n->asked)
		return false;
	n->naming->tgid = c->tgid;
	n->naming->links_nr = c->links_nr < CHAIN_LINKS_MAX ? c->links_nr : CHAIN_LINKS_MAX;
	memcpy(n->naming->links, c->links, n->naming->links_nr * sizeof(*c->links));
	n->asked = send(n->fd, "", 1, MSG_NOSIGNAL) == 1;
	return n->asked;
}

int frame_namer__fd(const struct frame_namer *n)
{
	return n ? n->fd : -1;
}

const struct follow_place *frame_namer__answer(struct frame_namer *n)
{
	char byte;

	if (read(n->fd, &byte, 1) != 1)
		return NULL;
	n->asked = false;
	return n->naming->places;
}
