/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of probes and their alternatives, of run and attach, for plan.c. Pure. */
#include <errno.h>

#include "common/word.h"
#include "plan.h"

/* A row of the table; the last arguments are the quality, a function and its arguments. */
#define ROW(object, probe, ...) {OBJECT_##object, PROBE_##probe, __VA_ARGS__},

#define TP BACKEND_TRACEPOINT
#define FN BACKEND_FENTRY
#define KP BACKEND_KPROBE

#define EXACT        QUALITY_EXACT, .caveat = NULL
#define DERIVED(why) QUALITY_DERIVED, .caveat = why
#define SAMPLED(why) QUALITY_SAMPLED, .caveat = why

static const char arrival[] = "counted where zero-copy pages arrive for local delivery, which "
			      "copies them: skb_copy_ubufs itself has no tracepoint";
static const char bracketed[] =
	"from a piece of page to the next event of the call: with it the accounting between them";
static const char some_returns[] =
	"only calls whose return is seen: a kretprobe tracks a limited number at once";
static const char refused[] = "by the kernel's test against net.core.optmem_max, made again at its "
			      "return; what is below it is taken for RLIMIT_MEMLOCK";
static const char some_refused[] =
	"by the kernel's test against net.core.optmem_max, made again, of those calls whose return "
	"is seen: a kretprobe tracks a limited number at once";
static const char own_skbs[] =
	"skb_copy_bits on a watched socket's skbs; XDP and drivers copy skbs that have no socket";
const char plan_by_mode[] = "by the mode: its sender calls nothing but sendfile or splice; where "
			    "the route does no scatter-gather, the kernel copies";
const char plan_requests[] =
	"by the mode: its sender sends io_uring's zero-copy requests, and others only after "
	"ENOMEM; where the route does no scatter-gather, the kernel copies";
static const char as_asked[] =
	"by the sizes that calls ask for: one that sends less counts as much, so that of several "
	"kinds on one connection the shares are estimates";
static const char reported[] =
	"from notifications, which the kernel merges without comparing their codes";

static const char pushed[] = "nio_ak_message nio_ak_push";
static const char pushed_pages[] = "nio_ak_message nio_ak_pages nio_ak_push"; /* before Linux 6.5 */

/*
 * In order of preference within a probe. loader__presume() tries the first alternative of a
 * backend that attach has: it begins with one of small programs, which stands for run's as well.
 */
