/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules on the names of kernel functions, Linux 5.10 to 7.x, x86 and arm64; see stack_rules.h. */
#include "stack_rules.h"

#include <string.h>

/*
 * A rule: function names that begin like this (a whole name ends in '$'); the class; what a copy is
 * that this function calls, where that is another. Of the rules that fit a name the longest counts,
 * so that rows may stand in any order.
 */
#define COPY  CPU_CLASS_NR       /* copies: of which stage, the callers know */
#define SHIFT (CPU_CLASS_NR + 1) /* lets interrupts in again: its callers count */
#define NONE  (-1)

struct rule {
	const char *name;
	int class;
	int copy;      /* NONE: the same */
	int tail_call; /* NONE: the same; else what a lock that it releases itself is part of */
	/*
	 * Disks and other devices call this function, too: the rule counts only if a caller is of
	 * the network. Otherwise the callers decide.
	 */
	bool shared;
};

/* clang-format off */
#define RULE(name, class)             {name, CPU_CLASS_##class, NONE, NONE, false}
#define RULE_COPY(name, class, stage) {name, CPU_CLASS_##class, CPU_CLASS_##stage, NONE, false}
#define RULE_TAIL(name, class, tail)  {name, CPU_CLASS_##class, NONE, CPU_CLASS_##tail, false}
#define SHARED(name, class)           {name, CPU_CLASS_##class, NONE, NONE, true}
#define COPIES(name)                  {name, COPY, NONE, NONE, false}
#define SHIFTS(name)                  {name, SHIFT, NONE, NONE, false}

