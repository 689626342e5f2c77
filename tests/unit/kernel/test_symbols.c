/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions by address, from files in the format of /proc/kallsyms. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/symbols.h"
#include "support/scratch.h"

static int load(struct symbols **out, const char *text)
{
	put_file("kallsyms", text);
	return symbols__load_from(out, "kallsyms");
}

/* Unsorted, with data in between, a function of a module, two names of one address. */
static const char kallsyms[] = "ffffffff81000300 T tcp_sendmsg\n"
			       "ffffffff81000100 t lock_sock_nested\n"
			       "ffffffff81000200 D tcp_prot\n"
			       "ffffffff81000400 T __pi_memcpy\n"
			       "ffffffff81000400 T memcpy\n"
			       "ffffffff81000500 W weak_one\n"
			       "ffffffffc0000000 t tls_sw_sendmsg\t[tls]\n"
			       "ffffffffc0001000 t bpf_prog_6deef7357e7b4530_nio_fe\t[bpf]\n"
			       "a line that is none\n"
			       "ffffffff81000600 T \n"
			       "ffffffff81000700\n"
			       "\n"
			       "ffffffff81000800 T cut_at_the_end";

SCRATCH_TEST(address_gives_its_function)
{
	static const struct {
		uint64_t address;
		const char *name;
	} cases[] = {
		{0xffffffff81000100, "lock_sock_nested"},
		{0xffffffff810002ff, "lock_sock_nested"},
		{0xffffffff81000300, "tcp_sendmsg"},
		{0xffffffff810004ff, "__pi_memcpy"}, /* the first of two names in the file */
		{0xffffffff81000500, "weak_one"},
		{0xffffffff81000700, "weak_one"},
		{0xffffffff81000800, "cut_at_the_end"},
		{0xffffffffc0000010, "tls_sw_sendmsg"},
		{0xffffffffffffffff, "bpf_prog_6deef7357e7b4530_nio_fe"},
	};
	struct symbols *s = NULL;

	assert_int_equal(load(&s, kallsyms), 0);
	for_each_case(c, cases)
		assert_string_equal(symbols__name(s, c->address), c->name);
	assert_null(symbols__name(s, 0xffffffff810000ff));
	assert_null(symbols__name(s, 0));
	symbols__free(s);
}

SCRATCH_TEST(function_name_gives_its_range)
{
	struct symbols *s = NULL;
	uint64_t from = 0, to = 0;

	assert_int_equal(load(&s, kallsyms), 0);
	assert_true(symbols__range(s, "tcp_sendmsg", &from, &to));
	assert_int_equal(from, 0xffffffff81000300);
	assert_int_equal(to, 0xffffffff81000400);
	/* Two names of one address: either gives the range up to the next address. */
	assert_true(symbols__range(s, "memcpy", &from, &to));
	assert_int_equal(from, 0xffffffff81000400);
	assert_int_equal(to, 0xffffffff81000500);
	assert_true(symbols__range(s, "__pi_memcpy", &from, &to));
	assert_int_equal(to, 0xffffffff81000500);
	assert_false(symbols__range(s, "tcp_prot", &from, &to)); /* data */
	assert_false(symbols__range(s, "tcp_send", &from, &to));
	/* The end of the last function is unknown. */
	assert_false(symbols__range(s, "bpf_prog_6deef7357e7b4530_nio_fe", &from, &to));
	symbols__free(s);
}

SCRATCH_TEST(hidden_addresses_give_EPERM)
{
	struct symbols *s = NULL;

	assert_int_equal(load(&s, "0000000000000000 T tcp_sendmsg\n0000000000000000 t memcpy\n"),
			 -EPERM);
	assert_int_equal(load(&s, ""), -EPERM);
	assert_int_equal(symbols__load_from(&s, "/nowhere/kallsyms"), -ENOENT);
	symbols__free(NULL);
}

SCRATCH_TEST(addresses_are_found_by_whole_name_and_for_data)
{
	static const char *const names[] = {"tcp_sendmsg", "tls_sw_sendmsg", "tcp_prot", "tcp_send",
					    "cut_at_the_end"};
	static const uint64_t expected[] = {0xffffffff81000300, 0xffffffffc0000000,
					    0xffffffff81000200, 0, 0xffffffff81000800};
	uint64_t at[5] = {1, 1, 1, 1, 1};

	put_file("kallsyms", kallsyms);
	assert_int_equal(symbols__find_in("kallsyms", names, at, 5), 0);
	assert_memory_equal(at, expected, sizeof(at));
	assert_int_equal(symbols__find_in("nowhere", names, at, 5), -ENOENT);
}

/* A return address may be the first address of the next function. */
SCRATCH_TEST(stack_names_the_function_of_each_call)
{
	static const __u64 ip[] = {0xffffffff81000300, 0xffffffff81000300, 0xffffffff80000000};
	const char *names[3];
	struct symbols *s = NULL;

	assert_int_equal(load(&s, kallsyms), 0);
	symbols__stack(s, ip, 3, names);
	assert_string_equal(names[0], "tcp_sendmsg");
	assert_string_equal(names[1], "lock_sock_nested");
	assert_string_equal(names[2], "[unknown]");
	symbols__free(s);
}

/* More than the first allocation holds, in descending order. */
SCRATCH_TEST(all_70000_functions_are_kept)
{
	enum { NR = 70000 };
	struct symbols *s = NULL;
	char *text = NULL, name[32];
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	for (unsigned int i = NR; i--;)
		fprintf(f, "%016llx t function_%u\n", 0xffffffff80000000ULL + 16ULL * i, i);
	fclose(f);
	assert_int_equal(load(&s, text), 0);
	for (unsigned int i = 0; i < NR; i += 999) {
		snprintf(name, sizeof(name), "function_%u", i);
		assert_string_equal(symbols__name(s, 0xffffffff80000000ULL + 16ULL * i + 15), name);
	}
	symbols__free(s);
	free(text);
}
