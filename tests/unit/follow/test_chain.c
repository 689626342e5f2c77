/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoding, taint and chains against a child process that copies known bytes: its debug registers
 * stop it at the first touch of a byte, and the chain must find where the byte goes. No root.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "follow/chain.h"
#include "support/test.h"

#define SIZE_MAX_COPY 4096
#define DR7_RW_BYTE   0x30001UL /* debug register 0: reads and writes of one byte */

static char source[SIZE_MAX_COPY + 64], target[SIZE_MAX_COPY + 64];

struct s64 {
	char bytes[64];
};

static __attribute__((noinline)) void copy_memcpy(char *to, const char *from, size_t n)
{
	memcpy(to, from, n);
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void copy_memmove(char *to, const char *from, size_t n)
{
	memmove(to, from, n);
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void copy_bytes(char *to, const char *from, size_t n)
{
	volatile char *v = to;

	for (size_t i = 0; i < n; i++)
		v[i] = from[i];
}

static __attribute__((noinline)) void copy_structs(char *to, const char *from, size_t n)
{
	size_t i = 0;

	for (; i + 64 <= n; i += 64) {
		*(struct s64 *)(to + i) = *(const struct s64 *)(from + i);
		__asm__ volatile("" ::: "memory");
	}
	copy_bytes(to + i, from + i, n - i);
}

static __attribute__((noinline)) void copy_string(char *to, const char *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
}

static __attribute__((noinline)) void copy_xor(char *to, const char *from, size_t n)
{
	volatile char *v = to;

	for (size_t i = 0; i < n; i++)
		v[i] = from[i] ^ 0x5a;
}

static volatile unsigned long sum;

static __attribute__((noinline)) void only_look(char *to, const char *from, size_t n)
{
	(void)to;
	for (size_t i = 0; i < n; i++)
		sum += ((const volatile char *)from)[i] == 7;
}

static const struct kind {
	const char *name;
	void (*copy)(char *to, const char *from, size_t n);
	unsigned int links;
	enum link_kind link;
} kinds[] = {
	{"memcpy", copy_memcpy, 1, LINK_COPY},    {"memmove", copy_memmove, 1, LINK_COPY},
	{"bytes", copy_bytes, 1, LINK_COPY},      {"structs", copy_structs, 1, LINK_COPY},
	{"rep movsb", copy_string, 1, LINK_COPY}, {"xor", copy_xor, 1, LINK_TRANSFORM},
	{"look", only_look, 0, LINK_COPY},
};

/* What the child does next: shared with it. */
static volatile struct job {
	unsigned int kind;
	size_t size, from, to; /* offsets of the first bytes */
} * job;

static _Noreturn void work(void)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	for (;;) {
		kill(getpid(), SIGSTOP);
		kinds[job->kind].copy(target + job->to, source + job->from, job->size);
	}
}

static pid_t child;
static struct taint taint;
static int misses;

static uint64_t io_now(void *ctx)
{
	(void)ctx;
	return 1;
}

static bool io_read(void *ctx, uint64_t address, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)address, len};

	(void)ctx;
	return process_vm_readv(child, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static bool io_step(void *ctx, uint32_t tid, struct user_regs_struct *regs)
{
	int status;

	(void)ctx;
	return !ptrace(PTRACE_SINGLESTEP, tid, 0, 0) &&
	       waitpid((pid_t)tid, &status, 0) == (pid_t)tid && WIFSTOPPED(status) &&
	       WSTOPSIG(status) == SIGTRAP && !ptrace(PTRACE_GETREGS, tid, 0, regs);
}

static bool io_decode(void *ctx, struct decoder_request *request, struct decoder_answer *answer)
{
	(void)ctx;
	decoder__answer(&taint, request, answer);
	return true;
}

static bool io_watch(void *ctx, unsigned int place, uint64_t address)
{
	(void)ctx;
	(void)place;
	(void)address;
	return true;
}

static void io_unwatch(void *ctx, unsigned int place)
{
	(void)ctx;
	(void)place;
}

static bool set_watch(uint64_t address, unsigned long control)
{
	return !ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[0]), address) &&
	       !ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[7]), control);
}

static int wait_stop(void)
{
	int status;

	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		fail_msg("the child ended: status %x", status);
	return WSTOPSIG(status);
}

