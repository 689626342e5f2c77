/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules on the names of kernel functions, Linux 5.10 to 7.x, x86 and arm64; see stack_rules.h. */
#include "stack_rules.h"

#include <string.h>

/*
 * A rule: function names that begin like this (a whole name ends in '$'); the class; the class of a
 * copy that this function calls, if different. The longest rule that fits a name counts, so that
 * rows may stand in any order.
 */
#define COPY  CPU_CLASS_NR       /* copies: the callers decide the stage */
#define SHIFT (CPU_CLASS_NR + 1) /* lets interrupts in again: its callers count */
#define NONE  (-1)

struct rule {
	const char *name;
	int class;
	int copy;      /* NONE: the same */
	int tail_call; /* NONE: the same; else what a lock that it releases itself is part of */
	/*
	 * Disks and other devices also call this function: the rule counts only if a caller belongs
	 * to the network. Otherwise the callers decide.
	 */
	bool shared;
};

/* clang-format off */
#define RULE_COPY(name, class, stage) {name, CPU_CLASS_##class, CPU_CLASS_##stage, NONE, false},
#define RULE_TAIL(name, class, tail)  {name, CPU_CLASS_##class, NONE, CPU_CLASS_##tail, false},
/* A name of the group that CLASS and SHARED state. */
#define N(name)                       {name, CLASS, NONE, NONE, SHARED},

