/* SPDX-License-Identifier: GPL-2.0-only */
/* The copying functions of the C library; see libc_copies.h. */
#include "libc_copies.h"

#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* Forms of numbers in exception tables (LSB, "DWARF Extensions"). */
#define VERSION         1
#define COUNT_4_BYTES   0x03 /* DW_EH_PE_udata4 */
#define ENTRIES_4_BYTES 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */

/* The head: version, three forms, place of the frames, number of entries (function, frame). */
#define HEAD  12
#define ENTRY 8

/* Addresses at which one copying function faults; glibc's have 30. */
#define FAULTS_MAX 256

/* Usable bytes before and after a hole. */
#define EDGE (64UL << 10)

/*
 * The width of a hole for the largest copies, which bypass the cache. They begin at three quarters
 * of the last-level cache: hundreds of MiB on some machines.
 */
#define WIDE (1UL << 30)

struct faults {
	copy_function copy;
	uint64_t *at;
	size_t nr, max;
};

/* Globals, for the signal handler. */
static sigjmp_buf before_copy;
static volatile uint64_t faulted_at;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;

	(void)signal;
	(void)info;
#if defined(__x86_64__)
	faulted_at = (uint64_t)c->uc_mcontext.gregs[REG_RIP];
#else
	faulted_at = c->uc_mcontext.pc;
#endif
	siglongjmp(before_copy, 1);
}

static void note(struct faults *f, uint64_t at)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->at[i] == at)
			return;
	if (f->nr < f->max)
		f->at[f->nr++] = at;
}

static void try(struct faults *f, void *to, const void *from, size_t len)
{
	if (sigsetjmp(before_copy, 0))
		note(f, faulted_at);
	else
		f->copy(to, from, len);
}

/* Copies from a hole and into a hole. */
static void try_small(struct faults *f, uint8_t *usable, uint8_t *hole, size_t width)
{
	for (size_t len = 1; len <= width && len <= EDGE; len += len < 16 ? 1 : len / 4) {
		try(f, usable, hole, len);
		try(f, hole, usable, len);
	}
}

/* Copies across a hole: of the source, of the target, and of both, which overlap. */
static void try_across(struct faults *f, uint8_t *whole, uint8_t *hole, size_t width)
{
	for (size_t before = 16; before < EDGE; before *= 4) {
		size_t len = before + width + EDGE / 2;

		try(f, hole - before, hole - before + 8, len);
		try(f, hole - before + 8, hole - before, len);
		try(f, whole, hole - before, len);
		try(f, hole - before, whole, len);
	}
}

/* Copies in memory with a hole (EDGE, width, EDGE bytes) and as much memory without one. */
static void try_hole(struct faults *f, size_t width)
{
	size_t len = 2 * EDGE + width;
	uint8_t *begin =
		mmap(NULL, 2 * len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint8_t *hole = begin + EDGE, *whole = begin + len;

	if (begin == MAP_FAILED)
		return;
	if (!mprotect(begin, EDGE, PROT_READ | PROT_WRITE) &&
	    !mprotect(hole + width, EDGE + len, PROT_READ | PROT_WRITE)) {
		try_small(f, begin, hole, width);
		try_across(f, whole, hole, width);
	}
	munmap(begin, 2 * len);
}

size_t libc_copies__faults(copy_function copy, uint64_t *at, size_t max)
{
	struct faults f = {.copy = copy, .at = at, .max = max};
	struct sigaction take = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER},
			 old;
	sigset_t fault, mask;

	sigemptyset(&take.sa_mask);
	sigemptyset(&fault);
	sigaddset(&fault, SIGSEGV);
	/* The parent may have blocked the signal, which would be fatal. */
	if (sigprocmask(SIG_UNBLOCK, &fault, &mask))
		return 0;
	if (!sigaction(SIGSEGV, &take, &old)) {
		try_hole(&f, (size_t)sysconf(_SC_PAGESIZE));
		try_hole(&f, WIDE);
		sigaction(SIGSEGV, &old, NULL);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return f.nr;
}

static int32_t number_at(const uint8_t *p)
{
	int32_t number;

	memcpy(&number, p, sizeof(number));
	return number;
}

bool libc_copies__function(const uint8_t *table, size_t len, uint64_t table_at, uint64_t at,
			   uint64_t *from, uint64_t *to)
{
	bool found = false;
	size_t n;

	if (len < HEAD || table[0] != VERSION || table[2] != COUNT_4_BYTES ||
	    table[3] != ENTRIES_4_BYTES)
		return false;
	n = (uint32_t)number_at(table + 8);
	if (n > (len - HEAD) / ENTRY)
		return false;
	for (size_t i = 0; i < n; i++) {
		*to = table_at + (int64_t)number_at(table + HEAD + i * ENTRY);
		if (*to > at)
			return found;
		*from = *to;
		found = true;
	}
	return false;
}

/* The function that contains an address of this process. */
struct search {
	uint64_t at;
	uint64_t from, to;
	bool found;
};

/* For dl_iterate_phdr(): ends the iteration at the object that contains the address. */
static int search_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	uint64_t table = 0;
	size_t len = 0;
	bool here = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t begin = info->dlpi_addr + p->p_vaddr;

		here |= p->p_type == PT_LOAD && s->at >= begin && s->at < begin + p->p_memsz;
		if (p->p_type == PT_GNU_EH_FRAME) {
			table = begin;
			len = p->p_memsz;
		}
	}
	if (here && table)
		s->found = libc_copies__function((const uint8_t *)table, len, table, s->at,
						 &s->from, &s->to);
	return here;
}

