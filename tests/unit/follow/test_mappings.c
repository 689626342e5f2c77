/* SPDX-License-Identifier: GPL-2.0-only */
/* The files behind a stack, among the mappings of odd and hostile programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "follow/mappings.h"
#include "support/test.h"

#define MANY 30000
#define BASE 0x100000000ULL

static struct mappings m;
static struct stack_copy stack;

static void parse(const char *text)
{
	mappings__free(&m);
	mappings__parse(&m, xstrdup(text));
	memset(&stack, 0, sizeof(stack));
}

static void push(uint64_t word)
{
	memcpy(stack.bytes + stack.len, &word, sizeof(word));
	stack.len += sizeof(word);
}

static void assert_modules(size_t nr, const uint64_t *starts)
{
	size_t modules[8];

	assert_int_equal(mappings__modules(&m, &stack, modules, 8), nr);
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
	stack.regs.rip = 0x7f0000001fff;
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
	stack.regs.rip = BASE + 8192 * 20000 + 5;
	push(BASE + 4096); /* between two */
	push(BASE + 8192ULL * (MANY - 1));
	ASSERT_MODULES(BASE + 8192 * 20000, BASE + 8192ULL * (MANY - 1));
	for (uint64_t i = 0; stack.len < sizeof(stack.bytes); i++)
		push(BASE + 8192 * i);
	assert_int_equal(mappings__modules(&m, &stack, modules, 8), 8);
	stack.len = UINT32_MAX;
	assert_int_equal(mappings__modules(&m, &stack, modules, 8), 8);
}

TEST(no_mappings_and_lines_that_are_none_give_no_file)
{
	parse("");
	assert_null(mappings__at(&m, 0));
	ASSERT_MODULES();
	parse("\nnothing\n1000-2000 r-xp\n3000-4000 r-xp 00000000 fe:01 11 /a\n");
	assert_int_equal(m.nr, 1);
	mappings__free(&m);
	assert_true(mappings__read(&m, 0) < 0);
	mappings__free(&m);
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
	assert_int_equal(mappings__read(&m, getpid()), 0);
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
