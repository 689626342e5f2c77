/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of a load generator's report (docs/reference/loadgen.md), in its order: before its
 * latencies, and after them. A row is X(side, object, key, member, field):
 *
 * side    that reports it
 * object  that has the key; "": the report itself, before its objects
 * member  of struct side_stats (loadgen/reporter.h), from which the load generator writes it
 * field   of struct load_report (user/model/load_report.h), into which the collector reads it; app:
 *         it does not read the number
 */
#ifndef COMMON_LOAD_REPORT_ROWS_H
#define COMMON_LOAD_REPORT_ROWS_H

#include <stddef.h>

struct load_report_row {
	enum {
		REPORT_SENDER = 1,
		REPORT_RECEIVER = 2,
		REPORT_BOTH = 3
	} side;                   /* 1 << enum nio_side */
	const char *object, *key; /* key NULL: the end of a table */
	size_t at;                /* of the member, or of the field */
	enum { REPORT_none, REPORT_u64, REPORT_num, REPORT_flag } type; /* of that */
};

/* clang-format off */
#define LOAD_REPORT_FIRST(X)                                                                       \
	X(BOTH, "", "elapsed_ns", elapsed_ns, elapsed_ns)                                          \
	X(BOTH, "", "paused_ns", paused_ns, paused_ns)                                             \
	X(SENDER, "", "cpu_ns", cpu_ns, app.sender_cpu_ns)                                         \
	X(RECEIVER, "", "cpu_ns", cpu_ns, app.receiver_cpu_ns)                                     \
	X(SENDER, "", "eagain", counters.eagain, app.eagain)                                       \
	X(RECEIVER, "", "eagain", counters.eagain, app)                                            \
	X(SENDER, "", "eintr", counters.eintr, app.eintr)                                          \
	X(RECEIVER, "", "eintr", counters.eintr, app)                                              \
	X(BOTH, "", "interrupted", interrupted, interrupted)                                       \
	X(SENDER, "replies", "bytes", counters.reply_bytes, app.replies.rx_bytes)                  \
	X(SENDER, "replies", "messages", counters.reply_messages, app.replies.rx_messages)         \
	X(RECEIVER, "replies", "bytes", counters.reply_bytes, app.replies.tx_bytes)                \
	X(RECEIVER, "replies", "messages", counters.reply_messages, app.replies.tx_messages)

#define LOAD_REPORT_REST(X)                                                                        \
	X(SENDER, "", "tx_bytes", counters.bytes, app.tx_bytes)                                    \
	X(SENDER, "", "tx_messages", counters.messages, app.tx_messages)                           \
	X(SENDER, "", "partial_sends", counters.partial_sends, app.partial_sends)                  \
	X(SENDER, "", "reply_errors", counters.verify_errors, app.replies.errors)                  \
	X(SENDER, "gather", "bytes", counters.gather_bytes, gather_bytes)                          \
	X(SENDER, "gather", "events", counters.gather_events, gather_events)                       \
	X(SENDER, "gather", "ns", counters.gather_ns, gather_ns)                                   \
	X(SENDER, "gather", "sampled", counters.gather_sampled, gather_sampled)                    \
	X(SENDER, "zerocopy", "sends", counters.zc_sends, app.zc.sends)                            \
	X(SENDER, "zerocopy", "completed", counters.zc_completed, app.zc.completed)                \
	X(SENDER, "zerocopy", "copied", counters.zc_copied, app.zc.copied)                         \
	X(SENDER, "zerocopy", "not_copied", counters.zc_not_copied, app.zc.not_copied)             \
	X(SENDER, "zerocopy", "enobufs", counters.zc_enobufs, app.zc.enobufs)                      \
	X(SENDER, "zerocopy", "fallback_bytes", counters.zc_fallback, app.zc.fallback_bytes)       \
	X(SENDER, "tcp", "bytes_acked", tcp.bytes_acked, app.tcp_bytes_acked)                      \
	X(SENDER, "tcp", "bytes_retrans", tcp.bytes_retrans, app.tcp_bytes_retrans)                \
	X(SENDER, "confirmed", "rx_bytes", confirmed.bytes, confirmed.rx_bytes)                    \
	X(SENDER, "confirmed", "rx_messages", confirmed.messages, confirmed.rx_messages)           \
	X(SENDER, "confirmed", "verify_errors", confirmed.verify_errors, confirmed.verify_errors)  \
	X(SENDER, "confirmed", "elapsed_ns", confirmed.elapsed_ns, confirmed.elapsed_ns)           \
	X(RECEIVER, "", "rx_bytes", counters.bytes, app.rx_bytes)                                  \
	X(RECEIVER, "", "rx_messages", counters.messages, app.rx_messages)                         \
	X(RECEIVER, "", "recv_calls", counters.calls, app)                                         \
	X(RECEIVER, "", "uncopied_bytes", counters.uncopied, app.rx_uncopied)                      \
	X(RECEIVER, "", "verify_errors", counters.verify_errors, app.verify_errors)                \
	X(RECEIVER, "", "bad_stamps", counters.bad_stamps, app)                                    \
	X(RECEIVER, "", "foreign_stamps", counters.foreign_stamps, app)                            \
	X(RECEIVER, "tcp", "bytes_received", tcp.bytes_received, app.tcp_bytes_received)
/* clang-format on */

#endif
