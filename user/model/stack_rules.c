/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules on the names of kernel functions, Linux 5.10 to 7.x, x86 and arm64; see stack_rules.h. */
#include "stack_rules.h"

#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define COPY          CPU_CLASS_NR       /* copies: the callers decide the stage */
#define SHIFT         (CPU_CLASS_NR + 1) /* lets interrupts in again: its callers count */
#define RULES_MAX     1024

/*
 * Function names of a class that begin like this, separated by spaces; a whole name ends in '$'.
 * The longest rule that fits a name counts, so that groups may stand in any order.
 */
struct group {
	int class;
	const char *names;
};

static const struct group groups[] = {
	/* Copying itself: leaf functions, and those up to the caller that copies payload. */
	{COPY,
	 "rep_movs copy_user __copy_user memcpy __memcpy __pi_memcpy memmove __memmove "
	 "__pi_memmove _copy_from_iter _copy_to_iter _copy_from_user _copy_to_user __arch_copy_ "
	 "copyin$ copyout$ copy_page __pi_copy_page copy_to_user_iter copy_from_user_iter "
	 "csum_and_copy csum_partial_copy copy_mc copy_to_iter$ copy_from_iter$ raw_copy_ "
	 "copy_highpage __check_object_size check_heap_object check_stack_object "
	 "__check_heap_object simple_copy_to_iter copy_to_user_nofault caches_clean_inval"},
	{CPU_CLASS_GATHER, "vfs_writev$ do_writev$ do_iter_readv_writev"},
	{CPU_CLASS_DEFERRED_COPY, "skb_copy_ubufs"},
	{CPU_CLASS_RX_COPY, "skb_copy_datagram __skb_datagram_iter skb_copy_and_csum_datagram"},
	{CPU_CLASS_OTHER_COPY, "skb_copy_bits __pskb_pull_tail skb_copy$ skb_copy_expand "
			       "tcp_collapse skb_pp_cow_data skb_store_bits"},
	/* Pages pinned and released. */
	{CPU_CLASS_TX_PIN, "zerocopy_fill_skb __zerocopy_sg_from_iter skb_zerocopy_iter_stream "
			   "mm_account_pinned mm_unaccount_pinned skb_splice_from_iter"},
	/* MSG_ZEROCOPY notifications. */
	{CPU_CLASS_COMPLETION,
	 "msg_zerocopy_ __msg_zerocopy_ sock_zerocopy_ skb_zerocopy_ sock_omalloc sock_ofree "
	 "ip_recv_error ipv6_recv_error inet_recv_error sock_recv_errqueue sock_dequeue_err_skb "
	 "sk_error_report inet_sk_error_report sock_def_error_report skb_zcopy_ put_cmsg "
	 "ip_cmsg_recv"},
	/* TCP, IP, sockets. */
	{CPU_CLASS_TCP_IP,
	 "tcp_ __tcp_ tcp4_ ip_ __ip_ ip6_ ipv4_ ipv6_ inet_ inet6_ __inet tcpv6_ bictcp_ "
	 "cubictcp_ hystart_ bbr_ reno_ dctcp_ minmax_ sk_ __sk_ sock_ nf_ nft_ xt_ ipt_ "
	 "skb_checksum __skb_checksum csum_partial do_csum raw_local_deliver raw_v fib rt_ dst_ "
	 "secure_tcp mptcp_ neigh_ __skb_flow_dissect skb_get_hash __skb_get_hash bpf_skops "
	 "security_sock_rcv_skb skb_entail"},
	/* System calls: entry and exit, code before the protocol. */
	{CPU_CLASS_SYSCALL,
	 "security_socket __legitimize_mnt do_syscall_64 x64_sys_call syscall_ __syscall_ "
	 "do_el0_svc el0 invoke_syscall ret_to_user do_notify_resume __x64_sys_ __arm64_sys_ "
	 "__sys_ ___sys_ ____sys_ __se_sys_ __do_sys_ sockfd_lookup fdget __fget __fdget fput "
	 "sock_sendmsg __sock_sendmsg sock_recvmsg inet_sendmsg inet6_sendmsg inet_recvmsg "
	 "inet6_recvmsg sock_write_iter sock_read_iter vfs_ ksys_ new_sync_ rw_verify import_ "
	 "__import_iovec iovec_from copy_iovec copy_msghdr sendmsg_copy_msghdr __copy_msghdr "
	 "move_addr iov_iter_init iov_iter_advance exit_to_user entry_ secure_computing __seccomp "
	 "seccomp_ __audit fpregs_ switch_fpu_return restore_fpregs sock_ioctl kernel_recvmsg "
	 "kernel_sendmsg splice_ io_ error_entry arch_do_signal task_work_run"},
	/* Devices and queueing disciplines. */
	{CPU_CLASS_NETDEV,
	 "validate_xmit_skb dev_ __dev_ loopback_ netif_ __netif_ enqueue_to_backlog "
	 "process_backlog __napi_ napi_ net_rx_action net_tx_action sch_ __qdisc qdisc_ fq_ pfifo "
	 "noqueue veth_ eth_ deliver_skb gro_ skb_gro_ inet_gro_ tcp4_gro tcp_gro "
	 "skb_network_protocol harmonize_ passthru_features default_device skb_segment tcp_gso "
	 "inet_gso __skb_gso skb_csum_hwoffload virtnet_ virtqueue_napi_ start_xmit ixgbe_ i40e_ "
	 "ice_ mlx5 ena_ bnxt_ igb_ e1000 r8169 rtl8169 br_ bond_ vlan_ macvlan tun_ vhost "
	 "packet_rcv tpacket_ xdp_ get_rps_cpu rps_ dql_ ____dev_forward_skb is_skb_forwardable "
	 "__is_skb_forward bpf_xdp do_xdp ptype_ skb_crc32c"},
	/* Pacing and timers. */
	{CPU_CLASS_TIMERS,
	 "hrtimer __hrtimer tcp_pace tcp_update_skb_after_send tcp_reset_xmit_timer "
	 "clockevents_program lapic_next lapic_timer mod_timer __mod_timer add_timer del_timer "
	 "timer_ __timer_ calc_wheel_index lock_timer_base enqueue_timer detach_if_pending "
	 "internal_add_timer run_timer __run_timer call_timer_fn expire_timers sk_reset_timer "
	 "sk_stop_timer lock_hrtimer_base enqueue_hrtimer remove_hrtimer __remove_hrtimer "
	 "timerqueue_ get_nohz_timer tick_ tmigr_ __do_sys_timer arch_timer erratum_set_next "
	 "update_process_times get_next_timer reprogram_timer __sysvec_apic_timer "
	 "sysvec_apic_timer clock_gettime __x64_sys_clock"},
	{CPU_CLASS_MEMORY,
	 "page_pool kmem_cache kmalloc __kmalloc kfree$ __kmem_cache ___slab __slab slab_ new_slab "
	 "refill_ get_page_from get_partial put_cpu_partial __unfreeze alloc_page __alloc_page "
	 "free_ __free_ rmqueue __rmqueue folio_ __folio put_page __put_page page_frag __page_frag "
	 "skb_page_frag sk_page_frag page_counter try_charge __memcg memcg_ mem_cgroup "
	 "__mem_cgroup mod_memcg __mod_memcg mod_lruvec drain_ consume_stock obj_cgroup clear_page "
	 "__mod_node __mod_zone mod_node prep_ post_alloc cmpxchg_double __pcs_ sheaf barn_ "
	 "alloc_from_pcs exc_page_fault asm_exc_page_fault do_user_addr_fault handle_mm_fault "
	 "__handle_mm_fault do_anonymous do_page_fault do_mem_abort el0_da$ el0_ia$ el1_abort "
	 "do_translation_fault vma_ lock_vma flush_tlb ptep_ percpu_counter policy_ "
	 "get_task_policy do_wp_page wp_page list_lru should_failslab release_pages compact "
	 "shrink_ try_to_free ksize __ksize zone_watermark decay_pcp mm_ kvmalloc kvfree "
	 "kvm_async_pf __get_obj qlist_"},
	/* Socket buffers. */
	{CPU_CLASS_SKB,
	 "skb_ __skb_ ___skb_ alloc_skb __alloc_skb __build_skb build_skb kfree_skb __kfree_skb "
	 "consume_skb napi_skb napi_consume __napi_kfree pskb_ __pskb_ kmalloc_reserve "
	 "sk_stream_alloc_skb tcp_stream_alloc_skb __copy_skb_header sk_skb_ __finalize_skb "
	 "__netdev_alloc_skb dev_kfree_skb __dev_kfree"},
	{CPU_CLASS_SCHEDULING,
	 "sock_def_readable _raw_spin_rq_lock schedule __schedule preempt_schedule try_to_wake_up "
	 "ttwu_ __wake_up wake_up autoremove_wake woken_wake default_wake pollwake ep_ epoll_ "
	 "do_epoll enqueue_task dequeue_task enqueue_entity dequeue_entit pick_ __pick_ "
	 "select_task select_idle update_curr update_load __update_load update_rq update_cfs "
	 "update_se update_min_v update_blocked update_sd_lb update_sg_lb place_entity set_next_ "
	 "put_prev_ check_preempt wakeup_preempt resched_ __resched_ __switch_to switch_mm "
	 "switch_fpu native_load_tls load_new_mm_cr3 finish_task_switch context_switch "
	 "prepare_task sched_ sk_wait_data sk_wait_event sk_stream_wait sk_stream_write_space "
	 "wait_woken prepare_to_wait finish_wait add_wait_queue remove_wait_queue do_poll "
	 "do_sys_poll __x64_sys_poll __x64_sys_ppoll poll_ __pollwait sock_poll tcp_poll futex_ "
	 "do_futex __x64_sys_futex yield_task do_sched_yield newidle load_balance _nohz_idle nohz_ "
	 "available_idle cpus_share_cache native_smp_send_reschedule smp_send_resch "
	 "x2apic_send_IPI native_send_call_func __smp_call_single send_call_function_single "
	 "generic_exec_single kvm_send_ipi call_function_single __sysvec_call_func "
	 "sysvec_call_func sysvec_reschedule __sysvec_reschedule flush_smp_call psi_ cpuacct_ "
	 "cgroup_rstat dl_ __dl_ rt_task vruntime_ avg_vruntime entity_ __enqueue_entity "
	 "__dequeue_entity reweight_ raw_spin_rq_ wake_affine record_wakee kick_process "
	 "set_task_cpu migrate_task activate_task clear_buddies hrtick_ perf_event_ "
	 "__perf_event_task __cond_resched cond_resched rcu_all_qs _cond_resched "
	 "dynamic_cond_resched rcu_note_context arch_scale cpuidle do_idle default_idle "
	 "smpboot_thread update_rt_rq update_dl_rq os_xsave ipi_send gic_ipi smp_cross_call "
	 "cpu_do_switch_mm check_and_switch_context fpsimd_thread_switch"},
	{CPU_CLASS_TX_COPY, "skb_do_copy"},
	{CPU_CLASS_LOCK,
	 "lock_sock __lock_sock release_sock _raw_spin_lock _raw_read_ _raw_write_ "
	 "_raw_spin_trylock _raw_spin_unlock$ _raw_spin_unlock_bh native_queued_spin queued_spin "
	 "queued_read queued_write pv_queued_spin __pv_queued mutex_ __mutex rwsem_ down_ up_ "
	 "rt_spin_ rt_mutex __rt_mutex rtlock_ osq_ __raw_callee_save___pv_queued do_raw_spin "
	 "lock_acquire lock_release lockdep __local_bh_disable rcu_read_ __rcu_read_ local_bh_ "
	 "migrate_disable migrate_enable __percpu_down percpu_down percpu_up"},
	/* Interrupts, softirqs. */
	{CPU_CLASS_IRQ,
	 "irqentry_ asm_sysvec sysvec_ __sysvec asm_common_interrupt common_interrupt irq_enter "
	 "handle_irq generic_handle do_IRQ el1 gic_ do_interrupt_handler el0_interrupt el0t_64_irq "
	 "el0t_64_fiq __el0_irq run_ksoftirqd raise_softirq __raise_softirq rcu_ __rcu_ note_gp "
	 "invoke_rcu irq_work tasklet_ __tasklet handle_edge handle_percpu __handle_irq"},
	/* Files read, by read() and by sendfile: from the page cache, which read-ahead fills. */
	{CPU_CLASS_FILE_READ,
	 "filemap_read filemap_get_ filemap_splice_read filemap_update_page generic_file_read "
	 "generic_file_buffered_read generic_file_splice_read do_generic_file_read "
	 "copy_splice_read direct_splice_read splice_folio_into_pipe ext4_file_read ext4_readahead "
	 "ext4_readpage ext4_read_folio ext4_mpage_read ext4_file_splice_read xfs_file_read "
	 "xfs_file_buffered_read xfs_file_dio_read xfs_file_splice_read xfs_vm_read "
	 "btrfs_file_read "
	 "btrfs_readahead btrfs_read_folio f2fs_file_read nfs_file_read fuse_file_read "
	 "fuse_cache_read fuse_readahead ovl_read_iter ovl_splice_read backing_file_read "
	 "backing_file_splice_read shmem_file_read shmem_file_splice_read blkdev_read "
	 "mpage_read iomap_read page_cache_ra_ page_cache_sync_ra "
	 "page_cache_async_ra page_cache_sync_readahead page_cache_async_readahead "
	 "page_cache_readahead ondemand_readahead force_page_cache_ra read_pages find_get_page "
	 "find_get_entr pagecache_get_page touch_atime atime_needs_update"},
	/* Files written, and disks: their copies are not socket payload, and their work is not
	   system call overhead. */
	{CPU_CLASS_OTHER,
	 "ret_from_fork filemap_ generic_file_ generic_perform_ iomap_ __iomap_ ext4_ xfs_ btrfs_ "
	 "jbd2_ blkdev_ __blkdev_ bio_ submit_bio __submit_bio blk_ __blk_ nvme_ scsi_ virtblk_ "
	 "virtio_queue_rq do_direct_IO do_blockdev_direct_IO shmem_"},
	/* Programs that watch. */
	{CPU_CLASS_TRACING, "ftrace_ kprobe_ kretprobe arch_rethook rethook_ fprobe_ bpf_ __bpf_ "
			    "trace_ perf_trace ring_buffer"},
	/* Interrupts are enabled again. */
	{SHIFT,
	 "_raw_spin_unlock_irq handle_softirqs __softirqentry_text_start __local_bh_enable_ip "
	 "do_softirq irq_exit __irq_exit __do_softirq _raw_read_unlock_irq _raw_write_unlock_irq "
	 "__raw_spin_unlock_irq finish_task_switch$ arch_local_irq_enable raw_spin_rq_unlock_irq"},
};

