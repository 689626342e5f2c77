/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and addresses of kernel code, in tables as /proc/kallsyms has them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/ksym.h"
#include "support/test.h"

static const char table[] = "ffffffff81000000 T _text\n"
			    "ffffffff81a00100 T tcp_sendmsg\n"
			    "ffffffff81a00200 t tcp_sendmsg_locked\n"
			    "ffffffff81a00300 T tcp_push\t[other]\n"
			    "ffffffff82000000 D __per_cpu_offset\n"
			    "\n"
			    "cut short\n"
			    "ffffffff81a00400 T tcp_sendmsg2";

static const char hidden[] = "0000000000000000 T tcp_sendmsg\n"
			     "0000000000000000 T tcp_push\n";

static void write_table(char name[32], const char *text)
{
	int fd;

	snprintf(name, 32, "/tmp/test_ksym.XXXXXX");
	fd = mkstemp(name);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

TEST(finds_addresses_of_whole_names)
{
	static const char *const names[] = {"tcp_sendmsg", "tcp_push", "__per_cpu_offset",
					    "tcp_send", "tcp_sendmsg2"};
	uint64_t at[5];
	char file[32];

	write_table(file, table);
	assert_int_equal(ksym__find_in(file, names, at, 5), 0);
	unlink(file);
	assert_true(at[0] == 0xffffffff81a00100);
	assert_true(at[1] == 0xffffffff81a00300);
	assert_true(at[2] == 0xffffffff82000000);
	assert_true(at[3] == 0);
	assert_true(at[4] == 0xffffffff81a00400);
}

/* Where addresses are hidden all of them are 0: nothing is known, and nothing is made up. */
TEST(hidden_addresses_are_none)
{
	static const char *const names[] = {"tcp_sendmsg"};
	struct ksym sym = {.address = 0xffffffff81a00110};
	uint64_t at = 1;
	char file[32];

	write_table(file, hidden);
	assert_int_equal(ksym__find_in(file, names, &at, 1), 0);
	assert_true(at == 0);
	assert_int_equal(ksym__resolve_from(file, &sym, 1), -EPERM);
	assert_string_equal(sym.name, "");
	unlink(file);
	assert_int_equal(ksym__find_in(file, names, &at, 1), -ENOENT);
}

TEST(names_the_function_around_an_address)
{
	struct ksym syms[] = {{.address = 0xffffffff81a00100},
			      {.address = 0xffffffff81a001ff},
			      {.address = 0xffffffff81a00250},
			      {.address = 0xffffffff80ffffff}};
	char file[32];

	write_table(file, table);
	assert_int_equal(ksym__resolve_from(file, syms, 4), 0);
	unlink(file);
	assert_string_equal(syms[0].name, "tcp_sendmsg");
	assert_string_equal(syms[1].name, "tcp_sendmsg");
	assert_string_equal(syms[2].name, "tcp_sendmsg_locked");
	assert_string_equal(syms[3].name, "");
}

TEST(names_the_caller)
{
	static const struct ksym stack[] = {
		{1, "skb_copy"}, {2, "pskb_expand_head"}, {3, "skb_copy"}, {0, ""}};
	char name[KSYM_NAME_MAX];

	ksym__caller(stack, 4, "skb_copy", name);
	assert_string_equal(name, "pskb_expand_head");
	ksym__caller(stack, 4, "nothing", name);
	assert_string_equal(name, "");
	ksym__caller(stack + 2, 2, "skb_copy", name);
	assert_string_equal(name, "");
}
