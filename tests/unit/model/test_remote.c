/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ledger of a sender whose receiver is on another machine: its claims, and that no number of
 * the receiver becomes 0 in any output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/probe_results.h"
#include "support/near.h"
#include "support/test.h"
#include "write/json.h"
#include "model/figures.h"
#include "model/ledger.h"
#include "screen/text_end.h"
#include "model/remote.h"
#include "model/verdict.h"

#define MESSAGE 65536
#define SENT    (23 * MESSAGE)

struct fixture {
	struct plan plan;
	struct snapshot base, now;
	struct load_report report;
	struct run_result run;
	struct environment env, receiver;
};

/* 23 messages sent in twocopy mode, nothing confirmed yet. */
static struct fixture *fixture(void)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct nio_cell *sent = &f->now.cells[NIO_SIDE_SENDER][NIO_STAGE_TX_COPY];

	f->plan = plan_of_mode(MODE_TWOCOPY);
	run_result__init(&f->run);
	f->run.mode = MODE_TWOCOPY;
	f->run.size = MESSAGE;
	remote__begin(&f->run);
	sent->bytes = SENT;
	sent->events = 23;
	f->report.elapsed_ns = 1000000000;
	f->report.gather_bytes = SENT;
	f->report.gather_events = 23;
	f->report.app.tx_bytes = SENT;
	f->report.app.tx_messages = 23;
	f->report.app.tcp_bytes_acked = SENT - MESSAGE;
	f->report.app.sender_cpu_ns = num__known(5);
	return f;
}

static void close_books(struct fixture *f, bool final)
{
	ledger__app(&f->run, &f->report, NIO_SIDE_SENDER);
	remote__app(&f->run, &f->report, false);
	ledger__book(&f->run, &f->plan, &f->base, &f->now);
	remote__book(&f->run);
	ledger__close(&f->run, final);
}

static void confirm(struct fixture *f, uint64_t verify_errors)
{
	f->report.confirmed.known = true;
	f->report.confirmed.rx_bytes = SENT;
	f->report.confirmed.rx_messages = 23;
	/* The duration extends to the confirmation, beyond the sender's last byte. */
	f->report.confirmed.elapsed_ns = 2000000000;
	f->report.confirmed.verify_errors = verify_errors;
}

static void end(struct fixture *f)
{
	run_result__clear(&f->run);
	free(f);
}

TEST(sender_balances_alone)
{
	struct fixture *f = fixture();

	confirm(f, 0);
	close_books(f, true);
	assert_true(f->run.balance_known);
	assert_int_equal(f->run.unaccounted_tx, 0);
	assert_real(f->run.copies_per_byte, 2.0);
	assert_int_equal(f->run.app.rx_bytes, SENT);
	assert_int_equal(f->run.app.rx_messages, 23);
	assert_null(f->run.app.rx_reason);
	assert_true(run_result__gbps(&f->run).value == SENT * 8 / 2e9);
	end(f);
}

TEST(lost_byte_is_unaccounted)
{
	struct fixture *f = fixture();

	confirm(f, 0);
	f->report.app.tx_bytes++;
	close_books(f, true);
	assert_int_equal(f->run.unaccounted_tx, 1);
	end(f);
}

/*
 * During the run, and if the receiver is lost: bytes delivered are those that its kernel
 * acknowledged.
 */
TEST(unconfirmed_bytes_are_not_received)
{
	struct fixture *f = fixture();

	close_books(f, false);
	assert_non_null(f->run.app.rx_reason);
	assert_false(f->run.balance_known);
	assert_true(f->run.copies_per_byte.value == 2.0);
	assert_int_equal(run_result__delivered(&f->run), SENT - MESSAGE);
	assert_true(run_result__gbps(&f->run).value == (SENT - MESSAGE) * 8 / 1e9);
	end(f);
}

