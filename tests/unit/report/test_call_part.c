/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a send call that a stack belongs to: example stacks, and recordings of several
 * kernels (tests/fixtures/stacks, made with --folded). Run from the root of the source tree.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mode.h"
#include "report/call_part.h"
#include "support/test.h"

#define RECORDINGS "tests/fixtures/stacks/*.folded"

static const struct {
	const char *frames;
	enum path_part part;
} cases[] = {
	{"entry_SYSCALL_64_after_hwframe;do_syscall_64;__sys_sendmsg;tcp_sendmsg;lock_sock_nested",
	 PATH_LOCK},
	{"tcp_sendmsg;tcp_sendmsg_locked;_copy_from_iter", PATH_COPY},
	{"tcp_sendmsg;tcp_sendmsg_locked;_copy_from_iter;rep_movs_alternative", PATH_COPY},
	{"tcp_sendmsg;tcp_sendmsg_locked;skb_zerocopy_iter_stream;__zerocopy_sg_from_iter",
	 PATH_PIN},
	{"tcp_sendmsg;tcp_sendmsg_locked;sk_page_frag_refill", PATH_OTHER},
	{"tcp_sendmsg;tcp_sendmsg_locked", PATH_OTHER},
	{"tcp_sendmsg;tcp_sendmsg_locked;__tcp_push_pending_frames;tcp_write_xmit;__tcp_transmit_"
	 "skb",
	 PATH_TRANSMIT},
	/* A part lasts as long as its function, except for receive softirqs on top of it. */
	{"tcp_sendmsg;release_sock;__release_sock;tcp_v4_do_rcv;tcp_rcv_established;tcp_write_xmit",
	 PATH_RELEASE},
	{"tcp_sendmsg;tcp_sendmsg_locked;sk_stream_wait_memory;release_sock;_raw_spin_lock_bh",
	 PATH_WAIT},
	{"tcp_sendmsg_locked;tcp_write_xmit;do_softirq;net_rx_action;tcp_v4_rcv;lock_sock_nested",
	 PATH_INLINE_RECEIVE},
	{"tcp_sendmsg_locked;tcp_write_xmit;net_rx_action;ip_local_deliver_finish;skb_copy_ubufs;"
	 "memcpy",
	 PATH_INLINE_RECEIVE},
	/* Names of BPF trampolines in a stack. */
	{"tcp_sendmsg;bpf_trampoline_1;tcp_sendmsg;release_sock", PATH_RELEASE},
	/* In the call but outside tcp_sendmsg; outside any send call. */
	{"do_syscall_64;__sys_sendmsg;___sys_sendmsg;copy_msghdr_from_user", PATH_SEND_TOTAL},
	{"do_syscall_64;__x64_sys_sendto;__sys_sendto;inet_sendmsg", PATH_SEND_TOTAL},
	{"do_syscall_64;ksys_write;vfs_write;pipe_write", PATH_NR},
	{"entry_SYSCALL_64_after_hwframe;do_syscall_64", PATH_NR},
	{"asm_sysvec_apic_timer_interrupt;net_rx_action;tcp_v4_rcv", PATH_NR},
	{"[libc.so.6]", PATH_NR},
	{"", PATH_NR},
};

static const char *name_of(enum path_part part)
{
	return part < PATH_NR ? path_part__key(part) : "none";
}

TEST(each_stack_has_its_part)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		enum path_part part = call_part__of(cases[i].frames);

		if (part != cases[i].part)
			fail_msg("%s: %s, not %s", cases[i].frames, name_of(part),
				 name_of(cases[i].part));
	}
}

/* The sender's samples of a recording by mode and part. */
struct recording {
	unsigned long parts[MODE_NR][PATH_NR + 1], all[MODE_NR];
};

static void read_recording(struct recording *r, const char *file)
{
	static char line[32768];
	FILE *f = fopen(file, "r");

	*r = (struct recording){0};
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *frames = strstr(line, ";sender;"), *count = strrchr(line, ' ');
		enum mode mode;

		if (!frames || !count)
			continue;
		*frames = *count = '\0';
		assert_int_equal(mode__parse(line, &mode), 0);
		r->parts[mode][call_part__of(frames + strlen(";sender;"))] +=
			strtoul(count + 1, NULL, 10);
		r->all[mode] += strtoul(count + 1, NULL, 10);
	}
	fclose(f);
}

static void check(bool holds, const char *file, enum mode mode, const char *what)
{
	if (!holds)
		fail_msg("%s, %s: %s", file, mode__name(mode), what);
}

/* Loopback: each mode transmits and runs the peer's receive work; one pins, two copy. */
static void check_mode(const struct recording *r, enum mode mode, const char *file)
{
	const unsigned long *parts = r->parts[mode];
	bool pins = mode__has(mode, MODE_PINS);

	check(parts[PATH_NR] * 2 < r->all[mode], file, mode, "most are in no call");
	check(parts[PATH_TRANSMIT] > 0, file, mode, "transmit");
	check(parts[PATH_INLINE_RECEIVE] > 0, file, mode, "inline_receive");
	check((parts[PATH_PIN] > 0) == pins, file, mode, "pin");
	check((parts[PATH_COPY] * 50 > r->all[mode]) == !pins, file, mode, "copy");
}

TEST(recorded_stacks_of_each_mode_have_their_parts)
{
	glob_t files;

	if (glob(RECORDINGS, 0, NULL, &files))
		fail_msg(RECORDINGS ": run this test from the root of the source tree");
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct recording r;

		read_recording(&r, files.gl_pathv[i]);
		for (int mode = 0; mode <= MODE_ZEROCOPY; mode++) /* the recorded modes */
			check_mode(&r, (enum mode)mode, files.gl_pathv[i]);
	}
	globfree(&files);
}
