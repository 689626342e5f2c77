/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of load options, all inclusive, checked by netiotrace and by the load generator. */
#ifndef COMMON_LIMITS_H
#define COMMON_LIMITS_H

#define LIMIT_SIZE_MIN        64 /* message size, bytes */
#define LIMIT_SIZE_MAX        (16u << 20)
#define LIMIT_HEADER_MAX      (64u << 10) /* bytes; with the size at most LIMIT_SIZE_MAX */
#define LIMIT_FIELDS_MAX      64
#define LIMIT_THREADS_MAX     256
#define LIMIT_CONNECTIONS_MAX 4096
#define LIMIT_MESSAGES_MAX    (1ULL << 48)
#define LIMIT_DURATION_MAX    (24 * 3600 * 1000000000ULL) /* ns; also of the warm-up */
#define LIMIT_RATE_MAX        100000000ULL                /* messages per second */
#define LIMIT_SPIN_MAX        1000000000ULL               /* ns */
#define LIMIT_RCVLOWAT_MAX    (1u << 20)                  /* bytes */
#define LIMIT_SOCKBUF_MIN     4096                        /* SO_SNDBUF, SO_RCVBUF, bytes */
#define LIMIT_SOCKBUF_MAX     (1u << 30)

#endif
