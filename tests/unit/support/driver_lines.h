/* SPDX-License-Identifier: GPL-2.0-only */
/* Valid lines of the load generator's protocol (docs/reference/loadgen.md). */
#ifndef SUPPORT_DRIVER_LINES_H
#define SUPPORT_DRIVER_LINES_H

#include "load/driver.h"

#define SENDER   NIO_SIDE_SENDER
#define RECEIVER NIO_SIDE_RECEIVER

#define HIST_3                                                         \
	"{\"count\":3,\"sum\":70,\"min\":7,\"max\":40,\"sub_bits\":5," \
	"\"buckets\":[[7,1],[23,1],[36,1]]}"
#define HIST_0 "{\"count\":0,\"sum\":0,\"min\":0,\"max\":0,\"sub_bits\":5,\"buckets\":[]}"

#define SENDER_STATS(event, send_call)                                                        \
	"{\"event\":\"" event                                                                 \
	"\",\"elapsed_ns\":1000000000,\"paused_ns\":53,\"interrupted\":false,"                \
	"\"tx_bytes\":23,\"tx_messages\":24,\"partial_sends\":25,\"eagain\":26,\"eintr\":27," \
	"\"cpu_ns\":28,\"gather\":{\"bytes\":31,\"events\":32,\"ns\":33,\"sampled\":34},"     \
	"\"zerocopy\":{\"sends\":41,\"completed\":42,\"copied\":43,\"not_copied\":44,"        \
	"\"enobufs\":45,\"fallback_bytes\":49},\"reply_errors\":46,"                          \
	"\"replies\":{\"bytes\":47,\"messages\":48},"                                         \
	"\"latency\":{\"send_call\":" send_call ",\"slot_wait\":" HIST_0                      \
	",\"half_round_trip\":" HIST_3 ",\"completion\":" HIST_0 ",\"missed\":" HIST_0 "},"   \
	"\"tcp\":{\"bytes_acked\":51,\"bytes_retrans\":52},\"more\":\"may be added\"}"

#define RECEIVER_STATS                                                                      \
	"{\"event\":\"done\",\"elapsed_ns\":9,\"paused_ns\":54,\"interrupted\":false,\"rx_" \
	"bytes\":61,\"rx_"                                                                  \
	"messages\":62,"                                                                    \
	"\"verify_errors\":63,\"cpu_ns\":64,\"recv_calls\":65,\"uncopied_bytes\":53,"       \
	"\"replies\":{\"bytes\":67,\"messages\":68},\"latency\":{\"delivery\":" HIST_3      \
	",\"recv_call\":" HIST_3 "},\"tcp\":{\"bytes_received\":66}}"

#define READY_2                                                                    \
	"{\"event\":\"ready\",\"config\":{\"mode\":\"onecopy\"},\"connections\":[" \
	"{\"index\":1,\"cookie\":\"18446744073709551615\"},{\"index\":0,\"cookie\":\"5\"}]}"

#endif
