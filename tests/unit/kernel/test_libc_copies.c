// SPDX-License-Identifier: GPL-2.0-only
/* The copying functions of the C library, found in this program and in others by their mappings. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "kernel/libc_copies.h"
#include "support/test.h"

#define TABLE_AT 0x1000

struct table {
	uint8_t version, frames, count_form, entries_form;
	int32_t frames_at;
	uint32_t count;
	int32_t entries[3][2];
};

static const struct table three = {
	1, 0x1b, 0x03, 0x3b, 0, 3, {{-0x800, 0}, {-0x400, 0}, {0x100, 0}}};

static bool function_at(const struct table *t, size_t len, uint64_t at, uint64_t *from,
			uint64_t *to)
{
	return libc_copies__function((const uint8_t *)t, len, TABLE_AT, at, from, to);
}

TEST(address_gives_its_function_in_the_table)
{
	uint64_t from, to;

	assert_true(function_at(&three, sizeof(three), TABLE_AT - 0x800, &from, &to));
	assert_int_equal(from, TABLE_AT - 0x800);
	assert_int_equal(to, TABLE_AT - 0x400);
	assert_true(function_at(&three, sizeof(three), TABLE_AT + 0xff, &from, &to));
	assert_int_equal(from, TABLE_AT - 0x400);
	assert_int_equal(to, TABLE_AT + 0x100);
	/* Before the first one; in the last one, whose end is unknown. */
	assert_false(function_at(&three, sizeof(three), TABLE_AT - 0x801, &from, &to));
	assert_false(function_at(&three, sizeof(three), TABLE_AT + 0x100, &from, &to));
}

TEST(malformed_tables_are_refused)
{
	struct table t = three;
	uint64_t from, to;

	for (size_t len = 0; len < sizeof(t); len++)
		assert_false(function_at(&t, len, TABLE_AT, &from, &to));
	t.count = UINT32_MAX;
	assert_false(function_at(&t, sizeof(t), TABLE_AT, &from, &to));
	t = three;
	t.entries_form = 0x1b;
	assert_false(function_at(&t, sizeof(t), TABLE_AT, &from, &to));
}

static void *address_of_memcpy(void)
{
	void *(*volatile function)(void *, const void *, size_t) = memcpy;

	return (void *)function;
}

/* Sanitizers replace memcpy with their own functions, so there is none in the C library. */
static bool is_libc(const struct process_maps *m)
{
	const char *object = process_maps__object(m, (uintptr_t)address_of_memcpy());

	return object && !strncmp(object, "libc.", 5);
}

TEST(copying_functions_of_this_program_are_found)
{
	struct process_maps *m = process_maps__read(getpid());
	int (*volatile other)(const char *) = puts;
	struct libc_copies c;

	assert_non_null(m);
	assert_int_equal(libc_copies__find(&c), is_libc(m));
	if (is_libc(m)) {
		uint64_t at = (uintptr_t)address_of_memcpy();

		assert_int_equal(libc_copies__ask(&c, m, at), LIBC_COPIES_YES);
		assert_int_equal(libc_copies__ask(&c, m, at + 16), LIBC_COPIES_YES);
		assert_int_equal(libc_copies__ask(&c, m, (uintptr_t)other), LIBC_COPIES_NO);
		c.library.inode++;
		assert_int_equal(libc_copies__ask(&c, m, at), LIBC_COPIES_UNKNOWN);
	}
	assert_int_equal(libc_copies__ask(&c, m, (uintptr_t)address_of_memcpy), LIBC_COPIES_NO);
	assert_int_equal(libc_copies__ask(&c, m, 0), LIBC_COPIES_UNKNOWN);
	assert_int_equal(libc_copies__ask(&c, NULL, (uintptr_t)address_of_memcpy),
			 LIBC_COPIES_UNKNOWN);
	process_maps__free(m);
}

static struct process_maps *maps_of(const char *text)
{
	char name[] = "/tmp/netiotrace-maps-XXXXXX";
	int fd = mkstemp(name);
	struct process_maps *m;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	m = process_maps__read_from(name);
	unlink(name);
	assert_non_null(m);
	return m;
}

