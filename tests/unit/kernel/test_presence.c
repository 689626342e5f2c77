/* SPDX-License-Identifier: GPL-2.0-only */
/* What a kernel has, by its BTF. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#include <bpf/btf.h>

#include "kernel/presence.h"
#include "support/test.h"

static void add_function(struct btf *btf, const char *name, unsigned int args)
{
	int proto = btf__add_func_proto(btf, 0);

	for (unsigned int i = 0; i < args; i++)
		assert_int_equal(btf__add_func_param(btf, "arg", 0), 0);
	assert_true(btf__add_func(btf, name, BTF_FUNC_GLOBAL, proto) > 0);
}

static struct btf *some_btf(void)
{
	struct btf *btf = btf__new_empty();

	assert_non_null(btf);
	add_function(btf, "tcp_push", 5);
	add_function(btf, "bpf_iter_tcp", 2);
	assert_true(btf__add_typedef(btf, "btf_trace_sock_send_length", 1) > 0);
	assert_true(btf__add_typedef(btf, "tcp_recvmsg", 1) > 0);
	assert_true(btf__add_var(btf, "__preempt_count", BTF_VAR_GLOBAL_ALLOCATED, 1) > 0);
	return btf;
}

TEST(finds_functions_by_name_and_arguments)
{
	struct btf *btf = some_btf();
	struct presence *p = presence__of(btf);

	assert_non_null(p);
	assert_int_equal(presence__function(p, "tcp_push", 0), 0);
	assert_int_equal(presence__function(p, "tcp_push", 5), 0);
	assert_int_equal(presence__function(p, "tcp_push", 4), -EPROTOTYPE);
	assert_int_equal(presence__function(p, "tcp_pus", 0), -ENOENT);
	assert_int_equal(presence__function(p, "", 0), -ENOENT);
	presence__free(p);
	btf__free(btf);
}

TEST(names_of_other_kinds_are_others)
{
	struct btf *btf = some_btf();
	struct presence *p = presence__of(btf);

	assert_int_equal(presence__function(p, "tcp_recvmsg", 0), -ENOENT);
	assert_true(presence__variable(p, "__preempt_count"));
	assert_false(presence__variable(p, "tcp_push"));
	presence__free(p);
	btf__free(btf);
}

TEST(finds_the_places_of_sections)
{
	struct btf *btf = some_btf();
	struct presence *p = presence__of(btf);

	assert_int_equal(presence__section(p, "?tp_btf/sock_send_length"), 0);
	assert_int_equal(presence__section(p, "tp_btf/sock_recv_length"), -ENOENT);
	assert_int_equal(presence__section(p, "iter/tcp"), 0);
	assert_int_equal(presence__section(p, "iter/udp"), -ENOENT);
	assert_int_equal(presence__section(p, "fexit/tcp_push"), 0);
	assert_int_equal(presence__section(p, "?kprobe/sock_send_length"), -ENOENT);
	assert_int_equal(presence__section(p, "perf_event"), 0);
	presence__free(p);
	btf__free(btf);
}

/* Of as many names as there are places each is found, and a search for none ends. */
TEST(finds_each_of_many)
{
	struct btf *btf = btf__new_empty();
	struct presence *p;
	char name[32];

	for (int i = 0; i < 512; i++) {
		snprintf(name, sizeof(name), "function_%d", i);
		add_function(btf, name, i % 7 + 1);
	}
	p = presence__of(btf);
	for (int i = 0; i < 512; i++) {
		snprintf(name, sizeof(name), "function_%d", i);
		assert_int_equal(presence__function(p, name, i % 7 + 1), 0);
	}
	assert_int_equal(presence__function(p, "function_512", 0), -ENOENT);
	presence__free(p);
	btf__free(btf);
}

TEST(without_types_nothing_is_there_and_without_btf_nothing_is_known)
{
	struct btf *btf = btf__new_empty();
	struct presence *p = presence__of(btf);

	assert_int_equal(presence__function(p, "tcp_push", 0), -ENOENT);
	presence__free(p);
	btf__free(btf);
	assert_null(presence__of(NULL));
	assert_int_equal(presence__function(NULL, "tcp_push", 5), 0);
	assert_int_equal(presence__section(NULL, "tp_btf/nothing"), 0);
	assert_false(presence__variable(NULL, "__preempt_count"));
	presence__free(NULL);
}

/* Could not tell: no file can be opened. That is no answer about the kernel. */
TEST(without_files_nothing_is_told)
{
	struct rlimit before, few;
	int err;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = (struct rlimit){3, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	err = presence__kernel_error();
	setrlimit(RLIMIT_NOFILE, &before);
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		assert_int_equal(err, 0);
	else
		assert_int_equal(err, -EMFILE);
	assert_int_equal(presence__kernel_error(), 0); /* it is asked again */
}

TEST(errors_of_the_moment_are_no_answers)
{
	static const int moment[] = {-ENOMEM, -EMFILE, -ENFILE, -EAGAIN, -EINTR, -EBUSY};
	static const int kernel[] = {-ENOENT, -EOPNOTSUPP, -EPERM, -EINVAL, -EPROTOTYPE};

	assert_int_equal(presence__offer(0).answer, ANSWER_YES);
	for (size_t i = 0; i < sizeof(moment) / sizeof(moment[0]); i++)
		assert_int_equal(presence__offer(moment[i]).answer, ANSWER_UNKNOWN);
	for (size_t i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++)
		assert_int_equal(presence__offer(kernel[i]).answer, ANSWER_NO);
}
