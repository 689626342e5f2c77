/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoding, taint and chains against a child process that copies known bytes: its debug registers
 * stop it at the first touch of a byte, and the chain must find where the byte goes. No root.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "follow/chain.h"
#include "support/test.h"

#define SIZE_MAX_COPY 4096
#define ROUNDS_MAX    32
#define DR7_W_BYTE    1UL /* writes of one byte */
#define DR7_RW_BYTE   3UL /* reads and writes of one byte: of register n at bits 16 + 4 * n */

static char source[SIZE_MAX_COPY + 64], target[SIZE_MAX_COPY + 64], other[SIZE_MAX_COPY + 64];

struct s64 {
	char bytes[64];
};

/* What copies, without the reads and checks that a sanitizer adds to it. */
#define PLANTED static __attribute__((noinline, no_sanitize("address", "undefined")))

PLANTED void copy_memcpy(char *to, const char *from, size_t n)
{
	memcpy(to, from, n);
	__asm__ volatile("" ::: "memory");
}

PLANTED void copy_memmove(char *to, const char *from, size_t n)
{
	memmove(to, from, n);
	__asm__ volatile("" ::: "memory");
}

PLANTED void copy_bytes(char *to, const char *from, size_t n)
{
	volatile char *v = to;

	for (size_t i = 0; i < n; i++)
		v[i] = from[i];
}

PLANTED void copy_structs(char *to, const char *from, size_t n)
{
	size_t i = 0;

	for (; i + 64 <= n; i += 64) {
		*(struct s64 *)(to + i) = *(const struct s64 *)(from + i);
		__asm__ volatile("" ::: "memory");
	}
	copy_bytes(to + i, from + i, n - i);
}

PLANTED void copy_string(char *to, const char *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
}

PLANTED void copy_xor(char *to, const char *from, size_t n)
{
	volatile char *v = to;

	for (size_t i = 0; i < n; i++)
		v[i] = from[i] ^ 0x5a;
}

PLANTED void copy_to_two(char *to, const char *from, size_t n)
{
	volatile char *first = to, *second = other;

	for (size_t i = 0; i < n; i++) {
		char c = from[i];

		first[i] = c;
		second[i] = c;
	}
}

PLANTED void copy_on_and_on(char *to, const char *from, size_t n)
{
	volatile char *first = to, *second = other;

	for (size_t i = 0; i < n; i++) {
		first[i] = from[i];
		second[i] = first[i];
	}
}

/* The same instructions copy the same bytes to the same place again. */
PLANTED void copy_twice(char *to, const char *from, size_t n)
{
	for (int i = 0; i < 2; i++)
		copy_bytes(to, from, n);
}

PLANTED void relay_four(char *to, const char *from, size_t n)
{
	static char buffer[3][SIZE_MAX_COPY + 64];

	copy_memcpy(to, from, n);
	copy_memcpy(buffer[0], to, n);
	copy_bytes(buffer[1], buffer[0], n);
	copy_string(buffer[2], buffer[1], n);
}

/* Load, change and store of one place, as a WebSocket server does; then a copy. */
PLANTED void change_in_place(char *to, const char *from, size_t n)
{
	volatile char *v = (char *)from;

	for (size_t i = 0; i < n; i++) {
		char c = v[i];

		__asm__ volatile("xor $1, %0" : "+r"(c));
		v[i] = c;
	}
	copy_memcpy(to, from, n);
}

PLANTED void look_up(char *to, const char *from, size_t n)
{
	static char table[256];
	volatile char *v = to;

	for (size_t i = 0; i < n; i++)
		v[i] = ((volatile char *)table)[(unsigned char)from[i]];
}

/* The byte is moved as the second one of a register, beside another that is overwritten. */
PLANTED void copy_high_byte(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		__asm__ volatile("movzbl (%0), %%eax\n\tshl $8, %%eax\n\tmov $7, %%al\n\t"
				 "mov %%ah, (%1)" ::"S"(from + i),
				 "D"(to + i) /* %ah goes with no register of 64 bits only */
				 : "rax", "memory");
}

