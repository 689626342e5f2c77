/* SPDX-License-Identifier: GPL-2.0-only */
/* The mode onecopy: one sendmsg() sends header and fields as they are. */
#include "send_mode.h"
#include "sender_conn.h"

static int onecopy__setup(struct sender_conn *f)
{
	sender_conn__init_message(f, &f->message);
	return 0;
}

static void onecopy__teardown(struct sender_conn *f)
{
	message__clear(&f->message);
}

static int onecopy__prepare(struct sender_conn *f)
{
	if (!f->options->workload.verify)
		return 0;
	message__fill(&f->message, f->index, f->seq);
	f->now = 0;
	return 0;
}

static void onecopy__begin(struct sender_conn *f, uint64_t stamp)
{
	message__put_tag(&f->message, f->seq, stamp);
}

static ssize_t onecopy__send(struct sender_conn *f)
{
	return sender_conn__send_rest(f, &f->message, 0);
}

const struct send_mode send_mode_onecopy = {
	.setup = onecopy__setup,
	.teardown = onecopy__teardown,
	.prepare = onecopy__prepare,
	.begin = onecopy__begin,
	.send = onecopy__send,
};