/* The receiver's stage stays unavailable even if events of that side were seen. */
TEST(copies_of_a_remote_receiver_are_unavailable)
{
	struct fixture *f = fixture();
	const struct stage_result *rx = &f->run.stages[NIO_STAGE_RX_COPY];

	f->now.cells[NIO_SIDE_RECEIVER][NIO_STAGE_RX_COPY].bytes = 5;
	confirm(f, 0);
	close_books(f, true);
	assert_int_equal(rx->quality, QUALITY_UNAVAILABLE);
	assert_non_null(strstr(rx->reason, REMOTE_REASON));
	assert_null(rx->sizes);
	assert_true(f->run.copies_per_byte.value == 2.0);
	end(f);
}

TEST(verify_errors_are_those_the_receiver_confirmed)
{
	struct fixture *f = fixture();

	remote__app(&f->run, &f->report, true);
	assert_false(f->run.app.verify_errors.known);
	confirm(f, 0);
	remote__app(&f->run, &f->report, false);
	assert_false(f->run.app.verify_errors.known);
	remote__app(&f->run, &f->report, true);
	assert_num(f->run.app.verify_errors, 0);
	confirm(f, 3);
	remote__app(&f->run, &f->report, false);
	assert_num(f->run.app.verify_errors, 3);
	end(f);
}

TEST(sum_of_remote_rounds_is_of_the_side_of_the_sender)
{
	struct fixture *a = fixture(), *b = fixture();
	struct run_result sum;

	confirm(a, 0);
	close_books(a, true);
	close_books(b, false);
	run_result__init(&sum);
	ledger__add(&sum, &a->run);
	assert_null(sum.app.rx_reason);
	ledger__add(&sum, &b->run);
	ledger__close(&sum, false);
	assert_true(sum.sender_side);
	assert_non_null(sum.app.rx_reason);
	assert_int_equal(sum.app.tx_bytes, 2 * SENT);
	assert_int_equal(run_result__delivered(&sum), 2 * (SENT - MESSAGE));
	assert_true(sum.copies_per_byte.value == 2.0);
	run_result__clear(&sum);
	end(a);
	end(b);
}

static json_t *at(json_t *value, const char *path)
{
	char copy[128], *key, *save = NULL;

	snprintf(copy, sizeof(copy), "%s", path);
	for (key = strtok_r(copy, ".", &save); key; key = strtok_r(NULL, ".", &save))
		value = json_object_get(value, key);
	if (!value)
		fail_msg("no %s", path);
	return value;
}

static void check_null(json_t *run, const char *path, const char *reason)
{
	if (!json_is_null(at(run, path)))
		fail_msg("%s is not null", path);
	if (!strstr(json_string_value(at(run, reason)), REMOTE_REASON))
		fail_msg("%s says: %s", reason, json_string_value(at(run, reason)));
}

TEST(json_has_null_and_the_reason_for_the_receiver)
{
	struct fixture *f = fixture();
	json_t *run;

	close_books(f, true);
	run = json_document__run(&f->run);
	assert_string_equal(json_string_value(at(run, "ledger.copies_per_byte_side")), "sender");
	assert_int_equal(json_integer_value(at(run, "ledger.unaccounted_tx")), 0);
	check_null(run, "ledger.unaccounted_rx", "ledger.unaccounted_rx_reason");
	check_null(run, "ledger.rx_copy.bytes", "ledger.rx_copy.reason");
	check_null(run, "app.rx_bytes", "app.rx_bytes_reason");
	check_null(run, "app.rx_messages", "app.rx_messages_reason");
	check_null(run, "app.verify_errors", "app.verify_errors_reason");
	check_null(run, "app.cpu_s.receiver", "app.cpu_s.receiver_reason");
	check_null(run, "app.cpu_s_per_gb", "app.cpu_s_per_gb_reason");
	check_null(run, "app.replies.tx_bytes", "app.replies.tx_bytes_reason");
	check_null(run, "app.tcp.bytes_received", "app.tcp.bytes_received_reason");
	check_null(run, "app.latency_ns.delivery.p50", "app.latency_ns.delivery.reason");
	check_null(run, "perf.receiver.cycles.value", "perf.receiver.cycles.reason");
	json_decref(run);
	end(f);
}

