/* SPDX-License-Identifier: GPL-2.0-only */
/* Unwinds stacks and finds lines, without privileges; see frame_server.h. */
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/printable.h"
#include "frame_server.h"

#define PROCESSES_MAX 16
#define MEMORY_BYTES  (4ULL << 30) /* debug information of large programs */
#define CPU_SECONDS   120

static char *debug_path;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
					 .find_debuginfo = dwfl_standard_find_debuginfo,
					 .debuginfo_path = &debug_path};

static struct process {
	uint32_t tgid;
	Dwfl *modules;
	bool attached;
} processes[PROCESSES_MAX];

/* The stack being unwound: libdw's callbacks read it. */
static const struct stack_copy *unwound;

static pid_t next_thread(Dwfl *d, void *arg, void **thread)
{
	(void)d;
	(void)arg;
	if (*thread)
		return 0;
	*thread = (void *)unwound;
	return (pid_t)unwound->tid;
}

static bool get_thread(Dwfl *d, pid_t tid, void *arg, void **thread)
{
	(void)d;
	(void)tid;
	(void)arg;
	*thread = (void *)unwound;
	return true;
}

static bool read_stack(Dwfl *d, Dwarf_Addr address, Dwarf_Word *to, void *arg)
{
	uint64_t at = address - unwound->base;

	(void)d;
	(void)arg;
	if (at > STACK_BYTES - sizeof(*to) || at + sizeof(*to) > unwound->len)
		return false;
	memcpy(to, unwound->bytes + at, sizeof(*to));
	return true;
}

/* In the order of DWARF register numbers. */
static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct user_regs_struct *r = &unwound->regs;
	const Dwarf_Word words[] = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi,
				    r->rbp, r->rsp, r->r8,  r->r9,  r->r10, r->r11,
				    r->r12, r->r13, r->r14, r->r15, r->rip};

	(void)arg;
	return dwfl_thread_state_registers(thread, 0, sizeof(words) / sizeof(words[0]), words);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {.next_thread = next_thread,
						       .get_thread = get_thread,
						       .memory_read = read_stack,
						       .set_initial_registers = set_registers};

struct addresses {
	uint32_t nr;
	uint64_t at[FRAMES_MAX];
};

