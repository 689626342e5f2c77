/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line: defaults, ranges, and a message for each refusal. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loadgen/pending_sessions.h"
#include "loadgen/lg_options.h"
#include "support/golden.c"
#include "support/record.h"
#include "support/refusal.h"
#include "support/test.h"

static struct lg_options s;
static char why[512];

/* Splits a line at its blanks and parses it. */
static int parse(const char *line)
{
	static char copy[512];
	char *argv[32] = {(char[]){"netio-loadgen"}}, *save = NULL;
	const char *refusal;
	int argc = 1;

	snprintf(copy, sizeof(copy), "%s", line);
	argv[argc] = strtok_r(copy, " ", &save);
	while (argc < 30 && argv[argc])
		argv[++argc] = strtok_r(NULL, " ", &save);
	refusal = refused(&s, argc, argv);
	snprintf(why, sizeof(why), "%s", refusal ? refusal : "");
	return refusal ? -EINVAL : 0;
}

TEST(no_options_give_the_defaults)
{
	assert_int_equal(parse(""), 0);
	assert_int_equal(s.command, COMMAND_LOOPBACK);
	assert_int_equal(s.mode, MODE_ONECOPY);
	assert_int_equal(s.workload.size, 65536);
	assert_int_equal(s.workload.fields, 8);
	assert_int_equal(s.workload.threads, 1);
	assert_int_equal(s.workload.duration_ns, 5000000000ULL);
	assert_int_equal(s.workload.messages, 0);
	assert_int_equal(s.workload.warmup_ns, 0);
	assert_false(s.workload.nodelay || s.workload.verify || s.control || s.json);
}

TEST(each_option_sets_its_member)
{
	assert_int_equal(
		parse("send --connect [::1]:77 --control --mode zerocopy --size=16m "
		      "--fields 64 --threads 256 --messages 281474976710656 --warmup 250ms "
		      "--verify --cpus 0 --sndbuf 1m --nodelay"),
		0);
	assert_int_equal(s.command, COMMAND_SEND);
	assert_int_equal(s.endpoint.addr.ss_family, AF_INET6);
	assert_int_equal(s.mode, MODE_ZEROCOPY);
	assert_int_equal(s.workload.size, 16 << 20);
	assert_int_equal(s.workload.fields, 64);
	assert_int_equal(s.workload.threads, 256);
	assert_true(s.workload.messages == 1ULL << 48 && !s.workload.duration_ns);
	assert_int_equal(s.workload.warmup_ns, 250000000);
	assert_int_equal(s.cpus.nr, 1);
	assert_int_equal(s.workload.sndbuf, 1 << 20);
	assert_true(s.workload.verify && s.control && s.workload.nodelay);
	assert_int_equal(parse("recv --listen 127.0.0.1:0 --rcvbuf 64k --json"), 0);
	assert_int_equal(s.command, COMMAND_RECV);
	assert_int_equal(s.workload.rcvbuf, 65536);
}