/* Runs one job with a watch on byte `at` of it; the chain must find its copy. */
static void follow_copy(unsigned int kind, size_t size, size_t from, size_t to, size_t at)
{
	static const struct chain_io io = {.now = io_now,
					   .read = io_read,
					   .step = io_step,
					   .decode = io_decode,
					   .watch = io_watch,
					   .unwatch = io_unwatch};
	static struct chain c;
	struct nio_follow_event e = {.tid = (uint32_t)child,
				     .tgid = (uint32_t)child,
				     .address = (uintptr_t)source + from + at};
	struct user_regs_struct regs;
	const struct kind *k = &kinds[kind];

	memset(&c, 0, sizeof(c));
	c.io = &io;
	c.slots = NIO_FOLLOW_PLACES;
	*job = (struct job){kind, size, from, to};
	chain__begin(&c, &e);
	assert_true(set_watch(e.address, DR7_RW_BYTE));
	ptrace(PTRACE_CONT, child, 0, 0);
	if (wait_stop() != SIGTRAP)
		fail_msg("%s of %zu: no touch of byte %zu", k->name, size, at);
	assert_false(ptrace(PTRACE_GETREGS, child, 0, &regs));
	assert_true(set_watch(0, 0));
	chain__touch(&c, &e, &regs);
	if (c.links_nr != k->links || c.over ||
	    (k->links &&
	     (c.links[0].to != (uintptr_t)target + to + at || c.links[0].kind != k->link))) {
		fprintf(stderr, "%s of %zu, from %zu to %zu, byte %zu: %u links, end %s, to %ld\n",
			k->name, size, from, to, at, c.links_nr, chain_end__name(c.end),
			c.links_nr ? (long)(c.links[0].to - (uintptr_t)target - to) : -1);
		misses++;
	}
	ptrace(PTRACE_CONT, child, 0, 0);
	assert_int_equal(wait_stop(), SIGSTOP);
}

static int begin(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(source); i++)
		source[i] = (char)(i * 7 + (i >> 8));
	job = mmap(NULL, sizeof(*job), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	misses = 0;
	child = fork();
	if (!child)
		work();
	wait_stop();
	return 0;
}

static int end(void **state)
{
	(void)state;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	munmap((void *)job, sizeof(*job));
	return 0;
}

/* Sizes around those where copy functions change their way, and others. */
static const size_t sizes[] = {1,   2,   3,   4,   7,   8,   9,    15,   16,   17,   31,   32,
			       33,  48,  63,  64,  65,  96,  127,  128,  129,  160,  255,  256,
			       257, 300, 384, 511, 512, 513, 1000, 1500, 2047, 2048, 3000, 4096};

TEST_WITH(each_copy_function_is_found_with_its_destination, begin, end)
{
	for (unsigned int kind = 0; kind < ARRAY_LEN(kinds); kind++)
		for_each_case(size, sizes) {
			size_t at[] = {0, *size / 3, *size / 2, *size - 1};

			for (size_t i = 0; i < ARRAY_LEN(at); i++)
				follow_copy(kind, *size, i * 5, i * 11 % 16, at[i]);
		}
	assert_int_equal(misses, 0);
}

/* A program of its own events, without a process: no memory can be read. */
static bool no_read(void *ctx, uint64_t address, void *to, size_t len)
{
	(void)ctx;
	(void)address;
	memset(to, 0, len);
	return true;
}

static const struct chain_io still = {.now = io_now,
				      .read = no_read,
				      .decode = io_decode,
				      .watch = io_watch,
				      .unwatch = io_unwatch};

static void begin_at(struct chain *c, uint64_t address)
{
	const struct nio_follow_event e = {.address = address, .tgid = 7};

	memset(c, 0, sizeof(*c));
	c->io = &still;
	c->slots = NIO_FOLLOW_PLACES;
	chain__begin(c, &e);
}

TEST(a_send_of_the_byte_ends_the_chain)
{
	static struct chain c;
	struct nio_follow_event e = {.places = 1, .tcp = 1, .ns = 5};

	begin_at(&c, 4096);
	chain__cover(&c, &e);
	assert_true(c.over);
	assert_int_equal(c.end, CHAIN_SENT);
	e.tcp = 0;
	begin_at(&c, 4096);
	chain__cover(&c, &e);
	assert_int_equal(c.end, CHAIN_WRITTEN);
}

TEST(a_later_read_into_the_last_place_ends_the_chain)
{
	static struct chain c;
	const struct nio_follow_event e = {.places = 1, .fills = 1, .ns = 5};

	begin_at(&c, 4096);
	chain__cover(&c, &e);
	assert_true(c.over);
	assert_int_equal(c.end, CHAIN_READ_OVER);
}

/* The call that brought the byte returned before the place was watched. */
TEST(a_call_before_the_place_was_watched_does_not_count)
{
	static struct chain c;
	const struct nio_follow_event e = {.places = 1, .fills = 1, .ns = 1};

	begin_at(&c, 4096);
	chain__cover(&c, &e);
	assert_false(c.over);
}

TEST(code_that_is_not_decoded_makes_the_sample_unknown)
{
	static struct chain c;
	struct user_regs_struct regs = {.rip = 1 << 20};
	const struct nio_follow_event e = {.address = 4096, .tid = 7, .tgid = 7};

	begin_at(&c, 4096);
	chain__touch(&c, &e, &regs);
	assert_true(c.over);
	assert_true(chain_end__is_unknown(c.end));
}