PLANTED void copy_beside(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		__asm__ volatile(
			"movzwl -1(%0), %%eax\n\tmov $7, %%al\n\tmov %%ax, -1(%1)" ::"r"(from + i),
			"r"(to + i)
			: "rax", "memory");
}

/* The byte stays in a register until it is stored, long after. */
PLANTED void copy_much_later(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		__asm__ volatile("movb (%0), %%r12b\n\tmov $60, %%eax\n1:\tdec %%eax\n\tjnz 1b\n\t"
				 "movb %%r12b, (%1)" ::"r"(from + i),
				 "r"(to + i)
				 : "rax", "r12", "memory");
}

/* The program would find the trap flag of the step in what pushf stores. */
PLANTED void copy_beside_flags(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		__asm__ volatile("lea -128(%%rsp), %%rsp\n\tmovb (%0), %%al\n\tpushfq\n\t"
				 "movb %%al, (%1)\n\tlea 136(%%rsp), %%rsp" ::"r"(from + i),
				 "r"(to + i)
				 : "rax", "memory", "cc");
}

PLANTED void exchange(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		__asm__ volatile(
			"xor %%eax, %%eax\n\txchg %%al, (%0)\n\tmov %%al, (%1)" ::"r"(from + i),
			"r"(to + i)
			: "rax", "memory");
}

PLANTED void fill(char *to, const char *from, size_t n)
{
	memset(to, from[0], n);
	__asm__ volatile("" ::: "memory");
}

PLANTED void count_up(char *to, const char *from, size_t n)
{
	volatile char *v = to;

	(void)from;
	for (size_t i = 0; i < n; i++)
		v[i] = (char)(i * i * 3 + 1);
}

static volatile unsigned long sum;

PLANTED void only_look(char *to, const char *from, size_t n)
{
	(void)to;
	for (size_t i = 0; i < n; i++)
		sum += ((const volatile char *)from)[i] == 7;
}

static const struct kind {
	const char *name;
	void (*copy)(char *to, const char *from, size_t n);
	unsigned int links;
	enum link_kind link; /* of the first one */
	enum chain_end end;  /* NONE: the chain goes on */
} kinds[] = {
	{"memcpy", copy_memcpy, 1, LINK_COPY, CHAIN_NONE},
	{"memmove", copy_memmove, 1, LINK_COPY, CHAIN_NONE},
	{"bytes", copy_bytes, 1, LINK_COPY, CHAIN_NONE},
	{"structs", copy_structs, 1, LINK_COPY, CHAIN_NONE},
	{"rep movsb", copy_string, 1, LINK_COPY, CHAIN_NONE},
	{"xor", copy_xor, 1, LINK_TRANSFORM, CHAIN_NONE},
	{"look", only_look, 0, LINK_COPY, CHAIN_NONE},
	{"to two places", copy_to_two, 2, LINK_COPY, CHAIN_NONE},
	{"on and on", copy_on_and_on, 2, LINK_COPY, CHAIN_NONE},
	{"twice", copy_twice, 2, LINK_COPY, CHAIN_NONE},
	{"four", relay_four, 4, LINK_COPY, CHAIN_NONE},
	{"in place", change_in_place, 1, LINK_COPY, CHAIN_NONE},
	{"table", look_up, 1, LINK_TRANSFORM, CHAIN_NONE},
	{"high byte", copy_high_byte, 1, LINK_TRANSFORM, CHAIN_NONE},
	{"beside", copy_beside, 1, LINK_COPY, CHAIN_NONE},
	{"much later", copy_much_later, 0, LINK_COPY, CHAIN_HELD},
	{"exchange", exchange, 0, LINK_COPY, CHAIN_UNDECODED},
	{"flags", copy_beside_flags, 0, LINK_COPY, CHAIN_UNDECODED},
};

