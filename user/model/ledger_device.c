/* SPDX-License-Identifier: GPL-2.0-only */
/* What the device of a run copies without an event; see ledger_bytes.h. Pure. */
#include "ledger_bytes.h"

static const char no_checksum[] = "sent by reference, but the device has no TX checksums: the "
				  "kernel copies each packet before it "
				  "sums it (ethtool -K DEVICE tx on)";
static const char no_gather[] = "sent by reference, but the device has no scatter-gather: the "
				"kernel copies each packet into one "
				"piece (ethtool -K DEVICE sg on)";

void ledger_bytes__bound_device(struct run_result *r, const struct environment *env)
{
	const struct flag *sg = &env->device_scatter_gather, *checksum = &env->device_tx_checksum;
	struct stage_result *splice = &r->stages[NIO_STAGE_TX_SPLICE];
	bool copies_all = sg->known && !sg->value;
	bool copies_splice = checksum->known && !checksum->value && splice->bytes;

	r->device_copies = 0;
	if (r->stages[NIO_STAGE_OTHER_COPY].quality != QUALITY_UNAVAILABLE ||
	    (!copies_all && !copies_splice))
		return;
	r->device_copies =
		(copies_all ? run_result__sent(r) : splice->bytes) + r->sequence.tx_retrans.value;
	if (!splice->bytes || splice->quality == QUALITY_UNAVAILABLE)
		return;
	splice->quality = QUALITY_DERIVED;
	splice->reason = copies_all ? no_gather : no_checksum;
}
