/* SPDX-License-Identifier: GPL-2.0-only */
/* The files behind addresses and stacks, among the mappings of odd and hostile programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "kernel/mappings.h"
#include "support/test.h"

#define MANY 30000
#define BASE 0x100000000ULL

static struct mappings m;
static struct {
	uint64_t ip;
	size_t len;
	uint8_t bytes[4096];
} stack;

static void parse_some(const char *text, bool only_code)
{
	FILE *f = fmemopen((char *)text, strlen(text) + !*text, "r");

	mappings__free(&m);
	mappings__parse(&m, f, only_code);
	fclose(f);
	memset(&stack, 0, sizeof(stack));
}

static void parse(const char *text)
{
	parse_some(text, false);
}

static void push(uint64_t word)
{
	memcpy(stack.bytes + stack.len, &word, sizeof(word));
	stack.len += sizeof(word);
}

static void assert_modules(size_t nr, const uint64_t *starts)
{
	size_t modules[8];

	assert_int_equal(mappings__modules(&m, stack.ip, stack.bytes, stack.len, modules, 8), nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(m.all[modules[i]].start, starts[i]);
}

#define ASSERT_MODULES(...) \
	assert_modules(sizeof((uint64_t[]){__VA_ARGS__}) / 8, (uint64_t[]){__VA_ARGS__})

/* A program, its heap, a library whose code was moved to huge pages, a data file, the stack. */
static const char usual[] =
	"00400000-00401000 r--p 00000000 fe:01 11                     /usr/bin/app\n"
	"00401000-00409000 r-xp 00001000 fe:01 11                     /usr/bin/app\n"
	"01000000-02000000 rw-p 00000000 00:00 0                      [heap]\n"
	"7f0000000000-7f0000001000 r--p 00000000 fe:01 12             /usr/lib/lib one.so\n"
	"7f0000001000-7f0000003000 r-xp 00000000 00:00 0 \n"
	"7f0000003000-7f0000004000 rw-p 00003000 fe:01 12             /usr/lib/lib one.so\n"
	"7f0000010000-7f0000020000 r-xp 00001000 fe:02 12             /usr/lib/other.so\n"
	"7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0              [stack]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0      [vsyscall]\n";

TEST(files_of_a_stack_are_those_with_code_that_it_points_to)
{
	parse(usual);
	assert_int_equal(m.nr, 9);
	stack.ip = 0x7f0000001fff;
	push(0x400fff);       /* of the program, but no code */
	push(0x01800000);     /* heap */
	push(0x7f0000010000); /* a file whose beginning is not mapped */
	push(0x7f0000020000); /* the first byte after it */
	ASSERT_MODULES(0x7f0000000000);
	push(0x401000);
	push(0x401000);
	ASSERT_MODULES(0x7f0000000000, 0x400000);
	stack.len -= 9; /* the last words are not whole */
	ASSERT_MODULES(0x7f0000000000);
	assert_string_equal(mappings__at(&m, 0x7f0000000000)->path, "/usr/lib/lib one.so");
	assert_null(mappings__at(&m, 0x7f0000004000));
}

TEST(of_many_mappings_only_those_behind_the_stack_are_used)
{
	size_t modules[8];
	char *text;
	size_t len;
	FILE *out = xopen_memstream(&text, &len);

	for (uint64_t i = 0; i < MANY; i++)
		fprintf(out, "%llx-%llx r-xp 00000000 fe:01 11    /tmp/elf\n", BASE + i * 8192,
			BASE + i * 8192 + 4096);
	xclose_memstream(out);
	parse(text);
	free(text);
	assert_int_equal(m.nr, MANY);
	stack.ip = BASE + 8192 * 20000 + 5;
	push(BASE + 4096); /* between two */
	push(BASE + 8192ULL * (MANY - 1));
	ASSERT_MODULES(BASE + 8192 * 20000, BASE + 8192ULL * (MANY - 1));
	for (uint64_t i = 0; stack.len < sizeof(stack.bytes); i++)
		push(BASE + 8192 * i);
	assert_int_equal(mappings__modules(&m, stack.ip, stack.bytes, stack.len, modules, 8), 8);
}

