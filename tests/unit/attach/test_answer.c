// SPDX-License-Identifier: GPL-2.0-only
/* The answer of attach: how rows move their bytes, by intervals that hold, and what that costs. */
#include <stdlib.h>
#include <string.h>

#include "attach/attach_result.h"
#include "common/xalloc.h"
#include "support/attach_plan.h"
#include "support/test.h"

static const struct attach_options options = {.top = 10};

static char *text_of(void (*print)(FILE *f, const struct attach_result *r), struct attach_result *r)
{
	size_t len;
	char *text;
	FILE *f = xopen_memstream(&text, &len);

	print(f, r);
	xclose_memstream(f);
	return text;
}

static void print_total(FILE *f, const struct attach_result *r)
{
	attach_result__print_ways(f, r, &r->table.total);
}

static struct attach_result result_of(struct socket_ledger b)
{
	struct attach_result r = {.o = &options, ATTACH_PLAN, .sees_kinds = true};

	r.table.total = b;
	return r;
}

static void assert_ways(struct socket_ledger b, const char *want)
{
	struct attach_result r = result_of(b);
	char *text = text_of(print_total, &r);

	assert_string_equal(text, want);
	free(text);
}

static struct socket_ledger sends(uint64_t copied, uint64_t spliced, uint64_t unseen)
{
	struct socket_ledger b = {.socket_tx = copied + spliced + unseen, .connections = 1};

	b.stages[NIO_STAGE_TX_COPY].bytes = copied;
	b.stages[NIO_STAGE_TX_SPLICE].bytes = spliced;
	b.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] = unseen;
	return b;
}

TEST(ways_to_send_are_named_with_their_shares)
{
	assert_ways((struct socket_ledger){0}, "moved nothing yet");
	assert_ways(sends(1000, 0, 0), "copies all it sends");
	assert_ways(sends(0, 1000, 0), "sends without a copy (sendfile, splice)");
	assert_ways(sends(200, 800, 0), "sends 80.0% without a copy (sendfile, splice)");
	assert_ways(
		sends(800, 200, 0),
		"copies 80.0% of what it sends and sends 20.0% without a copy (sendfile, splice)");
}

/* Bytes whose calls were not seen widen each share, and the ends are rounded outwards. */
TEST(shares_hold_the_bytes_whose_calls_were_not_seen)
{
	assert_ways(sends(977, 0, 23), "copies 97 to 100 % of what it sends");
	assert_ways(sends(500, 0, 500), "copies 50 to 100 % of what it sends");
	assert_ways(sends(0, 975, 25), "sends 97 to 100 % without a copy (sendfile, splice)");
	assert_ways(sends(20, 0, 980), "sends, and not all of how is known");
}

/* A device without scatter-gather may have copied what sendfile sent. */
TEST(sendfile_is_not_called_free_of_copies_where_a_device_may_copy)
{
	struct socket_ledger b = sends(0, 1000, 0);

	b.may_copy[UNSEEN_GATHER] = 1000;
	b.evidence.no_gather_bytes = 1000;
	assert_ways(b, "sends by sendfile or splice");
}

TEST(bytes_that_kernel_tls_encrypts_are_copied)
{
	struct socket_ledger b = {.socket_tx = 1000, .connections = 1};

	b.tls[NIO_SIDE_SENDER] = (struct tls_ledger){.records = 1, .copied = 1000};
	assert_ways(b, "has kTLS encrypt what it sends, which copies it");
}

TEST(a_proxy_has_both_directions_and_a_server_one)
{
	struct socket_ledger b = sends(1000, 0, 0);

	b.socket_rx = 1000;
	b.stages[NIO_STAGE_RX_COPY].bytes = 600;
	b.stages[NIO_STAGE_RX_SPLICE].bytes = 400;
	assert_ways(b, "copies all it sends; it copies 60.0% of what it receives");
	b.socket_rx = b.stages[NIO_STAGE_RX_COPY].bytes = 50;
	b.stages[NIO_STAGE_RX_SPLICE].bytes = 0;
	assert_ways(b, "copies all it sends");
}

/* Peeks are in the stage of copies, and are no received bytes. */
TEST(peeks_do_not_make_spliced_bytes_copied)
{
	struct socket_ledger b = {.socket_rx = 1000, .connections = 1};

	b.stages[NIO_STAGE_RX_COPY].bytes = 1000;
	b.stages[NIO_STAGE_RX_SPLICE].bytes = 500;
	b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED] = 500;
	assert_ways(b, "copies 50.0% of what it receives");
}