/* A bad line, and a word that its message must contain. */
static const char *const bad[][2] = {
	{"--mode fourcopy", "fourcopy"},
	{"--size 0", "--size"},
	{"--size 63", "--size"},
	{"--size 3x", "3x"},
	{"--size -1", "--size"},
	{"--size 16777217", "--size"},
	{"--size 99999999999999999999", "--size"},
	{"--size 18446744073709551616", "--size"},
	{"--fields 0", "--fields"},
	{"--fields 65", "--fields"},
	{"--fields 8x", "--fields"},
	{"--header 65537", "--header"},
	{"--header x", "--header"},
	{"--header 1 --size 16m", "lower --header or --size"},
	{"--threads 0", "--threads"},
	{"--threads 257", "--threads"},
	{"--connections 0", "--connections"},
	{"--connections 4097", "--connections"},
	{"--threads 3 --connections 2", "fewer connections"},
	{"--rate 0", "--rate"},
	{"--rate /s", "--rate"},
	{"--rate 5/ms", "--rate"},
	{"--rate 100000001", "--rate"},
	{"--spin 1001ms", "--spin"},
	{"--rcvlowat 0", "--rcvlowat"},
	{"--request-response --rcvlowat 64k", "--rcvlowat"},
	{"--mode sendfile --verify", "leave out --verify"},
	{"--mode ktls --request-response", "leave out --request-response"},
	{"--mode ktls --receive splice", "leave out --receive"},
	{"--tls 1.2", "--mode ktls"},
	{"--fixed-buffers --fields 1", "--mode uringzc"},
	{"--mode uringzc --fixed-buffers", "--fields 1"},
	{"--mode uringzc --fixed-buffers --fields 1 --header 64", "--header"},
	{"--mode ktls --tls 1.1", "--tls"},
	{"--uring-depth 8", "--mode uring"},
	{"--mode uring --uring-depth 0", "--uring-depth"},
	{"--mode uring --uring-depth 65", "--uring-depth"},
	{"--mode uring --uring-depth 2 --rate 5/s", "--rate"},
	{"--mode uringzc --uring-depth 2 --request-response", "--request-response"},
	{"--mode ktls --rcvlowat 64k", "leave out --rcvlowat"},
	{"--mode ktls --rcvbuf 16383", "--rcvbuf 16k"},
	{"--congestion 0123456789abcdef", "--congestion"},
	{"--duration 0", "--duration"},
	{"--duration 86401s", "--duration"},
	{"--duration soon", "soon"},
	{"--messages 0", "--messages"},
	{"--messages 281474976710657", "--messages"},
	{"--messages 5 --duration 1s", "exclude"},
	{"--warmup 1d", "--warmup"},
	{"--cpus", "value"},
	{"--cpus 0-", "--cpus"},
	{"--cpus 1000", "1000"},
	{"--cpus 0,1000", "1000"},
	{"--cpus 99999", "--cpus"},
	{"--cpus-receiver 1000", "--cpus-receiver names CPU 1000"},
	{"--cpus-receiver x", "--cpus-receiver takes a list of CPUs such as 0-3,8, not 'x'"},
	{"--sndbuf 4095", "not '4095'"},
	{"--rcvbuf 1073741825", "not '1073741825'"},
	{"--rcvlowat 1048577", "--rcvlowat"},
	{"--size 128 --fields 64 --connections 5 --threads 6", "fewer connections than threads"},
	{"--sndbuf 1", "--sndbuf"},
	{"--size", "value"},
	{"--frobnicate", "--frobnicate"},
	{"-x", "-x"},
	{"--verify=yes", "--verify"},
	{"extra words", "extra"},
	{"--verify extra", "extra"},
	{"send", "--connect"},
	{"recv", "--listen"},
	{"send --connect 127.0.0.1:0", "port 0"},
	{"send --connect 127.0.0.1", "ADDRESS:PORT"},
	{"send --connect 127.0.0.1:65536", "ADDRESS:PORT"},
	{"send --connect localhost:1", "ADDRESS:PORT"},
	{"send --connect ::1:5001", "ADDRESS:PORT"},
	{"send --connect [::1:5001", "ADDRESS:PORT"},
	{"send --connect [127.0.0.1]:5001", "ADDRESS:PORT"},
	{"send --connect :1", "ADDRESS:PORT"},
	{"recv --listen 127.0.0.1:0 --mode onecopy", "--mode"},
	{"recv --listen 127.0.0.1:0 --json --control", "exclude"},
	{"--control", "--control"},
	{"--connect 127.0.0.1:1", "--connect"},
	{"--rcvbuf 2g", "--rcvbuf"},
};

/* The rest of the line is ignored. */
TEST(help_and_version_check_nothing_else)
{
	assert_int_equal(parse("--help"), 0);
	assert_true(s.help);
	assert_int_equal(parse("--version --nonsense"), 0);
	assert_true(s.version);
}

TEST(wrong_usage_is_refused_with_the_option_named)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(bad); i++) {
		if (parse(bad[i][0]) != -EINVAL || !strstr(why, bad[i][1]))
			fail_msg("'%s': '%s'", bad[i][0], why);
		record("%s\n", why);
		assert_null(strchr(why, '\n'));
	}
}

/* The first and last value of each range are valid. */
static const char *const good[] = {
	"--size 64",
	"--size 16777216",
	"--fields 1",
	"--size 64 --fields 64",
	"--header 0",
	"--header 64k",
	"--header 64k --size 16711680",
	"--threads 1",
	"--threads 256",
	"--connections 1",
	"--connections 4096",
	"--threads 3 --connections 3",
	"--rate 1",
	"--rate 100000000/s",
	"--spin 0",
	"--spin 1s",
	"--rcvlowat 1",
	"--rcvlowat 1m",
	"--mode ktls --verify --receive recv --header 64 --fields 3 --rcvbuf 16k --tls 1.2",
	"--mode uringzc --uring-depth 64",
	"--mode uring --uring-depth 1 --request-response --rate 5/s",
	"--uring-depth 1",
	"--congestion 0123456789abcde",
	"--duration 1ns",
	"--duration 24h",
	"--messages 1",
	"--messages 281474976710656",
	"--warmup 0",
	"--warmup 24h",
	"--sndbuf 4096",
	"--sndbuf 1g",
	"--rcvbuf 4096",
	"--rcvbuf 1g",
	"--cpus 0",
	"--cpus-receiver 0",
};

TEST(first_and_last_value_of_each_range_are_accepted)
{
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		if (parse(good[i]))
			fail_msg("'%s': '%s'", good[i], why);
}

/* The user's long word must not push the remedy out of the message. */
TEST(long_word_leaves_the_remedy_in_the_message)
{
	char line[400] = "--mode ";

	memset(line + 7, 'x', 300);
	assert_int_equal(parse(line), -EINVAL);
	record("%s\n", why);
	assert_non_null(strstr(why, "choose one of twocopy onecopy"));
}