/* clang-format off */
const struct alternative plan_alternatives[] = {
	ROW(RUN, PLACES, FN, "fentry,fexit/skb_copy_ubufs", "nio_fe_deferred nio_fx_deferred", EXACT,
	    .args = 2)
	ROW(RUN, PLACES, KP, "kprobe,kretprobe/skb_copy_ubufs", "nio_kp_deferred nio_kr_deferred",
	    EXACT)

	ROW(RUN, REFUSAL, FN, "fexit/msg_zerocopy_realloc", "nio_fx_msg_account", DERIVED(refused),
	    .function = "msg_zerocopy_realloc", .args = 3)
	ROW(RUN, REFUSAL, FN, "fexit/msg_zerocopy_realloc", "nio_fx_devmem_account",
	    DERIVED(refused), .function = "msg_zerocopy_realloc", .args = 4)
	ROW(RUN, REFUSAL, FN, "fexit/sock_zerocopy_realloc", "nio_fx_sock_account",
	    DERIVED(refused), .args = 3)
	ROW(RUN, REFUSAL, KP, "kprobe,kretprobe/msg_zerocopy_realloc",
	    "nio_kp_msg_account nio_kr_msg_account", DERIVED(some_refused))
	ROW(RUN, REFUSAL, KP, "kprobe,kretprobe/sock_zerocopy_realloc",
	    "nio_kp_sock_account nio_kr_sock_account", DERIVED(some_refused))

	ROW(RUN, OTHER_COPY, FN, "fentry,fexit/skb_copy_bits", "nio_fe_copy_bits nio_fx_copy_bits",
	    DERIVED(own_skbs), .args = 4)
	ROW(RUN, OTHER_COPY, KP, "kprobe,kretprobe/skb_copy_bits",
	    "nio_kp_copy_bits nio_kr_copy_bits", DERIVED(own_skbs))
	ROW(RUN, CHECKSUM_COPY, FN, "fentry,fexit/skb_copy_and_csum_bits",
	    "nio_fe_csum_bits nio_fx_csum_bits", EXACT)
	ROW(RUN, CHECKSUM_COPY, KP, "kprobe,kretprobe/skb_copy_and_csum_bits",
	    "nio_kp_csum_bits nio_kr_csum_bits", EXACT)
	ROW(RUN, COALESCE, FN, "fentry,fexit/skb_try_coalesce", "nio_fe_coalesce nio_fx_coalesce",
	    EXACT, .args = 4)
	ROW(RUN, COALESCE, KP, "kprobe,kretprobe/skb_try_coalesce",
	    "nio_kp_coalesce nio_kr_coalesce", EXACT)

	ROW(RUN, CALL_TIME, FN, "fentry,fexit/tcp_sendmsg",
	    "nio_fe_sendmsg nio_fe_locked nio_fx_locked nio_fx_sendmsg", EXACT,
	    .function = "tcp_sendmsg", .args = 3)
	ROW(RUN, CALL_TIME, KP, "kprobe,kretprobe/tcp_sendmsg",
	    "nio_kp_sendmsg nio_kp_locked nio_kp_release nio_kr_sendmsg", SAMPLED(some_returns))
	ROW(RUN, COPY_TIME, FN, "fentry,fexit/sk_page_frag_refill", "nio_fe_refill nio_fx_refill",
	    DERIVED(bracketed), .args = 2)
	ROW(RUN, COPY_TIME, KP, "kprobe,kretprobe/sk_page_frag_refill",
	    "nio_kp_refill nio_kr_refill", DERIVED(bracketed))
	ROW(RUN, PIN_TIME, FN, "fentry,fexit/skb_zerocopy_iter_stream",
	    "nio_fe_pin_time nio_fx_pin_time", EXACT, .args = 5)
	ROW(RUN, PIN_TIME, FN, "fentry,fexit/skb_zerocopy_iter_stream",
	    "nio_fe_pin_time nio_fx_binding_pin_time", EXACT, .args = 6)
	ROW(RUN, PIN_TIME, KP, "kprobe,kretprobe/skb_zerocopy_iter_stream",
	    "nio_kp_pin_time nio_kr_pin_time", EXACT)
	ROW(RUN, WAIT_TIME, FN, "fentry,fexit/sk_stream_wait_memory", "nio_fe_wait nio_fx_wait",
	    EXACT)
	ROW(RUN, WAIT_TIME, KP, "kprobe,kretprobe/sk_stream_wait_memory",
	    "nio_kp_wait nio_kr_wait", EXACT)
	ROW(RUN, TRANSMIT_TIME, FN, "fentry,fexit/tcp_write_xmit",
	    "nio_fe_write_xmit nio_fx_write_xmit", EXACT)
	ROW(RUN, TRANSMIT_TIME, KP, "kprobe,kretprobe/tcp_write_xmit",
	    "nio_kp_write_xmit nio_kr_write_xmit", EXACT)
	ROW(RUN, INLINE_TIME, FN, "tp_btf/softirq_entry",
	    "nio_tp_softirq_entry nio_tp_softirq_exit", EXACT)
	ROW(RUN, INLINE_TIME, KP, "tp_btf/softirq_entry",
	    "nio_tp_softirq_entry nio_tp_softirq_exit", EXACT)
	ROW(RUN, PREEMPTED_TIME, FN, "tp_btf/sched_switch", "nio_tp_switch", EXACT)
	ROW(RUN, PREEMPTED_TIME, KP, "tp_btf/sched_switch", "nio_tp_switch", EXACT)
	ROW(RUN, RX_TIME, FN, "fentry,fexit/skb_copy_datagram_iter",
	    "nio_fe_rx_time nio_fx_rx_time", EXACT)
	ROW(RUN, RX_TIME, KP, "kprobe,kretprobe/skb_copy_datagram_iter",
	    "nio_kp_rx_time nio_kr_rx_time", SAMPLED(some_returns))

	ROW(RUN, COMPLETION_TIME, FN, "fentry/__msg_zerocopy_callback", "nio_fe_msg_completion",
	    EXACT, .args = 1)
	ROW(RUN, COMPLETION_TIME, FN, "fentry/sock_zerocopy_callback", "nio_fe_sock_completion",
	    EXACT, .args = 2)
	ROW(RUN, COMPLETION_TIME, FN, "fentry,fexit/msg_zerocopy_complete",
	    "nio_fe_uarg_put nio_fx_uarg_put nio_tp_uarg_report", EXACT,
	    .function = "msg_zerocopy_complete", .args = 3)
	ROW(RUN, COMPLETION_TIME, KP, "kprobe/__msg_zerocopy_callback", "nio_kp_msg_completion",
	    SAMPLED(some_returns))
	ROW(RUN, COMPLETION_TIME, KP, "kprobe/sock_zerocopy_callback", "nio_kp_sock_completion",
	    SAMPLED(some_returns))
	ROW(RUN, COMPLETION_TIME, KP, "kprobe,kretprobe/msg_zerocopy_complete",
	    "nio_kp_uarg_put nio_kr_uarg_put nio_tp_uarg_report", SAMPLED(some_returns))

	ROW(ATTACH, DEFERRED_COPY, FN, "fentry,fexit/skb_copy_ubufs",
	    "nio_ae_deferred nio_ax_deferred", EXACT, .args = 2)
	ROW(ATTACH, DEFERRED_COPY, KP, "kprobe,kretprobe/skb_copy_ubufs",
	    "nio_ak_deferred nio_ak_copied", EXACT)
	ROW(ATTACH, DEFERRED_COPY, TP, "tp_btf/netif_receive_skb", "nio_at_arrival",
	    DERIVED(arrival))
	ROW(ATTACH, SEND_RETURN, TP, "tp_btf/sock_send_length", "nio_at_send", EXACT)
	ROW(ATTACH, SEND_RETURN, FN, "fexit/tcp_sendmsg_locked", "nio_ae_send nio_ax_send", EXACT)
	ROW(ATTACH, SEND_RETURN, KP, "kprobe/tcp_push", pushed_pages, EXACT)
	ROW(ATTACH, SEND_RETURN, KP, "kprobe/tcp_push", pushed, EXACT)
	ROW(ATTACH, SEND_RETURN, KP, "kprobe/tcp_sendmsg_locked", "nio_ak_send", DERIVED(as_asked))
	ROW(ATTACH, RX_COPY, TP, "tp_btf/skb_copy_datagram_iovec",
	    "nio_at_receive nio_at_receive_notices nio_at_receive_alone", EXACT)
	ROW(ATTACH, COMPLETION, FN, "fentry/__msg_zerocopy_callback", "nio_ae_ended", EXACT)
	ROW(ATTACH, COMPLETION, FN, "fentry/sock_zerocopy_callback", "nio_ae_sock_ended", EXACT)
	ROW(ATTACH, COMPLETION, KP, "kprobe/__msg_zerocopy_callback", "nio_ak_ended", EXACT)
	ROW(ATTACH, COMPLETION, KP, "kprobe/sock_zerocopy_callback", "nio_ak_sock_ended", EXACT)
	ROW(ATTACH, COMPLETION, TP, "tp_btf/inet_sk_error_report", "nio_at_report",
	    DERIVED(reported))
	ROW(ATTACH, COMPLETION, TP, "tp_btf/skb_copy_datagram_iovec", "nio_at_receive_alone",
	    DERIVED(reported), .declared = true)
	ROW(ATTACH, SOCKETS, BACKEND_ITERATOR, "iter/task_file", "nio_at_declared", EXACT,
	    .declared = true)
	ROW(ATTACH, SOCKETS, BACKEND_ITERATOR, "iter/bpf_map_elem", "nio_at_read", EXACT)
	ROW(ATTACH, SOCKETS, BACKEND_ITERATOR, "iter/bpf_map", "nio_at_maps", EXACT)
	ROW(ATTACH, MESSAGE, TP, "tp_btf/tcp_sendmsg_locked", "nio_at_turn", EXACT)
	ROW(ATTACH, MESSAGE, FN, "fentry/tcp_sendmsg_locked", "nio_ae_send", EXACT)
	ROW(ATTACH, MESSAGE, KP, "kprobe/tcp_push", pushed_pages, EXACT)
	ROW(ATTACH, MESSAGE, KP, "kprobe/tcp_push", pushed, EXACT)
	ROW(ATTACH, MESSAGE, KP, "kprobe/tcp_sendmsg_locked", "nio_ak_send", EXACT)
	ROW(ATTACH, MESSAGE, KP, "kprobe/tcp_sendmsg_locked", "nio_ak_message", EXACT)
	ROW(ATTACH, SENDPAGE, FN, "fexit/do_tcp_sendpages", "nio_ax_sendpages", EXACT)
	ROW(ATTACH, SENDPAGE, KP, "kprobe/do_tcp_sendpages", pushed_pages, EXACT)
	ROW(ATTACH, SENDPAGE, KP, "kprobe/do_tcp_sendpages", "nio_ak_sendpages", DERIVED(as_asked))
	ROW(ATTACH, MPTCP_SEND, TP, "tp_btf/sock_send_length", "nio_at_send", EXACT)
	ROW(ATTACH, MPTCP_SEND, FN, "fexit/mptcp_sendmsg", "nio_ax_mptcp", EXACT)
	ROW(ATTACH, MPTCP_SEND, KP, "tp_btf/sock_send_length", "nio_ak_mptcp", EXACT)
	ROW(ATTACH, TAKEN, TP, "tp_btf/tcp_rcv_space_adjust", "nio_at_taken", EXACT)
	ROW(ATTACH, REQUEST, TP, "tp_btf/io_uring_complete", "nio_at_completion", EXACT,
	    .function = "io_send_zc_prep")
	ROW(ATTACH, RINGS, TP, "tp_btf/io_uring_create", "nio_at_ring", EXACT)
	ROW(ATTACH, SOCKET_END, TP, "tp_btf/tcp_destroy_sock",
	    "nio_at_state nio_at_state2 nio_at_destroy nio_at_destroy2", EXACT)
	ROW(ATTACH, TASKS, TP, "tp_btf/sched_process_fork",
	    "nio_at_fork nio_at_fork2 nio_at_exec nio_at_rename nio_at_exit", EXACT)
	ROW(ATTACH, EARLIER_SOCKETS, BACKEND_ITERATOR, "iter/task_file",
	    "nio_at_files nio_at_tasks", EXACT)
};
/* clang-format on */

