/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of options.h share: the keys of the table's rows. */
#ifndef NETIOTRACE_OPTIONS_TABLE_H
#define NETIOTRACE_OPTIONS_TABLE_H

#include "options.h"

enum key {
	KEY_MODE = 256,
	KEY_SIZE,
	KEY_THREADS,
	KEY_CONNECTIONS,
	KEY_FIELDS,
	KEY_DURATION,
	KEY_MESSAGES,
	KEY_WARMUP,
	KEY_ROUNDS,
	KEY_PATH,
	KEY_CONNECT,
	KEY_LISTEN,
	KEY_MTU,
	KEY_IPV6,
	KEY_BACKEND,
	KEY_COUNT_CALLS,
	KEY_TIMES,
	KEY_NO_TIMES,
	KEY_NO_CPU,
	KEY_WITHOUT,
	KEY_INTERVAL,
	KEY_PERF_EVENTS,
	KEY_CPU_SENDER,
	KEY_CPU_RECEIVER,
	KEY_SNDBUF,
	KEY_RCVBUF,
	KEY_NODELAY,
	KEY_CONGESTION,
	KEY_VERIFY,
/* clang-format off */
#define X(id, ...) KEY_##id,
	OUTPUTS(X)
#undef X
	/* clang-format on */
	KEY_ASSERT,
};

#endif
