/* SPDX-License-Identifier: GPL-2.0-only */
/* From records of the ring buffer and the mappings of a process to stacks by class. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/mappings.h"
#include "kernel/sample_fold.h"
#include "kernel/symbols.h"
#include "model/figures.h"
#include "support/scratch.h"

static struct mappings maps_of(const char *text)
{
	FILE *f = fmemopen((char *)text, strlen(text), "r");
	struct mappings m;

	mappings__parse(&m, f, true);
	fclose(f);
	return m;
}

static const char maps[] =
	"5581c0000000-5581c0010000 r--p 00000000 fd:01 131 /usr/bin/netio-loadgen\n"
	"5581c0010000-5581c0020000 r-xp 00010000 fd:01 131 /usr/bin/netio-loadgen\n"
	"5581c1000000-5581c1021000 rw-p 00000000 00:00 0 [heap]\n"
	"7f0000000000-7f0000100000 r-xp 00028000 fd:01 9 /usr/lib/x86_64-linux-gnu/libc.so.6\n"
	"7f0000200000-7f0000201000 r-xp 00000000 00:00 0 \n"
	"7f0000300000-7f0000301000 r-xp 00000000 fd:01 7 /tmp/a name/lib one.so (deleted)\n"
	"7f0000400000-7f0000401000 r-xp 00000000 fd:01 8 /tmp/l;tcp_sendmsg\x1b[2J\n"
	"7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0 [vdso]\n"
	"no line of maps\n";

/* A record has exactly the bytes of its frames. */
static struct nio_sample *record(uint32_t owner, uint32_t frames, uint64_t user_ip, size_t bytes)
{
	struct nio_sample head = {.owner = owner, .frames = frames, .user_ip = user_ip};
	char *data = calloc(1, bytes ? bytes : 1);

	assert_non_null(data);
	memcpy(data, &head, bytes < NIO_SAMPLE_HEAD ? bytes : NIO_SAMPLE_HEAD);
	return (struct nio_sample *)data;
}

static bool is_whole(uint32_t owner, uint32_t frames, size_t bytes)
{
	struct nio_sample *s = record(owner, frames, 0, bytes);
	bool whole = sample_fold__decode(s, bytes) == s;

	assert_true(whole || !sample_fold__decode(s, bytes));
	free(s);
	return whole;
}

SCRATCH_TEST(incomplete_records_are_refused)
{
	const size_t head = NIO_SAMPLE_HEAD, most = NIO_SAMPLE_FRAMES;

	assert_true(is_whole(NIO_SAMPLE_SENDER, 0, head));
	assert_true(is_whole(NIO_SAMPLE_ELSEWHERE, 3, head + 3 * 8));
	assert_true(is_whole(NIO_SAMPLE_RECEIVER, most, head + most * 8));
	assert_true(is_whole(NIO_SAMPLE_SENDER, 1, head + 16)); /* the ring may round up */
	assert_false(is_whole(NIO_SAMPLE_SENDER, 0, head - 1));
	assert_false(is_whole(NIO_SAMPLE_SENDER, 0, 0));
	assert_false(is_whole(NIO_SAMPLE_SENDER, 3, head + 3 * 8 - 1));
	assert_false(is_whole(NIO_SAMPLE_OWNER_NR, 0, head));
	assert_false(is_whole(NIO_SAMPLE_SENDER, most + 1, head + (most + 1) * 8));
	assert_false(is_whole(NIO_SAMPLE_SENDER, UINT32_MAX, head));
}

static const char kallsyms[] = "ffffffff81000100 t do_syscall_64\n"
			       "ffffffff81000200 T tcp_sendmsg_locked\n"
			       "ffffffff81000300 T _copy_from_iter\n"
			       "ffffffff81000400 T _raw_spin_unlock_irqrestore\n"
			       "ffffffff81000500 T after\n";

static struct symbols *symbols_of(const char *text)
{
	struct symbols *s = NULL;

	put_file("kallsyms", text);
	assert_int_equal(symbols__load_from(&s, "kallsyms"), 0);
	return s;
}

static void add_stack(struct sample_fold *f, enum nio_sample_owner owner, const uint64_t *ip,
		      size_t n)
{
	struct nio_sample *s = record(owner, (uint32_t)n, 0, NIO_SAMPLE_HEAD + n * 8);

	memcpy(s->ip, ip, n * 8);
	assert_int_equal(sample_fold__add(s, f), 0);
	free(s);
}

static void add_user(struct sample_fold *f, enum nio_sample_owner owner, uint64_t ip)
{
	struct nio_sample *s = record(owner, 0, ip, NIO_SAMPLE_HEAD);

	assert_int_equal(sample_fold__add(s, f), 0);
	free(s);
}

