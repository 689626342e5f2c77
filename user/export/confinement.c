/* SPDX-License-Identifier: GPL-2.0-only */
/* The system calls that a running exporter may make, and its privileges; see confinement.h. */
#include <cap-ng.h>
#include <errno.h>
#include <grp.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/capabilities.h"
#include "base/privileges.h"
#include "common/uid_map.h"
#include "confinement.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* C libraries differ in the calls that they use for one function: alternatives are here, too. */
static const int allowed[] = {
	/* memory */
	SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(mremap), SCMP_SYS(munmap),
	/* cgroups, logs of pods, /proc/self, iterators */
	SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(close), SCMP_SYS(fcntl), SCMP_SYS(read),
	SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(getdents64), SCMP_SYS(stat),
	SCMP_SYS(lstat), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(statfs),
	SCMP_SYS(fstatfs), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(access),
	SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
	/* stderr, --once, --textfile, --ready-file, the file of a unix socket */
	SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(fchmod), SCMP_SYS(fchown), SCMP_SYS(fsync),
	SCMP_SYS(umask), SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2),
	SCMP_SYS(unlink), SCMP_SYS(unlinkat),
	/* HTTP clients, the service manager */
	SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(getsockname), SCMP_SYS(getpeername),
	SCMP_SYS(getsockopt), SCMP_SYS(setsockopt), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg),
	SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(shutdown),
	/* events, signals, time */
	SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_pwait2),
	SCMP_SYS(timerfd_settime), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigpending), SCMP_SYS(rt_sigreturn), SCMP_SYS(restart_syscall),
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(futex),
	SCMP_SYS(sched_yield),
	/* the process itself */
	SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid),
	SCMP_SYS(getegid), SCMP_SYS(getrandom), SCMP_SYS(getrusage), SCMP_SYS(getrlimit),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(sysinfo), SCMP_SYS(uname), SCMP_SYS(exit),
	SCMP_SYS(exit_group)};

/* Most integers are 32 bits, and the kernel ignores the others of the register. */
#define INT UINT32_MAX

/* A call that is allowed while the bits `mask` of an argument are `value`. */
struct rule {
	int call;
	unsigned int argument; /* from 0 */
	scmp_datum_t mask, value;
};

/* Maps are made, and programs loaded, before: what is left is to read and to attach again. */
static const struct rule rules[] = {
	{SCMP_SYS(bpf), 0, INT, BPF_MAP_LOOKUP_ELEM},
	{SCMP_SYS(bpf), 0, INT, BPF_MAP_DELETE_ELEM},
	{SCMP_SYS(bpf), 0, INT, BPF_MAP_LOOKUP_AND_DELETE_BATCH},
	{SCMP_SYS(bpf), 0, INT, BPF_ITER_CREATE},
	{SCMP_SYS(bpf), 0, INT, BPF_OBJ_GET_INFO_BY_FD},
	{SCMP_SYS(bpf), 0, INT, BPF_LINK_CREATE},
	{SCMP_SYS(bpf), 0, INT, BPF_RAW_TRACEPOINT_OPEN}, /* on older kernels */
	{SCMP_SYS(mmap), 2, PROT_EXEC, 0},
	{SCMP_SYS(mprotect), 2, PROT_EXEC, 0},
	{SCMP_SYS(socket), 0, INT, AF_UNIX},               /* the service manager's */
	{SCMP_SYS(ioctl), 1, INT, TCGETS},                 /* stdio: is it a terminal? */
	{SCMP_SYS(ioctl), 1, INT, PERF_EVENT_IOC_DISABLE}, /* detaches a kprobe */
	{SCMP_SYS(prlimit64), 2, UINT64_MAX, 0},           /* reads a limit */
};

static const struct rule kprobe_rules[] = {
	{SCMP_SYS(perf_event_open), 0, 0, 0},
	{SCMP_SYS(ioctl), 1, INT, PERF_EVENT_IOC_SET_BPF},
	{SCMP_SYS(ioctl), 1, INT, PERF_EVENT_IOC_ENABLE},
};

static int add(scmp_filter_ctx filter, const struct rule *list, size_t nr)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		err = seccomp_rule_add(filter, SCMP_ACT_ALLOW, list[i].call, 1,
				       SCMP_CMP(list[i].argument, SCMP_CMP_MASKED_EQ, list[i].mask,
						list[i].value));
	return err;
}

static int add_rules(scmp_filter_ctx filter, bool kprobes)
{
	/* abort() signals the process itself. */
	const struct rule own = {SCMP_SYS(tgkill), 0, INT, (scmp_datum_t)getpid()};
	int err = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);

	for (size_t i = 0; i < ARRAY_SIZE(allowed) && !err; i++)
		err = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
	if (!err)
		err = add(filter, rules, ARRAY_SIZE(rules));
	if (!err && kprobes)
		err = add(filter, kprobe_rules, ARRAY_SIZE(kprobe_rules));
	return err ? err : add(filter, &own, 1);
}

int syscall_filter__load(bool kprobes)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int err;

	if (!filter)
		return -ENOMEM;
	/* Calls of another architecture, such as 32-bit ones. */
	err = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
	if (!err)
		err = seccomp_attr_set(filter, SCMP_FLTATR_CTL_LOG, 1);
	if (!err)
		err = add_rules(filter, kprobes);
	if (!err)
		err = seccomp_load(filter);
	seccomp_release(filter);
	return err;
}

static int become_nobody(void)
{
	uid_t uid;
	gid_t gid;

	uid_map__nobody(&uid, &gid);
	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	return 0;
}

/* What the exporter needs of what it has. CAP_SYS_ADMIN stands for what it has not. */
static uint64_t still_needed(void)
{
	uint64_t needed = capabilities__needed(CAPABILITY_OF_EXPORT, CAPABILITY_WATCHING);
	uint64_t kept = 0;

	for (unsigned int i = 0; needed >> i; i++)
		if (needed >> i & 1 && capng_have_capability(CAPNG_PERMITTED, i))
			kept |= 1ULL << i;
	if (kept != needed && capng_have_capability(CAPNG_PERMITTED, CAP_SYS_ADMIN))
		kept |= 1ULL << CAP_SYS_ADMIN;
	return kept;
}

static int drop(bool keep_bpf)
{
	uint64_t kept = keep_bpf ? still_needed() : 0;

	capng_clear(CAPNG_SELECT_ALL);
	for (unsigned int i = 0; kept >> i; i++)
		if (kept >> i & 1)
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, i);
	if (capng_apply(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT))
		return -EPERM;
	return 0;
}

int confinement__enter(bool keep_bpf, bool keep_user)
{
	int err = privileges__clear_bounding_set();

	if (!err && !geteuid() && !keep_user) {
		/* The change of user would clear the capabilities to keep. */
		prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
		err = become_nobody();
	}
	if (!err)
		err = drop(keep_bpf);
	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	return err;
}

int confinement__try(int (*work)(void *arg), void *arg, bool keep_user)
{
	pid_t pid = fork();
	int status, err;

	if (pid < 0)
		return -errno;
	if (!pid) {
		err = confinement__enter(false, keep_user);
		/* errno fits into an exit status. */
		_exit(err ? -err : -work(arg));
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -ECHILD;
	return -WEXITSTATUS(status);
}