static const struct rule rules[] = {
	/* Functions that have payload copied. */
	RULE_COPY("tcp_sendmsg", TCP_IP, TX_COPY)
	RULE_COPY("skb_do_copy_data_nocache", TX_COPY, TX_COPY)
	RULE_COPY("skb_add_data", TX_COPY, TX_COPY)
	RULE_COPY("skb_try_coalesce", SKB, OTHER_COPY)
	RULE_COPY("skb_condense", SKB, OTHER_COPY)
	/*
	 * hrtimer_start() ends in a tail call of the function that releases its lock, and is then not
	 * in the stack; its callers here take no such lock themselves.
	 */
	RULE_TAIL("tcp_write_xmit$", TCP_IP, TIMERS)
	RULE_TAIL("tcp_pacing_check", TIMERS, TIMERS)
	RULE_TAIL("__tcp_transmit_skb$", TCP_IP, TIMERS)
#define SHARED false
	/* Copying itself: leaf functions, and those up to the caller that copies payload. */
#define CLASS COPY
	N("rep_movs") N("copy_user") N("__copy_user") N("memcpy") N("__memcpy") N("__pi_memcpy")
	N("memmove") N("__memmove") N("__pi_memmove") N("memcpy_orig") N("_copy_from_iter")
	N("_copy_to_iter") N("_copy_from_user") N("_copy_to_user") N("__arch_copy_") N("copyin$")
	N("copyout$") N("copy_page") N("__pi_copy_page") N("copy_to_user_iter")
	N("copy_from_user_iter") N("memcpy_to_iter") N("memcpy_from_iter") N("csum_and_copy")
	N("csum_partial_copy") N("copy_mc") N("copy_to_iter$") N("copy_from_iter$") N("raw_copy_")
	N("copy_highpage") N("__check_object_size") N("check_heap_object") N("check_stack_object")
	N("__check_heap_object") N("simple_copy_to_iter") N("copy_to_user_nofault")
	N("caches_clean_inval")
#undef CLASS
#define CLASS CPU_CLASS_DEFERRED_COPY
	N("skb_copy_ubufs")
#undef CLASS
#define CLASS CPU_CLASS_RX_COPY
	N("skb_copy_datagram") N("__skb_datagram_iter") N("skb_copy_and_csum_datagram")
#undef CLASS
#define CLASS CPU_CLASS_OTHER_COPY
	N("skb_copy_bits") N("__pskb_pull_tail") N("skb_copy$") N("skb_copy_expand")
	N("tcp_collapse") N("skb_pp_cow_data") N("skb_store_bits")
#undef CLASS
#define CLASS CPU_CLASS_TX_PIN /* Pages pinned and released. */
	N("zerocopy_fill_skb") N("__zerocopy_sg_from_iter") N("skb_zerocopy_iter_stream")
	N("mm_account_pinned") N("mm_unaccount_pinned") N("skb_splice_from_iter")
#undef CLASS
#define CLASS CPU_CLASS_COMPLETION /* MSG_ZEROCOPY notifications. */
	N("msg_zerocopy_") N("__msg_zerocopy_") N("sock_zerocopy_") N("skb_zerocopy_")
	N("sock_omalloc") N("sock_ofree") N("ip_recv_error") N("ipv6_recv_error")
	N("inet_recv_error") N("sock_recv_errqueue") N("sock_dequeue_err_skb")
	N("sk_error_report") N("inet_sk_error_report") N("sock_def_error_report") N("skb_zcopy_")
	N("put_cmsg") N("ip_cmsg_recv")
#undef CLASS
#define CLASS CPU_CLASS_TCP_IP /* TCP, IP, sockets. */
	N("tcp_") N("__tcp_") N("tcp4_") N("ip_") N("__ip_") N("ip6_") N("ipv4_") N("ipv6_")
	N("inet_") N("inet6_") N("__inet") N("ip_rcv") N("tcpv6_") N("bictcp_") N("cubictcp_")
	N("hystart_") N("bbr_") N("reno_") N("dctcp_") N("minmax_") N("sk_") N("__sk_")
	N("sock_rfree") N("sock_wfree") N("sock_") N("nf_") N("nft_") N("xt_") N("ipt_")
	N("skb_checksum") N("__skb_checksum") N("csum_partial") N("do_csum")
	N("raw_local_deliver") N("raw_v") N("fib") N("rt_") N("ipv4_dst_check") N("dst_")
	N("secure_tcp") N("mptcp_") N("neigh_") N("__skb_flow_dissect") N("skb_get_hash")
	N("__skb_get_hash") N("tcp_tasklet") N("tcp_tsq") N("bpf_skops") N("sk_filter")
	N("security_sock_rcv_skb") N("skb_entail") N("ip_local_deliver$") N("sk_forced")
	N("tcp_rtx_queue_unlink") N("sk_mem") N("tcp_skb_entail") N("sk_psock")
#undef CLASS
#define CLASS CPU_CLASS_SYSCALL /* System calls: entry and exit, code before the protocol. */
	N("security_socket") N("__legitimize_mnt") N("do_syscall_64") N("entry_SYSCALL")
	N("x64_sys_call") N("syscall_") N("__syscall_") N("do_el0_svc") N("el0")
	N("invoke_syscall") N("el0_svc") N("ret_to_user") N("do_notify_resume") N("__x64_sys_")
	N("__arm64_sys_") N("__sys_") N("___sys_") N("____sys_") N("__se_sys_") N("__do_sys_")
	N("sockfd_lookup") N("fdget") N("__fget") N("__fdget") N("fput") N("sock_sendmsg")
	N("__sock_sendmsg") N("sock_recvmsg") N("inet_sendmsg") N("inet6_sendmsg")
	N("inet_recvmsg") N("inet6_recvmsg") N("sock_write_iter") N("sock_read_iter") N("vfs_")
	N("ksys_") N("new_sync_") N("rw_verify") N("import_") N("__import_iovec") N("iovec_from")
	N("copy_iovec") N("copy_msghdr") N("sendmsg_copy_msghdr") N("__copy_msghdr")
	N("move_addr") N("iov_iter_init") N("iov_iter_advance") N("exit_to_user") N("entry_")
	N("secure_computing") N("__seccomp") N("seccomp_") N("__audit") N("fpregs_")
	N("switch_fpu_return") N("restore_fpregs") N("sock_ioctl") N("kernel_recvmsg")
	N("kernel_sendmsg") N("splice_") N("io_") N("error_entry") N("arch_do_signal")
	N("task_work_run")
#undef CLASS
#define CLASS CPU_CLASS_NETDEV /* Devices and queueing disciplines. */
	N("validate_xmit_skb") N("dev_") N("__dev_") N("loopback_") N("netif_") N("__netif_")
	N("enqueue_to_backlog") N("process_backlog") N("__napi_") N("napi_") N("net_rx_action")
	N("net_tx_action") N("sch_") N("__qdisc") N("qdisc_") N("fq_") N("fq_codel") N("pfifo")
	N("noqueue") N("veth_") N("eth_type_trans") N("eth_") N("deliver_skb") N("gro_")
	N("skb_gro_") N("inet_gro_") N("tcp4_gro") N("tcp_gro") N("skb_network_protocol")
	N("harmonize_") N("passthru_features") N("default_device") N("skb_segment") N("tcp_gso")
	N("inet_gso") N("__skb_gso") N("skb_csum_hwoffload") N("virtnet_") N("virtqueue_napi_")
	N("start_xmit") N("ixgbe_") N("i40e_") N("ice_") N("mlx5") N("ena_") N("bnxt_") N("igb_")
	N("e1000") N("r8169") N("rtl8169") N("br_") N("bond_") N("vlan_") N("macvlan") N("tun_")
	N("vhost") N("packet_rcv") N("tpacket_") N("xdp_") N("get_rps_cpu") N("rps_") N("dql_")
	N("____dev_forward_skb") N("is_skb_forwardable") N("__is_skb_forward") N("bpf_xdp")
	N("do_xdp") N("ptype_") N("skb_crc32c") N("sch_direct_xmit")
#undef CLASS
#define CLASS CPU_CLASS_TIMERS /* Pacing and timers. */
	N("hrtimer") N("__hrtimer") N("tcp_pace") N("tcp_update_skb_after_send")
	N("tcp_reset_xmit_timer") N("tick_program_event") N("clockevents_program") N("lapic_next")
	N("lapic_timer") N("mod_timer") N("__mod_timer") N("add_timer") N("del_timer") N("timer_")
	N("__timer_") N("calc_wheel_index") N("lock_timer_base") N("enqueue_timer")
	N("detach_if_pending") N("internal_add_timer") N("run_timer") N("__run_timer")
	N("call_timer_fn") N("expire_timers") N("sk_reset_timer") N("sk_stop_timer")
	N("lock_hrtimer_base") N("enqueue_hrtimer") N("remove_hrtimer") N("__remove_hrtimer")
	N("timerqueue_") N("get_nohz_timer") N("tick_") N("tmigr_") N("__do_sys_timer")
	N("arch_timer") N("erratum_set_next") N("update_process_times") N("get_next_timer")
	N("reprogram_timer") N("__sysvec_apic_timer") N("sysvec_apic_timer") N("clock_gettime")
	N("__x64_sys_clock")
#undef CLASS
#define CLASS CPU_CLASS_MEMORY
	N("page_pool") N("kmem_cache") N("kmalloc") N("__kmalloc") N("kfree$") N("__kmem_cache")
	N("___slab") N("__slab") N("slab_") N("new_slab") N("refill_") N("get_page_from")
	N("get_partial") N("put_cpu_partial") N("__unfreeze") N("alloc_page") N("__alloc_page")
	N("alloc_pages") N("__free_page") N("free_") N("__free_") N("rmqueue") N("__rmqueue")
	N("folio_") N("__folio") N("put_page") N("__put_page") N("page_frag") N("__page_frag")
	N("skb_page_frag") N("sk_page_frag") N("page_counter") N("try_charge") N("__memcg")
	N("memcg_") N("mem_cgroup") N("__mem_cgroup") N("mod_memcg") N("__mod_memcg")
	N("mod_lruvec") N("drain_") N("refill_stock") N("consume_stock") N("obj_cgroup")
	N("clear_page") N("__mod_node") N("__mod_zone") N("mod_node") N("prep_") N("post_alloc")
	N("cmpxchg_double") N("__pcs_") N("sheaf") N("barn_") N("alloc_from_pcs")
	N("exc_page_fault") N("asm_exc_page_fault") N("do_user_addr_fault") N("handle_mm_fault")
	N("__handle_mm_fault") N("do_anonymous") N("do_page_fault") N("do_mem_abort") N("el0_da$")
	N("el0_ia$") N("el1_abort") N("do_translation_fault") N("vma_") N("lock_vma")
	N("flush_tlb") N("ptep_") N("percpu_counter") N("policy_") N("get_task_policy")
	N("do_wp_page") N("wp_page") N("list_lru") N("should_failslab") N("release_pages")
	N("compact") N("shrink_") N("try_to_free") N("ksize") N("__ksize") N("zone_watermark")
	N("decay_pcp") N("mm_") N("kvmalloc") N("kvfree") N("kvm_async_pf") N("__get_obj")
	N("qlist_")
#undef CLASS
#define CLASS CPU_CLASS_SKB /* Socket buffers. */
	N("skb_") N("__skb_") N("___skb_") N("alloc_skb") N("__alloc_skb") N("__build_skb")
	N("build_skb") N("kfree_skb") N("__kfree_skb") N("consume_skb") N("napi_skb")
	N("napi_consume") N("__napi_kfree") N("pskb_") N("__pskb_") N("kfree_skbmem")
	N("kmalloc_reserve") N("sk_stream_alloc_skb") N("tcp_stream_alloc_skb")
	N("__copy_skb_header") N("skb_release") N("sk_skb_") N("kfree_skb_partial")
	N("__finalize_skb") N("__netdev_alloc_skb") N("dev_kfree_skb") N("__dev_kfree")
#undef CLASS
#define CLASS CPU_CLASS_SCHEDULING
	N("sock_def_readable") N("_raw_spin_rq_lock") N("schedule") N("__schedule")
	N("preempt_schedule") N("try_to_wake_up") N("ttwu_") N("__wake_up") N("wake_up")
	N("autoremove_wake") N("woken_wake") N("default_wake") N("pollwake") N("ep_") N("epoll_")
	N("do_epoll") N("enqueue_task") N("dequeue_task") N("enqueue_entity") N("dequeue_entit")
	N("pick_") N("__pick_") N("select_task") N("select_idle") N("update_curr")
	N("update_load") N("__update_load") N("update_rq") N("update_cfs") N("update_se")
	N("update_min_v") N("update_blocked") N("update_sd_lb") N("update_sg_lb")
	N("place_entity") N("set_next_") N("put_prev_") N("check_preempt") N("wakeup_preempt")
	N("resched_") N("__resched_") N("__switch_to") N("switch_mm") N("switch_fpu")
	N("native_load_tls") N("load_new_mm_cr3") N("finish_task_switch") N("context_switch")
	N("prepare_task") N("sched_") N("sk_wait_data") N("sk_wait_event") N("sk_stream_wait")
	N("sk_stream_write_space") N("wait_woken") N("prepare_to_wait") N("finish_wait")
	N("add_wait_queue") N("remove_wait_queue") N("do_poll") N("do_sys_poll")
	N("__x64_sys_poll") N("__x64_sys_ppoll") N("poll_") N("__pollwait") N("sock_poll")
	N("tcp_poll") N("futex_") N("do_futex") N("__x64_sys_futex") N("yield_task")
	N("do_sched_yield") N("newidle") N("sched_balance") N("load_balance") N("_nohz_idle")
	N("nohz_") N("available_idle") N("cpus_share_cache") N("native_smp_send_reschedule")
	N("smp_send_resch") N("x2apic_send_IPI") N("native_send_call_func") N("__smp_call_single")
	N("send_call_function_single") N("generic_exec_single") N("kvm_send_ipi")
	N("call_function_single") N("__sysvec_call_func") N("sysvec_call_func")
	N("sysvec_reschedule") N("scheduler_ipi") N("__sysvec_reschedule") N("flush_smp_call")
	N("sched_ttwu") N("psi_") N("cpuacct_") N("cgroup_rstat") N("dl_") N("__dl_") N("rt_task")
	N("vruntime_") N("avg_vruntime") N("entity_") N("__enqueue_entity") N("__dequeue_entity")
	N("reweight_") N("raw_spin_rq_") N("wake_affine") N("record_wakee") N("kick_process")
	N("set_task_cpu") N("migrate_task") N("activate_task") N("clear_buddies") N("hrtick_")
	N("perf_event_") N("__perf_event_task") N("__cond_resched") N("cond_resched")
	N("rcu_all_qs") N("_cond_resched") N("dynamic_cond_resched") N("rcu_note_context")
	N("arch_scale") N("cpuidle") N("do_idle") N("default_idle") N("smpboot_thread")
	N("update_rt_rq") N("update_dl_rq") N("os_xsave") N("ipi_send") N("gic_ipi")
	N("smp_cross_call") N("cpu_do_switch_mm") N("check_and_switch_context")
	N("fpsimd_thread_switch")
#undef CLASS
#define CLASS CPU_CLASS_TX_COPY
	N("skb_do_copy")
#undef CLASS
#define CLASS CPU_CLASS_LOCK
	N("lock_sock") N("__lock_sock") N("release_sock") N("_raw_spin_lock") N("_raw_read_")
	N("_raw_write_") N("_raw_spin_trylock") N("_raw_spin_unlock$") N("_raw_spin_unlock_bh")
	N("native_queued_spin") N("queued_spin") N("queued_read") N("queued_write")
	N("pv_queued_spin") N("__pv_queued") N("mutex_") N("__mutex") N("rwsem_") N("down_")
	N("up_") N("rt_spin_") N("rt_mutex") N("__rt_mutex") N("rtlock_") N("osq_")
	N("__raw_callee_save___pv_queued") N("do_raw_spin") N("lock_acquire") N("lock_release")
	N("lockdep") N("__local_bh_disable") N("rcu_read_") N("__rcu_read_") N("local_bh_")
	N("migrate_disable") N("migrate_enable") N("__percpu_down") N("percpu_down")
	N("percpu_up")
#undef CLASS
#define CLASS CPU_CLASS_IRQ /* Interrupts, softirqs. */
	N("irqentry_") N("asm_sysvec") N("sysvec_") N("__sysvec") N("asm_common_interrupt")
	N("common_interrupt") N("irq_enter") N("handle_irq") N("generic_handle") N("do_IRQ")
	N("el1") N("gic_") N("do_interrupt_handler") N("el0_interrupt") N("el0t_64_irq")
	N("el0t_64_fiq") N("__el0_irq") N("run_ksoftirqd") N("raise_softirq") N("__raise_softirq")
	N("rcu_") N("__rcu_") N("note_gp") N("invoke_rcu") N("irq_work") N("tasklet_")
	N("__tasklet") N("handle_edge") N("handle_percpu") N("__handle_irq")
#undef CLASS
	/*
	 * Files and disks: their copies are not socket payload, and their work is not system call
	 * overhead.
	 */
#define CLASS CPU_CLASS_OTHER
	N("ret_from_fork") N("filemap_") N("generic_file_") N("generic_perform_") N("iomap_")
	N("__iomap_") N("ext4_") N("xfs_") N("btrfs_") N("jbd2_") N("blkdev_") N("__blkdev_")
	N("bio_") N("submit_bio") N("__submit_bio") N("blk_") N("__blk_") N("nvme_") N("scsi_")
	N("virtblk_") N("virtio_queue_rq") N("do_direct_IO") N("do_blockdev_direct_IO")
	N("shmem_")
#undef CLASS
#define CLASS CPU_CLASS_TRACING /* Programs that watch. */
	N("bpf_prog_") N("__bpf_prog_") N("bpf_trampoline") N("bpf_trace_run") N("ftrace_")
	N("kprobe_") N("kretprobe") N("arch_rethook") N("rethook_") N("fprobe_") N("bpf_")
	N("__bpf_") N("trace_") N("perf_trace") N("ring_buffer")
#undef CLASS
#define CLASS SHIFT /* Interrupts are enabled again. */
	N("_raw_spin_unlock_irq") N("handle_softirqs") N("__softirqentry_text_start")
	N("_raw_spin_unlock_irqrestore") N("__local_bh_enable_ip") N("do_softirq") N("irq_exit")
	N("__irq_exit") N("__do_softirq") N("_raw_read_unlock_irq") N("_raw_write_unlock_irq")
	N("__raw_spin_unlock_irq") N("finish_task_switch$") N("arch_local_irq_enable")
	N("raw_spin_rq_unlock_irq")
#undef CLASS
#undef SHARED
#define SHARED true
#define CLASS CPU_CLASS_TX_PIN
	N("iov_iter_get_pages") N("__iov_iter_get_pages") N("iov_iter_extract_pages") N("gup_")
	N("internal_get_user_pages") N("get_user_pages") N("__get_user_pages") N("pin_user_pages")
	N("try_grab_") N("try_get_folio") N("lockless_pages_from_mm") N("iov_iter_revert")
	N("gup_fast") N("undo_dev_pagemap") N("follow_page") N("get_compound_page")
#undef CLASS
#define CLASS CPU_CLASS_TCP_IP
	N("__cgroup_bpf_run") N("selinux_") N("apparmor_") N("security_")
#undef CLASS
#define CLASS CPU_CLASS_NETDEV
	N("virtqueue_") N("vring_")
#undef CLASS
#undef SHARED
};
/* clang-format on */

/* How many characters of name the rule covers: 0 when it does not fit. An exact one covers most. */
static size_t fit(const struct rule *r, const char *name, size_t len)
{
	size_t n = strlen(r->name);
	bool exact = r->name[n - 1] == '$';

	n -= exact;
	if (n > len || memcmp(r->name, name, n) || (exact && n != len))
		return 0;
	return n + exact;
}

/* The rule that covers most of a name, without what the compiler appended; NULL: none does. */
static const struct rule *rule_of(const char *name)
{
	const struct rule *best = NULL;
	size_t len = strcspn(name, ".;"), most = 0;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		size_t n = rules[i].name[0] == name[0] ? fit(&rules[i], name, len) : 0;

		if (n <= most)
			continue;
		most = n;
		best = &rules[i];
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
		if (copies && r->copy != NONE)
			out.class = r->copy;
		else if (out.shifted && i == 1 && r->tail_call != NONE)
			out.class = r->tail_call;
		break;
	}
	return out;
}

enum cpu_class stack_rules__user(const char *object, bool gathers)
{
	bool library = object && !strncmp(object, "libc", 4);

	return gathers && library ? CPU_CLASS_GATHER : CPU_CLASS_USER;
}
