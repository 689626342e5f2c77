/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties of a child process on this kernel, and that nothing of it remains. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/capabilities.h"
#include "load/child.h"
#include "support/test.h"

#define ARGV(...)   ((char *const *)(const char *[]){__VA_ARGS__, NULL})
#define SH(script)  ARGV("/bin/sh", "-c", script)
#define PATIENCE_MS 5000

static char out[65536];

static void start(struct child *c, char *const argv[], int netns)
{
	const char *step = "none";
	int err = child__start(c, argv, netns, &step);

	if (err)
		fail_msg("child__start: %s: %s", step, strerror(-err));
}

/* The child's output until it closes its stdout. */
static void read_all(struct child *c)
{
	struct pollfd pfd = {.fd = c->out, .events = POLLIN};
	size_t len = 0;
	ssize_t n;

	for (;;) {
		assert_int_equal(poll(&pfd, 1, PATIENCE_MS), 1);
		n = read(c->out, out + len, sizeof(out) - 1 - len);
		assert_true(n >= 0);
		if (!n)
			break;
		len += n;
	}
	out[len] = '\0';
}

static const char *run(char *const argv[], int netns)
{
	struct child c;

	start(&c, argv, netns);
	read_all(&c);
	child__kill(&c);
	return out;
}

/* The text after a key of /proc/self/status, such as "Uid:\t65534\t65534...". */
static const char *status_field(const char *status, const char *key)
{
	static char value[256];
	const char *at = strstr(status, key);

	assert_non_null(at);
	at += strlen(key);
	at += strspn(at, ":\t ");
	snprintf(value, sizeof(value), "%.*s", (int)strcspn(at, "\n"), at);
	return value;
}