/*
 * Disks and other devices also call these functions: a rule counts only if a caller belongs to the
 * network. Otherwise the callers decide.
 */
static const struct group shared[] = {
	{CPU_CLASS_TX_PIN, "iov_iter_get_pages __iov_iter_get_pages iov_iter_extract_pages gup_ "
			   "internal_get_user_pages get_user_pages __get_user_pages pin_user_pages "
			   "try_grab_ try_get_folio lockless_pages_from_mm iov_iter_revert "
			   "undo_dev_pagemap follow_page get_compound_page"},
	{CPU_CLASS_TCP_IP, "__cgroup_bpf_run selinux_ apparmor_ security_"},
	{CPU_CLASS_NETDEV, "virtqueue_ vring_"},
};

/*
 * Functions whose copies, or whose last call, belong to a class other than their own. 0: the same.
 * hrtimer_start() ends in a tail call of the function that releases its lock, and is then not in
 * the stack; its callers here take no such lock themselves.
 */
static const struct caller {
	struct group group;
	enum cpu_class copy, tail_call;
} callers[] = {
	{{CPU_CLASS_TCP_IP, "tcp_sendmsg"}, CPU_CLASS_TX_COPY, 0},
	{{CPU_CLASS_TX_COPY, "skb_do_copy_data_nocache skb_add_data"}, CPU_CLASS_TX_COPY, 0},
	{{CPU_CLASS_SKB, "skb_try_coalesce skb_condense"}, CPU_CLASS_OTHER_COPY, 0},
	{{CPU_CLASS_TCP_IP, "tcp_write_xmit$ __tcp_transmit_skb$"}, 0, CPU_CLASS_TIMERS},
	{{CPU_CLASS_TIMERS, "tcp_pacing_check"}, 0, CPU_CLASS_TIMERS},
};

