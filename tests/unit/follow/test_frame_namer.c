/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks and registers of a hostile program: the process that names frames survives them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "follow/frames.h"
#include "support/test.h"

#define STACKS 200

static struct stack_copy stack;

/* Registers in this program and its stack, so that unwinding begins. The stack is read whole. */
static __attribute__((no_sanitize("address"))) void put_own(void)
{
	uint64_t here = (uintptr_t)__builtin_frame_address(0);

	memset(&stack, 0, sizeof(stack));
	stack.tgid = stack.tid = (uint32_t)getpid();
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

TEST(hostile_stacks_do_not_end_the_process_that_names_frames)
{
	struct frame_namer *n;
	struct frames frames;

#ifdef __SANITIZE_ADDRESS__
	print_message("skipped: the process that names frames may not have as much memory as "
		      "AddressSanitizer takes\n");
	skip();
#endif
	assert_int_equal(frame_namer__open(&n), 0);
	srand48(1);
	for (int i = 0; i < STACKS; i++) {
		put_hostile();
		frame_namer__name(n, &stack, &frames);
		assert_true(frames.nr <= FRAMES_MAX);
	}
	stack.len = UINT32_MAX;
	frame_namer__name(n, &stack, &frames);
	put_own();
	assert_true(frame_namer__name(n, &stack, &frames));
	assert_int_equal(frames.frame[0].offset != 0, 1);
	frame_namer__close(n);
}
