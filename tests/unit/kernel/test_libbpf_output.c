/* SPDX-License-Identifier: GPL-2.0-only */
/* Where messages of libbpf go. */
#include <stdio.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "kernel/libbpf_output.h"
#include "support/test.h"

/* Bytes of the message about a missing object, while messages are held back. */
static long held_bytes(int verbose)
{
	long bytes;

	log_set_verbosity(false, verbose);
	libbpf_output__set();
	log_hold();
	assert_null(bpf_object__open_file("/nowhere/object", NULL));
	bytes = ftell(log_stream());
	log_release();
	return bytes;
}

TEST(messages_of_libbpf_are_held_back_with_the_others_and_need_vv)
{
	assert_true(held_bytes(2) > 0);
	assert_int_equal(held_bytes(1), 0);
}