/* A few zero-copy sends are not what the row did with its bytes. */
TEST(a_few_zero_copy_sends_do_not_hide_how_the_others_were_sent)
{
	struct socket_ledger b = sends(1000000, 0, 0);

	b.ids = b.completed = b.copied = 1;
	b.calls[NIO_CALL_ZEROCOPY] = (struct nio_amount){331, 1};
	assert_ways(b, "copies all it sends");
	b.calls[NIO_CALL_ZEROCOPY].bytes = 500000;
	assert_ways(b, "was not zero-copy: all 1 zero-copy sends were copied");
}

/* One process of a table, with samples of its CPU time. */
static void add_process(struct attach_result *r, uint32_t tgid, const char *comm,
			struct socket_ledger b, const struct cpu_samples *cpu)
{
	struct process *p = table__process(&r->table, tgid, tgid);

	snprintf(p->comm, sizeof(p->comm), "%s", comm);
	p->asked = true;
	p->ledger = b;
	if (cpu)
		p->cpu.samples = *cpu;
	socket_ledger__add(&r->table.total, &b);
}

static char *answer_to(struct attach_result *r)
{
	char *text = text_of(attach_result__print_answer, r);

	table__clear(&r->table);
	return text;
}

static struct cpu_samples samples_of(enum cpu_class c, uint64_t nr, uint64_t all)
{
	struct cpu_samples s = {.samples = all};

	s.classes[c] = nr;
	s.classes[CPU_CLASS_USER] = all - nr;
	return s;
}

TEST(copies_cost_what_samples_show_and_nothing_is_said_without_samples)
{
	const struct cpu_samples many = samples_of(CPU_CLASS_TX_COPY, 100, 1000);
	const struct cpu_samples few = samples_of(CPU_CLASS_TX_COPY, 1, 4);
	struct attach_result r = result_of((struct socket_ledger){0});
	struct socket_ledger b = sends(1000000, 0, 0);
	char *text;

	b.calls[NIO_CALL_PLAIN] = (struct nio_amount){1000000, 10};
	add_process(&r, 7, "redis", b, &many);
	text = answer_to(&r);
	assert_string_equal(text, "redis 7 copies all it sends. Of its CPU time 8 to 13 % goes to "
				  "the copy in its send calls. ");
	free(text);
	r = result_of((struct socket_ledger){0});
	add_process(&r, 7, "redis", b, &few);
	text = answer_to(&r);
	assert_string_equal(text, "redis 7 copies all it sends. ");
	free(text);
}

/* 0 of 1000 samples may be up to 0.4 %: "0 to 1 %" says nothing. */
TEST(a_cost_that_no_sample_shows_is_not_said)
{
	const struct cpu_samples cpu = samples_of(CPU_CLASS_TX_COPY, 0, 1000);
	struct attach_result r = result_of((struct socket_ledger){0});
	struct socket_ledger b = sends(1000000, 0, 0);
	char *text;

	b.calls[NIO_CALL_PLAIN] = (struct nio_amount){1000000, 10};
	add_process(&r, 7, "redis", b, &cpu);
	text = answer_to(&r);
	assert_string_equal(text, "redis 7 copies all it sends. ");
	free(text);
}

/* The same name, but watched for nothing: its CPU time is not that of the bytes. */
TEST(costs_are_of_the_processes_that_moved_bytes)
{
	const struct cpu_samples copies = samples_of(CPU_CLASS_TX_COPY, 100, 1000);
	const struct cpu_samples idle = samples_of(CPU_CLASS_TX_COPY, 0, 9000);
	struct attach_result r = result_of((struct socket_ledger){0});
	struct socket_ledger b = sends(1000000, 0, 0);
	char *text;

	b.calls[NIO_CALL_PLAIN] = (struct nio_amount){1000000, 10};
	add_process(&r, 7, "nginx", b, &copies);
	add_process(&r, 8, "nginx", b, &copies);
	add_process(&r, 9, "nginx", (struct socket_ledger){0}, &idle);
	text = answer_to(&r);
	assert_string_equal(text, "nginx (2 processes) copies all it sends. Of its CPU time 8 to "
				  "12 % goes to the copy in its send calls. ");
	free(text);
}