static void check_end(const struct fixture *f, const char *expected)
{
	struct result r = {.version = "0.1", .backend = "tracepoint", .rounds = 1, .summary_nr = 1};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	r.summary[0] = (struct mode_summary){
		.mode = MODE_TWOCOPY, .size = MESSAGE, .threads = 1, .rounds = 1, .total = f->run};
	assert_non_null(out);
	text_end__print(&r, out, &(struct text_end_form){.columns = 120});
	fclose(out);
	if (!strstr(text, expected))
		fail_msg("no \"%s\" in:\n%s", expected, text);
	free(text);
}

TEST(text_names_the_side_of_its_copies)
{
	struct fixture *f = fixture();

	confirm(f, 0);
	close_books(f, true);
	check_end(f, "1.51 MB received (as the receiver reports), 0 B unaccounted");
	end(f);
	f = fixture();
	f->report.app.tx_bytes++;
	close_books(f, true);
	check_end(f, "UNACCOUNTED: two-copy 1 B sent,");
	end(f);
}

/* What the receiver's machine says of the 23 messages: all of them copied once. */
static struct run_result *half(void)
{
	struct run_result *h = calloc(1, sizeof(*h));
	struct stage_result *copy = &h->stages[NIO_STAGE_RX_COPY];

	run_result__init(h);
	h->app.rx_bytes = SENT;
	h->app.rx_messages = 23;
	h->app.tcp_bytes_received = SENT;
	h->app.receiver_cpu_ns = num__known(7);
	h->app.latency[LATENCY_RECV_CALL].hist = hist__new_latency();
	hist__record(h->app.latency[LATENCY_RECV_CALL].hist, 1000);
	*copy = (struct stage_result){.quality = QUALITY_EXACT, .bytes = SENT, .events = 40};
	h->stages[NIO_STAGE_OTHER_COPY] =
		(struct stage_result){.quality = QUALITY_EXACT, .bytes = MESSAGE, .events = 1};
	h->others[0] =
		(struct other_result){.caller = "tcp_collapse", .bytes = MESSAGE, .events = 1};
	h->others_nr = 1;
	h->stages[NIO_STAGE_TLS_COPY].quality = QUALITY_EXACT;
	h->sequence.rx_bytes = num__known(SENT);
	h->health.coverage = real__known(1);
	h->health.attached_ns = h->health.phase_ns = 1;
	return h;
}

static void end_half(struct run_result *h)
{
	run_result__clear(h);
	free(h);
}

/* The order of a round: the half is joined between booking and closing. */
static void close_both(struct fixture *f, struct run_result *h)
{
	f->run.threads = 1;
	confirm(f, 0);
	ledger__app(&f->run, &f->report, NIO_SIDE_SENDER);
	remote__app(&f->run, &f->report, false);
	ledger__book(&f->run, &f->plan, &f->base, &f->now);
	remote__book(&f->run);
	remote__join(&f->run, h, &f->env);
	ledger__close(&f->run, true);
}

TEST(both_halves_are_one_ledger)
{
	struct fixture *f = fixture();
	struct run_result *h = half();

	close_both(f, h);
	assert_false(f->run.sender_side);
	assert_true(f->run.balance_known);
	assert_int_equal(f->run.unaccounted_tx, 0);
	assert_int_equal(f->run.unaccounted_rx, 0);
	assert_int_equal(f->run.stages[NIO_STAGE_RX_COPY].bytes, SENT);
	/* Gathered, sent, received, and one message of 23 copied once more there. */
	assert_real(f->run.copies_per_byte, 3 + 1.0 / 23);
	assert_string_equal(f->run.others[0].caller, "tcp_collapse");
	assert_num(f->run.app.receiver_cpu_ns, 7);
	assert_int_equal(f->run.app.tcp_bytes_received, SENT);
	assert_null(f->run.app.tcp_received_reason);
	assert_non_null(f->run.app.latency[LATENCY_RECV_CALL].hist);
	assert_null(f->run.app.latency[LATENCY_DELIVERY].hist);
	end_half(h);
	end(f);
}