TEST(shares_differ_by_at_most_1_and_add_up)
{
	uint64_t sum, i;

	for (sum = 0, i = 0; i < 4; i++)
		sum += lg_options__share(23, 4, i);
	assert_int_equal(sum, 23);
	assert_int_equal(lg_options__share(23, 4, 0), 6);
	assert_int_equal(lg_options__share(23, 4, 3), 5);
	assert_int_equal(lg_options__share(2, 4, 1), 1);
	assert_int_equal(lg_options__share(2, 4, 2), 0);
	for (sum = 0, i = 0; i < 255; i++)
		sum += lg_options__share(1ULL << 48, 255, i);
	assert_true(sum == 1ULL << 48);
}

TEST(defaults_depend_on_other_options)
{
	assert_int_equal(parse("--threads 2"), 0);
	assert_int_equal(s.workload.connections, 2);
	assert_int_equal(parse("--request-response"), 0);
	assert_true(s.workload.request_response && s.workload.nodelay);
	assert_int_equal(parse("--rate 2500/s --spin 50us --congestion cubic"), 0);
	assert_true(s.workload.rate == 2500 && s.workload.spin_ns == 50000 &&
		    !strcmp(s.workload.congestion, "cubic"));
}

/* Half of the memory is the limit. */
TEST(messages_above_half_of_the_memory_are_refused)
{
	static const struct {
		enum mode mode;
		unsigned int connections, depth;
		uint64_t least; /* memory of the machine for messages of 1 MiB */
	} cases[] = {
		{MODE_ONECOPY, 1, 1, 2 << 20},
		{MODE_ONECOPY, 3, 1, 6 << 20},
		{MODE_TWOCOPY, 2, 1, 8 << 20}, /* the fields, and the buffer they are packed into */
		{MODE_URING, 2, 8, 32 << 20},
		{MODE_URINGZC, 2, 8, 64 << 20},  /* two slots for each of 8 messages */
		{MODE_ZEROCOPY, 2, 1, 16 << 20}, /* four slots of sends in flight */
	};

	for_each_case(c, cases) {
		const struct workload w = {
			.size = 1 << 20, .connections = c->connections, .uring_depth = c->depth};

		assert_int_equal(mode__check_memory(c->mode, &w, c->least, why, sizeof(why)), 0);
		assert_int_equal(mode__check_memory(c->mode, &w, c->least - 1, why, sizeof(why)),
				 -EINVAL);
	}
	assert_non_null(strstr(why, "zerocopy messages of 1 MiB on 2 connections would take 8"));
}

TEST(addresses_are_numeric_with_a_port)
{
	struct endpoint e;
	char text[64];

	assert_int_equal(endpoint__parse("192.0.2.1:5001", &e), 0);
	assert_int_equal(ntohs(((struct sockaddr_in *)&e.addr)->sin_port), 5001);
	inet_ntop(AF_INET, &((struct sockaddr_in *)&e.addr)->sin_addr, text, sizeof(text));
	assert_string_equal(text, "192.0.2.1");
	assert_int_equal(endpoint__parse("[2001:db8::2]:1", &e), 0);
	inet_ntop(AF_INET6, &((struct sockaddr_in6 *)&e.addr)->sin6_addr, text, sizeof(text));
	assert_string_equal(text, "2001:db8::2");
	assert_int_equal(endpoint__parse("[]:1", &e), -EINVAL);
	assert_int_equal(endpoint__parse("", &e), -EINVAL);
	assert_int_equal(endpoint__parse("0x7f.1:80", &e), -EINVAL);
	assert_int_equal(endpoint__parse("1.2.3.4:", &e), -EINVAL);
	assert_int_equal(endpoint__parse("1.2.3.4:+80", &e), -EINVAL);
}

/* A sender opens what it was asked for; a receiver learns the number later. */
TEST(descriptor_limit_covers_threads_and_unidentified_connections)
{
	struct lg_options asked = {.command = COMMAND_SEND, .workload.connections = 7};

	/* An epoll and a timer per thread, and each connection. */
	assert_true(lg_options__descriptors(&asked) > 2 * LIMIT_THREADS_MAX + 7);
	asked.workload.connections = 4096;
	assert_true(lg_options__descriptors(&asked) > 2 * LIMIT_THREADS_MAX + 4096);
	/* A receiver does not know the number of connections yet. */
	asked.workload.connections = 1;
	for (enum command c = COMMAND_RECV; c <= COMMAND_LOOPBACK; c++) {
		asked.command = c;
		assert_true(lg_options__descriptors(&asked) > 2 * LIMIT_THREADS_MAX +
								      LIMIT_CONNECTIONS_MAX +
								      PENDING_UNIDENTIFIED_MAX);
	}
}

TEST(refusals_match_the_golden_file)
{
	record__check("loadgen-refusals");
}

/* The output of --help, from which the manual is made. */
TEST(help_matches_the_golden_file)
{
	static char text[16384];
	int saved = dup(STDOUT_FILENO), fd = memfd_create("help", MFD_CLOEXEC);
	ssize_t n;

	assert_true(fd >= 0);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	lg_options__help();
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	n = pread(fd, text, sizeof(text) - 1, 0);
	close(fd);
	assert_true(n > 0);
	golden__check("loadgen-help", text);
}