/* The copying code of the program at 0x401000, with these further mappings. */
static enum libc_copies_answer answer_beside(const char *others)
{
	const struct libc_copies none = {.library.inode = 1};
	enum libc_copies_answer answer;
	struct process_maps *m;
	char text[512];

	snprintf(text, sizeof(text),
		 "00401000-00480000 r-xp 00001000 fe:01 77   /usr/bin/program\n"
		 "%s"
		 "7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0      [vdso]\n",
		 others);
	m = maps_of(text);
	answer = libc_copies__ask(&none, m, 0x401010);
	process_maps__free(m);
	return answer;
}

/* A bug reported a static program that only copies as not copying. */
TEST(unknown_C_library_gives_no_answer)
{
	assert_int_equal(answer_beside(""), LIBC_COPIES_UNKNOWN);
	assert_int_equal(answer_beside("7f0000000000-7f0000001000 r-xp 00028000 fe:01 3   "
				       "/usr/lib/libcrypto.so.3\n"),
			 LIBC_COPIES_UNKNOWN);
	assert_int_equal(answer_beside("7f0000000000-7f0000001000 r-xp 00028000 fe:01 3   "
				       "/usr/lib/libc.so.6\n"),
			 LIBC_COPIES_NO);
	assert_int_equal(answer_beside("7f0000000000-7f0000001000 r-xp 00028000 fe:01 3   "
				       "/lib/ld-musl-x86_64.so.1\n"),
			 LIBC_COPIES_NO);
}

TEST(other_libraries_are_not_the_C_library)
{
	const struct libc_copies none = {.library.inode = 1};
	struct process_maps *m =
		maps_of("7f0000000000-7f0000001000 r-xp 0 fe:01 3   /usr/lib/libcrypto.so.3\n"
			"7f0000002000-7f0000003000 r-xp 0 fe:01 4   /usr/lib/libc-2.31.so\n");

	assert_int_equal(libc_copies__ask(&none, m, 0x7f0000000010), LIBC_COPIES_NO);
	assert_int_equal(libc_copies__ask(&none, m, 0x7f0000002010), LIBC_COPIES_UNKNOWN);
	process_maps__free(m);
}

TEST(address_gives_file_and_offset)
{
	struct process_maps *m;
	struct file_place place;
	static const char text[] =
		"7f0000000000-7f0000001000 r-xp 00028000 fe:01 1234   /usr/lib/libc.so.6\n"
		"7f0000002000-7f0000003000 r-xp 00000000 00:00 0      [vdso]\n"
		"7f0000004000-7f0000005000 r-xp 00000000 00:00 0\n";

	m = maps_of(text);
	assert_true(process_maps__place(m, 0x7f0000000010, &place));
	assert_int_equal(place.major, 0xfe);
	assert_int_equal(place.minor, 1);
	assert_int_equal(place.inode, 1234);
	assert_int_equal(place.offset, 0x28010);
	assert_false(process_maps__place(m, 0x7f0000001000, &place));
	assert_false(process_maps__place(m, 0x7f0000002000, &place));
	assert_string_equal(process_maps__object(m, 0x7f0000002000), "[vdso]");
	assert_null(process_maps__object(m, 0x7f0000004000));
	process_maps__free(m);
}

/* The program counter by a CPU timer of this process, while it copies. */
#define SAMPLES 30

static volatile uint64_t seen[SAMPLES];
static volatile sig_atomic_t seen_nr;

static void on_tick(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;

	(void)signal;
	(void)info;
	if (seen_nr == SAMPLES)
		return;
#if defined(__x86_64__)
	seen[seen_nr++] = (uint64_t)c->uc_mcontext.gregs[REG_RIP];
#else
	seen[seen_nr++] = c->uc_mcontext.pc;
#endif
}