/* What never reached user space is this machine's alone. */
TEST(losses_of_both_halves_add_up)
{
	struct fixture *f = fixture();
	struct run_result *h = half();

	f->now.missed = 10;
	f->now.loss.map_full = 20;
	f->now.loss.unmatched = 30;
	f->now.loss.no_cell = 40;
	h->health.missed = num__known(1);
	h->health.map_full = num__known(2);
	h->health.unmatched = num__known(3);
	h->health.anomalies = num__known(4);
	h->health.dropped = num__known(5);
	close_both(f, h);
	assert_num(f->run.health.missed, 11);
	assert_num(f->run.health.map_full, 22);
	assert_num(f->run.health.unmatched, 33);
	assert_num(f->run.health.anomalies, 44);
	assert_false(f->run.health.dropped.known);
	end_half(h);
	end(f);
}

TEST(half_of_a_receiver_that_drops_bytes_has_no_receive_copy)
{
	struct fixture *f = fixture();
	struct run_result *h = half();

	f->run.receive = RECEIVE_TRUNC;
	h->stages[NIO_STAGE_RX_COPY].bytes = 0;
	h->stages[NIO_STAGE_RX_DISCARD] =
		(struct stage_result){.quality = QUALITY_EXACT, .bytes = SENT};
	h->app.rx_uncopied = num__known(SENT);
	close_both(f, h);
	assert_int_equal(f->run.stages[NIO_STAGE_RX_DISCARD].bytes, SENT);
	assert_num(f->run.app.rx_uncopied, SENT);
	assert_int_equal(f->run.unaccounted_rx, 0);
	assert_real(f->run.copies_per_byte, 2 + 1.0 / 23);
	assert_non_null(strstr(f->run.app.latency[LATENCY_DELIVERY].reason, "no time of sending"));
	end_half(h);
	end(f);
}

TEST(half_of_kTLS_adds_what_its_cipher_copied)
{
	struct fixture *f = fixture();
	struct run_result *h = half();

	h->stages[NIO_STAGE_TLS_COPY].bytes = SENT;
	h->sequence.tls[NIO_SIDE_RECEIVER].records = num__known(23);
	close_both(f, h);
	assert_int_equal(f->run.stages[NIO_STAGE_TLS_COPY].bytes, SENT);
	assert_num(f->run.sequence.tls[NIO_SIDE_RECEIVER].records, 23);
	end_half(h);
	end(f);
}

/* Ciphertext is not the application's bytes: without its records, a half has none. */
TEST(half_without_the_records_of_kTLS_is_not_joined)
{
	struct fixture *f = fixture();
	struct run_result *h = half();

	f->run.mode = MODE_KTLS;
	close_both(f, h);
	assert_true(f->run.sender_side);
	assert_non_null(strstr(f->run.stages[NIO_STAGE_RX_COPY].reason, "records of kTLS"));
	end_half(h);
	end(f);
}

/* A byte that only one side counts is in sight. */
TEST(byte_that_the_receiver_did_not_take_is_unaccounted)
{
	struct fixture *f = fixture();
	struct run_result *h = half();

	h->sequence.rx_bytes.value--;
	h->stages[NIO_STAGE_RX_COPY].bytes--;
	close_both(f, h);
	assert_int_equal(f->run.unaccounted_rx, 1);
	assert_true(run_result__unbalanced(&f->run));
	end_half(h);
	end(f);
}

