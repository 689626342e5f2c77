/* SPDX-License-Identifier: GPL-2.0-only */
/* Flame graphs of a few stacks: their content, and boxes as wide as their time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "report/flame.h"
#include "support/test.h"

static void add(struct profile *p, enum nio_sample_owner owner, const char *frames, uint64_t count)
{
	char copy[128];

	snprintf(copy, sizeof(copy), "%s", frames);
	profile__add(p, &(struct profile_stack){.frames = copy, .count = count, .owner = owner});
}

__attribute__((noinline)) static char *drawn(const struct flame_input *a,
					     const struct flame_input *b)
{
	char *svg;
	size_t size;
	FILE *f = xopen_memstream(&svg, &size);

	flame__write(f, a, b);
	xclose_memstream(f);
	return svg;
}

/* The width of the box whose title begins with this text. */
static double width_of(const char *svg, const char *tip)
{
	const char *at = strstr(svg, tip);

	if (!at)
		fail_msg("no box \"%s\"", tip);
	at = strstr(at, "width=\"");
	return strtod(at + strlen("width=\""), NULL);
}

TEST(boxes_are_as_wide_as_their_time)
{
	struct profile p = {0};
	struct flame_input in = {.mode = MODE_ONECOPY, .profile = &p, .weight = {2, 1, 0}};
	char *svg;

	add(&p, NIO_SAMPLE_SENDER, "tcp_sendmsg;_copy_from_iter", 30);
	add(&p, NIO_SAMPLE_SENDER, "tcp_sendmsg;a<b>", 10);
	add(&p, NIO_SAMPLE_RECEIVER, "tcp_recvmsg", 40);
	add(&p, NIO_SAMPLE_ELSEWHERE, "tcp_v4_rcv", 1000);
	svg = drawn(&in, NULL);
	/* 40 samples at 2 ns/KiB and 40 at 1 are 120; elsewhere has no known weight. */
	assert_non_null(strstr(svg, "CPU time of one-copy: on average 120 ns per KiB"));
	assert_int_equal(width_of(svg, "<title>all: "), 960);
	assert_int_equal(width_of(svg, "<title>sender: 80.00 ns/KiB, 66.7 %"), 640);
	assert_int_equal(width_of(svg, "<title>_copy_from_iter: 60.00"), 480);
	assert_int_equal(width_of(svg, "<title>a&lt;b&gt;: 20.00"), 160);
	assert_int_equal(width_of(svg, "<title>tcp_recvmsg: 40.00"), 320);
	assert_null(strstr(svg, "tcp_v4_rcv"));
	/* Coloured by class, which depends on the stack below. */
	assert_non_null(strstr(strstr(svg, "<title>_copy_from_iter"),
			       cpu_class__colour(CPU_CLASS_TX_COPY)));
	free(svg);
	profile__clear(&p);
}

/*
 * Functions of both modes share a box though the system calls differ; blue is the first mode, red
 * the second.
 */
TEST(difference_shows_both_modes_in_one_box)
{
	struct profile p = {0}, q = {0};
	struct flame_input a = {.mode = MODE_TWOCOPY, .profile = &p, .weight = {1, 0, 0}};
	struct flame_input b = {.mode = MODE_ZEROCOPY, .profile = &q, .weight = {1, 0, 0}};
	char *svg;

	add(&p, NIO_SAMPLE_SENDER, "do_syscall_64;__sys_sendto;tcp_sendmsg;_copy_from_iter", 10);
	add(&q, NIO_SAMPLE_SENDER, "do_syscall_64;__sys_sendmsg;tcp_sendmsg;gup_fast", 30);
	svg = drawn(&a, &b);
	assert_int_equal(width_of(svg, "<title>tcp_sendmsg: 10.00 and 30.00 ns/KiB"), 960);
	assert_non_null(
		strstr(svg, "two-copy (blue, on average 10 ns per KiB) and zero-copy (red, 30)"));
	assert_null(strstr(svg, "__sys_sendto"));
	assert_int_equal(width_of(svg, "<title>_copy_from_iter: 10.00 and 0.00"), 240);
	assert_non_null(strstr(strstr(svg, "<title>_copy_from_iter"), "#5050ff"));
	assert_non_null(strstr(strstr(svg, "<title>gup_fast"), "#ff5050"));
	free(svg);
	profile__clear(&p);
	profile__clear(&q);
}

/* A picture lists each of its colours. */
TEST(legend_names_every_class_in_the_picture)
{
	static const char *const frames[] = {
		"[libc.so.6]",
		"[netio-loadgen]",
		"tcp_sendmsg_locked;_copy_from_iter",
		"tcp_sendmsg_locked;skb_zerocopy_iter_stream",
		"tcp_v4_rcv;skb_copy_ubufs",
		"skb_copy_datagram_iter;_copy_to_iter",
		"tcp_collapse;skb_copy_bits;memcpy",
		"msg_zerocopy_complete",
		"tcp_ack",
		"hrtimer_start_range_ns",
		"dev_queue_xmit",
		"__alloc_skb",
		"kmem_cache_alloc_node",
		"lock_sock_nested",
		"schedule",
		"do_syscall_64",
		"common_interrupt",
		"bpf_trampoline_1",
		"filemap_read",
		"unknown_function",
	};
	struct profile p = {0};
	struct flame_input in = {.mode = MODE_TWOCOPY, .profile = &p, .weight = {1, 0, 0}};
	double height, x, y;
	char *svg;

	_Static_assert(sizeof(frames) / sizeof(frames[0]) == CPU_CLASS_NR, "one of each class");
	for (size_t i = 0; i < CPU_CLASS_NR; i++)
		add(&p, NIO_SAMPLE_SENDER, frames[i], 1);
	svg = drawn(&in, NULL);
	height = strtod(strstr(svg, " height=\"") + strlen(" height=\""), NULL);
	for (int c = 0; c < CPU_CLASS_NR; c++) {
		char item[64];
		const char *at;

		snprintf(item, sizeof(item), "\">%s</text>\n",
			 cpu_class__heading((enum cpu_class)c));
		at = strstr(svg, item);
		assert_non_null(at);
		while (at && strncmp(at, " x=\"", 4) != 0)
			at--;
		assert_int_equal(sscanf(at, " x=\"%lf\" y=\"%lf\"", &x, &y), 2);
		assert_true(x + 5 * (double)strlen(cpu_class__heading((enum cpu_class)c)) < 960);
		assert_true(y < height);
	}
	free(svg);
	profile__clear(&p);
}

/* A page has several drawings: styles and ids of one must not affect another. */
TEST(drawing_has_no_style_or_id_of_its_own)
{
	struct profile p = {0};
	struct flame_input in = {.profile = &p, .weight = {1, 1, 1}};
	char *svg = drawn(&in, NULL);

	assert_null(strstr(svg, "<style"));
	assert_null(strstr(svg, " id="));
	free(svg);
}
