/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks, registers and file names of a hostile program; answers of a hostile server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "follow/frame_server.h"
#include "support/test.h"

#define STACKS 200

static struct chain chain = {.links_nr = 1};
#define stack (chain.links[0].stack)

/* Registers in this program and its stack, so that unwinding begins. The stack is read whole. */
static __attribute__((no_sanitize("address"))) void put_own(void)
{
	uint64_t here = (uintptr_t)__builtin_frame_address(0);

	memset(&stack, 0, sizeof(stack));
	chain.tgid = stack.tgid = stack.tid = (uint32_t)getpid();
	stack.regs.rip = (uintptr_t)put_own;
	stack.regs.rsp = stack.base = here & ~7ULL;
	stack.regs.rbp = here;
	stack.len = 512;
	for (size_t i = 0; i < stack.len; i++)
		stack.bytes[i] = ((const volatile unsigned char *)(uintptr_t)stack.base)[i];
}

/* A third of the words point into the stack, a third into code, the others anywhere. */
static uint64_t random_word(void)
{
	switch (lrand48() % 3) {
	case 0:
		return stack.base + (uint64_t)(lrand48() % STACK_BYTES);
	case 1:
		return (uintptr_t)put_own + (uint64_t)(lrand48() % 65536) - 32768;
	default:
		return (uint64_t)mrand48() << 32 ^ (uint64_t)mrand48();
	}
}

static void put_hostile(void)
{
	put_own();
	for (size_t i = 0; i + 8 <= STACK_BYTES; i += 8) {
		uint64_t word = random_word();

		memcpy(stack.bytes + i, &word, sizeof(word));
	}
	stack.len = (uint32_t)(lrand48() % (STACK_BYTES + 1));
	stack.regs.rip = random_word();
	stack.regs.rsp = random_word();
	stack.regs.rbp = random_word();
}

static const struct frames *name(struct frame_namer *n)
{
	const struct follow_place *places;

	assert_true(frame_namer__ask(n, &chain));
	assert_false(frame_namer__ask(n, &chain));
	places = frame_namer__answer(n);
	assert_non_null(places);
	assert_true(places->frames.nr <= FRAMES_MAX);
	return &places->frames;
}

TEST(hostile_stacks_do_not_end_the_process_that_names_frames)
{
	const struct frames *frames;
	struct frame_namer *n;

#ifdef __SANITIZE_ADDRESS__
	print_message("skipped: the process that names frames may not have as much memory as "
		      "AddressSanitizer takes\n");
	skip();
#endif
	assert_int_equal(frame_namer__open(&n), 0);
	srand48(1);
	for (int i = 0; i < STACKS; i++) {
		put_hostile();
		name(n);
	}
	stack.len = UINT32_MAX;
	assert_int_equal(name(n)->nr, 0);
	put_own();
	frames = name(n);
	assert_true(frames->nr && frames->frame[0].offset);
	assert_string_equal(frames->frame[0].function, "put_own");
	frame_namer__close(n);
}

/* The process that names frames, and its server, are of this process; children: theirs. */
static void assert_alone(pid_t parent, int depth)
{
	char path[64], *at;
	FILE *f;
	long child;
	char list[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
	f = fopen(path, "re");
	if (!f)
		skip(); /* a kernel without CONFIG_PROC_CHILDREN */
	if (!fgets(list, sizeof(list), f))
		list[0] = '\0';
	fclose(f);
	assert_true(list[0] || depth == 2);
	for (at = list; (child = strtol(at, &at, 10)) > 0;) {
		assert_int_equal(getsid((pid_t)child), child);
		assert_alone((pid_t)child, depth + 1);
	}
}

/* Ctrl-Z and Ctrl-C reach the process group of netiotrace. */
TEST(processes_that_name_frames_are_in_sessions_of_their_own)
{
	struct frame_namer *n;

#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_int_equal(frame_namer__open(&n), 0);
	assert_alone(getpid(), 0);
	frame_namer__close(n);
}

/* It may be stuck in the kernel. */
TEST(process_that_names_frames_is_left_behind_if_it_does_not_answer)
{
	struct frame_namer *n;

#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_int_equal(frame_namer__open(&n), 0);
	put_own();
	assert_true(frame_namer__ask(n, &chain));
	frame_namer__close(n);
	frame_namer__close(NULL);
	assert_false(frame_namer__ask(NULL, &chain));
	assert_int_equal(frame_namer__fd(NULL), -1);
}

TEST(frames_of_a_hostile_server_are_bounded)
{
	static struct frames frames;

	memset(&frames, 033, sizeof(frames));
	frames__bound(&frames);
	assert_int_equal(frames.nr, 0);
	frames.nr = FRAMES_MAX;
	frames__bound(&frames);
	assert_int_equal(frames.nr, FRAMES_MAX);
	for (int i = 0; i < FRAMES_MAX; i++) {
		const struct frame *f = &frames.frame[i];

		assert_int_equal(strlen(f->function), sizeof(f->function) - 1);
		assert_int_equal(strlen(f->build_id), sizeof(f->build_id) - 1);
		assert_null(strchr(f->file, 033));
		assert_null(strchr(f->object, 033));
	}
}