const size_t plan_alternatives_nr = sizeof(plan_alternatives) / sizeof(plan_alternatives[0]);

static const char plan_no_mark[] = "no tracepoint marks its beginning and its end";

#define TIME(name, stage, event)                              \
	{                                                     \
		name, stage, NULL, event, plan_no_mark, false \
	}

/* clang-format off */
const struct probe_row plan_probes[PROBE_NR] = {
	[PROBE_SEND_RETURN] = {"send_return", NULL, "tx_copy, tx_pin", "send call", NULL, true},
	[PROBE_DEFERRED_COPY] = {"deferred_copy", NULL, NULL, "skb", NULL, false},
	[PROBE_RX_COPY] = {"rx_copy", NULL, NULL, "skb", NULL, true},
	[PROBE_COMPLETION] = {"completion", "zero-copy verdict", "zero-copy completions",
			      "notification", NULL, false},
	[PROBE_PLACES] = {"places", "deferred_copy time and place", NULL, "skb", plan_no_mark, false},
	[PROBE_REFUSAL] = {"refusal", "cause of ENOBUFS", NULL, "send call",
			   "no tracepoint tells which limit refused a send", false},
	[PROBE_OTHER_COPY] = {"other_copy", NULL, NULL, "copy",
			      "collapse, linearize and skb_copy have no tracepoint", false},
	[PROBE_CHECKSUM_COPY] = {"checksum_copy", "other_copy", NULL, "copy",
				 "skb_copy_and_csum_bits has no tracepoint", false},
	[PROBE_COALESCE] = {"coalesce", "other_copy", NULL, "copy",
			    "skb_try_coalesce has no tracepoint", false},
	[PROBE_CALL_TIME] = TIME("call_time", "path_ns", "send call"),
	[PROBE_COPY_TIME] = TIME("copy_time", "path_ns copy", "send call"),
	[PROBE_PIN_TIME] = TIME("pin_time", "path_ns pin", "send call"),
	[PROBE_WAIT_TIME] = TIME("wait_time", "path_ns wait", "send call"),
	[PROBE_TRANSMIT_TIME] = TIME("transmit_time", "path_ns transmit", "send call"),
	[PROBE_INLINE_TIME] = TIME("inline_time", "path_ns inline", "softirq"),
	[PROBE_PREEMPTED_TIME] = TIME("preempted_time", "path_ns preempted", "switch"),
	[PROBE_RX_TIME] = TIME("rx_time", "rx_copy time", "skb"),
	[PROBE_COMPLETION_TIME] = TIME("completion_time", "completion_ns", "completion"),
	[PROBE_SOCKETS] = {"sockets", "tx_copy, tx_pin, rx_copy, tls_copy", "the sockets' own numbers",
			   "pass", NULL, true},
	[PROBE_MESSAGE] = {"message", "io_uring's requests", "tx_splice", "send call", NULL, false},
	[PROBE_SENDPAGE] = {"sendpage", "tx_splice", NULL, "send call", NULL, false},
	[PROBE_MPTCP_SEND] = {"mptcp_send", "sent through MPTCP", NULL, "send call", NULL, false},
	[PROBE_TAKEN] = {"taken", NULL, NULL, "advance of copied_seq", NULL, false},
	[PROBE_REQUEST] = {"request", "io_uring's zero-copy verdict", NULL, "notification", NULL,
			   false},
	[PROBE_RINGS] = {"rings", "whether anything uses io_uring", NULL, "instance", NULL, false},
	[PROBE_SOCKET_END] = {"socket_end", "the sockets' own numbers", NULL, "socket", NULL, true},
	[PROBE_TASKS] = {"tasks", "processes", NULL, "process", NULL, true},
	[PROBE_EARLIER_SOCKETS] = {"earlier_sockets", "sockets that were there before", NULL,
				   "pass", NULL, true},
};
/* clang-format on */

static const char *const backend_names[] = {
	[BACKEND_FENTRY] = "fentry",
	[BACKEND_KPROBE] = "kprobe",
	[BACKEND_TRACEPOINT] = "tracepoint",
	[BACKEND_AUTO] = "auto",
	[BACKEND_NONE] = "none",
	[BACKEND_ITERATOR] = "iterator",
};

const char *backend__name(enum backend b)
{
	return backend_names[b];
}

int backend__parse(const char *s, enum backend *out)
{
	for (size_t i = 0; i <= BACKEND_NONE; i++) {
		if (same_word(s, backend_names[i])) {
			*out = (enum backend)i;
			return 0;
		}
	}
	return -EINVAL;
}

void backend__store(void *backend, const char *word)
{
	backend__parse(word, backend);
}