TEST(small_calls_are_named_where_system_calls_cost)
{
	const struct cpu_samples dear = samples_of(CPU_CLASS_SYSCALL, 200, 1000);
	const struct cpu_samples cheap = samples_of(CPU_CLASS_SYSCALL, 1, 1000);
	const struct {
		const struct cpu_samples *cpu;
		uint64_t calls;
		bool named;
	} cases[] = {{&dear, 10000, true}, {&cheap, 10000, false}, {&dear, 10, false}};

	for_each_case(c, cases) {
		struct attach_result r = result_of((struct socket_ledger){0});
		struct socket_ledger b = sends(1000000, 0, 0);
		char *text;

		b.calls[NIO_CALL_PLAIN] = (struct nio_amount){1000000, c->calls};
		add_process(&r, 7, "redis", b, c->cpu);
		text = answer_to(&r);
		assert_int_equal(strstr(text, "100 B on average") != NULL, c->named);
		free(text);
	}
}

/* A few small header writes beside many large sends are not what system calls cost. */
TEST(small_calls_are_named_only_if_most_sends_are_small)
{
	const struct cpu_samples dear = samples_of(CPU_CLASS_SYSCALL, 200, 1000);
	const struct {
		uint64_t large, pieces;
		const char *said; /* NULL: no cost of system calls */
	} cases[] = {{62345, 11840, NULL},
		     {1000, 11840,
		      "17 to 23 % goes to its system calls (all, also accept, open, read; most "
		      "sends are pieces of sendfile or splice of 2.93 KiB on average)"}};

	for_each_case(c, cases) {
		struct attach_result r = result_of((struct socket_ledger){0});
		struct socket_ledger b = sends(c->large * 26000, c->pieces * 3000, 0);
		char *text;

		b.calls[NIO_CALL_PLAIN] = (struct nio_amount){c->large * 26000, c->large};
		b.calls[NIO_CALL_SPLICE] = (struct nio_amount){c->pieces * 3000, c->pieces};
		add_process(&r, 7, "nginx", b, &dear);
		text = answer_to(&r);
		assert_int_equal(strstr(text, "system calls") != NULL, c->said != NULL);
		assert_true(!c->said || strstr(text, c->said));
		free(text);
	}
}

static void print_all(FILE *f, const struct attach_result *r)
{
	attach_result__print(f, 400, r);
}

/* One number, however it is said: the part that is not known, and what the books leave. */
TEST(what_is_not_known_is_what_the_books_leave_unclassified)
{
	const struct {
		uint64_t copied, unseen;
		const char *part, *books;
	} cases[] = {{28, 146, "how 84 % of the bytes were sent", "146 B unclassified"},
		     {1, 999, "how > 99 % of the bytes were sent", "999 B unclassified"},
		     {999, 1, "how < 1 % of the bytes were sent", "1 B unclassified"}};

	for_each_case(c, cases) {
		struct attach_result r = result_of(sends(c->copied, 0, c->unseen));
		char *text = text_of(print_all, &r);

		assert_non_null(strstr(text, c->part));
		assert_non_null(strstr(text, c->books));
		free(text);
	}
}

/* 331 bytes of requests beside megabytes of replies. */
TEST(what_is_not_known_of_a_negligible_direction_is_left_to_the_books)
{
	const uint64_t received[] = {331, 33100};

	for (size_t i = 0; i < ARRAY_LEN(received); i++) {
		struct socket_ledger b = sends(1000000, 0, 0);
		struct attach_result r;
		char *text;

		b.socket_rx = b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_MISSED] = received[i];
		r = result_of(b);
		text = text_of(print_all, &r);
		assert_int_equal(strstr(text, "of the bytes were received") != NULL, i);
		free(text);
	}
}

TEST(pacing_is_named_by_its_cost_and_its_control)
{
	const struct cpu_samples cpu = samples_of(CPU_CLASS_TIMERS, 200, 1000);
	struct attach_result r = result_of((struct socket_ledger){0});
	char *text;

	strcpy(r.env.congestion.system, "bbr");
	add_process(&r, 7, "nginx", sends(1000, 0, 0), &cpu);
	text = answer_to(&r);
	assert_non_null(strstr(text, "17 to 23 % goes to timers and pacing (the system's "
				     "congestion control is bbr)"));
	free(text);
}

