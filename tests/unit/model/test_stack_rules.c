/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules on stacks: example stacks, and recordings of several kernels (tests/fixtures/stacks,
 * made with --folded). Run from the root of the source tree.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/netiotrace.h"
#include "common/mode.h"
#include "model/cpu_time.h"
#include "model/stack_rules.h"
#include "support/test.h"

#define FRAMES_MAX 160
#define RECORDINGS "tests/fixtures/stacks/*.folded"

/* The class of "outermost;...;innermost"; changes the text. */
static struct stack_class class_of(char *text)
{
	const char *frames[FRAMES_MAX], *reversed[FRAMES_MAX];
	size_t n = 0;
	char *save = NULL;

	for (char *p = strtok_r(text, ";", &save); p && n < FRAMES_MAX;
	     p = strtok_r(NULL, ";", &save))
		frames[n++] = p;
	for (size_t i = 0; i < n; i++)
		reversed[i] = frames[n - 1 - i];
	return stack_rules__class(reversed, n);
}

#define OF(c)   CPU_CLASS_##c, false
#define LATE(c) CPU_CLASS_##c, true /* delayed: interrupts were off */

static const struct {
	const char *frames;
	enum cpu_class class;
	bool shifted;
} cases[] = {
	/* A copy belongs to the stage of its caller, whichever function copies. */
	{"tcp_sendmsg;tcp_sendmsg_locked;_copy_from_iter", OF(TX_COPY)},
	{"tcp_sendmsg_locked;_copy_from_iter;rep_movs_alternative", OF(TX_COPY)},
	{"tcp_sendmsg_locked;_copy_from_iter_full;copyin;copy_user_enhanced_fast_string",
	 OF(TX_COPY)},
	{"tcp_sendmsg_locked;_copy_from_iter;__arch_copy_from_user", OF(TX_COPY)},
	{"tcp_recvmsg_locked;skb_copy_datagram_iter;__skb_datagram_iter;simple_copy_to_iter;_copy_"
	 "to_iter;rep_movs_alternative",
	 OF(RX_COPY)},
	{"tcp_sendmsg_locked;tcp_write_xmit;net_rx_action;ip_local_deliver_finish;skb_copy_ubufs;"
	 "memcpy",
	 OF(DEFERRED_COPY)},
	{"tcp_rcv_established;tcp_collapse;skb_copy_bits;memcpy", OF(OTHER_COPY)},
	/* But a copied header belongs to the header's class, copied arguments to the call. */
	{"tcp_sendmsg_locked;tcp_write_xmit;__skb_clone;__copy_skb_header;memcpy", OF(SKB)},
	{"tcp_sendmsg_locked;__alloc_skb;memset", OF(SKB)},
	{"__sys_sendmsg;___sys_sendmsg;copy_msghdr_from_user;_copy_from_user", OF(SYSCALL)},
	/* Calling a function of a stage is not copying. */
	{"tcp_sendmsg;tcp_sendmsg_locked", OF(TCP_IP)},
	/* Pins and notifications. */
	{"tcp_sendmsg_locked;skb_zerocopy_iter_stream;__zerocopy_sg_from_iter;zerocopy_fill_skb_"
	 "from_iter;iov_iter_get_pages2;gup_fast_fallback",
	 OF(TX_PIN)},
	{"skb_release_data;msg_zerocopy_complete;__msg_zerocopy_callback", OF(COMPLETION)},
	{"____sys_recvmsg;inet_recvmsg;inet_recv_error;ip_recv_error", OF(COMPLETION)},
	/* Pacing: the timer that a paced transmit starts. */
	{"tcp_sendmsg_locked;tcp_write_xmit;hrtimer_start_range_ns;lapic_next_deadline;native_"
	 "write_msr",
	 OF(TIMERS)},
	{"tcp_sendmsg_locked;__tcp_push_pending_frames;tcp_write_xmit;_raw_spin_unlock_irqrestore",
	 LATE(TIMERS)},
	{"tcp_write_xmit;asm_sysvec_apic_timer_interrupt;sysvec_apic_timer_interrupt;__irq_exit_"
	 "rcu;handle_softirqs",
	 LATE(TIMERS)},
	{"common_interrupt;irq_exit_rcu;__do_softirq", LATE(IRQ)},
	{"tcp_write_xmit;__tcp_transmit_skb;ktime_get;read_tsc", OF(TCP_IP)},
	/* Compiler suffixes; a longer rule wins over a shorter one, an exact one over all. */
	{"finish_task_switch.isra.0", LATE(OTHER)},
	{"schedule;__schedule;finish_task_switch.isra.0", LATE(SCHEDULING)},
	{"kfree_skb.part.0", OF(SKB)},
	{"tcp_sendmsg_locked;sk_page_frag_refill", OF(MEMORY)},
	{"tcp_v4_rcv;sock_def_readable", OF(SCHEDULING)},
	/* A sample delayed while interrupts were off counts for the caller. */
	{"sock_def_readable;__wake_up_sync_key;_raw_spin_unlock_irqrestore", LATE(SCHEDULING)},
	{"dev_queue_xmit;__dev_queue_xmit;__local_bh_enable_ip;do_softirq.part.0;handle_softirqs",
	 LATE(NETDEV)},
	{"tcp_sendmsg;release_sock;_raw_spin_unlock_bh", OF(LOCK)},
	/* arm64: copies; softirqs on a stack of their own; exceptions by their type. */
	{"el0t_64_sync;el0_svc;tcp_recvmsg_locked;skb_copy_datagram_iter;_copy_to_iter;__arch_copy_"
	 "to_user",
	 OF(RX_COPY)},
	{"__netif_receive_skb_core.constprop.0;skb_copy_ubufs;__pi_memcpy", OF(DEFERRED_COPY)},
	{"el0t_64_sync;el0_svc;__sys_getsockopt;do_sock_getsockopt;__arch_copy_from_user",
	 OF(SYSCALL)},
	{"__dev_queue_xmit;__local_bh_enable_ip;do_softirq;do_softirq_own_stack;call_on_irq_stack;_"
	 "___do_softirq;__do_softirq;handle_softirqs",
	 LATE(NETDEV)},
	{"el1h_64_irq;el1_interrupt;call_on_irq_stack;do_interrupt_handler", OF(IRQ)},
	{"el0t_64_sync;el0t_64_sync_handler;el0_svc", OF(SYSCALL)},
	{"el0t_64_sync;el0t_64_sync_handler;el0_da", OF(MEMORY)},
	{"el0t_64_irq;el0t_64_irq_handler;__el0_irq_handler_common;el0_interrupt", OF(IRQ)},
	{"tcp_sendmsg;lock_sock_nested;__cond_resched;rcu_all_qs", OF(SCHEDULING)},
	{"an_unknown_driver;its_helper", OF(OTHER)},
	/* Disks also pin pages (O_DIRECT) and have virtio queues: these are not the network's. */
	{"do_syscall_64;ksys_pread64;vfs_read;ext4_file_read_iter;iomap_dio_rw;__iomap_dio_rw;bio_"
	 "iov_iter_get_pages;iov_iter_extract_pages;pin_user_pages_fast;gup_fast_fallback",
	 OF(OTHER)},
	{"vfs_write;blkdev_write_iter;blkdev_direct_IO;submit_bio_noacct_nocheck;blk_mq_submit_bio;"
	 "virtio_queue_rq;virtqueue_notify;vp_notify;iowrite16",
	 OF(OTHER)},
	{"blk_mq_dispatch_rq_list;virtio_queue_rq;virtblk_add_req;virtqueue_add_sgs", OF(OTHER)},
	{"asm_common_interrupt;common_interrupt;handle_irq_event;vring_interrupt", OF(IRQ)},
	{"asm_common_interrupt;common_interrupt;vring_interrupt;virtblk_done;virtqueue_get_buf_ctx",
	 OF(OTHER)},
	{"vfs_write;ext4_buffered_write_iter;generic_perform_write;copy_page_from_iter_atomic",
	 OF(OTHER)},
	/* Files read: by read(), by sendfile, and read ahead; not pipes. */
	{"ksys_read;vfs_read;filemap_read;copy_page_to_iter;_copy_to_iter;rep_movs_alternative",
	 OF(FILE_READ)},
	{"ksys_pread64;vfs_read;ext4_file_read_iter;generic_file_read_iter;filemap_read;"
	 "copy_folio_to_iter;_copy_to_iter",
	 OF(FILE_READ)},
	{"vfs_read;ext4_file_read_iter;generic_file_buffered_read;copy_page_to_iter",
	 OF(FILE_READ)},
	{"do_sendfile;do_splice_direct;splice_direct_to_actor;filemap_splice_read;"
	 "splice_folio_into_pipe",
	 OF(FILE_READ)},
	{"filemap_read;filemap_get_pages;page_cache_sync_ra;page_cache_ra_unbounded",
	 OF(FILE_READ)},
	{"vfs_read;xfs_file_read_iter;xfs_file_buffered_read;filemap_read;filemap_get_read_batch",
	 OF(FILE_READ)},
	{"ksys_read;vfs_read;anon_pipe_read;copy_page_to_iter;_copy_to_iter", OF(SYSCALL)},
	{"__x64_sys_read;vfs_read;rw_verify_area;security_file_permission;apparmor_file_permission",
	 OF(SYSCALL)},
	{"do_syscall_64;__x64_sys_process_vm_readv;pin_user_pages_remote;gup_longterm",
	 OF(SYSCALL)},
	/* The same functions below a socket. */
	{"tcp_sendmsg_locked;tcp_write_xmit;dev_hard_start_xmit;start_xmit;virtqueue_notify;vp_"
	 "notify;iowrite16",
	 OF(NETDEV)},
	{"net_rx_action;__napi_poll;virtnet_poll;virtqueue_get_buf_ctx_split", OF(NETDEV)},
	{"tcp_sendmsg_locked;skb_zerocopy_iter_stream;iov_iter_extract_pages;pin_user_pages_fast",
	 OF(TX_PIN)},
	{"common_interrupt;vring_interrupt;skb_recv_done;virtqueue_napi_schedule", OF(NETDEV)},
};