static void sample_copies_of(size_t len)
{
	struct sigaction sa = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
	const struct itimerval each = {{0, 1000}, {0, 1000}}, none = {0};
	static volatile copy_function functions[] = {memcpy, memmove, mempcpy};
	char *from = calloc(1, len), *to = calloc(1, len);

	assert_non_null(from);
	assert_non_null(to);
	seen_nr = 0;
	assert_int_equal(sigaction(SIGPROF, &sa, NULL), 0);
	assert_int_equal(setitimer(ITIMER_PROF, &each, NULL), 0);
	for (unsigned int i = 0; seen_nr < SAMPLES; i++)
		for (size_t done = 0; done < 1 << 20; done += len)
			functions[i % 3](to, from, len);
	assert_int_equal(setitimer(ITIMER_PROF, &none, NULL), 0);
	free(from);
	free(to);
}

struct where {
	unsigned int copies, library; /* in a copying function; anywhere in the C library */
};

static void add_samples(struct where *w, const struct libc_copies *c, const struct process_maps *m)
{
	for (int i = 0; i < SAMPLES; i++) {
		const char *object = process_maps__object(m, seen[i]);

		w->copies += libc_copies__ask(c, m, seen[i]) == LIBC_COPIES_YES;
		w->library += object && !strncmp(object, "libc.", 5);
	}
}

/*
 * Only the copying runs in the C library, and for some instructions after each tick the return from
 * the handler, where a delayed tick may find it. One in ten is a generous bound.
 */
TEST(samples_of_copies_are_in_copying_functions)
{
	static const size_t sizes[] = {100, 1000, 64 << 10, 16 << 20};
	struct process_maps *m = process_maps__read(getpid());
	struct libc_copies c;

	assert_non_null(m);
	assert_int_equal(libc_copies__find(&c), is_libc(m));
	for (size_t i = 0; c.nr && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct where w = {0};

		/* For small copies the surrounding loop may take most of the time. */
		while (w.library < SAMPLES / 2) {
			sample_copies_of(sizes[i]);
			add_samples(&w, &c, m);
		}
		if (w.copies * 10 < w.library * 9)
			fail_msg("%zu bytes: of %u samples in the C library %u are in its copies",
				 sizes[i], w.library, w.copies);
	}
	process_maps__free(m);
}

/*
 * Runs this program with the variants that other processors have. Without ERMS, memmove jumps into
 * another function; a bug counted no copies then.
 */
TEST(variants_of_other_processors_are_found)
{
	static const char *const processors[] = {"-ERMS", "-ERMS,-AVX2,-AVX512VL",
						 "-AVX2,-AVX512VL,-AVX_Fast_Unaligned_Load"};
	char program[PATH_MAX] = "", command[PATH_MAX + 128];

	if (getenv("GLIBC_TUNABLES"))
		return; /* this is the program that runs again */
	assert_true(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
	for_each_case(processor, processors) {
		snprintf(command, sizeof(command),
			 "GLIBC_TUNABLES=glibc.cpu.hwcaps=%s '%s' >/dev/null 2>&1", *processor,
			 program);
		if (system(command))
			fail_msg("fails: %s", command);
	}
}

/* A copying function that is a single jump. */
static void *copy_byte_by_byte(void *to, const void *from, size_t len)
{
	volatile uint8_t *t = to;
	const volatile uint8_t *f = from;

	for (size_t i = 0; i < len; i++)
		t[i] = f[i];
	return to;
}

/* A signal that was blocked or had a handler keeps both. */
TEST(faults_restore_signal_mask_and_handler)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, now;
	uint64_t at[8];
	sigset_t mask, was;

	sigemptyset(&mask);
	sigaddset(&mask, SIGSEGV);
	assert_int_equal(sigprocmask(SIG_BLOCK, &mask, NULL), 0);
	assert_int_equal(sigaction(SIGSEGV, &ignore, NULL), 0);
	assert_in_range(libc_copies__faults(copy_byte_by_byte, at, 8), 1, 4);
	assert_int_equal(libc_copies__faults(copy_byte_by_byte, at, 1), 1);
	assert_int_equal(sigaction(SIGSEGV, NULL, &now), 0);
	assert_ptr_equal(now.sa_handler, SIG_IGN);
	assert_int_equal(sigprocmask(SIG_UNBLOCK, &mask, &was), 0);
	assert_true(sigismember(&was, SIGSEGV));
	signal(SIGSEGV, SIG_DFL);
}