TEST(workers_of_one_name_are_one_program_and_others_have_a_sentence_each)
{
	struct attach_result r = result_of((struct socket_ledger){0});
	char *text;

	add_process(&r, 7, "nginx", sends(1000, 0, 0), NULL);
	add_process(&r, 8, "nginx", sends(3000, 0, 0), NULL);
	text = answer_to(&r);
	assert_string_equal(text, "nginx (2 processes) copies all it sends. ");
	free(text);
	r = result_of((struct socket_ledger){0});
	add_process(&r, 7, "nginx", sends(1000, 0, 0), NULL);
	add_process(&r, 8, "php", sends(0, 3000, 0), NULL);
	text = answer_to(&r);
	assert_non_null(strstr(text, "nginx 7 (1) copies all it sends. "));
	assert_non_null(strstr(text, "php 8 (1) sends without a copy (sendfile, splice). "));
	free(text);
}

/* A figure that no call showed has the bound of the bytes whose calls were not seen. */
TEST(unknown_figures_have_the_least_true_bound)
{
	struct attach_result r = result_of(sends(0, 975000, 25000));
	struct socket_ledger *b = &r.table.total;
	char buf[UNITS_BUF] = "";

	b->unwatched = 1;
	assert_true(row_value__bound(VALUE_COPIED, &r, b, buf));
	assert_string_equal(buf, "<25.1 kB");
	assert_string_equal(copies_per_byte__text(buf, &r, b), "<0.03");
	r = result_of(sends(0, 0, 1000));
	b->unwatched = 1;
	strcpy(buf, "as it was");
	assert_false(row_value__bound(VALUE_COPIED, &r, b, buf));
	assert_string_equal(buf, "as it was");
	assert_string_equal(copies_per_byte__text(buf, &r, b), "n/a");
}

/* 675 of 1000 bytes were copied at least: two digits of that are 0.67. */
TEST(minimums_are_rounded_down)
{
	struct attach_result r = result_of(sends(67599, 0, 32401));
	struct socket_ledger *b = &r.table.total;
	struct amount a;
	char buf[UNITS_BUF];

	a = row_value__amount(VALUE_COPIED, &r, b);
	assert_string_equal(amount__bytes(buf, &a), ">=67.5 kB");
	assert_string_equal(copies_per_byte__text(buf, &r, b), ">=0.67");
}

/* Only what is pinned is copied later, whatever the calls that were not seen did. */
TEST(the_bound_of_deferred_copies_is_not_above_that_of_pinned_bytes)
{
	struct attach_result r = result_of(sends(644000, 0, 0));
	struct socket_ledger *b = &r.table.total;
	double moved[SAMPLED_PARTS] = {[NIO_MOVED_COPIED] = 1000};
	char pinned[UNITS_BUF], deferred[UNITS_BUF];

	r.events.sampled = true;
	for (int i = 0; i < 20; i++)
		sampled_sums__add(&r.events.seen.ways, moved, (1U << NIO_MOVED_READ) - 1, false,
				  32);
	b->seen = &r.events.seen;
	b->unwatched = b->pins_hidden = 1;
	b->divided[NIO_SIDE_SENDER] = 644000;
	b->stage_margin[NIO_STAGE_TX_COPY].below = b->stage_margin[NIO_STAGE_TX_PIN].above = 356000;
	b->hidden_pins = 356000;
	assert_true(row_value__bound(VALUE_PINNED, &r, b, pinned));
	assert_true(row_value__bound(VALUE_DEFERRED, &r, b, deferred));
	assert_string_not_equal(pinned, "<357 kB");
	assert_string_equal(deferred, pinned);
}

/* 1000 of 100000 bytes were seen: "~1 kB" beside "78 to 100 % of the bytes" would be false. */
TEST(calls_have_their_share_alone_where_bytes_are_unclassified)
{
	struct attach_result r = result_of(sends(1000, 0, 99000));
	struct socket_ledger *b = &r.table.total;
	double moved[SAMPLED_PARTS] = {[NIO_CALL_PLAIN] = 50};
	char *text;

	r.events.sampled = true;
	for (int i = 0; i < 20; i++)
		sampled_sums__add(&r.events.seen.calls, moved, (1U << NIO_CALL_NR) - 1, false, 100);
	b->seen = &r.events.seen;
	b->unwatched = 1;
	b->divided[NIO_SIDE_SENDER] = 1000;
	b->calls[NIO_CALL_PLAIN] = (struct nio_amount){1000, 20};
	text = text_of(print_all, &r);
	assert_non_null(strstr(text, "sends      plain (86 to 100 % of the bytes)"));
	free(text);
}