static const struct rule rules[] = {
	/* Copying itself: leaves, and what stands between them and who had it copied. */
	COPIES("rep_movs"), COPIES("copy_user"), COPIES("__copy_user"),
	COPIES("memcpy"), COPIES("__memcpy"), COPIES("__pi_memcpy"),
	COPIES("memmove"), COPIES("__memmove"), COPIES("__pi_memmove"),
	COPIES("memcpy_orig"), COPIES("_copy_from_iter"),
	COPIES("_copy_to_iter"), COPIES("_copy_from_user"),
	COPIES("_copy_to_user"), COPIES("__arch_copy_"), COPIES("copyin$"),
	COPIES("copyout$"), COPIES("copy_page"), COPIES("__pi_copy_page"),
	COPIES("copy_to_user_iter"), COPIES("copy_from_user_iter"),
	COPIES("memcpy_to_iter"), COPIES("memcpy_from_iter"),
	COPIES("csum_and_copy"), COPIES("csum_partial_copy"),
	COPIES("copy_mc"), COPIES("copy_to_iter$"), COPIES("copy_from_iter$"),
	COPIES("raw_copy_"), COPIES("copy_highpage"),
	COPIES("__check_object_size"), COPIES("check_heap_object"),
	COPIES("check_stack_object"), COPIES("__check_heap_object"),
	COPIES("simple_copy_to_iter"), COPIES("copy_to_user_nofault"),
	COPIES("caches_clean_inval"),

	/* Who has payload copied. */
	RULE_COPY("tcp_sendmsg", TCP_IP, TX_COPY),
	RULE_COPY("skb_do_copy_data_nocache", TX_COPY, TX_COPY),
	RULE_COPY("skb_add_data", TX_COPY, TX_COPY),
	RULE("skb_copy_ubufs", DEFERRED_COPY),
	RULE("skb_copy_datagram", RX_COPY), RULE("__skb_datagram_iter", RX_COPY),
	RULE("skb_copy_and_csum_datagram", RX_COPY),
	RULE("skb_copy_bits", OTHER_COPY), RULE("__pskb_pull_tail", OTHER_COPY),
	RULE("skb_copy$", OTHER_COPY), RULE("skb_copy_expand", OTHER_COPY),
	RULE("tcp_collapse", OTHER_COPY), RULE("skb_pp_cow_data", OTHER_COPY),
	RULE("skb_store_bits", OTHER_COPY), RULE_COPY("skb_try_coalesce", SKB, OTHER_COPY),
	RULE_COPY("skb_condense", SKB, OTHER_COPY),

	/* Pages pinned and released. */
	RULE("zerocopy_fill_skb", TX_PIN), RULE("__zerocopy_sg_from_iter", TX_PIN),
	RULE("skb_zerocopy_iter_stream", TX_PIN), RULE("mm_account_pinned", TX_PIN),
	RULE("mm_unaccount_pinned", TX_PIN), SHARED("iov_iter_get_pages", TX_PIN),
	SHARED("__iov_iter_get_pages", TX_PIN), SHARED("iov_iter_extract_pages", TX_PIN),
	SHARED("gup_", TX_PIN), SHARED("internal_get_user_pages", TX_PIN),
	SHARED("get_user_pages", TX_PIN), SHARED("__get_user_pages", TX_PIN),
	SHARED("pin_user_pages", TX_PIN), SHARED("try_grab_", TX_PIN), SHARED("try_get_folio", TX_PIN),
	SHARED("lockless_pages_from_mm", TX_PIN), SHARED("iov_iter_revert", TX_PIN),
	SHARED("gup_fast", TX_PIN), SHARED("undo_dev_pagemap", TX_PIN),
	SHARED("follow_page", TX_PIN), SHARED("get_compound_page", TX_PIN),
	RULE("skb_splice_from_iter", TX_PIN),

	/* MSG_ZEROCOPY notifications. */
	RULE("msg_zerocopy_", COMPLETION), RULE("__msg_zerocopy_", COMPLETION),
	RULE("sock_zerocopy_", COMPLETION), RULE("skb_zerocopy_", COMPLETION),
	RULE("sock_omalloc", COMPLETION), RULE("sock_ofree", COMPLETION),
	RULE("ip_recv_error", COMPLETION), RULE("ipv6_recv_error", COMPLETION),
	RULE("inet_recv_error", COMPLETION), RULE("sock_recv_errqueue", COMPLETION),
	RULE("sock_dequeue_err_skb", COMPLETION), RULE("sk_error_report", COMPLETION),
	RULE("inet_sk_error_report", COMPLETION), RULE("sock_def_error_report", COMPLETION),
	RULE("skb_zcopy_", COMPLETION), RULE("put_cmsg", COMPLETION),
	RULE("ip_cmsg_recv", COMPLETION),

	/* TCP, IP, sockets. */
	RULE("tcp_", TCP_IP), RULE("__tcp_", TCP_IP), RULE("tcp4_", TCP_IP), RULE("ip_", TCP_IP),
	RULE("__ip_", TCP_IP), RULE("ip6_", TCP_IP), RULE("ipv4_", TCP_IP), RULE("ipv6_", TCP_IP),
	RULE("inet_", TCP_IP), RULE("inet6_", TCP_IP), RULE("__inet", TCP_IP),
	RULE("ip_rcv", TCP_IP), RULE("tcpv6_", TCP_IP), RULE("bictcp_", TCP_IP),
	RULE("cubictcp_", TCP_IP), RULE("hystart_", TCP_IP), RULE("bbr_", TCP_IP),
	RULE("reno_", TCP_IP), RULE("dctcp_", TCP_IP), RULE("minmax_", TCP_IP),
	RULE("sk_", TCP_IP), RULE("__sk_", TCP_IP), RULE("sock_rfree", TCP_IP),
	RULE("sock_wfree", TCP_IP), RULE("sock_", TCP_IP), RULE("nf_", TCP_IP),
	RULE("nft_", TCP_IP), RULE("xt_", TCP_IP), RULE("ipt_", TCP_IP), RULE("skb_checksum", TCP_IP),
	RULE("__skb_checksum", TCP_IP), RULE("csum_partial", TCP_IP), RULE("do_csum", TCP_IP),
	RULE("raw_local_deliver", TCP_IP), RULE("raw_v", TCP_IP), RULE("fib", TCP_IP),
	RULE("rt_", TCP_IP), RULE("ipv4_dst_check", TCP_IP), RULE("dst_", TCP_IP),
	RULE("secure_tcp", TCP_IP), RULE("mptcp_", TCP_IP), RULE("neigh_", TCP_IP),
	RULE("__skb_flow_dissect", TCP_IP), RULE("skb_get_hash", TCP_IP),
	RULE("__skb_get_hash", TCP_IP), RULE("tcp_tasklet", TCP_IP), RULE("tcp_tsq", TCP_IP),
	RULE("bpf_skops", TCP_IP), SHARED("__cgroup_bpf_run", TCP_IP), RULE("sk_filter", TCP_IP),
	RULE("security_sock_rcv_skb", TCP_IP),
	SHARED("selinux_", TCP_IP), SHARED("apparmor_", TCP_IP), SHARED("security_", TCP_IP), RULE("security_socket", SYSCALL),
	RULE("skb_entail", TCP_IP), RULE("validate_xmit_skb", NETDEV),

	/*
	 * Pacing and timers. hrtimer_start() ends in a tail call of the function that releases its
	 * lock, and is then not in the stack; its callers here take no such lock themselves.
	 */
	RULE_TAIL("tcp_write_xmit$", TCP_IP, TIMERS), RULE_TAIL("tcp_pacing_check", TIMERS, TIMERS),
	RULE_TAIL("__tcp_transmit_skb$", TCP_IP, TIMERS),
	RULE("hrtimer", TIMERS), RULE("__hrtimer", TIMERS), RULE("tcp_pace", TIMERS),
	RULE("tcp_update_skb_after_send", TIMERS), RULE("tcp_reset_xmit_timer", TIMERS),
	RULE("tick_program_event", TIMERS), RULE("clockevents_program", TIMERS),
	RULE("lapic_next", TIMERS), RULE("lapic_timer", TIMERS),

	RULE("mod_timer", TIMERS), RULE("__mod_timer", TIMERS), RULE("add_timer", TIMERS),
	RULE("del_timer", TIMERS), RULE("timer_", TIMERS), RULE("__timer_", TIMERS),
	RULE("calc_wheel_index", TIMERS), RULE("lock_timer_base", TIMERS),
	RULE("enqueue_timer", TIMERS), RULE("detach_if_pending", TIMERS),
	RULE("internal_add_timer", TIMERS), RULE("run_timer", TIMERS), RULE("__run_timer", TIMERS),
	RULE("call_timer_fn", TIMERS), RULE("expire_timers", TIMERS), RULE("sk_reset_timer", TIMERS),
	RULE("sk_stop_timer", TIMERS), RULE("lock_hrtimer_base", TIMERS),
	RULE("enqueue_hrtimer", TIMERS), RULE("remove_hrtimer", TIMERS),
	RULE("__remove_hrtimer", TIMERS), RULE("timerqueue_", TIMERS), RULE("get_nohz_timer", TIMERS),
	RULE("tick_", TIMERS), RULE("tmigr_", TIMERS), RULE("__do_sys_timer", TIMERS),
	RULE("arch_timer", TIMERS),
 RULE("erratum_set_next", TIMERS),
 RULE("update_process_times", TIMERS),
	RULE("get_next_timer", TIMERS), RULE("reprogram_timer", TIMERS),
	RULE("__sysvec_apic_timer", TIMERS), RULE("sysvec_apic_timer", TIMERS),
 RULE("clock_gettime", TIMERS), RULE("__x64_sys_clock", TIMERS),


	/* Devices and queueing disciplines. */
	RULE("dev_", NETDEV), RULE("__dev_", NETDEV), RULE("loopback_", NETDEV),
	RULE("netif_", NETDEV), RULE("__netif_", NETDEV), RULE("enqueue_to_backlog", NETDEV),
	RULE("process_backlog", NETDEV), RULE("__napi_", NETDEV), RULE("napi_", NETDEV),
	RULE("net_rx_action", NETDEV), RULE("net_tx_action", NETDEV), RULE("sch_", NETDEV),
	RULE("__qdisc", NETDEV), RULE("qdisc_", NETDEV), RULE("fq_", NETDEV),
	RULE("fq_codel", NETDEV), RULE("pfifo", NETDEV), RULE("noqueue", NETDEV),
	RULE("veth_", NETDEV), RULE("eth_type_trans", NETDEV), RULE("eth_", NETDEV),
	RULE("deliver_skb", NETDEV), RULE("ip_local_deliver$", TCP_IP), RULE("gro_", NETDEV),
	RULE("skb_gro_", NETDEV), RULE("inet_gro_", NETDEV), RULE("tcp4_gro", NETDEV),
	RULE("tcp_gro", NETDEV), RULE("skb_network_protocol", NETDEV), RULE("harmonize_", NETDEV),
	RULE("passthru_features", NETDEV), RULE("default_device", NETDEV),
	RULE("skb_segment", NETDEV), RULE("tcp_gso", NETDEV), RULE("inet_gso", NETDEV),
	RULE("__skb_gso", NETDEV), RULE("skb_csum_hwoffload", NETDEV), RULE("virtnet_", NETDEV),
	SHARED("virtqueue_", NETDEV), RULE("virtqueue_napi_", NETDEV), RULE("start_xmit", NETDEV), SHARED("vring_", NETDEV),
	RULE("ixgbe_", NETDEV), RULE("i40e_", NETDEV), RULE("ice_", NETDEV), RULE("mlx5", NETDEV),
	RULE("ena_", NETDEV), RULE("bnxt_", NETDEV), RULE("igb_", NETDEV), RULE("e1000", NETDEV),
	RULE("r8169", NETDEV), RULE("rtl8169", NETDEV), RULE("br_", NETDEV), RULE("bond_", NETDEV),
	RULE("vlan_", NETDEV), RULE("macvlan", NETDEV), RULE("tun_", NETDEV), RULE("vhost", NETDEV),
	RULE("packet_rcv", NETDEV), RULE("tpacket_", NETDEV), RULE("xdp_", NETDEV),
	RULE("get_rps_cpu", NETDEV), RULE("rps_", NETDEV), RULE("dql_", NETDEV),
	RULE("____dev_forward_skb", NETDEV), RULE("is_skb_forwardable", NETDEV),
	RULE("__is_skb_forward", NETDEV), RULE("bpf_xdp", NETDEV), RULE("do_xdp", NETDEV),
	RULE("ptype_", NETDEV), RULE("skb_crc32c", NETDEV), RULE("sch_direct_xmit", NETDEV),
	RULE("page_pool", MEMORY),

	/* Socket buffers. */
	RULE("skb_", SKB), RULE("__skb_", SKB), RULE("___skb_", SKB), RULE("alloc_skb", SKB),
	RULE("__alloc_skb", SKB), RULE("__build_skb", SKB), RULE("build_skb", SKB),
	RULE("kfree_skb", SKB), RULE("__kfree_skb", SKB), RULE("consume_skb", SKB),
	RULE("napi_skb", SKB), RULE("napi_consume", SKB), RULE("__napi_kfree", SKB),
	RULE("pskb_", SKB), RULE("__pskb_", SKB), RULE("kfree_skbmem", SKB),
	RULE("kmalloc_reserve", SKB), RULE("sk_stream_alloc_skb", SKB),
	RULE("tcp_stream_alloc_skb", SKB), RULE("__copy_skb_header", SKB), RULE("skb_release", SKB),
	RULE("sk_skb_", SKB), RULE("kfree_skb_partial", SKB), RULE("sk_forced", TCP_IP),
	RULE("tcp_rtx_queue_unlink", TCP_IP), RULE("sock_def_readable", SCHEDULING),
	RULE("sk_mem", TCP_IP), RULE("__finalize_skb", SKB), RULE("tcp_skb_entail", TCP_IP),
	RULE("__netdev_alloc_skb", SKB), RULE("dev_kfree_skb", SKB), RULE("__dev_kfree", SKB),
	RULE("sk_psock", TCP_IP), RULE("skb_do_copy", TX_COPY),

	/* Memory. */
	RULE("kmem_cache", MEMORY), RULE("kmalloc", MEMORY), RULE("__kmalloc", MEMORY),
	RULE("kfree$", MEMORY), RULE("__kmem_cache", MEMORY), RULE("___slab", MEMORY),
	RULE("__slab", MEMORY), RULE("slab_", MEMORY), RULE("new_slab", MEMORY),
	RULE("refill_", MEMORY), RULE("get_page_from", MEMORY), RULE("get_partial", MEMORY),
	RULE("put_cpu_partial", MEMORY), RULE("__unfreeze", MEMORY), RULE("alloc_page", MEMORY),
	RULE("__alloc_page", MEMORY), RULE("alloc_pages", MEMORY), RULE("__free_page", MEMORY),
	RULE("free_", MEMORY), RULE("__free_", MEMORY), RULE("rmqueue", MEMORY),
	RULE("__rmqueue", MEMORY), RULE("folio_", MEMORY), RULE("__folio", MEMORY),
	RULE("put_page", MEMORY), RULE("__put_page", MEMORY), RULE("page_frag", MEMORY),
	RULE("__page_frag", MEMORY), RULE("skb_page_frag", MEMORY), RULE("sk_page_frag", MEMORY),
	RULE("page_counter", MEMORY), RULE("try_charge", MEMORY), RULE("__memcg", MEMORY),
	RULE("memcg_", MEMORY), RULE("mem_cgroup", MEMORY), RULE("__mem_cgroup", MEMORY),
	RULE("mod_memcg", MEMORY), RULE("__mod_memcg", MEMORY), RULE("mod_lruvec", MEMORY),
	RULE("drain_", MEMORY), RULE("refill_stock", MEMORY), RULE("consume_stock", MEMORY),
	RULE("obj_cgroup", MEMORY), RULE("clear_page", MEMORY), RULE("__mod_node", MEMORY),
	RULE("__mod_zone", MEMORY), RULE("mod_node", MEMORY), RULE("prep_", MEMORY),
	RULE("post_alloc", MEMORY), RULE("cmpxchg_double", MEMORY), RULE("__pcs_", MEMORY),
	RULE("sheaf", MEMORY), RULE("barn_", MEMORY), RULE("alloc_from_pcs", MEMORY),
	RULE("exc_page_fault", MEMORY), RULE("asm_exc_page_fault", MEMORY),
	RULE("do_user_addr_fault", MEMORY), RULE("handle_mm_fault", MEMORY),
	RULE("__handle_mm_fault", MEMORY), RULE("do_anonymous", MEMORY), RULE("do_page_fault", MEMORY),
	RULE("do_mem_abort", MEMORY), RULE("el0_da$", MEMORY), RULE("el0_ia$", MEMORY),
	RULE("el1_abort", MEMORY), RULE("do_translation_fault", MEMORY), RULE("vma_", MEMORY),
	RULE("lock_vma", MEMORY), RULE("flush_tlb", MEMORY), RULE("ptep_", MEMORY),
	RULE("percpu_counter", MEMORY), RULE("policy_", MEMORY), RULE("get_task_policy", MEMORY),
	RULE("do_wp_page", MEMORY), RULE("wp_page", MEMORY), RULE("list_lru", MEMORY),
	RULE("should_failslab", MEMORY), RULE("release_pages", MEMORY), RULE("compact", MEMORY),
	RULE("shrink_", MEMORY), RULE("try_to_free", MEMORY), RULE("ksize", MEMORY),
	RULE("__ksize", MEMORY), RULE("zone_watermark", MEMORY), RULE("decay_pcp", MEMORY),
	RULE("mm_", MEMORY), RULE("kvmalloc", MEMORY), RULE("kvfree", MEMORY),
	RULE("kvm_async_pf", MEMORY),
 RULE("__get_obj", MEMORY), RULE("qlist_", MEMORY),

	/* Locks. */
	RULE("lock_sock", LOCK), RULE("__lock_sock", LOCK), RULE("release_sock", LOCK),
	RULE("_raw_spin_lock", LOCK), RULE("_raw_read_", LOCK), RULE("_raw_write_", LOCK),
	RULE("_raw_spin_trylock", LOCK), RULE("_raw_spin_unlock$", LOCK),
	RULE("_raw_spin_unlock_bh", LOCK), RULE("native_queued_spin", LOCK),
	RULE("queued_spin", LOCK), RULE("queued_read", LOCK), RULE("queued_write", LOCK),
	RULE("pv_queued_spin", LOCK), RULE("__pv_queued", LOCK), RULE("mutex_", LOCK),
	RULE("__mutex", LOCK), RULE("rwsem_", LOCK), RULE("down_", LOCK), RULE("up_", LOCK),
	RULE("rt_spin_", LOCK), RULE("rt_mutex", LOCK), RULE("__rt_mutex", LOCK),
	RULE("rtlock_", LOCK), RULE("osq_", LOCK), RULE("__raw_callee_save___pv_queued", LOCK),
	RULE("do_raw_spin", LOCK), RULE("lock_acquire", LOCK), RULE("lock_release", LOCK),
	RULE("lockdep", LOCK), RULE("__local_bh_disable", LOCK), RULE("rcu_read_", LOCK),
	RULE("__rcu_read_", LOCK), RULE("local_bh_", LOCK), RULE("migrate_disable", LOCK),
	RULE("migrate_enable", LOCK), RULE("__percpu_down", LOCK),
	RULE("percpu_down", LOCK), RULE("percpu_up", LOCK), RULE("_raw_spin_rq_lock", SCHEDULING),

	/* Scheduling. */
	RULE("schedule", SCHEDULING), RULE("__schedule", SCHEDULING), RULE("preempt_schedule", SCHEDULING),
	RULE("try_to_wake_up", SCHEDULING), RULE("ttwu_", SCHEDULING), RULE("__wake_up", SCHEDULING),
	RULE("wake_up", SCHEDULING), RULE("autoremove_wake", SCHEDULING),
	RULE("woken_wake", SCHEDULING), RULE("default_wake", SCHEDULING), RULE("pollwake", SCHEDULING),
	RULE("ep_", SCHEDULING), RULE("epoll_", SCHEDULING), RULE("do_epoll", SCHEDULING),
	RULE("enqueue_task", SCHEDULING), RULE("dequeue_task", SCHEDULING),
	RULE("enqueue_entity", SCHEDULING), RULE("dequeue_entit", SCHEDULING),
	RULE("pick_", SCHEDULING), RULE("__pick_", SCHEDULING), RULE("select_task", SCHEDULING),
	RULE("select_idle", SCHEDULING), RULE("update_curr", SCHEDULING),
	RULE("update_load", SCHEDULING), RULE("__update_load", SCHEDULING),
	RULE("update_rq", SCHEDULING), RULE("update_cfs", SCHEDULING), RULE("update_se", SCHEDULING),
	RULE("update_min_v", SCHEDULING), RULE("update_blocked", SCHEDULING),
	RULE("update_sd_lb", SCHEDULING), RULE("update_sg_lb", SCHEDULING),
	RULE("place_entity", SCHEDULING), RULE("set_next_", SCHEDULING),
	RULE("put_prev_", SCHEDULING), RULE("check_preempt", SCHEDULING),
	RULE("wakeup_preempt", SCHEDULING), RULE("resched_", SCHEDULING),
	RULE("__resched_", SCHEDULING), RULE("__switch_to", SCHEDULING), RULE("switch_mm", SCHEDULING),
	RULE("switch_fpu", SCHEDULING), RULE("native_load_tls", SCHEDULING),
	RULE("load_new_mm_cr3", SCHEDULING), RULE("finish_task_switch", SCHEDULING),
	RULE("context_switch", SCHEDULING), RULE("prepare_task", SCHEDULING),
	RULE("sched_", SCHEDULING), RULE("sk_wait_data", SCHEDULING), RULE("sk_wait_event", SCHEDULING),
	RULE("sk_stream_wait", SCHEDULING), RULE("sk_stream_write_space", SCHEDULING),
	RULE("wait_woken", SCHEDULING), RULE("prepare_to_wait", SCHEDULING),
	RULE("finish_wait", SCHEDULING), RULE("add_wait_queue", SCHEDULING),
	RULE("remove_wait_queue", SCHEDULING), RULE("do_poll", SCHEDULING), RULE("do_sys_poll", SCHEDULING),
	RULE("__x64_sys_poll", SCHEDULING), RULE("__x64_sys_ppoll", SCHEDULING),
	RULE("poll_", SCHEDULING), RULE("__pollwait", SCHEDULING), RULE("sock_poll", SCHEDULING),
	RULE("tcp_poll", SCHEDULING), RULE("futex_", SCHEDULING), RULE("do_futex", SCHEDULING),
	RULE("__x64_sys_futex", SCHEDULING), RULE("yield_task", SCHEDULING),
	RULE("do_sched_yield", SCHEDULING), RULE("newidle", SCHEDULING), RULE("sched_balance", SCHEDULING),
	RULE("load_balance", SCHEDULING), RULE("_nohz_idle", SCHEDULING), RULE("nohz_", SCHEDULING),
	RULE("available_idle", SCHEDULING), RULE("cpus_share_cache", SCHEDULING),
	RULE("native_smp_send_reschedule", SCHEDULING), RULE("smp_send_resch", SCHEDULING),
	RULE("x2apic_send_IPI", SCHEDULING), RULE("native_send_call_func", SCHEDULING),
	RULE("__smp_call_single", SCHEDULING), RULE("send_call_function_single", SCHEDULING),
	RULE("generic_exec_single", SCHEDULING), RULE("kvm_send_ipi", SCHEDULING),
	RULE("call_function_single", SCHEDULING), RULE("__sysvec_call_func", SCHEDULING),
	RULE("sysvec_call_func", SCHEDULING), RULE("sysvec_reschedule", SCHEDULING),
	RULE("scheduler_ipi", SCHEDULING), RULE("__sysvec_reschedule", SCHEDULING),
	RULE("flush_smp_call", SCHEDULING), RULE("sched_ttwu", SCHEDULING),
	RULE("psi_", SCHEDULING), RULE("cpuacct_", SCHEDULING), RULE("cgroup_rstat", SCHEDULING),
	RULE("dl_", SCHEDULING), RULE("__dl_", SCHEDULING), RULE("rt_task", SCHEDULING),
	RULE("vruntime_", SCHEDULING), RULE("avg_vruntime", SCHEDULING), RULE("entity_", SCHEDULING),
	RULE("__enqueue_entity", SCHEDULING), RULE("__dequeue_entity", SCHEDULING),
	RULE("reweight_", SCHEDULING), RULE("raw_spin_rq_", SCHEDULING),
	RULE("wake_affine", SCHEDULING), RULE("record_wakee", SCHEDULING), RULE("kick_process", SCHEDULING),
	RULE("set_task_cpu", SCHEDULING), RULE("migrate_task", SCHEDULING), RULE("activate_task", SCHEDULING),
	RULE("clear_buddies", SCHEDULING), RULE("hrtick_", SCHEDULING), RULE("perf_event_", SCHEDULING),
	RULE("__perf_event_task", SCHEDULING), RULE("__cond_resched", SCHEDULING),
	RULE("cond_resched", SCHEDULING), RULE("rcu_all_qs", SCHEDULING),
	RULE("_cond_resched", SCHEDULING),
	RULE("dynamic_cond_resched", SCHEDULING), RULE("rcu_note_context", SCHEDULING),
	RULE("arch_scale", SCHEDULING), RULE("cpuidle", SCHEDULING), RULE("do_idle", SCHEDULING),
	RULE("default_idle", SCHEDULING), RULE("smpboot_thread", SCHEDULING),
	RULE("update_rt_rq", SCHEDULING), RULE("update_dl_rq", SCHEDULING), RULE("os_xsave", SCHEDULING),
	RULE("ipi_send", SCHEDULING), RULE("gic_ipi", SCHEDULING), RULE("smp_cross_call", SCHEDULING),
	RULE("cpu_do_switch_mm", SCHEDULING), RULE("check_and_switch_context", SCHEDULING),
	RULE("fpsimd_thread_switch", SCHEDULING), RULE("__legitimize_mnt", SYSCALL),

	/* System calls: the way in and out, and what comes before the protocol. */
	RULE("do_syscall_64", SYSCALL), RULE("entry_SYSCALL", SYSCALL), RULE("x64_sys_call", SYSCALL),
	RULE("syscall_", SYSCALL), RULE("__syscall_", SYSCALL), RULE("do_el0_svc", SYSCALL),
	RULE("el0", SYSCALL), RULE("invoke_syscall", SYSCALL), RULE("el0_svc", SYSCALL),
	RULE("ret_to_user", SYSCALL), RULE("do_notify_resume", SYSCALL),
	RULE("__x64_sys_", SYSCALL), RULE("__arm64_sys_", SYSCALL),
	RULE("__sys_", SYSCALL), RULE("___sys_", SYSCALL), RULE("____sys_", SYSCALL),
	RULE("__se_sys_", SYSCALL), RULE("__do_sys_", SYSCALL), RULE("sockfd_lookup", SYSCALL),
	RULE("fdget", SYSCALL), RULE("__fget", SYSCALL), RULE("__fdget", SYSCALL), RULE("fput", SYSCALL),
	RULE("sock_sendmsg", SYSCALL), RULE("__sock_sendmsg", SYSCALL), RULE("sock_recvmsg", SYSCALL),
	RULE("inet_sendmsg", SYSCALL), RULE("inet6_sendmsg", SYSCALL), RULE("inet_recvmsg", SYSCALL),
	RULE("inet6_recvmsg", SYSCALL), RULE("sock_write_iter", SYSCALL), RULE("sock_read_iter", SYSCALL),
	RULE("vfs_", SYSCALL), RULE("ksys_", SYSCALL), RULE("new_sync_", SYSCALL), RULE("rw_verify", SYSCALL),
	RULE("import_", SYSCALL), RULE("__import_iovec", SYSCALL), RULE("iovec_from", SYSCALL),
	RULE("copy_iovec", SYSCALL), RULE("copy_msghdr", SYSCALL), RULE("sendmsg_copy_msghdr", SYSCALL),
	RULE("__copy_msghdr", SYSCALL), RULE("move_addr", SYSCALL), RULE("iov_iter_init", SYSCALL),
	RULE("iov_iter_advance", SYSCALL), RULE("exit_to_user", SYSCALL), RULE("irqentry_", IRQ),

	RULE("entry_", SYSCALL), RULE("secure_computing", SYSCALL), RULE("__seccomp", SYSCALL),
	RULE("seccomp_", SYSCALL), RULE("__audit", SYSCALL), RULE("fpregs_", SYSCALL),
	RULE("switch_fpu_return", SYSCALL), RULE("restore_fpregs", SYSCALL), RULE("sock_ioctl", SYSCALL),
	RULE("kernel_recvmsg", SYSCALL), RULE("kernel_sendmsg", SYSCALL), RULE("splice_", SYSCALL),
	RULE("io_", SYSCALL), RULE("error_entry", SYSCALL), RULE("arch_do_signal", SYSCALL),
	RULE("task_work_run", SYSCALL), RULE("ret_from_fork", OTHER),

	/* Interrupts, softirqs. */
	RULE("asm_sysvec", IRQ), RULE("sysvec_", IRQ), RULE("__sysvec", IRQ), RULE("asm_common_interrupt", IRQ),
	RULE("common_interrupt", IRQ), RULE("irq_enter", IRQ),
	RULE("handle_irq", IRQ), RULE("generic_handle", IRQ), RULE("do_IRQ", IRQ), RULE("el1", IRQ),
	RULE("gic_", IRQ), RULE("do_interrupt_handler", IRQ), RULE("el0_interrupt", IRQ),
	RULE("el0t_64_irq", IRQ), RULE("el0t_64_fiq", IRQ), RULE("__el0_irq", IRQ),
	RULE("run_ksoftirqd", IRQ), RULE("raise_softirq", IRQ), RULE("__raise_softirq", IRQ),
	RULE("rcu_", IRQ), RULE("__rcu_", IRQ), RULE("note_gp", IRQ), RULE("invoke_rcu", IRQ),
	RULE("irq_work", IRQ), RULE("tasklet_", IRQ), RULE("__tasklet", IRQ), RULE("handle_edge", IRQ),
	RULE("handle_percpu", IRQ), RULE("__handle_irq", IRQ),

	/*
	 * Files and disks: no class of their own. What they copy is no payload of a socket, and what
	 * they do is no system call's overhead.
	 */
	RULE("filemap_", OTHER), RULE("generic_file_", OTHER), RULE("generic_perform_", OTHER),
	RULE("iomap_", OTHER), RULE("__iomap_", OTHER), RULE("ext4_", OTHER), RULE("xfs_", OTHER),
	RULE("btrfs_", OTHER), RULE("jbd2_", OTHER), RULE("blkdev_", OTHER), RULE("__blkdev_", OTHER),
	RULE("bio_", OTHER), RULE("submit_bio", OTHER), RULE("__submit_bio", OTHER),
	RULE("blk_", OTHER), RULE("__blk_", OTHER), RULE("nvme_", OTHER), RULE("scsi_", OTHER),
	RULE("virtblk_", OTHER), RULE("virtio_queue_rq", OTHER), RULE("do_direct_IO", OTHER),
	RULE("do_blockdev_direct_IO", OTHER), RULE("shmem_", OTHER),

	/* Who watches. */
	RULE("bpf_prog_", TRACING), RULE("__bpf_prog_", TRACING), RULE("bpf_trampoline", TRACING),
	RULE("bpf_trace_run", TRACING), RULE("ftrace_", TRACING), RULE("kprobe_", TRACING),
	RULE("kretprobe", TRACING), RULE("arch_rethook", TRACING), RULE("rethook_", TRACING),
	RULE("fprobe_", TRACING), RULE("bpf_", TRACING), RULE("__bpf_", TRACING),
	RULE("trace_", TRACING), RULE("perf_trace", TRACING), RULE("ring_buffer", TRACING),

	/* Where interrupts are let in again. */
	SHIFTS("_raw_spin_unlock_irq"), SHIFTS("handle_softirqs"),
	SHIFTS("__softirqentry_text_start"),
	SHIFTS("_raw_spin_unlock_irqrestore"), SHIFTS("__local_bh_enable_ip"),
	SHIFTS("do_softirq"), SHIFTS("irq_exit"), SHIFTS("__irq_exit"),
	SHIFTS("__do_softirq"), SHIFTS("_raw_read_unlock_irq"),
	SHIFTS("_raw_write_unlock_irq"), SHIFTS("__raw_spin_unlock_irq"),
	SHIFTS("finish_task_switch$"),
	SHIFTS("arch_local_irq_enable"),
	SHIFTS("raw_spin_rq_unlock_irq"),


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