static struct rule {
	const char *name;
	size_t len;
	bool exact, shared;
	int class;
	enum cpu_class copy, tail_call;
} rules[RULES_MAX];

static size_t rules_nr;

/* Adds a rule for each name of a group, which is otherwise like the given one. */
static void add_rules(const struct group *group, struct rule rule)
{
	rule.class = group->class;
	for (const char *p = group->names; *p && rules_nr < RULES_MAX;) {
		size_t len = strcspn(p, " ");

		rule.name = p;
		rule.exact = p[len - 1] == '$';
		rule.len = len - rule.exact;
		rules[rules_nr++] = rule;
		p += len + (p[len] == ' ');
	}
}

/* Splits the names once: each frame of each sample is compared with all of them. */
static void make_rules(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		add_rules(&groups[i], (struct rule){0});
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
		add_rules(&shared[i], (struct rule){.shared = true});
	for (size_t i = 0; i < ARRAY_SIZE(callers); i++)
		add_rules(&callers[i].group, (struct rule){.copy = callers[i].copy,
							   .tail_call = callers[i].tail_call});
}

/* The longest rule that fits a name, without what the compiler appended; NULL: none does. */
static const struct rule *rule_of(const char *name)
{
	const struct rule *best = NULL;
	size_t len = strcspn(name, ".;"), most = 0;

	if (!rules_nr)
		make_rules();
	for (const struct rule *r = rules; r < rules + rules_nr; r++) {
		if (r->name[0] != name[0] || r->len > len || r->len + r->exact <= most ||
		    memcmp(r->name, name, r->len) || (r->exact && r->len != len))
			continue;
		most = r->len + r->exact;
		best = r;
	}
	return best;
}