TEST(no_mappings_and_lines_that_are_none_give_no_file)
{
	parse("");
	assert_null(mappings__at(&m, 0));
	ASSERT_MODULES();
	parse("\nnothing\n1000-2000 r-xp\n3000-4000 r-xp 00000000 fe:01 11 /a\n");
	assert_int_equal(m.nr, 1);
	mappings__free(&m);
	assert_true(mappings__read(&m, 0, false) < 0);
	mappings__free(&m);
}

static const char *object(uint64_t address)
{
	static char name[MAPPINGS_NAME];

	return mappings__object(&m, address, name);
}

TEST(code_address_gives_its_file)
{
	parse_some("5581c0000000-5581c0010000 r--p 00000000 fd:01 131 /usr/bin/netio-loadgen\n"
		   "5581c0010000-5581c0020000 r-xp 00010000 fd:01 131 /usr/bin/netio-loadgen\n"
		   "5581c1000000-5581c1021000 rw-p 00000000 00:00 0 [heap]\n"
		   "7f0000000000-7f0000100000 r-xp 00028000 fd:01 9 /usr/lib/libc.so.6\n"
		   "7f0000200000-7f0000201000 r-xp 00000000 00:00 0 \n"
		   "7f0000300000-7f0000301000 r-xp 00000000 fd:01 7 /tmp/a/lib one.so (deleted)\n"
		   "7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0 [vdso]\n"
		   "no line of maps\n",
		   true);
	assert_string_equal(object(0x5581c0010000), "netio-loadgen");
	assert_string_equal(object(0x5581c001ffff), "netio-loadgen");
	assert_null(object(0x5581c0020000)); /* the end is exclusive */
	assert_null(object(0x5581c0000000)); /* not code */
	assert_null(object(0x5581c1000010));
	assert_string_equal(object(0x7f0000012345), "libc.so.6");
	assert_null(object(0x7f0000200000)); /* no file */
	assert_string_equal(object(0x7f0000300800), "lib one.so");
	assert_string_equal(object(0x7ffd00000800), "[vdso]");
	assert_null(object(0));
	assert_null(mappings__object(NULL, 0x7f0000012345, NULL));
	assert_true(mappings__has_libc(&m));
}

/* More mappings than are kept: the kept ones are correct. */
TEST(process_with_10000_mappings_keeps_correct_ones)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	for (unsigned int i = 0; i < 10000; i++)
		fprintf(f, "%x000-%x000 r-xp 00000000 fd:01 9 /lib/l%u.so\n", 2 * i + 1, 2 * i + 2,
			i);
	xclose_memstream(f);
	parse_some(text, true);
	free(text);
	assert_int_equal(m.nr, MAPPINGS_CODE_MAX);
	assert_string_equal(object(0x1000), "l0.so");
	assert_string_equal(object(0x3fff), "l1.so");
	assert_string_equal(object(0x7d1fff), "l1000.so");
	assert_null(object(0x2000));
}

TEST(region_of_memory_is_printable_whatever_the_name_of_its_file)
{
	char path[] = "/tmp/netiotrace-\033[2J-XXXXXX", region[64];
	int fd = mkstemp(path);
	void *memory;

	assert_true(fd >= 0 && !ftruncate(fd, 1));
	memory = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	unlink(path);
	close(fd);
	assert_ptr_not_equal(memory, MAP_FAILED);
	mappings__free(&m);
	assert_int_equal(mappings__read(&m, getpid(), false), 0);
	mappings__region(&m, (uintptr_t)memory, region, sizeof(region));
	assert_memory_equal(region, "netiotrace-?[2J-", 16);
	mappings__region(&m, (uintptr_t)&fd, region, sizeof(region));
	assert_string_equal(region, "stack");
	mappings__region(&m, 1, region, sizeof(region));
	assert_string_equal(region, "");
	munmap(memory, 1);
	parse(usual);
	mappings__region(&m, 0x1000000, region, sizeof(region));
	assert_string_equal(region, "heap");
	mappings__region(&m, 0x7f0000001000, region, sizeof(region));
	assert_string_equal(region, "mapped memory");
	mappings__free(&m);
}