TEST(half_without_a_ledger_leaves_the_side_of_the_sender)
{
	struct fixture *f = fixture();
	struct run_result *h = half();

	run_result__no_kernel(h, "no privileges there");
	close_both(f, h);
	assert_true(f->run.sender_side);
	assert_true(f->run.balance_known);
	assert_int_equal(f->run.stages[NIO_STAGE_RX_COPY].quality, QUALITY_UNAVAILABLE);
	assert_string_equal(f->run.stages[NIO_STAGE_RX_COPY].reason, "no privileges there");
	assert_real(f->run.copies_per_byte, 2.0);
	assert_num(f->run.app.receiver_cpu_ns, 7);
	end_half(h);
	end(f);
}

TEST(replies_between_machines_are_not_in_the_ledger)
{
	struct fixture *f = fixture();
	struct run_result *h = half();

	f->run.request_response = true;
	close_both(f, h);
	assert_true(f->run.sender_side);
	assert_non_null(strstr(f->run.stages[NIO_STAGE_RX_COPY].reason, "replies"));
	assert_real(f->run.copies_per_byte, 2.0);
	end_half(h);
	end(f);
}

/* expected: a part of the reason; "": there is none. */
static void contradicts(const struct run_result *h, const char *expected)
{
	struct run_result run;
	const char *why;

	run_result__init(&run);
	run.threads = 2;
	run.app.rx_bytes = SENT;
	run.app.rx_messages = 23;
	run.cpu.known = true;
	run.cpu.hz = 997;
	why = remote__contradiction(&run, h, 1000000000);
	why = why ? why : "";
	if (!*expected != !*why || !strstr(why, expected))
		fail_msg("\"%s\", not \"%s\"", why, expected);
}

TEST(half_that_contradicts_what_is_known_here_is_refused)
{
	struct run_result *h = half();
	struct hist *calls = h->app.latency[LATENCY_RECV_CALL].hist;

	contradicts(h, "");
	h->app.rx_bytes--;
	contradicts(h, "other bytes");
	h->app.rx_bytes++;
	h->app.rx_messages++;
	contradicts(h, "other bytes");
	h->app.rx_messages--;
	h->app.rx_uncopied = num__known(h->app.rx_bytes + 1);
	contradicts(h, "more than it received");
	h->app.rx_uncopied.value--;
	h->stages[NIO_STAGE_TLS_COPY].bytes = h->app.rx_bytes + 1;
	contradicts(h, "decrypted more");
	h->stages[NIO_STAGE_TLS_COPY].bytes = 0;
	h->stages[NIO_STAGE_RX_COPY].bytes++;
	contradicts(h, "its copies");
	/* The sender asked for recv(), which drops nothing. */
	h->stages[NIO_STAGE_RX_COPY].bytes -= 2;
	h->stages[NIO_STAGE_RX_DISCARD].bytes = 1;
	contradicts(h, "its copies");
	h->stages[NIO_STAGE_RX_COPY].bytes++;
	h->stages[NIO_STAGE_RX_DISCARD].bytes = 0;
	/* Two threads and the main thread, for a second and 1 %. */
	h->app.receiver_cpu_ns = num__known(3033000000);
	contradicts(h, "");
	h->app.receiver_cpu_ns = num__known(3040000000);
	contradicts(h, "more CPU time");
	h->app.receiver_cpu_ns = num__known(0);
	calls->sum = 2030000000;
	contradicts(h, "receive calls");
	calls->sum = 1;
	h->app.replies.tx_bytes = num__known(1);
	contradicts(h, "replies");
	h->app.replies.tx_bytes = num__unknown("none");
	h->cpu.known = true;
	h->cpu.hz = 997;
	h->cpu.by[NIO_SAMPLE_ELSEWHERE].samples = 1000000;
	contradicts(h, "");
	h->cpu.by[NIO_SAMPLE_ELSEWHERE].samples = 1000000000;
	contradicts(h, "more samples");
	h->cpu.hz = 99;
	contradicts(h, "another rate");
	end_half(h);
}

