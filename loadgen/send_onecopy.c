/* SPDX-License-Identifier: GPL-2.0-only */
/* The mode onecopy: one sendmsg() sends header and fields as they are. */
#include "send_mode.h"
#include "sender_conn.h"

static int onecopy__setup(struct sender_conn *conn)
{
	sender_conn__init_message(conn, &conn->message);
	return 0;
}

const struct send_mode send_mode_onecopy = {
	.setup = onecopy__setup,
	.teardown = sender_conn__clear_message,
	.prepare = sender_conn__fill_message,
	.begin = sender_conn__tag_message,
	.send = sender_conn__send_whole,
};