static bool is_of_network(const struct rule *r)
{
	switch (r->class) {
	case CPU_CLASS_TX_COPY:
	case CPU_CLASS_TX_PIN:
	case CPU_CLASS_DEFERRED_COPY:
	case CPU_CLASS_RX_COPY:
	case CPU_CLASS_OTHER_COPY:
	case CPU_CLASS_COMPLETION:
	case CPU_CLASS_TCP_IP:
	case CPU_CLASS_NETDEV:
	case CPU_CLASS_SKB:
		return !r->shared;
	default:
		return false;
	}
}

/* Is one of these functions of the network alone? */
static bool calls_from_network(const char *const *frames, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct rule *r = rule_of(frames[i]);

		if (r && is_of_network(r))
			return true;
	}
	return false;
}

struct stack_class stack_rules__class(const char *const *frames, size_t n)
{
	struct stack_class out = {.class = CPU_CLASS_OTHER};
	bool copies = false;

	for (size_t i = 0; i < n; i++) {
		const struct rule *r = rule_of(frames[i]);

		if (!r || (r->shared && !calls_from_network(frames + i + 1, n - i - 1)))
			continue;
		if (r->class == SHIFT) {
			out.shifted |= i == 0;
			continue;
		}
		if (r->class == COPY) {
			copies = true;
			continue;
		}
		out.class = r->class;
		if (copies && r->copy)
			out.class = r->copy;
		else if (out.shifted && i == 1 && r->tail_call)
			out.class = r->tail_call;
		break;
	}
	return out;
}

bool stack_rules__is_libc(const char *object)
{
	return !strncmp(object, "libc", 4);
}

enum cpu_class stack_rules__user(const char *object, bool gathers)
{
	return gathers && object && stack_rules__is_libc(object) ? CPU_CLASS_GATHER
								 : CPU_CLASS_USER;
}