TEST(each_stack_has_the_class_of_its_rule)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[512];
		struct stack_class c;

		snprintf(text, sizeof(text), "%s", cases[i].frames);
		c = class_of(text);
		if (c.class != cases[i].class || c.shifted != cases[i].shifted)
			fail_msg("%s: %s%s, not %s%s", cases[i].frames, cpu_class__key(c.class),
				 c.shifted ? ", shifted" : "", cpu_class__key(cases[i].class),
				 cases[i].shifted ? ", shifted" : "");
	}
}

TEST(stack_without_frames_is_unclassified)
{
	assert_int_equal(stack_rules__class(NULL, 0).class, CPU_CLASS_OTHER);
}

/* The application packs fields itself: the kernel's part of writev() is no gathering. */
TEST(no_kernel_function_gathers)
{
	static const char *const writes[] = {"vfs_writev", "do_writev", "do_iter_readv_writev"};

	for_each_case(name, writes)
		assert_int_equal(stack_rules__class(name, 1).class, CPU_CLASS_SYSCALL);
}

TEST(library_time_is_gather_in_the_mode_that_gathers)
{
	assert_int_equal(stack_rules__user("libc.so.6", true), CPU_CLASS_GATHER);
	assert_int_equal(stack_rules__user("libc-2.31.so", true), CPU_CLASS_GATHER);
	assert_int_equal(stack_rules__user("libc.so.6", false), CPU_CLASS_USER);
	assert_int_equal(stack_rules__user("netio-loadgen", true), CPU_CLASS_USER);
	assert_int_equal(stack_rules__user(NULL, true), CPU_CLASS_USER);
}

