/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of a load generator's report (docs/reference/loadgen.md), in its order: before its
 * latencies, and after them. A row is X(side, object, key, member, type, field):
 *
 * side    that reports it
 * object  that has the key; "": the report itself, before its objects
 * member  of struct side_stats (loadgen/reporter.h), from which the load generator writes it
 * type    of the field; none: the collector does not read the number
 * field   of struct load_report (user/model/load_report.h), into which the collector reads it
 */
#ifndef COMMON_REPORT_ROWS_H
#define COMMON_REPORT_ROWS_H

#include <stddef.h>

struct report_row {
	enum {
		REPORT_SENDER = 1,
		REPORT_RECEIVER = 2,
		REPORT_BOTH = 3
	} side;                   /* 1 << enum nio_side */
	const char *object, *key; /* key NULL: the end of a table */
	size_t at;                /* of the member, or of the field */
	enum { REPORT_none, REPORT_u64, REPORT_num, REPORT_flag } type;
};

/* clang-format off */
#define LOAD_REPORT_FIRST(X)                                                                       \
	X(BOTH, "", "elapsed_ns", elapsed_ns, u64, elapsed_ns)                                     \
	X(BOTH, "", "paused_ns", paused_ns, u64, paused_ns)                                        \
	X(SENDER, "", "cpu_ns", cpu_ns, num, app.sender_cpu_ns)                                    \
	X(RECEIVER, "", "cpu_ns", cpu_ns, num, app.receiver_cpu_ns)                                \
	X(SENDER, "", "eagain", counters.eagain, u64, app.eagain)                                  \
	X(RECEIVER, "", "eagain", counters.eagain, none, app)                                      \
	X(SENDER, "", "eintr", counters.eintr, u64, app.eintr)                                     \
	X(RECEIVER, "", "eintr", counters.eintr, none, app)                                        \
	X(BOTH, "", "interrupted", interrupted, flag, interrupted)                                 \
	X(SENDER, "replies", "bytes", counters.reply_bytes, u64, app.replies.rx_bytes)             \
	X(SENDER, "replies", "messages", counters.reply_messages, u64, app.replies.rx_messages)    \
	X(RECEIVER, "replies", "bytes", counters.reply_bytes, num, app.replies.tx_bytes)           \
	X(RECEIVER, "replies", "messages", counters.reply_messages, num, app.replies.tx_messages)

#define LOAD_REPORT_REST(X)                                                                        \
	X(SENDER, "", "tx_bytes", counters.bytes, u64, app.tx_bytes)                               \
	X(SENDER, "", "tx_messages", counters.messages, u64, app.tx_messages)                      \
	X(SENDER, "", "partial_sends", counters.partial_sends, u64, app.partial_sends)             \
	X(SENDER, "", "reply_errors", counters.verify_errors, u64, app.replies.errors)             \
	X(SENDER, "gather", "bytes", counters.gather_bytes, u64, gather_bytes)                     \
	X(SENDER, "gather", "events", counters.gather_events, u64, gather_events)                  \
	X(SENDER, "gather", "ns", counters.gather_ns, u64, gather_ns)                              \
	X(SENDER, "gather", "sampled", counters.gather_sampled, u64, gather_sampled)               \
	X(SENDER, "zerocopy", "sends", counters.zc_sends, u64, app.zc.sends)                       \
	X(SENDER, "zerocopy", "completed", counters.zc_completed, u64, app.zc.completed)           \
	X(SENDER, "zerocopy", "copied", counters.zc_copied, u64, app.zc.copied)                    \
	X(SENDER, "zerocopy", "not_copied", counters.zc_not_copied, u64, app.zc.not_copied)        \
	X(SENDER, "zerocopy", "enobufs", counters.zc_enobufs, u64, app.zc.enobufs)                 \
	X(SENDER, "zerocopy", "fallback_bytes", counters.zc_fallback, u64, app.zc.fallback_bytes)  \
	X(SENDER, "tcp", "bytes_acked", tcp.bytes_acked, u64, app.tcp_bytes_acked)                 \
	X(SENDER, "tcp", "bytes_retrans", tcp.bytes_retrans, u64, app.tcp_bytes_retrans)           \
	X(SENDER, "confirmed", "rx_bytes", confirmed.bytes, u64, confirmed.rx_bytes)               \
	X(SENDER, "confirmed", "rx_messages", confirmed.messages, u64, confirmed.rx_messages)      \
	X(SENDER, "confirmed", "verify_errors", confirmed.verify_errors, u64,                     \
	  confirmed.verify_errors)                                                                \
	X(SENDER, "confirmed", "elapsed_ns", confirmed.elapsed_ns, u64, confirmed.elapsed_ns)      \
	X(RECEIVER, "", "rx_bytes", counters.bytes, u64, app.rx_bytes)                             \
	X(RECEIVER, "", "rx_messages", counters.messages, u64, app.rx_messages)                    \
	X(RECEIVER, "", "recv_calls", counters.calls, none, app)                                   \
	X(RECEIVER, "", "uncopied_bytes", counters.uncopied, num, app.rx_uncopied)                 \
	X(RECEIVER, "", "verify_errors", counters.verify_errors, num, app.verify_errors)           \
	X(RECEIVER, "", "bad_stamps", counters.bad_stamps, none, app)                              \
	X(RECEIVER, "", "foreign_stamps", counters.foreign_stamps, none, app)                      \
	X(RECEIVER, "tcp", "bytes_received", tcp.bytes_received, u64, app.tcp_bytes_received)
/* clang-format on */

#endif