/* "libc.so.6", "libc-2.31.so", "ld-musl-x86_64.so.1"; not libcrypto or libc++. */
static bool is_libc(const char *object)
{
	return !strncmp(object, "libc.", 5) || !strncmp(object, "libc-", 5) ||
	       !strncmp(object, "ld-musl", 7);
}

static bool has_offset(const struct libc_copies *c, uint64_t offset)
{
	for (size_t i = 0; i < c->nr; i++)
		if (offset >= c->code[i].from && offset < c->code[i].to)
			return true;
	return false;
}

/* Adds the function at an address of this process, once. false: its range is unknown. */
static bool add_function(struct libc_copies *c, const struct process_maps *own, uint64_t at)
{
	const char *object = process_maps__object(own, at);
	struct search s = {.at = at};
	struct file_place place;

	if (!object || !is_libc(object) || !process_maps__place(own, at, &place))
		return false;
	if (has_offset(c, place.offset))
		return true;
	dl_iterate_phdr(search_object, &s);
	if (!s.found || c->nr == LIBC_COPIES_MAX)
		return false;
	c->library = place;
	c->code[c->nr].from = place.offset - (at - s.from);
	c->code[c->nr++].to = place.offset + (s.to - at);
	return true;
}

/* Adds a copying function and the functions that copy for it. */
static bool add_copies(struct libc_copies *c, const struct process_maps *own, copy_function copy)
{
	uint64_t at[FAULTS_MAX];
	size_t nr;

	if (!add_function(c, own, (uint64_t)(uintptr_t)copy))
		return false;
	nr = libc_copies__faults(copy, at, FAULTS_MAX);
	for (size_t i = 0; i < nr; i++)
		if (!add_function(c, own, at[i]))
			return false;
	return nr;
}

bool libc_copies__find(struct libc_copies *c)
{
	/* volatile: the functions that the loader chose, not the compiler's. */
	static volatile copy_function functions[] = {memcpy, memmove, mempcpy};
	struct process_maps *own = process_maps__read(getpid());
	bool found = true;

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && found; i++)
		found = add_copies(c, own, functions[i]);
	process_maps__free(own);
	/* A part of the functions would make copies by the others no copies. */
	if (!found)
		memset(c, 0, sizeof(*c));
	return found;
}

enum libc_copies_answer libc_copies__ask(const struct libc_copies *c, const struct process_maps *m,
					 uint64_t address)
{
	const char *object = process_maps__object(m, address);
	struct file_place place;

	if (!object)
		return LIBC_COPIES_UNKNOWN;
	/* A program without a mapped C library is static or has its own copy functions. */
	if (!is_libc(object))
		return process_maps__any(m, is_libc) ? LIBC_COPIES_NO : LIBC_COPIES_UNKNOWN;
	if (!process_maps__place(m, address, &place) || place.inode != c->library.inode ||
	    place.major != c->library.major || place.minor != c->library.minor)
		return LIBC_COPIES_UNKNOWN;
	return has_offset(c, place.offset) ? LIBC_COPIES_YES : LIBC_COPIES_NO;
}