/* Samples of a recording by mode, side and class. */
struct recording {
	uint64_t samples[MODE_NR][NIO_SIDE_NR];
	uint64_t classes[MODE_NR][NIO_SIDE_NR][CPU_CLASS_NR];
};

/* "mode;side;frames N" */
static void parse_line(struct recording *r, char *line, const char *file)
{
	char *side = strchr(line, ';'), *frames = side ? strchr(side + 1, ';') : NULL;
	char *count = strrchr(line, ' ');
	enum mode mode;
	enum cpu_class class;
	int s;

	if (!frames || !count)
		fail_msg("%s: not a stack: %s", file, line);
	*side++ = *frames++ = *count++ = '\0';
	assert_int_equal(mode__parse(line, &mode), 0);
	if (!strcmp(side, "elsewhere"))
		return;
	s = strcmp(side, "sender") ? NIO_SIDE_RECEIVER : NIO_SIDE_SENDER;
	if (frames[0] == '[') {
		frames[strlen(frames) - 1] = '\0';
		class = stack_rules__user(frames + 1, !s && mode__has(mode, MODE_GATHERS));
	} else {
		class = class_of(frames).class;
	}
	r->samples[mode][s] += strtoull(count, NULL, 10);
	r->classes[mode][s][class] += strtoull(count, NULL, 10);
}