/* The same for a sent byte: copies between the memory that is sent and that which recv() filled. */
static const struct back_kind {
	const char *name;
	void (*copy)(char *to, const char *from, size_t n);
	char *sent;
	unsigned int links;
	enum link_kind link;
	enum chain_end end;
} back_kinds[] = {
	{"memcpy", copy_memcpy, target, 1, LINK_COPY, CHAIN_FILLED},
	{"memmove", copy_memmove, target, 1, LINK_COPY, CHAIN_FILLED},
	{"bytes", copy_bytes, target, 1, LINK_COPY, CHAIN_FILLED},
	{"structs", copy_structs, target, 1, LINK_COPY, CHAIN_FILLED},
	{"rep movsb", copy_string, target, 1, LINK_COPY, CHAIN_FILLED},
	{"xor", copy_xor, target, 1, LINK_TRANSFORM, CHAIN_FILLED},
	{"on and on", copy_on_and_on, other, 2, LINK_COPY, CHAIN_FILLED},
	{"nothing", only_look, source, 0, LINK_COPY, CHAIN_FILLED},
	{"stored", only_look, target, 0, LINK_COPY, CHAIN_STORED},
	{"memset", fill, target, 0, LINK_COPY, CHAIN_COMPUTED},
	{"count", count_up, target, 0, LINK_COPY, CHAIN_COMPUTED},
};

/* What the child does next: shared with it. */
static volatile struct job {
	void (*copy)(char *to, const char *from, size_t n);
	size_t size, from, to; /* offsets of the first bytes */
} * job;

static _Noreturn void work(void)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	for (;;) {
		kill(getpid(), SIGSTOP);
		job->copy(target + job->to, source + job->from, job->size);
	}
}

static pid_t child;
static struct taint taint;
static int misses, back_chains, back_unknown;

static uint64_t clock_ns, step_ns;

static uint64_t io_now(void *ctx)
{
	(void)ctx;
	return ++clock_ns;
}

