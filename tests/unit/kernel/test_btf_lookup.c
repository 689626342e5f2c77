/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions, variables and attach points in a kernel's BTF. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#include <bpf/btf.h>

#include "kernel/btf_lookup.h"
#include "support/test.h"

static struct btf *btf;
static struct btf_lookup *l;

static void add_function(const char *name, unsigned int args)
{
	int proto = btf__add_func_proto(btf, 0);

	for (unsigned int i = 0; i < args; i++)
		assert_int_equal(btf__add_func_param(btf, "arg", 0), 0);
	assert_true(btf__add_func(btf, name, BTF_FUNC_GLOBAL, proto) > 0);
}

static int make_btf(void **state)
{
	(void)state;
	btf = btf__new_empty();
	assert_non_null(btf);
	add_function("tcp_push", 5);
	add_function("bpf_iter_tcp", 2);
	assert_true(btf__add_typedef(btf, "btf_trace_sock_send_length", 1) > 0);
	assert_true(btf__add_typedef(btf, "tcp_recvmsg", 1) > 0);
	assert_true(btf__add_var(btf, "__preempt_count", BTF_VAR_GLOBAL_ALLOCATED, 1) > 0);
	l = btf_lookup__of(btf);
	return 0;
}

static int free_btf(void **state)
{
	(void)state;
	btf_lookup__free(l);
	btf__free(btf);
	return 0;
}

#define BTF_TEST(name) TEST_WITH(name, make_btf, free_btf)

BTF_TEST(functions_are_found_by_name_and_number_of_arguments)
{
	assert_int_equal(btf_lookup__function(l, "tcp_push", 0), 0);
	assert_int_equal(btf_lookup__function(l, "tcp_push", 5), 0);
	assert_int_equal(btf_lookup__function(l, "tcp_push", 4), -EPROTOTYPE);
	assert_int_equal(btf_lookup__function(l, "tcp_pus", 0), -ENOENT);
	assert_int_equal(btf_lookup__function(l, "", 0), -ENOENT);
}

BTF_TEST(a_function_has_the_id_that_libbpf_finds)
{
	assert_int_equal(btf_lookup__id(l, "bpf_iter_tcp"),
			 btf__find_by_name_kind(btf, "bpf_iter_tcp", BTF_KIND_FUNC));
	assert_int_equal(btf_lookup__id(l, "tcp_recvmsg"), -ENOENT);
	assert_int_equal(btf_lookup__id(NULL, "tcp_push"), -ENOENT);
}

BTF_TEST(names_of_other_BTF_kinds_do_not_match)
{
	assert_int_equal(btf_lookup__function(l, "tcp_recvmsg", 0), -ENOENT);
	assert_true(btf_lookup__variable(l, "__preempt_count"));
	assert_false(btf_lookup__variable(l, "tcp_push"));
}

BTF_TEST(attach_points_of_sections_are_found)
{
	assert_int_equal(btf_lookup__section(l, "?tp_btf/sock_send_length"), 0);
	assert_int_equal(btf_lookup__section(l, "tp_btf/sock_recv_length"), -ENOENT);
	assert_int_equal(btf_lookup__section(l, "iter/tcp"), 0);
	assert_int_equal(btf_lookup__section(l, "iter/udp"), -ENOENT);
	assert_int_equal(btf_lookup__section(l, "fexit/tcp_push"), 0);
	assert_int_equal(btf_lookup__section(l, "?kprobe/sock_send_length"), -ENOENT);
	assert_int_equal(btf_lookup__section(l, "perf_event"), 0);
}

/* As many names as slots: each is found, and a search for another one ends. */
TEST(each_of_512_functions_is_found)
{
	char name[32];

	btf = btf__new_empty();
	for (int i = 0; i < 512; i++) {
		snprintf(name, sizeof(name), "function_%d", i);
		add_function(name, i % 7 + 1);
	}
	l = btf_lookup__of(btf);
	for (int i = 0; i < 512; i++) {
		snprintf(name, sizeof(name), "function_%d", i);
		assert_int_equal(btf_lookup__function(l, name, i % 7 + 1), 0);
	}
	assert_int_equal(btf_lookup__function(l, "function_512", 0), -ENOENT);
	free_btf(NULL);
}

TEST(empty_BTF_has_nothing_and_missing_BTF_denies_nothing)
{
	btf = btf__new_empty();
	l = btf_lookup__of(btf);
	assert_int_equal(btf_lookup__function(l, "tcp_push", 0), -ENOENT);
	free_btf(NULL);
	assert_int_equal(btf_lookup__function(NULL, "tcp_push", 5), 0);
	assert_int_equal(btf_lookup__section(NULL, "tp_btf/nothing"), 0);
	assert_false(btf_lookup__variable(NULL, "__preempt_count"));
	btf_lookup__free(NULL);
}

/* No file can be opened, which says nothing about the kernel. */
TEST(EMFILE_is_not_an_answer_about_the_kernel)
{
	struct rlimit before, few;
	int err;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = (struct rlimit){3, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	err = btf_lookup__kernel_error();
	setrlimit(RLIMIT_NOFILE, &before);
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		assert_int_equal(err, 0);
	else
		assert_int_equal(err, -EMFILE);
	assert_int_equal(btf_lookup__kernel_error(), 0); /* the kernel is asked again */
}

TEST(the_kernel_has_struct_sock_and_no_other_of_that_name)
{
	struct flag sock = btf_lookup__has_struct("sock");

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return;
	assert_true(sock.known && sock.value);
	sock = btf_lookup__has_struct("sock_of_no_kernel");
	assert_true(sock.known && !sock.value);
	assert_true(btf_lookup__has_member("sock", "sk_prot").known);
	assert_false(btf_lookup__has_member("sock_of_no_kernel", "sk_prot").known);
}