static void read_recording(struct recording *r, const char *file)
{
	static char line[32768];
	FILE *f = fopen(file, "r");

	*r = (struct recording){0};
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		parse_line(r, line, file);
	fclose(f);
}

static double share(const struct recording *r, enum mode mode, int side, enum cpu_class c)
{
	return (double)r->classes[mode][side][c] / (double)r->samples[mode][side];
}

static void check(bool holds, const char *file, enum mode mode, const char *what)
{
	if (!holds)
		fail_msg("%s, %s: %s", file, mode__name(mode), what);
}

static void check_mode(const struct recording *r, enum mode mode, const char *file)
{
	bool pins = mode__has(mode, MODE_PINS);

	check(r->samples[mode][0] >= 50 && r->samples[mode][1] >= 25, file, mode, "few samples");
	for (int side = 0; side < NIO_SIDE_NR; side++)
		check(share(r, mode, side, CPU_CLASS_OTHER) < 0.1, file, mode,
		      "10 % or more unclassified");
	check((share(r, mode, 0, CPU_CLASS_GATHER) > 0) == mode__has(mode, MODE_GATHERS), file,
	      mode, "gathers, or does not");
	/* The load generator's control messages between phases are copied in any mode. */
	check((share(r, mode, 0, CPU_CLASS_TX_COPY) > 0.02) == !pins, file, mode, "tx_copy");
	check((share(r, mode, 0, CPU_CLASS_TX_PIN) > 0) == pins, file, mode, "tx_pin");
	check((share(r, mode, 0, CPU_CLASS_DEFERRED_COPY) +
		       share(r, mode, 1, CPU_CLASS_DEFERRED_COPY) >
	       0) == pins,
	      file, mode, "deferred_copy");
	check(share(r, mode, 1, CPU_CLASS_RX_COPY) > 0.1, file, mode, "rx_copy");
}

TEST(recorded_stacks_of_each_mode_have_their_classes)
{
	glob_t files;

	if (glob(RECORDINGS, 0, NULL, &files))
		fail_msg(RECORDINGS ": run this test from the root of the source tree");
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct recording r;

		read_recording(&r, files.gl_pathv[i]);
		for (int mode = 0; mode <= MODE_ZEROCOPY; mode++) /* the recorded modes */
			check_mode(&r, mode, files.gl_pathv[i]);
	}
	globfree(&files);
}