SCRATCH_TEST(kernel_stacks_are_folded_and_classified)
{
	/* Innermost first. A return address at the start of the next function: the call does not
	 * return. */
	static const uint64_t copy[] = {0xffffffff81000300, 0xffffffff81000250, 0xffffffff81000200};
	static const uint64_t late[] = {0xffffffff81000410, 0xffffffff81000210};
	static const uint64_t unknown[] = {0x1000};
	struct symbols *symbols = symbols_of(kallsyms);
	struct cpu_result out = {0};
	struct sample_fold f = {.symbols = symbols, .out = &out};

	add_stack(&f, NIO_SAMPLE_SENDER, copy, 3);
	add_stack(&f, NIO_SAMPLE_SENDER, copy, 3);
	add_stack(&f, NIO_SAMPLE_RECEIVER, late, 2);
	add_stack(&f, NIO_SAMPLE_ELSEWHERE, unknown, 1);
	assert_int_equal(out.by[NIO_SAMPLE_SENDER].samples, 2);
	assert_int_equal(out.by[NIO_SAMPLE_SENDER].classes[CPU_CLASS_TX_COPY], 2);
	assert_int_equal(out.by[NIO_SAMPLE_RECEIVER].classes[CPU_CLASS_TCP_IP], 1);
	assert_int_equal(out.by[NIO_SAMPLE_RECEIVER].shifted, 1);
	assert_int_equal(out.by[NIO_SAMPLE_ELSEWHERE].classes[CPU_CLASS_OTHER], 1);
	assert_int_equal(out.profile.nr, 3);
	assert_string_equal(out.profile.stacks[0].frames,
			    "do_syscall_64;tcp_sendmsg_locked;_copy_from_iter");
	assert_int_equal(out.profile.stacks[0].count, 2);
	assert_string_equal(out.profile.stacks[2].frames, "[unknown]");
	cpu_time__clear(&out);
	symbols__free(symbols);
}

SCRATCH_TEST(user_code_is_counted_for_its_file)
{
	struct mappings m = maps_of(maps);
	struct cpu_result out = {0};
	struct sample_fold f = {.maps = {&m, &m}, .gathers = true, .out = &out};

	add_user(&f, NIO_SAMPLE_SENDER, 0x7f0000012345);
	add_user(&f, NIO_SAMPLE_SENDER, 0x5581c0010000);
	add_user(&f, NIO_SAMPLE_RECEIVER, 0x7f0000012345); /* a receiver gathers nothing */
	add_user(&f, NIO_SAMPLE_RECEIVER, 0);
	add_user(&f, NIO_SAMPLE_RECEIVER, 0x7f0000400000); /* a name without a file */
	f.gathers = false;
	add_user(&f, NIO_SAMPLE_SENDER, 0x7f0000012345);
	assert_int_equal(out.by[NIO_SAMPLE_SENDER].classes[CPU_CLASS_GATHER], 1);
	assert_int_equal(out.by[NIO_SAMPLE_SENDER].classes[CPU_CLASS_USER], 2);
	assert_int_equal(out.by[NIO_SAMPLE_RECEIVER].classes[CPU_CLASS_USER], 3);
	assert_string_equal(out.profile.stacks[0].frames, "[libc.so.6]");
	assert_string_equal(out.profile.stacks[3].frames, "[user]");
	assert_string_equal(out.profile.stacks[4].frames, "[l?tcp_sendmsg?[2J]");
	assert_false(out.gather_hidden);
	cpu_time__clear(&out);
	mappings__free(&m);
}

/* The C library is in the program: its copies cannot be told from the program's other code. */
SCRATCH_TEST(gather_of_a_static_program_is_hidden)
{
	struct mappings m = maps_of("400000-500000 r-xp 00000000 fd:01 131 /netio-loadgen\n");
	struct cpu_result out = {0};
	struct sample_fold f = {.maps = {&m, &m}, .out = &out};

	add_user(&f, NIO_SAMPLE_SENDER, 0x400000);
	assert_false(out.gather_hidden);
	f.gathers = true;
	add_user(&f, NIO_SAMPLE_RECEIVER, 0x400000);
	assert_false(out.gather_hidden);
	add_user(&f, NIO_SAMPLE_SENDER, 0x400000);
	assert_true(out.gather_hidden);
	assert_non_null(cpu_figures__hidden(&out, NIO_SAMPLE_SENDER, CPU_CLASS_GATHER));
	assert_null(cpu_figures__hidden(&out, NIO_SAMPLE_RECEIVER, CPU_CLASS_GATHER));
	assert_null(cpu_figures__hidden(&out, NIO_SAMPLE_SENDER, CPU_CLASS_USER));
	cpu_time__clear(&out);
	mappings__free(&m);
}