static int count_fds(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static bool wait_gone(pid_t pid)
{
	struct pollfd pfd = {.fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	bool gone;

	if (pfd.fd < 0)
		return errno == ESRCH;
	gone = poll(&pfd, 1, PATIENCE_MS) == 1;
	close(pfd.fd);
	return gone;
}

static int forget_sudo(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	return 0;
}

/* A test that needs root and runs without the variables of sudo. */
#define ROOT_TEST(name)                                                                           \
	static void name##_as_root(void);                                                         \
	TEST_WITH(name, forget_sudo, NULL)                                                        \
	{                                                                                         \
		if (geteuid()) {                                                                  \
			print_message("skipped: dropping privileges needs root to begin with\n"); \
			skip();                                                                   \
		}                                                                                 \
		name##_as_root();                                                                 \
	}                                                                                         \
	static void name##_as_root(void)

ROOT_TEST(child_of_root_is_nobody_without_capabilities)
{
	static const char *const sets[] = {"\nCapInh", "\nCapPrm", "\nCapEff", "\nCapBnd",
					   "\nCapAmb"};
	const char *status;

	status = run(ARGV("/bin/cat", "/proc/self/status"), -1);
	assert_string_equal(status_field(status, "Name"), "cat");
	assert_string_equal(status_field(status, "\nUid"), "65534\t65534\t65534\t65534");
	assert_string_equal(status_field(status, "\nGid"), "65534\t65534\t65534\t65534");
	assert_string_equal(status_field(status, "\nGroups"), "");
	assert_string_equal(status_field(status, "\nNoNewPrivs"), "1");
	for (size_t i = 0; i < ARRAY_LEN(sets); i++)
		assert_string_equal(status_field(status, sets[i]), "0000000000000000");
}

ROOT_TEST(child_that_is_started_while_capabilities_are_lowered_is_nobody)
{
	const char *status;

	capabilities__lower(CAPABILITY_OF_RUN);
	status = run(ARGV("/bin/cat", "/proc/self/status"), -1);
	capabilities__raise();
	assert_string_equal(status_field(status, "\nUid"), "65534\t65534\t65534\t65534");
	assert_string_equal(status_field(status, "\nCapBnd"), "0000000000000000");
}

ROOT_TEST(child_under_sudo_is_the_user_of_sudo)
{
	const char *status;

	setenv("SUDO_UID", "1234", 1);
	setenv("SUDO_GID", "5678", 1);
	status = run(ARGV("/bin/cat", "/proc/self/status"), -1);
	assert_string_equal(status_field(status, "\nUid"), "1234\t1234\t1234\t1234");
	assert_string_equal(status_field(status, "\nGid"), "5678\t5678\t5678\t5678");
	assert_string_equal(status_field(status, "\nGroups"), "");
}

ROOT_TEST(invalid_sudo_variables_give_nobody)
{
	static const char *const bad[][2] = {
		{"0", "0"},          {"1000", "0"},          {"0", "1000"},  {"", ""},
		{"-5", "5"},         {"1000x", "1"},         {" 1000", "1"}, {"4294967295", "1000"},
		{"4294967296", "1"}, {"1000", "4294967295"},
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		setenv("SUDO_UID", bad[i][0], 1);
		setenv("SUDO_GID", bad[i][1], 1);
		assert_string_equal(run(SH("id -u; id -g"), -1), "65534\n65534\n");
	}
	setenv("SUDO_UID", "1000", 1);
	unsetenv("SUDO_GID");
	assert_string_equal(run(SH("id -u"), -1), "65534\n");
}

ROOT_TEST(child_has_descriptors_0_to_2_only)
{
	int leak = dup(STDERR_FILENO), i;
	int high = fcntl(STDERR_FILENO, F_DUPFD, 500);

	assert_true(leak >= 0 && high >= 500);
	/* The shell's own glob opens a directory: counts the descriptors open while it reads. */
	run(SH("for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 500 501; do"
	       " [ -e /proc/$$/fd/$i ] && echo $i; done; true"),
	    -1);
	assert_string_equal(out, "0\n1\n2\n");
	close(leak);
	close(high);
	for (i = 0; i < 3; i++)
		assert_true(fcntl(i, F_GETFD) >= 0);
}

/* With 0 and 1 closed the pipes get these numbers and must not be swapped. */
ROOT_TEST(child_starts_though_descriptors_0_and_1_are_closed)
{
	int saved[2] = {fcntl(0, F_DUPFD, 100), fcntl(1, F_DUPFD, 100)}, err;
	const char *step = "none";
	struct child c;

	close(0);
	close(1);
	err = child__start(&c, ARGV("/bin/cat"), -1, &step);
	if (!err)
		err = child__send_line(&c, "through");
	if (!err) {
		close(c.in);
		c.in = -1;
		read_all(&c);
		child__kill(&c);
	}
	dup2(saved[0], 0);
	dup2(saved[1], 1);
	close(saved[0]);
	close(saved[1]);
	assert_int_equal(err, 0);
	assert_string_equal(out, "through\n");
}

/* The C library reserves signals 32 and 33, so no program can reset them. */
#define LIBC_SIGNALS (3ULL << 31)

static unsigned long long signal_set(const char *status, const char *name)
{
	return strtoull(status_field(status, name), NULL, 16) & ~LIBC_SIGNALS;
}

ROOT_TEST(child_has_default_signal_dispositions)
{
	sigset_t block, old;
	const char *status;

	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &old);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	status = run(ARGV("/bin/cat", "/proc/self/status"), -1);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	sigprocmask(SIG_SETMASK, &old, NULL);
	assert_int_equal(signal_set(status, "\nSigBlk"), 0);
	assert_int_equal(signal_set(status, "\nSigIgn"), 0);
}

ROOT_TEST(child_leads_its_own_process_group)
{
	struct child c;

	start(&c, ARGV("/bin/cat"), -1);
	assert_int_equal(getpgid(c.pid), c.pid);
	child__kill(&c);
}

ROOT_TEST(child_inherits_resource_limits)
{
	struct rlimit old, low = {.rlim_cur = 32768, .rlim_max = 32768};

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &old), 0);
	low.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &low), 0);
	run(SH("ulimit -l"), -1);
	setrlimit(RLIMIT_MEMLOCK, &old);
	assert_string_equal(out, "32\n");
}

/* A build tree in a home directory that others may not enter. */
ROOT_TEST(program_starts_from_a_directory_of_root)
{
	char dir[] = "/tmp/netiotrace-test-XXXXXX", program[64], command[192];

	assert_non_null(mkdtemp(dir));
	snprintf(program, sizeof(program), "%s/id", dir);
	snprintf(command, sizeof(command), "cp /usr/bin/id '%s' && chmod 755 '%s'", program,
		 program);
	assert_int_equal(system(command), 0);
	run(ARGV(program, "-u"), -1);
	unlink(program);
	rmdir(dir);
	assert_string_equal(out, "65534\n");
}

ROOT_TEST(child_runs_in_the_given_network_namespace)
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), other;
	char text[64], before[64] = "", after[64] = "";
	struct stat st;

	assert_true(readlink("/proc/self/ns/net", before, sizeof(before) - 1) > 0);
	assert_int_equal(unshare(CLONE_NEWNET), 0);
	other = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	assert_int_equal(setns(home, CLONE_NEWNET), 0);
	assert_int_equal(fstat(other, &st), 0);
	snprintf(text, sizeof(text), "net:[%llu]\n", (unsigned long long)st.st_ino);
	assert_string_equal(run(SH("readlink /proc/$$/ns/net"), other), text);
	assert_true(readlink("/proc/self/ns/net", after, sizeof(after) - 1) > 0);
	assert_string_equal(before, after);
	close(home);
	close(other);
}

