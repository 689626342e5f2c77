/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a copying function faults; see copy_faults.h. */
#include "copy_faults.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* Memory on either side of a hole. */
#define EDGE (64UL << 10)
/*
 * A hole behind which a copy is one of the largest, which are made without the cache: from three
 * quarters of the last level on, which is hundreds of MiB on some.
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

/* A handler knows nothing but what is global. */
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

size_t copy_faults__find(copy_function copy, uint64_t *at, size_t max)
{
	struct faults f = {.copy = copy, .at = at, .max = max};
	struct sigaction take = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER},
			 old;
	sigset_t fault, mask;

	sigemptyset(&take.sa_mask);
	sigemptyset(&fault);
	sigaddset(&fault, SIGSEGV);
	/* Whoever started this may have blocked it, which would be the end. */
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
