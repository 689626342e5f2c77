// SPDX-License-Identifier: GPL-2.0-only
/* The copying functions of the C library, found in this program and in others by their mappings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/libc_copies.h"

int main(void);

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

static void finds_the_function_in_the_table(void **state)
{
	uint64_t from, to;

	(void)state;
	assert_true(function_at(&three, sizeof(three), TABLE_AT - 0x800, &from, &to));
	assert_int_equal(from, TABLE_AT - 0x800);
	assert_int_equal(to, TABLE_AT - 0x400);
	assert_true(function_at(&three, sizeof(three), TABLE_AT + 0xff, &from, &to));
	assert_int_equal(from, TABLE_AT - 0x400);
	assert_int_equal(to, TABLE_AT + 0x100);
	/* Before the first; in the last, whose end is not known. */
	assert_false(function_at(&three, sizeof(three), TABLE_AT - 0x801, &from, &to));
	assert_false(function_at(&three, sizeof(three), TABLE_AT + 0x100, &from, &to));
}

static void refuses_tables_of_other_forms(void **state)
{
	struct table t = three;
	uint64_t from, to;

	(void)state;
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

/* Sanitizers put functions of their own in the place of memcpy: there is nothing to be found then.
 */
static bool is_libc(const struct process_maps *m)
{
	const char *object = process_maps__object(m, (uintptr_t)address_of_memcpy());

	return object && !strncmp(object, "libc.", 5);
}

static void knows_those_of_this_program(void **state)
{
	struct process_maps *m = process_maps__read(getpid());
	int (*volatile other)(const char *) = puts;
	struct libc_copies c;

	(void)state;
	assert_non_null(m);
	assert_int_equal(libc_copies__find(&c), is_libc(m));
	if (is_libc(m)) {
		uint64_t at = (uintptr_t)address_of_memcpy();

		assert_int_equal(libc_copies__ask(&c, m, at), LIBC_COPIES_YES);
		assert_int_equal(libc_copies__ask(&c, m, at + 16), LIBC_COPIES_YES);
		assert_int_equal(libc_copies__ask(&c, m, (uintptr_t)other), LIBC_COPIES_NO);
		c.library.inode++;
		assert_int_equal(libc_copies__ask(&c, m, at), LIBC_COPIES_UNTOLD);
	}
	assert_int_equal(libc_copies__ask(&c, m, (uintptr_t)main), LIBC_COPIES_NO);
	assert_int_equal(libc_copies__ask(&c, m, 0), LIBC_COPIES_UNTOLD);
	assert_int_equal(libc_copies__ask(&c, NULL, (uintptr_t)main), LIBC_COPIES_UNTOLD);
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

/* What the program at 0x401000 copies itself, with what else is mapped. */
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

/* Once a static program that did nothing but copy was said to copy nothing. */
static void of_a_program_without_a_c_library_nothing_is_told(void **state)
{
	(void)state;
	assert_int_equal(answer_beside(""), LIBC_COPIES_UNTOLD);
	assert_int_equal(answer_beside("7f0000000000-7f0000001000 r-xp 00028000 fe:01 3   "
				       "/usr/lib/libcrypto.so.3\n"),
			 LIBC_COPIES_UNTOLD);
	assert_int_equal(answer_beside("7f0000000000-7f0000001000 r-xp 00028000 fe:01 3   "
				       "/usr/lib/libc.so.6\n"),
			 LIBC_COPIES_NO);
	assert_int_equal(answer_beside("7f0000000000-7f0000001000 r-xp 00028000 fe:01 3   "
				       "/lib/ld-musl-x86_64.so.1\n"),
			 LIBC_COPIES_NO);
}

static void other_libraries_are_not_the_c_library(void **state)
{
	const struct libc_copies none = {.library.inode = 1};
	struct process_maps *m =
		maps_of("7f0000000000-7f0000001000 r-xp 0 fe:01 3   /usr/lib/libcrypto.so.3\n"
			"7f0000002000-7f0000003000 r-xp 0 fe:01 4   /usr/lib/libc-2.31.so\n");

	(void)state;
	assert_int_equal(libc_copies__ask(&none, m, 0x7f0000000010), LIBC_COPIES_NO);
	assert_int_equal(libc_copies__ask(&none, m, 0x7f0000002010), LIBC_COPIES_UNTOLD);
	process_maps__free(m);
}

static void places_are_those_of_the_file(void **state)
{
	struct process_maps *m;
	struct file_place place;
	static const char text[] =
		"7f0000000000-7f0000001000 r-xp 00028000 fe:01 1234   /usr/lib/libc.so.6\n"
		"7f0000002000-7f0000003000 r-xp 00000000 00:00 0      [vdso]\n"
		"7f0000004000-7f0000005000 r-xp 00000000 00:00 0\n";

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_function_in_the_table),
		cmocka_unit_test(refuses_tables_of_other_forms),
		cmocka_unit_test(knows_those_of_this_program),
		cmocka_unit_test(of_a_program_without_a_c_library_nothing_is_told),
		cmocka_unit_test(other_libraries_are_not_the_c_library),
		cmocka_unit_test(places_are_those_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
