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

/* version, three forms, where the frames are, how many entries; then entries: function, frame. */
#define HEAD  12
#define ENTRY 8

/* Instructions of one copying function that fault: 30 of glibc's. */
#define FAULTS_MAX 256

/* Memory on either side of a hole. */
#define EDGE (64UL << 10)
/*
 * Gap for copies of the largest kind, which bypass the cache: from three quarters of the last-level
 * cache on, hundreds of MiB on some machines.
 */
#define WIDE (1UL << 30)

struct field {
	uint8_t *begin;
	uint8_t *hole;
	size_t width; /* of the hole */
};

struct faults {
	copy_function copy;
	uint64_t *at;
	size_t nr, max;
};

/* The handler can use globals only. */
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

static bool field__make(struct field *field, size_t width)
{
	size_t len = 2 * EDGE + width;
	void *begin =
		mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (begin == MAP_FAILED)
		return false;
	*field = (struct field){.begin = begin, .hole = (uint8_t *)begin + EDGE, .width = width};
	if (!mprotect(field->begin, EDGE, PROT_READ | PROT_WRITE) &&
	    !mprotect(field->hole + width, EDGE, PROT_READ | PROT_WRITE))
		return true;
	munmap(begin, len);
	return false;
}

static void field__clear(const struct field *field)
{
	munmap(field->begin, 2 * EDGE + field->width);
}

/* A few bytes, all of them in a hole: of the source, of the target. */
static void try_small(struct faults *f, const struct field *x)
{
	for (size_t len = 1; len <= x->width && len <= EDGE; len += len < 16 ? 1 : len / 4) {
		try(f, x->begin, x->hole, len);
		try(f, x->hole, x->begin, len);
	}
}

/* Many, with a hole in their midst: of the source, of the target, of both while they overlap. */
static void try_across(struct faults *f, const struct field *x, const struct field *whole)
{
	for (size_t before = 16; before < EDGE; before *= 4) {
		size_t len = before + x->width + EDGE / 2;

		try(f, x->hole - before, x->hole - before + 8, len);
		try(f, x->hole - before + 8, x->hole - before, len);
		if (len > EDGE + whole->width)
			continue;
		try(f, whole->begin, x->hole - before, len);
		try(f, x->hole - before, whole->begin, len);
	}
}

static void try_all(struct faults *f, const struct field *x)
{
	struct field whole;

	/* Without a hole: the other side of a copy. */
	if (!field__make(&whole, x->width))
		return;
	if (!mprotect(whole.hole, whole.width, PROT_READ | PROT_WRITE)) {
		try_small(f, x);
		try_across(f, x, &whole);
	}
	field__clear(&whole);
}

static void try_field(struct faults *f, size_t width)
{
	struct field x;

	if (!field__make(&x, width))
		return;
	try_all(f, &x);
	field__clear(&x);
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
		try_field(&f, (size_t)sysconf(_SC_PAGESIZE));
		try_field(&f, WIDE);
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
		uint64_t function = table_at + (int64_t)number_at(table + HEAD + i * ENTRY);

		*to = function;
		if (function > at)
			return found;
		*from = function;
		found = true;
	}
	return false;
}

/* Finds the object that contains a function. */
struct search {
	uint64_t at;
	uint64_t from, to;
	bool found;
};

static bool has_address(const struct dl_phdr_info *info, uint64_t at)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t begin = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && at >= begin && at < begin + p->p_memsz)
			return true;
	}
	return false;
}

static int look_into(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;

	(void)size;
	if (!has_address(info, s->at))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t begin = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_GNU_EH_FRAME)
			s->found = libc_copies__function((const uint8_t *)begin, p->p_memsz, begin,
							 s->at, &s->from, &s->to);
	}
	return 1;
}

static bool is_same_file(const struct file_place *a, const struct file_place *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

/* "libc.so.6", "libc-2.31.so", "ld-musl-x86_64.so.1"; not libcrypto or libc++. */
static bool is_libc(const char *object)
{
	return !strncmp(object, "libc.", 5) || !strncmp(object, "libc-", 5) ||
	       !strncmp(object, "ld-musl", 7);
}

/* Adds the function at this address of ours, unless it is there. false: its range is unknown. */
static bool add_function(struct libc_copies *c, const struct process_maps *own, uint64_t at)
{
	const char *object = process_maps__object(own, at);
	struct search s = {.at = at};
	struct file_place place;

	if (!object || !is_libc(object) || !process_maps__place(own, at, &place))
		return false;
	for (size_t i = 0; i < c->nr; i++)
		if (place.offset >= c->code[i].from && place.offset < c->code[i].to)
			return true;
	dl_iterate_phdr(look_into, &s);
	if (!s.found || c->nr == LIBC_COPIES_MAX)
		return false;
	c->library = place;
	c->code[c->nr].from = place.offset - (at - s.from);
	c->code[c->nr++].to = place.offset + (s.to - at);
	return true;
}

/* Adds a function, and those that it copies in. */
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
	/* Read at run time: what the loader chose. */
	static volatile copy_function functions[] = {memcpy, memmove, mempcpy};
	struct process_maps *own = process_maps__read(getpid());
	bool found = true;

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && found; i++)
		found = add_copies(c, own, functions[i]);
	process_maps__free(own);
	/* With a part of the functions, copies by the others would count as no copies. */
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
		return LIBC_COPIES_UNTOLD;
	/* A program without a mapped C library is static or has its own copy functions. */
	if (!is_libc(object))
		return process_maps__any(m, is_libc) ? LIBC_COPIES_NO : LIBC_COPIES_UNTOLD;
	if (!process_maps__place(m, address, &place) || !is_same_file(&place, &c->library))
		return LIBC_COPIES_UNTOLD;
	for (size_t i = 0; i < c->nr; i++)
		if (place.offset >= c->code[i].from && place.offset < c->code[i].to)
			return LIBC_COPIES_YES;
	return LIBC_COPIES_NO;
}