static void expect_failure(char *const argv[], int netns, int err, const char *step_part)
{
	int fds = count_fds();
	const char *step = "none";
	struct child c;

	assert_int_equal(child__start(&c, argv, netns, &step), err);
	if (!strstr(step, step_part))
		fail_msg("step \"%s\" does not say \"%s\"", step, step_part);
	assert_int_equal(c.pid, 0);
	assert_int_equal(count_fds(), fds);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	child__kill(&c);
}

ROOT_TEST(failed_starts_return_their_step_and_leave_nothing)
{
	char path[] = "/tmp/netiotrace-test-XXXXXX";
	int fd, null;

	expect_failure(ARGV("/nonexistent/program"), -1, -ENOENT, "open");
	expect_failure(ARGV("/etc/passwd"), -1, -EACCES, "execute");
	expect_failure(ARGV("/tmp"), -1, -EACCES, "open");
	fd = mkstemp(path);
	assert_int_equal(write(fd, "no program\n", 11), 11);
	assert_int_equal(fchmod(fd, 0755), 0);
	close(fd);
	expect_failure(ARGV(path), -1, -ENOEXEC, "execute");
	unlink(path);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	expect_failure(ARGV("/bin/cat"), null, -EINVAL, "namespace");
	close(null);
}

ROOT_TEST(say_delivers_lines_in_order)
{
	char longest[8192];
	struct child c;

	start(&c, SH("read a; read b; echo \"$b $a\""), -1);
	assert_int_equal(child__send_line(&c, "measure"), 0);
	assert_int_equal(child__send_line(&c, "stop"), 0);
	read_all(&c);
	assert_string_equal(out, "stop measure\n");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(child__send_line(&c, longest), -EMSGSIZE);
	child__kill(&c);
	assert_int_equal(child__send_line(&c, "after"), -EPIPE);
}

ROOT_TEST(say_to_an_ended_child_gives_EPIPE)
{
	struct child c;

	signal(SIGPIPE, SIG_IGN);
	start(&c, ARGV("/bin/true"), -1);
	read_all(&c);
	assert_true(wait_gone(c.pid));
	assert_int_equal(child__send_line(&c, "anyone"), -EPIPE);
	child__kill(&c);
	signal(SIGPIPE, SIG_DFL);
}

ROOT_TEST(say_to_a_full_pipe_gives_EAGAIN)
{
	struct child c;
	int err, n = 0;

	start(&c, ARGV("/bin/sleep", "60"), -1);
	do {
		err = child__send_line(&c, "stats");
	} while (!err && ++n < 1000000);
	assert_int_equal(err, -EAGAIN);
	child__kill(&c);
}

ROOT_TEST(kill_ends_the_child_and_its_descendants)
{
	int fds = count_fds();
	struct child c = {0};
	pid_t pid;

	child__kill(&c); /* zeroed: must not close descriptor 0 */
	assert_int_equal(count_fds(), fds);
	start(&c, SH("sleep 60 & echo $!; wait"), -1);
	while (read(c.out, out, sizeof(out)) <= 0)
		poll(&(struct pollfd){.fd = c.out, .events = POLLIN}, 1, PATIENCE_MS);
	pid = atoi(out);
	child__kill(&c);
	assert_int_equal(c.pid, 0);
	assert_true(wait_gone(pid)); /* its descendants too */
	assert_int_equal(count_fds(), fds);
	child__kill(&c);
}

/* SIGKILL of the parent ends the child. */
ROOT_TEST(SIGKILL_of_the_parent_ends_the_child)
{
	struct child c;
	int fds[2], status;
	pid_t holder, pid;

	assert_int_equal(pipe(fds), 0);
	holder = fork();
	if (!holder) {
		start(&c, ARGV("/bin/sleep", "60"), -1);
		if (write(fds[1], &c.pid, sizeof(c.pid)) < 0)
			_exit(1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(fds[0], &pid, sizeof(pid)), sizeof(pid));
	assert_int_equal(kill(pid, 0), 0);
	kill(holder, SIGKILL);
	assert_int_equal(waitpid(holder, &status, 0), holder);
	assert_true(wait_gone(pid));
	close(fds[0]);
	close(fds[1]);
}

/* Without root the child keeps the user and loses all capabilities. */
TEST_WITH(child_of_an_ordinary_user_has_no_capability, forget_sudo, NULL)
{
	const char *status;
	int wait_status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (!geteuid() && (setgid(1000) || setuid(1000)))
			_exit(1);
		status = run(ARGV("/bin/cat", "/proc/self/status"), -1);
		_exit(strcmp(status_field(status, "\nNoNewPrivs"), "1") ||
		      strcmp(status_field(status, "\nCapEff"), "0000000000000000"));
	}
	assert_int_equal(waitpid(pid, &wait_status, 0), pid);
	assert_int_equal(wait_status, 0);
}
