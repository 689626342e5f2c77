/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a send call that a sampled stack is in: the parts are those of exact times
 * (NIO_PATH_PARTS), so that samples can stand in for them where these are not to be had. Pure.
 */
#ifndef MODEL_CALL_PART_H
#define MODEL_CALL_PART_H

#include "result.h"

/*
 * frames: names apart by ';', outermost first, as in a profile. A part lasts as long as the
 * function that it is (tcp_write_xmit: transmit), whatever that calls, but for receive softirqs on
 * top of it, as the programs that time the parts have it. PATH_SEND_TOTAL: in a system call that
 * sends, outside of tcp_sendmsg. PATH_NR: in no send call, or not to be told.
 */
enum path_part call_part__of(const char *frames);

#endif