static bool io_read(void *ctx, uint64_t address, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)address, len};

	(void)ctx;
	return process_vm_readv(child, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static enum chain_end io_step(void *ctx, uint32_t tid, struct user_regs_struct *regs)
{
	int status;

	(void)ctx;
	clock_ns += step_ns;
	return !ptrace(PTRACE_SINGLESTEP, tid, 0, 0) &&
			       waitpid((pid_t)tid, &status, 0) == (pid_t)tid &&
			       WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP &&
			       !ptrace(PTRACE_GETREGS, tid, 0, regs)
		       ? CHAIN_NONE
		       : CHAIN_INTERRUPTED;
}

static bool io_decode(void *ctx, struct decoder_request *request, struct decoder_answer *answer)
{
	(void)ctx;
	decoder__answer(&taint, request, answer);
	return true;
}

/* For all tests on this machine: tests/e2e/follow.bats has the same lock. */
static void lock_registers(void)
{
	static int lock = -1;

	if (lock >= 0)
		return;
	lock = open("/run/netiotrace-follow.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	for (int tries = 0; lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) && tries < 6000; tries++)
		usleep(50000);
}

/* Another follow or a debugger may have the debug registers for a while: waits up to a minute. */
static bool set_register(unsigned int nr, unsigned long value)
{
	long at = offsetof(struct user, u_debugreg) + nr * sizeof(unsigned long);

	for (int tries = 0; ptrace(PTRACE_POKEUSER, child, at, value); tries++) {
		if (errno != ENOSPC || tries == 1200)
			return false;
		usleep(50000);
	}
	return true;
}

static unsigned long control;

static void io_unwatch(void *ctx, unsigned int slot)
{
	(void)ctx;
	control &= ~(1UL << 2 * slot | DR7_RW_BYTE << (16 + 4 * slot));
	set_register(7, control);
}

static unsigned long access_type = DR7_RW_BYTE;

static bool io_watch(void *ctx, unsigned int slot, uint64_t address)
{
	io_unwatch(ctx, slot);
	control |= 1UL << 2 * slot | access_type << (16 + 4 * slot);
	return set_register(slot, address) && set_register(7, control);
}

static void unwatch_all(void)
{
	control = 0;
	set_register(7, 0);
}

/* The watched address that was touched; 0: none. */
static uint64_t touched(void)
{
	unsigned long status = (unsigned long)ptrace(PTRACE_PEEKUSER, child,
						     offsetof(struct user, u_debugreg[6]), 0);

	set_register(6, 0);
	for (unsigned int i = 0; i < NIO_FOLLOW_PLACES; i++)
		if (status >> i & 1)
			return (uint64_t)ptrace(PTRACE_PEEKUSER, child,
						offsetof(struct user, u_debugreg[0]) +
							i * sizeof(unsigned long),
						0);
	return 0;
}

static int wait_stop(void)
{
	int status;

	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		fail_msg("the child ended: status %x", status);
	return WSTOPSIG(status);
}

static const struct chain_io io = {.now = io_now,
				   .read = io_read,
				   .step = io_step,
				   .decode = io_decode,
				   .watch = io_watch,
				   .unwatch = io_unwatch};

/* Takes touches until the job is done. */
static void follow_job(struct chain *c, struct nio_follow_event *e)
{
	struct user_regs_struct regs;

	for (;;) {
		ptrace(PTRACE_CONT, child, 0, 0);
		if (wait_stop() != SIGTRAP)
			break;
		e->address = touched();
		e->ns = ++clock_ns;
		assert_false(ptrace(PTRACE_GETREGS, child, 0, &regs));
		if (!c->over)
			chain__touch(c, e, &regs);
		if (c->over)
			unwatch_all();
	}
}

/* Runs one job with a watch on byte `at` of it; the chain must find its copies. */
static void follow_copy(unsigned int kind, size_t size, size_t from, size_t to, size_t at)
{
	static struct chain c;
	struct nio_follow_event e = {.tid = (uint32_t)child,
				     .tgid = (uint32_t)child,
				     .address = (uintptr_t)source + from + at};
	const struct kind *k = &kinds[kind];

	memset(&c, 0, sizeof(c));
	c.io = &io;
	c.slots = NIO_FOLLOW_PLACES;
	*job = (struct job){k->copy, size, from, to};
	chain__begin(&c, &e);
	follow_job(&c, &e);
	unwatch_all();
	if (!c.touches)
		fail_msg("%s of %zu: no touch of byte %zu", k->name, size, at);
	if (c.links_nr != k->links || c.end != k->end || c.at_least != (k->links >= c.slots) ||
	    (k->links &&
	     (c.links[0].to != (uintptr_t)target + to + at || c.links[0].kind != k->link))) {
		fprintf(stderr, "%s of %zu, from %zu to %zu, byte %zu: %u links, end %s, to %ld\n",
			k->name, size, from, to, at, c.links_nr, chain_end__name(c.end),
			c.links_nr ? (long)(c.links[0].to - (uintptr_t)target - to) : -1);
		misses++;
	}
}

/* A system call that reads or writes the memory at *places; fills: with these addresses only. */
static void call(struct chain *c, bool fills, uint64_t from, size_t len)
{
	struct nio_follow_event e = {
		.kind = NIO_FOLLOW_COVER, .fills = fills, .tcp = true, .ns = ++clock_ns};

	for (unsigned int i = 0; i < c->slots; i++)
		if (c->places[i].on && c->places[i].address - from < len)
			e.places |= 1U << i;
	if (!c->over)
		chain__cover(c, &e);
}

/* recv() into source, the job, send() of its result, until the chain is over. */
static void follow_back(const struct back_kind *k, size_t size, size_t from, size_t to, size_t at)
{
	static struct chain_fills fills;
	static struct chain c;
	uint64_t sent = (uintptr_t)k->sent + (k->sent == target   ? to
					      : k->sent == source ? from
								  : 0);
	struct nio_follow_event e = {
		.tid = (uint32_t)child, .tgid = (uint32_t)child, .address = sent + at};

	memset(&c, 0, sizeof(c));
	c.io = &io;
	c.slots = NIO_FOLLOW_PLACES;
	c.backward = true;
	c.fills = &fills;
	fills.nr = fills.sends = 0;
	access_type = DR7_W_BYTE;
	*job = (struct job){k->copy, size, from, to};
	chain__begin(&c, &e);
	for (int i = 0; i < ROUNDS_MAX && !c.over; i++) {
		call(&c, true, (uintptr_t)source + from, size);
		follow_job(&c, &e);
		call(&c, false, sent, size);
	}
	unwatch_all();
	access_type = DR7_RW_BYTE;
	back_chains++;
	if (chain_end__is_unknown(c.end)) {
		back_unknown += k->end == CHAIN_FILLED;
		return;
	}
	if (c.links_nr == k->links && c.end == k->end && (!k->links || c.links[0].kind == k->link))
		return;
	fprintf(stderr, "back: %s of %zu, byte %zu: %u links, end %s\n", k->name, size, at,
		c.links_nr, chain_end__name(c.end));
	misses++;
}

static int begin(void **state)
{
	(void)state;
	lock_registers();
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

/* On a busy CPU a step can take milliseconds: the thread is not kept longer. */
TEST_WITH(a_byte_is_given_up_after_5_ms_of_steps, begin, end)
{
	struct nio_follow_event e = {
		.tid = (uint32_t)child, .tgid = (uint32_t)child, .address = (uintptr_t)source + 8};
	static struct chain c;

	memset(&c, 0, sizeof(c));
	c.io = &io;
	c.slots = NIO_FOLLOW_PLACES;
	step_ns = 3000000;
	*job = (struct job){copy_xor, 64, 0, 0};
	chain__begin(&c, &e);
	follow_job(&c, &e);
	unwatch_all();
	step_ns = 0;
	assert_string_equal(chain_end__name(c.end), "slow");
	assert_true(chain_end__is_unknown(c.end));
	assert_int_equal(c.steps, 2);
}

/* Never another number of copies; of a message of few bytes it may be unknown. */
TEST_WITH(each_source_of_a_sent_byte_is_found_or_unknown, begin, end)
{
	for_each_case(k, back_kinds)
		for_each_case(size, sizes) {
			size_t at[] = {0, *size / 3, *size / 2, *size - 1};

			for (size_t i = 0; i < ARRAY_LEN(at); i++)
				follow_back(k, *size, i * 5, i * 11 % 16, at[i]);
		}
	assert_int_equal(misses, 0);
	if (back_unknown * 6 > back_chains)
		fail_msg("%d of %d bytes are unknown", back_unknown, back_chains);
}

/* A program of its own events, without a process: no memory can be read. */
static bool no_read(void *ctx, uint64_t address, void *to, size_t len)
{
	(void)ctx;
	(void)address;
	memset(to, 0, len);
	return true;
}

static bool no_watch(void *ctx, unsigned int slot, uint64_t address)
{
	(void)ctx;
	(void)slot;
	(void)address;
	return true;
}

static void no_unwatch(void *ctx, unsigned int slot)
{
	(void)ctx;
	(void)slot;
}

static const struct chain_io still = {.now = io_now,
				      .read = no_read,
				      .decode = io_decode,
				      .watch = no_watch,
				      .unwatch = no_unwatch};

static void begin_at(struct chain *c, uint64_t address)
{
	const struct nio_follow_event e = {.address = address, .tgid = 7};

	memset(c, 0, sizeof(*c));
	clock_ns = 0;
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

TEST(memory_that_moves_and_new_children_make_the_sample_unknown)
{
	static struct chain c;
	struct nio_follow_event e = {.kind = NIO_FOLLOW_MOVE, .places = 1, .ns = 5};

	begin_at(&c, 4096);
	chain__cover(&c, &e);
	assert_int_equal(c.end, CHAIN_MOVED);
	assert_true(chain_end__is_unknown(c.end));
	e = (struct nio_follow_event){.kind = NIO_FOLLOW_CHILD};
	begin_at(&c, 4096);
	chain__cover(&c, &e);
	assert_int_equal(c.end, CHAIN_FORKED);
	assert_true(chain_end__is_unknown(c.end));
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