static int add_frame(Dwfl_Frame *f, void *arg)
{
	struct addresses *a = arg;
	Dwarf_Addr pc;
	bool exact;

	if (!dwfl_frame_pc(f, &pc, &exact))
		return DWARF_CB_ABORT;
	/* A return address is that of the instruction after the call. */
	a->at[a->nr] = pc - (exact || !a->nr ? 0 : 1);
	return ++a->nr == FRAMES_MAX ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* Where there is no unwind information, as in code made at run time. */
static void walk_frame_pointers(struct addresses *a)
{
	uint64_t frame = unwound->regs.rbp, pair[2];

	a->nr = 1;
	a->at[0] = unwound->regs.rip;
	while (a->nr < FRAMES_MAX && frame - unwound->base < STACK_BYTES &&
	       frame - unwound->base + sizeof(pair) <= unwound->len) {
		memcpy(pair, unwound->bytes + (frame - unwound->base), sizeof(pair));
		if (pair[0] <= frame || pair[1] < 4096)
			return;
		a->at[a->nr++] = pair[1] - 1;
		frame = pair[0];
	}
}

static struct process *process_of(uint32_t tgid)
{
	static unsigned int next;
	struct process *p;

	for (p = processes; p < processes + PROCESSES_MAX; p++)
		if (p->modules && p->tgid == tgid)
			return p;
	p = &processes[next++ % PROCESSES_MAX];
	if (p->modules)
		dwfl_end(p->modules);
	*p = (struct process){.tgid = tgid, .modules = dwfl_begin(&callbacks)};
	return p;
}

static void clear(uint32_t tgid)
{
	struct process *p = process_of(tgid);

	if (p->modules)
		dwfl_end(p->modules);
	*p = (struct process){.tgid = tgid, .modules = dwfl_begin(&callbacks)};
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Takes fd. */
static void add_module(const struct frames_request *r, int fd)
{
	struct process *p = process_of(r->tgid);

	if (!p->modules || fd < 0 || memchr(r->module.path, 0, sizeof(r->module.path)) == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	dwfl_report_begin_add(p->modules);
	if (!dwfl_report_elf(p->modules, last_part(r->module.path), r->module.path, fd,
			     r->module.start, false))
		close(fd);
	dwfl_report_end(p->modules, NULL, NULL);
}

static void name_line(Dwfl_Module *m, uint64_t pc, struct frame *f)
{
	Dwfl_Line *line = dwfl_module_getsrc(m, pc);
	int number = 0;
	const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;

	if (!file)
		return;
	printable(f->file, sizeof(f->file), last_part(file));
	f->line = number > 0 ? (uint32_t)number : 0;
}

static void name_build(Dwfl_Module *m, struct frame *f)
{
	const unsigned char *id;
	GElf_Addr at;
	int len = dwfl_module_build_id(m, &id, &at);

	for (int i = 0; i < len && i < 20; i++)
		snprintf(f->build_id + 2 * i, 3, "%02x", id[i]);
}

/* A symbol without the address in it is that of an earlier function. */
static void name_frame(Dwfl *modules, uint64_t pc, struct frame *f)
{
	Dwfl_Module *m = dwfl_addrmodule(modules, pc);
	GElf_Off offset;
	GElf_Sym symbol;
	GElf_Addr bias = 0;
	const char *name;

	*f = (struct frame){.offset = pc};
	if (!m)
		return;
	dwfl_module_getelf(m, &bias);
	f->offset = pc - bias;
	printable(f->object, sizeof(f->object),
		  dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
	name_build(m, f);
	name = dwfl_module_addrinfo(m, pc, &offset, &symbol, NULL, NULL, NULL);
	if (name && (!symbol.st_size || offset < symbol.st_size))
		printable(f->function, sizeof(f->function), name);
	name_line(m, pc, f);
}

static void name_stack(const struct frames_request *r, struct frames *to)
{
	struct process *p = process_of(r->tgid);
	struct addresses a = {0};

	unwound = &r->stack;
	if (!p->modules || r->stack.len > STACK_BYTES)
		return;
	if (!p->attached)
		p->attached = dwfl_attach_state(p->modules, NULL, (pid_t)r->tgid, &thread_callbacks,
						NULL);
	if (p->attached)
		dwfl_getthread_frames(p->modules, (pid_t)r->stack.tid, add_frame, &a);
	if (a.nr <= 2)
		walk_frame_pointers(&a);
	to->nr = a.nr;
	for (uint32_t i = 0; i < a.nr; i++)
		name_frame(p->modules, a.at[i], &to->frame[i]);
}

void frame_server__run(int fd)
{
	const struct rlimit memory = {MEMORY_BYTES, MEMORY_BYTES}, cpu = {CPU_SECONDS, CPU_SECONDS};
	static struct frames_request r;
	static struct frames_answer answer;
	int passed;

	setrlimit(RLIMIT_AS, &memory);
	setrlimit(RLIMIT_CPU, &cpu);
	/* No download of debug information; only the system's own. */
	unsetenv("DEBUGINFOD_URLS");
	debug_path = strdup("/usr/lib/debug");
	while (worker__receive(fd, &r, sizeof(r), &passed) >=
	       offsetof(struct frames_request, stack)) {
		memset(&answer, 0, sizeof(answer));
		answer.number = r.number;
		if (r.op == FRAMES_MODULE)
			add_module(&r, passed);
		else if (passed >= 0)
			close(passed);
		if (r.op == FRAMES_CLEAR)
			clear(r.tgid);
		if (r.op == FRAMES_STACK)
			name_stack(&r, &answer.frames);
		if (write(fd, &answer, sizeof(answer)) != sizeof(answer))
			return;
	}
}