TEST(samples_of_the_receiver_join_those_of_the_sender)
{
	struct fixture *f = fixture();
	struct run_result *h = half();

	cpu_time__add_stack(&f->run.cpu,
			    &(struct profile_stack){.frames = (char[]){"a"},
						    .count = 2,
						    .owner = NIO_SAMPLE_SENDER},
			    false);
	cpu_time__add_stack(&h->cpu,
			    &(struct profile_stack){.frames = (char[]){"b"},
						    .count = 3,
						    .owner = NIO_SAMPLE_RECEIVER,
						    .class = CPU_CLASS_RX_COPY},
			    false);
	h->cpu.by[NIO_SAMPLE_ELSEWHERE].samples = 7;
	f->run.cpu.known = h->cpu.known = true;
	f->run.cpu.source = h->cpu.source = CPU_SOURCE_CLOCK;
	close_both(f, h);
	assert_int_equal(f->run.cpu.by[NIO_SAMPLE_SENDER].samples, 2);
	assert_int_equal(f->run.cpu.by[NIO_SAMPLE_RECEIVER].samples, 3);
	assert_int_equal(f->run.cpu.by[NIO_SAMPLE_ELSEWHERE].samples, 0);
	assert_int_equal(f->run.cpu.by[NIO_SAMPLE_RECEIVER_ELSEWHERE].samples, 7);
	assert_true(f->run.cpu.both_machines);
	assert_int_equal(f->run.cpu.by[NIO_SAMPLE_RECEIVER].classes[CPU_CLASS_RX_COPY], 3);
	assert_int_equal(f->run.cpu.profile.nr, 2);
	end_half(h);
	end(f);
}

/*
 * Without samples of both sides, or if the CPU time is of the sender alone, samples do not have
 * what this CPU time lacks.
 */
TEST(softirq_work_is_unknown_unless_both_sides_are_measured)
{
	static const struct {
		bool sampled, replies;
		const char *reason;
	} cases[] = {
		{false, false, "took no sample"},
		{true, true, "of the sender alone"},
		{true, false, NULL},
	};

	for_each_case(c, cases) {
		struct fixture *f = fixture();
		struct run_result *h = half();
		struct real softirq;

		strcpy(f->env.machine.boot_id, "a");
		strcpy(f->receiver.machine.boot_id, "b");
		f->env.receiver = &f->receiver;
		f->run.cpu.known = true;
		f->run.cpu.hz = 1;
		f->run.cpu.payload = 1;
		h->cpu.known = c->sampled;
		f->run.request_response = c->replies;
		close_both(f, h);
		softirq = cpu_figures__softirq(&f->run, true);
		assert_int_equal(softirq.known, !c->reason);
		assert_true(softirq.known || strstr(softirq.reason, c->reason));
		end_half(h);
		end(f);
	}
}

/* On one machine each side samples the softirq work of both: the sum would have it twice. */
TEST(halves_of_one_machine_have_no_sum_of_softirq_work)
{
	static const struct {
		const char *here, *there;
		bool summed;
	} cases[] = {{"a", "b", true}, {"a", "a", false}, {"a", "", false}, {"", "", false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = fixture();
		struct run_result *h = half();

		assert_non_null(strstr(f->run.cpu.softirq_reason, "took no sample"));
		strcpy(f->env.machine.boot_id, cases[i].here);
		strcpy(f->receiver.machine.boot_id, cases[i].there);
		f->env.receiver = &f->receiver;
		f->run.cpu.known = h->cpu.known = true;
		close_both(f, h);
		assert_int_equal(!f->run.cpu.softirq_reason, cases[i].summed);
		end_half(h);
		end(f);
	}
}

/* The sender's events were attached all the time, the receiver's in a tenth of it. */
TEST(share_of_events_is_that_of_both_sides)
{
	struct fixture *f = fixture();
	struct run_result *h = half();

	h->health.attached_ns = 100000;
	h->health.phase_ns = 1000000;
	close_both(f, h);
	assert_real(run_result__events_share(&f->run), 0.55);
	assert_true(run_result__sampled_events(&f->run, NIO_STAGE_RX_COPY));
	end_half(h);
	end(f);
}
