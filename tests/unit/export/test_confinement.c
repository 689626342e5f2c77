/* SPDX-License-Identifier: GPL-2.0-only */
/* The filter of system calls, each time loaded in a child process, which ends with it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "export/confinement.h"
#include "support/test.h"

#define LOAD_FAILED 254

struct call {
	long number, arguments[6];
};

/* errno of a call, 0: it worked. */
static int try(const struct call *c)
{
	const long *a = c->arguments;
	long result = syscall(c->number, a[0], a[1], a[2], a[3], a[4], a[5]);

	return result == -1 ? errno : 0;
}

/*
 * Ends a child process. Not _exit(): AddressSanitizer calls sigaltstack(), which the filter
 * refuses, before each function that does not return.
 */
static void end(int status)
{
	syscall(SYS_exit_group, status);
}

/* What work() returns, below LOAD_FAILED, in a child process with the filter. */
static int with_filter(bool kprobes, int (*work)(const struct call *), const struct call *c)
{
	int status, err;
	pid_t pid = fork();

	if (!pid) {
		err = syscall_filter__load(kprobes);
		end(err ? LOAD_FAILED : work(c));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), LOAD_FAILED);
	return WEXITSTATUS(status);
}

static int filtered(const struct call *c)
{
	return with_filter(false, try, c);
}

/* What it cannot be known to give, without the right to do it, is compared with the unfiltered. */
static void passes(const struct call *c)
{
	assert_int_equal(filtered(c), try(c));
}

TEST(calls_that_serving_metrics_does_not_take_give_EPERM)
{
	const struct call calls[] = {
		{SYS_execve, {0}},
		{SYS_ptrace, {PTRACE_ATTACH, -1}},
		{SYS_clone, {SIGCHLD}},
		{SYS_kill, {getpid(), 0}},
		{SYS_prctl, {PR_GET_DUMPABLE}},
		{SYS_socket, {AF_INET, SOCK_STREAM}},
		{SYS_perf_event_open, {0}},
		{SYS_tgkill, {getppid(), getppid(), 0}},
		{SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1}},
	};

	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		/* Others may be refused some of them anyway. */
		if (!geteuid() && calls[i].number != SYS_clone)
			assert_int_not_equal(try(&calls[i]), EPERM);
		assert_int_equal(filtered(&calls[i]), EPERM);
	}
}

TEST(clone3_gives_ENOSYS)
{
	const struct call clone3 = {SYS_clone3, {0}};

	assert_int_equal(filtered(&clone3), ENOSYS);
}

TEST(calls_that_serving_metrics_takes_work)
{
	const struct call calls[] = {
		{SYS_openat, {AT_FDCWD, (long)"/proc/self/stat", O_RDONLY}},
		{SYS_socket, {AF_UNIX, SOCK_DGRAM}},
		{SYS_getpid, {0}},
		{SYS_sysinfo, {0}},
		{SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1}},
		{SYS_accept4, {-1}},
		{SYS_fsync, {-1}},
		{SYS_ioctl, {-1, PERF_EVENT_IOC_DISABLE}},
		{SYS_timerfd_settime, {-1}},
	};

	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		passes(&calls[i]);
}

/* The kernel does not see the upper half of the command's register, nor may the filter. */
TEST(bpf_is_allowed_for_the_commands_that_read_and_attach)
{
	static const enum bpf_cmd allowed[] = {
		BPF_MAP_LOOKUP_ELEM,    BPF_MAP_DELETE_ELEM, BPF_MAP_LOOKUP_AND_DELETE_BATCH,
		BPF_ITER_CREATE,        BPF_LINK_CREATE,     BPF_RAW_TRACEPOINT_OPEN,
		BPF_OBJ_GET_INFO_BY_FD,
	};
	static char attr[8192]; /* larger than a page: E2BIG, whoever asks, from Linux 5.19 on */

	for (long cmd = 0; cmd < 64; cmd++) {
		struct call low = {SYS_bpf, {cmd, (long)attr, sizeof(attr)}};
		struct call high = {SYS_bpf, {cmd | 1L << 32, (long)attr, sizeof(attr)}};
		int expected = EPERM;

		for (size_t i = 0; i < ARRAY_LEN(allowed); i++)
			if (cmd == (long)allowed[i])
				expected = try(&low);
		assert_int_equal(filtered(&low), expected);
		assert_int_equal(filtered(&high), expected);
	}
}

TEST(perf_event_open_is_allowed_where_programs_are_on_kprobes)
{
	const struct call open = {SYS_perf_event_open, {0}};

	assert_int_equal(with_filter(true, try, &open), try(&open));
}

#ifdef __x86_64__
TEST(calls_of_another_abi_give_EPERM)
{
	const struct call getpid_x32 = {0x40000000 | SYS_getpid, {0}};

	assert_int_equal(filtered(&getpid_x32), EPERM);
}
#endif

static int abort_itself(void)
{
	void (*volatile function)(void) = abort; /* does not return, which end() speaks of */

	function();
	return 0;
}

TEST(abort_ends_the_process)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		end(syscall_filter__load(false) ? LOAD_FAILED : abort_itself());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

static int load_again(const struct call *c)
{
	(void)c;
	return syscall_filter__load(false) < 0;
}

/* As in a container whose own filter refuses seccomp(). */
TEST(where_no_filter_can_be_loaded_an_error_is_returned)
{
	assert_int_equal(with_filter(false, load_again, NULL), 1);
}
