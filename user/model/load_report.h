/* SPDX-License-Identifier: GPL-2.0-only */
/* The report of one load generator process on its side (docs/reference/loadgen.md), as plain data.
 */
#ifndef MODEL_LOAD_REPORT_H
#define MODEL_LOAD_REPORT_H

#include "common/address.h"
#include "common/half.h"
#include "common/load_report_rows.h"
#include "common/workload.h"
#include "result.h"

#define LOAD_CONNECTIONS_MAX LIMIT_CONNECTIONS_MAX

/* Data of one event; owned by the driver, valid until the next driver__next(). */
struct load_report {
	unsigned int port;                      /* LISTENING */
	uint64_t cookies[LOAD_CONNECTIONS_MAX]; /* READY */
	size_t cookies_nr;
	char congestion[CONGESTION_NAME_LEN]; /* READY of a sender: of its first socket */
	char message[512];                    /* ERROR */
	int64_t error;                        /* ERROR: its errno; 0: unknown */
	char peer[ADDRESS_HOST_MAX];          /* READY of a receiver; empty: unknown */
	enum receive receive;                 /* READY of a receiver */
	char tls[8];                          /* READY: version of kTLS; empty: not encrypted */
	char challenge[HALF_CHALLENGE_TEXT];  /* READY of a sender, PHASE; empty: none */
	char proof[HALF_PROOF_TEXT];          /* PHASE: of the sender; empty: none */
	unsigned int half_kind;               /* PHASE: enum half_kind, unchecked */
	unsigned int session;                 /* PHASE: its number, for `measure` */
	char *half;                           /* HALF: the document; NULL: none; owned */
	/* STATS, DONE: only the fields of the process's own side are set in app */
	uint64_t elapsed_ns;
	uint64_t paused_ns; /* of elapsed_ns, at least: the process was stopped */
	bool interrupted;
	uint64_t gather_bytes, gather_events, gather_ns, gather_sampled;
	/* DONE of a sender: the receiver's totals, sent over the connection */
	struct {
		bool known;
		uint64_t rx_bytes, rx_messages, verify_errors;
		uint64_t elapsed_ns; /* that it took to read them, by its clock */
	} confirmed;
	struct app_result app; /* its histograms are owned by the report */
};

extern const struct load_report_row load_report__rows[]; /* of common/load_report_rows.h */

/* Frees what a report owns and zeroes it; takes a zeroed one. For callers of driver__decode(). */
void load_report__clear(struct load_report *report);

/* Copies the fields a side reports into app (histograms duplicated): sender's or receiver's. */
void load_report__copy_app(struct app_result *app, const struct load_report *report,
			   enum nio_side side);

#endif
