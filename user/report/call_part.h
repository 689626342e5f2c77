/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a send call that a sampled stack belongs to. The parts are as for exact times
 * (NIO_PATH_PARTS), which samples replace where these are unavailable. Pure.
 */
#ifndef REPORT_CALL_PART_H
#define REPORT_CALL_PART_H

#include "model/result.h"

/*
 * frames: names separated by ';', outermost first, as in a profile. A part lasts as long as its
 * function (tcp_write_xmit: transmit) with all calls in it, except for receive softirqs on top, as
 * in the programs that time the parts. PATH_SEND_TOTAL: in a send system call, outside tcp_sendmsg.
 * PATH_NR: in no send call, or unknown.
 */
enum path_part call_part__of(const char *frames);

#endif
